"""Fixtures that more than one room of the tests uses."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterator
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest
from hypothesis import HealthCheck, settings

from .postgres import postgres_server
from .redis_server import redis_server

# The same examples on every machine and in every run: a red test is a change, never luck.
settings.register_profile(
    "fixed",
    derandomize=True,
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
# For `make soak`: new examples each time.
settings.register_profile("soak", parent=settings.get_profile("fixed"), derandomize=False, max_examples=2_000)
settings.load_profile("fixed")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("markexpr") == "soak":
        settings.load_profile("soak")


async def _execute(url: str, *statements: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


def _database(server: str, name: str) -> str:
    return urlunsplit(urlsplit(server)._replace(path=f"/{name}"))


@pytest.fixture(scope="session")
def postgres_admin_url() -> Iterator[str]:
    """``postgresql://…/postgres`` of the server of this pytest process (one a worker under xdist)."""
    with postgres_server() as url:
        yield url


@pytest.fixture(scope="session")
def postgres_template(postgres_admin_url: str) -> Iterator[str]:
    """The name of a migrated, empty database that the databases of the tests are copied from."""
    from persistence.migrations import upgrade

    name = f"rummy_template_{uuid.uuid4().hex[:12]}"
    asyncio.run(_execute(postgres_admin_url, f"CREATE DATABASE {name}"))
    asyncio.run(upgrade(_database(postgres_admin_url, name).replace("postgresql:", "postgresql+asyncpg:")))
    yield name
    asyncio.run(_execute(postgres_admin_url, f"DROP DATABASE {name} WITH (FORCE)"))


@pytest.fixture
def postgres_url(postgres_admin_url: str, postgres_template: str) -> Iterator[str]:
    """``postgresql+asyncpg://…`` of a migrated database that belongs to this test alone."""
    name = f"rummy_test_{uuid.uuid4().hex}"
    asyncio.run(_execute(postgres_admin_url, f"CREATE DATABASE {name} TEMPLATE {postgres_template}"))
    yield _database(postgres_admin_url, name).replace("postgresql:", "postgresql+asyncpg:")
    asyncio.run(_execute(postgres_admin_url, f"DROP DATABASE {name} WITH (FORCE)"))


@pytest.fixture(scope="session")
def _redis_server() -> Iterator[str]:
    with redis_server() as url:
        yield url


@pytest.fixture
def redis_url(_redis_server: str) -> str:
    """``redis://…`` of a server of this pytest process, shared by its tests: choose names of your own."""
    return _redis_server
