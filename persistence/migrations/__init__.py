"""The schema's history, applied when a server starts. Servers that start together wait for each other."""

from __future__ import annotations

import asyncio
from pathlib import Path

import asyncpg
from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, create_engine, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry, NullPool

# Any number will do, so long as every version of the program uses the same.
_ADVISORY_LOCK = 0x52554D4D59


def _upgrade(connection: Connection) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _locked_upgrade(connection: Connection) -> None:
    connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _ADVISORY_LOCK})
    _upgrade(connection)


def upgrade_sqlite(path: Path) -> None:
    """Blocks. SQLite's own write lock is taken before anything is looked at."""
    engine = create_engine(f"sqlite:///{path}", poolclass=NullPool)

    @event.listens_for(engine, "connect")
    def _no_implicit_transactions(  # pyright: ignore[reportUnusedFunction]
        connection: DBAPIConnection, _: ConnectionPoolEntry
    ) -> None:
        connection.isolation_level = None

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:  # pyright: ignore[reportUnusedFunction]
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    try:
        with engine.begin() as connection:
            _upgrade(connection)
    finally:
        engine.dispose()


async def upgrade_postgres(dsn: str) -> None:
    """`dsn` is the driver's own form, ``postgresql://…``, so that its parameters mean the same everywhere."""
    engine = create_async_engine(
        "postgresql+asyncpg://", poolclass=NullPool, async_creator=lambda: asyncpg.connect(dsn)
    )
    try:
        async with engine.begin() as connection:
            await connection.run_sync(_locked_upgrade)
    finally:
        await engine.dispose()


async def upgrade(url: str) -> None:
    """Bring the database behind a ``sqlite+aiosqlite:…`` or ``postgresql+asyncpg:…`` URL up to date."""
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        await asyncio.to_thread(upgrade_sqlite, Path(parsed.database or ""))
    else:
        await upgrade_postgres(parsed.set(drivername="postgresql").render_as_string(hide_password=False))
