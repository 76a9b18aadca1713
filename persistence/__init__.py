"""Where games are kept. See `store` for what is promised; choose a store by its URL."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from .store import EventStore


def store_for(url: str) -> EventStore:
    """The store behind ``sqlite+aiosqlite:///file`` or ``postgresql+asyncpg://…``, not yet opened.

    Raises `ValueError` for any other URL. SQLite's ``:memory:`` is refused: it would be another database
    for each connection.
    """
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise ValueError("RUMMY_DATABASE_URL is no database URL") from None
    backend = parsed.get_backend_name()
    if backend == "sqlite":
        if parsed.database in (None, "", ":memory:"):
            raise ValueError("SQLite needs a file: sqlite+aiosqlite:///path/to/file")
        from .sqlite import SqliteStore

        return SqliteStore(Path(str(parsed.database)))
    if backend == "postgresql":
        from .postgres import PostgresStore

        return PostgresStore(url)
    raise ValueError(f"no store for {backend}: SQLite and PostgreSQL are supported")
