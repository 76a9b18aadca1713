"""Fixtures of the tests of streams and sockets."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.api.harness import sqlite_url

from .harness import Site, served


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return sqlite_url(tmp_path) if request.param == "sqlite" else request.getfixturevalue("postgres_url")


@pytest_asyncio.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    """A server on a fresh SQLite file."""
    async with served(sqlite_url(tmp_path)) as site:
        yield site


@pytest_asyncio.fixture
async def either(database_url: str) -> AsyncIterator[Site]:
    """A server on a fresh database of either kind."""
    async with served(database_url) as site:
        yield site
