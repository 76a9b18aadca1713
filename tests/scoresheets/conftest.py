"""A server on each kind of store, and a second one beside it that shares nothing but the store."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Any

import httpx
import pytest
import pytest_asyncio
from litestar import Litestar

from api.app import create_app
from api.settings import Settings
from persistence import store_for
from persistence.store import EventStore

SECRET = "a secret of thirty-two characters."
OPERATOR = "an-operators-key-of-22-characters"


@pytest.fixture(params=["sqlite", "postgres"])
def store_url(request: pytest.FixtureRequest) -> str:
    if request.param == "sqlite":
        return f"sqlite+aiosqlite:///{request.getfixturevalue('tmp_path') / 'sheets.sqlite'}"
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest_asyncio.fixture
async def store(store_url: str) -> AsyncIterator[EventStore]:
    opened = store_for(store_url)
    await opened.open()
    yield opened
    await opened.close()


@pytest.fixture
def app_for(store: EventStore, store_url: str) -> Callable[..., Litestar]:
    """Applications on the one open store: each has its own memory, as processes have."""

    def make(**changes: Any) -> Litestar:
        settings = {"database_url": store_url, "secret": SECRET, "api_keys": (OPERATOR,)} | changes
        return create_app(Settings(**settings), store)

    return make


@pytest_asyncio.fixture
async def clients(app_for: Callable[..., Litestar]) -> AsyncIterator[list[httpx.AsyncClient]]:
    """One client for each of two servers."""
    async with AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(
                httpx.AsyncClient(transport=httpx.ASGITransport(app_for()), base_url="http://test")
            )
            for _ in range(2)
        ]


@pytest.fixture
def client(clients: list[httpx.AsyncClient]) -> httpx.AsyncClient:
    return clients[0]
