"""References: what the framework costs with nothing behind it, and what one row costs with nothing before it.

    python -m benchmarks.bare      # a bare handler on a free port, which it prints
"""

from __future__ import annotations

import asyncio
import itertools
import os
import sqlite3
import sys
import time
from pathlib import Path

import asyncpg
import uvicorn
from litestar import Litestar, post
from litestar.params import JSONBody
from msgspec import Struct

#: as large as a command's events usually are
ROW = os.urandom(300)


class Ask(Struct):
    """About as large as a command."""

    type: str
    source: str
    count: int = 1


class Said(Struct):
    version: int
    ok: bool


@post("/bare", status_code=200)
async def bare(data: JSONBody[Ask]) -> Said:
    return Said(data.count, True)


class _Announcing(uvicorn.Server):
    async def startup(self, sockets: object = None) -> None:
        await super().startup(sockets)  # type: ignore[arg-type]
        sys.stdout.write(f"Listening on http://127.0.0.1:{self.servers[0].sockets[0].getsockname()[1]}\n")
        sys.stdout.flush()


def main() -> None:
    app = Litestar([bare], openapi_config=None, logging_config=None)
    config = uvicorn.Config(app, port=0, log_level="warning", access_log=False, server_header=False)
    _Announcing(config).run()


def sqlite_rows(directory: Path, seconds: float) -> float:
    """Rows a second, each its own transaction, durable, one writer."""
    path = directory / "bare.sqlite"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE bare (id INTEGER PRIMARY KEY, events BLOB NOT NULL)")
    count, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        connection.execute("INSERT INTO bare (events) VALUES (?)", (ROW,))
        count += 1
    took = time.perf_counter() - began
    connection.close()
    return count / took


async def _postgres_rows(url: str, seconds: float, writers: int) -> float:
    first = await asyncpg.connect(url)
    await first.execute("DROP TABLE IF EXISTS bare")
    await first.execute("CREATE TABLE bare (id bigint PRIMARY KEY, events bytea NOT NULL)")
    await first.close()
    numbers = itertools.count()
    pool = [await asyncpg.connect(url) for _ in range(writers)]
    end = time.perf_counter() + seconds

    async def write(connection: asyncpg.Connection[asyncpg.Record]) -> int:
        insert = await connection.prepare("INSERT INTO bare (id, events) VALUES ($1, $2)")
        count = 0
        while time.perf_counter() < end:
            await insert.fetch(next(numbers), ROW)
            count += 1
        return count

    began = time.perf_counter()
    counts = await asyncio.gather(*map(write, pool))
    took = time.perf_counter() - began
    for connection in pool:
        await connection.close()
    return sum(counts) / took


def postgres_rows(url: str, seconds: float, writers: int) -> float:
    """Rows a second, each its own statement and transaction, durable, so many connections at once."""
    return asyncio.run(_postgres_rows(url, seconds, writers))


if __name__ == "__main__":
    main()
