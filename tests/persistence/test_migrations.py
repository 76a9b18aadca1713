"""The migrations build the schema that the statements are made from, once, whoever comes first."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, create_engine
from sqlalchemy.ext.asyncio import create_async_engine

from persistence import store_for
from persistence.migrations import upgrade
from persistence.schema import metadata

from .build import append, new_id


@pytest.fixture
def empty_postgres(postgres_admin_url: str) -> Iterator[str]:
    name = f"rummy_empty_{uuid.uuid4().hex}"

    async def execute(statement: str) -> None:
        connection = await asyncpg.connect(postgres_admin_url)
        await connection.execute(statement)
        await connection.close()

    asyncio.run(execute(f"CREATE DATABASE {name}"))
    yield postgres_admin_url.replace("postgresql:", "postgresql+asyncpg:").rsplit("/", 1)[0] + f"/{name}"
    asyncio.run(execute(f"DROP DATABASE {name} WITH (FORCE)"))


def differences(connection: Connection) -> list[Any]:
    return list(compare_metadata(MigrationContext.configure(connection), metadata))


def test_sqlite_has_the_schema(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    asyncio.run(upgrade(f"sqlite+aiosqlite:///{path}"))
    engine = create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        assert differences(connection) == []
    engine.dispose()


@pytest.mark.asyncio
async def test_postgres_has_the_schema(empty_postgres: str) -> None:
    await upgrade(empty_postgres)
    engine = create_async_engine(empty_postgres)
    async with engine.connect() as connection:
        assert await connection.run_sync(differences) == []
    await engine.dispose()


@pytest.mark.asyncio
async def test_servers_that_start_together(empty_postgres: str) -> None:
    stores = [store_for(empty_postgres) for _ in range(4)]
    await asyncio.gather(*[store.open() for store in stores])
    game_id = new_id()
    await stores[0].append([append(game_id)])
    assert [await store.head(game_id) for store in stores] == [1] * 4
    await asyncio.gather(*[store.close() for store in stores])


@pytest.mark.asyncio
async def test_starting_again_keeps_everything(store_url: str) -> None:
    game_id = new_id()
    for number in range(1, 4):
        store = store_for(store_url)
        await store.open()
        await store.append([append(game_id, number)])
        assert await store.head(game_id) == number
        await store.close()
