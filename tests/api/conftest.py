"""Fixtures of the API's tests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from .harness import Client, running, sqlite_url


@pytest_asyncio.fixture
async def client(tmp_path: Path) -> AsyncIterator[Client]:
    """A server on a fresh SQLite file."""
    async with running(sqlite_url(tmp_path)) as client:
        yield client


@pytest_asyncio.fixture
async def postgres(postgres_url: str) -> AsyncIterator[Client]:
    """A server on a fresh PostgreSQL database."""
    async with running(postgres_url) as client:
        yield client


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Of both kinds, one after the other. Not asynchronous: its databases are made in loops of their own."""
    return sqlite_url(tmp_path) if request.param == "sqlite" else request.getfixturevalue("postgres_url")


@pytest_asyncio.fixture
async def either(database_url: str) -> AsyncIterator[Client]:
    """A server on either."""
    async with running(database_url) as client:
        yield client
