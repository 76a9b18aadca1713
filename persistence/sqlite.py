"""The embedded store: one file, one server.

SQLite has one writer at a time whatever one does, so here it is one thread with one connection. What is
asked of it while it waits for the disk is gathered and becomes durable with the next fsync: *group commit*.
Readers have connections of their own and see the last durable state (write-ahead log).

A lock file beside the database keeps a second server out. With nobody else writing, this process may trust
what it holds in memory, which is why `exclusive` is true. The operating system drops the lock with the
process, so nothing has to be cleaned up after a crash.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import queue
import sqlite3
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any, TypeVar

from sqlalchemy.exc import DBAPIError

from . import rows
from .migrations import upgrade_sqlite
from .reads import Reads
from .rows import Packed, Row
from .sql import Query, Statements, sqlite_dialect
from .store import Append, Counters, Outcome, Remember, StoreInUse, StoreUnavailable, Wakeup
from .values import to_ms

_T = TypeVar("_T")

_READERS = 2
_MOST_JOBS = 512  # gathered in one transaction


class _Job:
    """Something for the writer to do inside its transaction, and the future that waits for it."""

    __slots__ = ("error", "future", "loop", "result", "work")

    def __init__(self, work: Callable[[sqlite3.Connection], Any]) -> None:
        self.work = work
        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[Any] = self.loop.create_future()
        # The one who waited may be gone; the job's error is then nobody's.
        self.future.add_done_callback(lambda done: done.cancelled() or done.exception())
        self.result: Any = None
        self.error: Exception | None = None

    def tell(self) -> None:
        if self.future.cancelled():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class SqliteStore(Reads):
    """See `EventStore`. `path` is the database file; it and its directory are made where they are missing."""

    exclusive = True

    def __init__(self, path: Path) -> None:
        self._path = path
        self._sql = Statements(sqlite_dialect())
        self.counters = Counters()
        self._lock: IO[str] | None = None
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._writer: threading.Thread | None = None
        self._readers: ThreadPoolExecutor | None = None
        self._reader = threading.local()
        self._connections: list[sqlite3.Connection] = []

    # Opening and closing

    async def open(self, *, migrate: bool = True) -> None:
        await asyncio.to_thread(self._open, migrate)

    def _open(self, migrate: bool) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = self._take_lock()
            if migrate:
                upgrade_sqlite(self._path)
            connection = self._connect()
            (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
            if mode != "wal":
                raise StoreUnavailable(f"{self._path} is on a file system without shared memory")
            connection.execute("PRAGMA synchronous = FULL")
        except (OSError, sqlite3.Error, DBAPIError) as error:
            self._let_go()
            raise StoreUnavailable(f"{self._path}: {error}") from error
        except BaseException:
            self._let_go()
            raise
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="rummy-read")
        self._writer = threading.Thread(
            target=self._write_forever, args=(connection,), name="rummy-write", daemon=True
        )
        self._writer.start()

    def _take_lock(self) -> IO[str]:
        path = self._path.with_name(self._path.name + ".lock")
        file = path.open("a+")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.seek(0)
            holder = file.read().strip() or "unknown"
            file.close()
            raise StoreInUse(
                f"{self._path} is in use by another server (process {holder}). One SQLite file serves one "
                "server; several servers need PostgreSQL."
            ) from None
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        return file

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._path, isolation_level=None, check_same_thread=False, timeout=5, cached_statements=128
        )
        self._connections.append(connection)
        return connection

    async def close(self) -> None:
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        if self._writer is not None:
            self._jobs.put(None)
            self._writer.join()
            self._writer = None
        if self._readers is not None:
            self._readers.shutdown()
            self._readers = None
        self._let_go()

    def _let_go(self) -> None:
        while self._connections:
            self._connections.pop().close()
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    # Reading

    async def _fetch(self, query: Query, **values: Any) -> Sequence[Sequence[Any]]:
        if self._readers is None:
            raise StoreUnavailable("the store is not open")
        self.counters.reads += 1
        read = self._readers.submit(self._read, query.text, query.args(**values))
        try:
            return await asyncio.wrap_future(read)
        except sqlite3.Error as error:
            raise StoreUnavailable(f"SQLite: {error}") from error

    def _read(self, text: str, args: Row) -> list[Row]:
        connection: sqlite3.Connection | None = getattr(self._reader, "connection", None)
        if connection is None:
            connection = self._reader.connection = self._connect()
            connection.execute("PRAGMA query_only = ON")
        return connection.execute(text, args).fetchall()

    # Writing

    async def append(self, batch: Sequence[Append]) -> list[Outcome]:
        packed = [rows.pack(append) for append in batch]
        outcomes = await self._write(lambda connection: self._append(connection, packed))
        self.counters.count(outcomes)
        return outcomes

    async def claim(self, now: str, lease_until: str, limit: int) -> list[Wakeup]:
        query = self._sql.claim
        args = query.args(now=to_ms(now), lease_until=to_ms(lease_until), limit=limit)
        found = await self._write(lambda connection: connection.execute(query.text, args).fetchall())
        return sorted((rows.to_wakeup(row) for row in found), key=lambda wakeup: wakeup.due_at)

    async def remember(self, row: Remember, now: str) -> Outcome:
        args = (*rows.remember_row(row), to_ms(now))
        text = self._sql.remember.text
        kept = await self._write(lambda connection: connection.execute(text, args).fetchall())
        return Outcome.COMMITTED if kept else Outcome.CONFLICT

    async def forget(self, now: str) -> None:
        args = self._sql.forget.args(now=to_ms(now))
        await self._write(lambda connection: connection.execute(self._sql.forget.text, args).rowcount)

    async def _write(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        if self._writer is None:
            raise StoreUnavailable("the store is not open")
        job = _Job(work)
        self._jobs.put(job)
        return await job.future  # a caller who is cancelled leaves the work alone: it is in the queue

    def _write_forever(self, connection: sqlite3.Connection) -> None:
        """The writer thread. Ends with the first None, after everything that was asked before it."""
        last = False
        while not last:
            gathered: list[_Job] = []
            job = self._jobs.get()
            while job is not None:
                gathered.append(job)
                if len(gathered) == _MOST_JOBS or self._jobs.empty():
                    break
                job = self._jobs.get()
            last = job is None
            if gathered:
                self._transact(connection, gathered)
                self._tell(gathered)

    def _transact(self, connection: sqlite3.Connection, jobs: Sequence[_Job]) -> None:
        committing = False
        try:
            connection.execute("BEGIN IMMEDIATE")
            for job in jobs:
                try:
                    job.result = job.work(connection)
                except sqlite3.OperationalError:
                    raise
                except Exception as error:
                    job.error = error
            committing = True
            connection.execute("COMMIT")
            self.counters.batches += 1
            self.counters.round_trips += 1
        except Exception as error:
            with contextlib.suppress(sqlite3.Error):
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
            for job in jobs:
                job.error = StoreUnavailable(f"SQLite: {error}", unknown_outcome=committing)

    def _tell(self, jobs: Sequence[_Job]) -> None:
        """Wake each event loop once, however many of its jobs are done."""

        def tell(loop: asyncio.AbstractEventLoop) -> None:
            for job in jobs:
                if job.loop is loop:
                    job.tell()

        for loop in {job.loop for job in jobs}:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits there any more
                loop.call_soon_threadsafe(tell, loop)

    def _append(self, connection: sqlite3.Connection, batch: Sequence[Packed]) -> list[Outcome]:
        outcomes: list[Outcome] = []
        lost: set[str] = set()
        for append in batch:
            won = append.game_id not in lost and self._append_one(connection, append)
            outcomes.append(Outcome.COMMITTED if won else Outcome.CONFLICT)
            if not won:
                lost.add(append.game_id)
        return outcomes

    def _append_one(self, connection: sqlite3.Connection, append: Packed) -> bool:
        if not (append.sides or append.claims or append.wakeup or append.sleep):
            return self._insert_commit(connection, append)
        connection.execute("SAVEPOINT one")
        try:
            won = self._claim_names(connection, append) and self._insert_commit(connection, append)
            if won:
                self._insert_sides(connection, append)
            else:
                connection.execute("ROLLBACK TO one")
        except BaseException:
            connection.execute("ROLLBACK TO one")
            raise
        finally:
            connection.execute("RELEASE one")
        return won

    def _claim_names(self, connection: sqlite3.Connection, append: Packed) -> bool:
        sql = self._sql
        if append.remember and not connection.execute(
            sql.remember.text, (*append.remember, append.at)
        ).fetchall():
            return False
        if append.link and not connection.execute(sql.claim_link.text, append.link).fetchall():
            return False
        return not append.room or bool(connection.execute(sql.claim_room.text, append.room).fetchall())

    def _insert_commit(self, connection: sqlite3.Connection, append: Packed) -> bool:
        game_id, number, first_seq = append.commit[:3]
        before = (number, 1, game_id, number, 1, first_seq, 1)
        return connection.execute(self._sql.put_commit.text, append.commit + before).rowcount == 1

    def _insert_sides(self, connection: sqlite3.Connection, append: Packed) -> None:
        sql = self._sql
        if append.game:
            connection.execute(sql.put_game.text, append.game)
        for seat in append.seats:
            connection.execute(sql.put_seat.text, seat)
        for token in append.tokens:
            connection.execute(sql.put_token.text, token)
        for role in append.revoke:
            connection.execute(sql.drop_token.text, (append.game_id, role))
        if append.wakeup:
            connection.execute(sql.put_wakeup.text, append.wakeup)
        elif append.sleep:
            connection.execute(sql.drop_wakeup.text, (append.game_id,))
