from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from persistence import store_for
from persistence.store import EventStore


@pytest.fixture(params=["sqlite", "postgres"])
def store_url(request: pytest.FixtureRequest) -> str:
    if request.param == "sqlite":
        directory: Path = request.getfixturevalue("tmp_path")
        return f"sqlite+aiosqlite:///{directory / 'games.sqlite'}"
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest_asyncio.fixture
async def store(store_url: str) -> AsyncIterator[EventStore]:
    opened = store_for(store_url)
    await opened.open()
    yield opened
    await opened.close()
