"""Notifiers that meet over a network only, as those of two processes do, and a network that can be cut."""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest
import pytest_asyncio

from api.notifier import Notifier, make_notifier
from tests.persistence.proxy import Proxy

Pair = tuple[Notifier, Notifier]


@pytest.fixture(params=["redis", "postgres"])
def network(request: pytest.FixtureRequest) -> str:
    """The URL of a real server that carries hints."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


def notifier(url: str) -> Notifier:
    if url.startswith("redis"):
        return make_notifier(url, "sqlite+aiosqlite:///unused")
    return make_notifier("postgres", url)


@pytest_asyncio.fixture
async def pair(network: str) -> AsyncIterator[Pair]:
    here, there = notifier(network), notifier(network)
    await here.start()
    await there.start()
    yield here, there
    await here.stop()
    await there.stop()


@pytest_asyncio.fixture
async def proxy(network: str) -> AsyncIterator[Proxy]:
    proxy = Proxy(network.replace("postgresql+asyncpg:", "postgresql:"))
    await proxy.start()
    yield proxy
    await proxy.stop()


@pytest_asyncio.fixture
async def cuttable(network: str, proxy: Proxy) -> AsyncIterator[Pair]:
    """The same; what the first one says and hears passes the proxy."""
    target = urlsplit(network)
    user = f"{target.username}@" if target.username else ""
    near = target._replace(netloc=f"{user}127.0.0.1:{urlsplit(proxy.url).port}").geturl()
    here, there = notifier(near), notifier(network)
    await here.start()
    await there.start()
    yield here, there
    await here.stop()
    await there.stop()
