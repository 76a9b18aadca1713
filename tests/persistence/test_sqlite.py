"""What only the embedded store does: the lock, the gathering writer, a full disk, a plan for each read."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from persistence import store_for
from persistence.sql import Query, Statements, sqlite_dialect
from persistence.sqlite import SqliteStore
from persistence.store import Outcome, StoreInUse, StoreUnavailable

from .build import append, everything, ids, new_id

WON, LOST = Outcome.COMMITTED, Outcome.CONFLICT


@pytest_asyncio.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    opened = SqliteStore(tmp_path / "deep" / "games.sqlite")
    await opened.open()
    yield opened
    await opened.close()


@pytest.mark.asyncio
async def test_a_second_server_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    first, second = SqliteStore(path), SqliteStore(path)
    await first.open()
    with pytest.raises(StoreInUse, match="another server"):
        await second.open()
    await second.close()
    assert await first.append([append(new_id())]) == [WON]
    await first.close()
    await second.open()
    await second.close()


def test_a_second_process_is_refused_and_a_dead_one_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    holding = (
        "import asyncio, sys, pathlib; from persistence.sqlite import SqliteStore\n"
        "async def main():\n"
        "    await SqliteStore(pathlib.Path(sys.argv[1])).open()\n"
        "    print('open', flush=True); sys.stdin.read()\n"
        "asyncio.run(main())"
    )
    with subprocess.Popen(
        [sys.executable, "-c", holding, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"open\n"
        with pytest.raises(StoreInUse, match=f"process {process.pid}"):
            asyncio.run(SqliteStore(path).open())
        process.kill()

    async def open_and_close() -> None:
        store = SqliteStore(path)
        await store.open()
        await store.close()

    asyncio.run(open_and_close())


@pytest.mark.asyncio
async def test_what_is_no_database_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("this is no database, and long enough to be sure of it " * 10)
    for path in (tmp_path / "file", tmp_path, tmp_path / "file" / "below"):
        store = SqliteStore(path)
        with pytest.raises(StoreUnavailable):
            await store.open()
        await store.close()


@pytest.mark.asyncio
async def test_what_waits_for_the_disk_is_committed_together(store: SqliteStore) -> None:
    busy, go_on = threading.Event(), threading.Event()

    def slow(_: sqlite3.Connection) -> None:
        busy.set()
        go_on.wait()

    first = asyncio.ensure_future(store._write(slow))
    await asyncio.to_thread(busy.wait)
    pending = [asyncio.ensure_future(store.append([append(game_id)])) for game_id in ids(40)]
    await asyncio.sleep(0)
    go_on.set()
    await first
    assert await asyncio.gather(*pending) == [[WON]] * 40
    assert store.counters.batches == 2


@pytest.mark.asyncio
async def test_a_full_disk_stores_nothing_and_heals(store: SqliteStore) -> None:
    game_id = new_id()
    await store.append([everything(game_id)])
    await store._write(lambda connection: connection.execute("PRAGMA max_page_count = 1").fetchall())
    full = append(game_id, 2, events=bytes(100_000))
    with pytest.raises(StoreUnavailable) as caught:
        await store.append([full])
    assert not caught.value.unknown_outcome
    assert await store.head(game_id) == 1
    await store._write(lambda connection: connection.execute("PRAGMA max_page_count = 100000").fetchall())
    assert await store.append([full]) == [WON]


@pytest.mark.asyncio
async def test_every_commit_reaches_the_disk(store: SqliteStore) -> None:
    """FULL: the write-ahead log is synced at every commit, not only when it is folded into the file."""
    assert await store._write(lambda c: c.execute("PRAGMA synchronous").fetchone()) == (2,)
    assert await store._write(lambda c: c.execute("PRAGMA journal_mode").fetchone()) == ("wal",)


@pytest.mark.asyncio
async def test_reads_use_an_index(store: SqliteStore) -> None:
    statements = Statements(sqlite_dialect())
    lobby = statements.lobby(status=True, variant=True, after=True)
    queries = [value for value in vars(statements).values() if isinstance(value, Query)]
    for query in [*queries, lobby]:
        args = query.args(**dict.fromkeys(query.names, 1))
        plan = await store._write(
            lambda c, text=query.text, args=args: c.execute(f"EXPLAIN QUERY PLAN {text}", args).fetchall()
        )
        for *_, step in plan:
            indexed = not step.startswith("SCAN") or "INDEX" in step or "CONSTANT ROW" in step
            assert indexed, (query.text, step)


@pytest.mark.parametrize("url", ["sqlite+aiosqlite://", "sqlite+aiosqlite:///:memory:"])
def test_a_database_in_memory_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="needs a file"):
        store_for(url)


@pytest.mark.parametrize("url", ["", "games", "mysql://localhost/games"])
def test_other_urls_are_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"no store for|no database URL"):
        store_for(url)
