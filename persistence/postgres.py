"""The store for several servers: PostgreSQL through asyncpg.

Appends that arrive while others are under way wait in a queue, and the next free connection takes them all:
one statement, one round trip, one fsync for the batch. A batch that fails as a whole for a reason other
than the database's absence is tried again append by append, so that only the culprit fails.

Any process may write at any time, so nothing here is cached: `exclusive` is false, and whoever holds a game
in memory proves it by its `head`.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncGenerator, Coroutine, Sequence
from typing import Any

import asyncpg
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

from . import rows
from .migrations import upgrade_postgres
from .postgres_sql import Shape, arguments, shape, statement
from .reads import Reads
from .rows import Packed
from .sql import Query, Statements, postgres_dialect
from .store import Append, Counters, Outcome, Remember, StoreUnavailable, Wakeup
from .values import to_ms

_CONNECTIONS = 10
_FLUSHERS = 2  # batches under way at once: more would only make each of them smaller
_MOST_APPENDS = 256  # in one statement
_TRIES = 3  # for a batch that PostgreSQL itself asks to try again
_TIMEOUT = 10.0  # seconds, for a connection and for a statement
#: Seconds that closing may take, for what is under way and for the connections each.
_CLOSING = 3.0

_TRY_AGAIN = (asyncpg.DeadlockDetectedError, asyncpg.SerializationError)
# The server said so itself, and the statement was undone.
_REFUSED = (
    asyncpg.InsufficientResourcesError,
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.PostgresSystemError,
)
# The statement may or may not have been carried out.
_LOST = (
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    OSError,
    TimeoutError,
)


class _Lost(Exception):
    """Rolls a transaction back whose commit, key or room another one has."""


class _Waiting:
    """An append in the queue, and the future that waits for its outcome."""

    __slots__ = ("append", "outcome")

    def __init__(self, append: Packed) -> None:
        self.append = append
        self.outcome: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()

    def set(self, result: Outcome | Exception) -> None:
        if self.outcome.done():
            return
        if isinstance(result, Exception):
            self.outcome.set_exception(result)
        else:
            self.outcome.set_result(result)


async def _keep(_: object) -> None:
    """Instead of asyncpg's reset: nothing here changes a session, and a reset costs a round trip a use."""


class PostgresStore(Reads):
    """See `EventStore`. `url` is ``postgresql+asyncpg://…`` with libpq's parameters (``?sslmode=…``)."""

    exclusive = False

    def __init__(self, url: str) -> None:
        self._dsn = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
        self._sql = Statements(postgres_dialect())
        self._append_text = {wanted: statement(wanted) for wanted in Shape}
        self.counters = Counters()
        self._pool: asyncpg.Pool[asyncpg.Record] | None = None
        self._queue: deque[_Waiting] = deque()
        self._busy: set[str] = set()  # games with an append under way
        self._flushers = 0
        self._tasks: set[asyncio.Task[Any]] = set()

    # Opening and closing

    async def open(self, *, migrate: bool = True) -> None:
        try:
            self._pool = await asyncpg.create_pool(
                self._dsn,
                min_size=1,
                max_size=_CONNECTIONS,
                timeout=_TIMEOUT,
                command_timeout=_TIMEOUT,
                reset=_keep,
                server_settings={
                    "application_name": "rummy",
                    "default_transaction_isolation": "read committed",
                    "jit": "off",
                },
            )
            if migrate:
                await upgrade_postgres(self._dsn)
        except (asyncpg.PostgresError, *_LOST, DBAPIError) as error:
            await self.close()
            raise _unavailable(error, unknown=False) from error

    async def close(self) -> None:
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_CLOSING)
        pool, self._pool = self._pool, None
        if pool is not None:
            try:
                await asyncio.wait_for(pool.close(), _CLOSING)
            except (TimeoutError, asyncpg.InterfaceError, OSError):
                pool.terminate()

    @contextlib.asynccontextmanager
    async def _connection(self) -> AsyncGenerator[Any]:
        pool = self._pool
        if pool is None:
            raise StoreUnavailable("the store is not open")
        try:
            connection = await pool.acquire(timeout=_TIMEOUT)
        except (asyncpg.PostgresError, *_LOST) as error:
            raise _unavailable(error, unknown=False) from error
        try:
            yield connection
        finally:
            # A connection that is lost is released all the same; the pool opens another in its place.
            with contextlib.suppress(asyncpg.PostgresError, *_LOST):
                await pool.release(connection, timeout=_TIMEOUT)

    # Reading

    async def _fetch(self, query: Query, **values: Any) -> Sequence[Sequence[Any]]:
        self.counters.reads += 1
        return await self._run(query, query.args(**values), changes=False)

    async def _run(self, query: Query, args: Sequence[Any], *, changes: bool) -> Sequence[Sequence[Any]]:
        async with self._connection() as connection:
            try:
                return await connection.fetch(query.text, *args)
            except ValueError:
                raise  # asyncpg's complaint about an argument, which is also one of its InterfaceErrors
            except (*_REFUSED, *_LOST) as error:
                raise _unavailable(error, unknown=changes and not isinstance(error, _REFUSED)) from error

    # Writing

    async def claim(self, now: str, lease_until: str, limit: int) -> list[Wakeup]:
        args = self._sql.claim.args(now=to_ms(now), lease_until=to_ms(lease_until), limit=limit)
        found = await self._run(self._sql.claim, args, changes=True)
        return sorted((rows.to_wakeup(row) for row in found), key=lambda wakeup: wakeup.due_at)

    async def remember(self, row: Remember, now: str) -> Outcome:
        args = (*rows.remember_row(row), to_ms(now))
        kept = await self._run(self._sql.remember, args, changes=True)
        return Outcome.COMMITTED if kept else Outcome.CONFLICT

    async def forget(self, now: str) -> None:
        await self._run(self._sql.forget, self._sql.forget.args(now=to_ms(now)), changes=True)

    async def append(self, batch: Sequence[Append]) -> list[Outcome]:
        packed = [rows.pack(append) for append in batch]
        if self._pool is None:
            raise StoreUnavailable("the store is not open")
        if len({append.game_id for append in packed}) == len(packed):
            waiting = [self._start(append) for append in packed]
            outcomes = [await asyncio.shield(one) for one in waiting]
        else:
            outcomes = await asyncio.shield(self._task(self._one_after_another(packed)))
        self.counters.count(outcomes)
        return outcomes

    async def _one_after_another(self, batch: Sequence[Packed]) -> list[Outcome]:
        """For a batch with several appends to one game: each was decided on the one before it."""
        lost: set[str] = set()
        outcomes: list[Outcome] = []
        for append in batch:
            outcome = Outcome.CONFLICT if append.game_id in lost else await self._start(append)
            if outcome is Outcome.CONFLICT:
                lost.add(append.game_id)
            outcomes.append(outcome)
        return outcomes

    def _task(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """A task of the store's own: no caller's cancellation reaches it, and `close` waits for it."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(_heard)
        return task

    def _start(self, append: Packed) -> asyncio.Future[Outcome]:
        one = _Waiting(append)
        one.outcome.add_done_callback(_heard)
        self._queue.append(one)
        self._kick()
        return one.outcome

    def _kick(self) -> None:
        """See to it that the queue is looked at, after everything that is ready to run now has joined it."""
        if self._queue and self._flushers < _FLUSHERS:
            self._flushers += 1
            self._task(self._flush())

    async def _flush(self) -> None:
        try:
            while batch := self._gather():
                games = {one.append.game_id for one in batch}
                self._busy |= games
                try:
                    await self._store(batch)
                finally:
                    self._busy -= games
        finally:
            self._flushers -= 1

    def _gather(self) -> list[_Waiting]:
        """The next batch, in the order of its games: of each game one append, and none while one is under
        way.

        The others stay queued, and whoever has their game under way will look at the queue again. An append
        with names to claim is no part of a batch: it gets a transaction of its own.
        """
        batch: dict[str, _Waiting] = {}
        later: list[_Waiting] = []
        while self._queue and len(batch) < _MOST_APPENDS:
            one = self._queue.popleft()
            game_id = one.append.game_id
            if game_id in self._busy or game_id in batch:
                later.append(one)
            elif one.append.claims:
                self._busy.add(game_id)
                self._task(self._claim_and_store(one))
            else:
                batch[game_id] = one
        self._queue.extendleft(reversed(later))
        return [batch[game_id] for game_id in sorted(batch)]

    async def _store(self, batch: Sequence[_Waiting]) -> None:
        try:
            async with self._connection() as connection:
                won = await self._execute(connection, [one.append for one in batch])
        except StoreUnavailable as error:
            for one in batch:
                one.set(StoreUnavailable(str(error), unknown_outcome=error.unknown_outcome))
        except Exception as error:
            if len(batch) == 1:
                batch[0].set(error)
            for one in batch if len(batch) > 1 else ():
                await self._store([one])
        else:
            for one in batch:
                one.set(Outcome.COMMITTED if one.append.game_id in won else Outcome.CONFLICT)

    async def _execute(self, connection: Any, batch: Sequence[Packed]) -> set[str]:
        """The games whose commit was stored. Raises `StoreUnavailable`, or what is wrong with the batch."""
        wanted = shape(batch)
        text, args = self._append_text[wanted], arguments(batch, wanted)
        for tries_left in reversed(range(_TRIES)):
            self.counters.batches += 1
            self.counters.round_trips += 1
            try:
                return {str(game_id) for (game_id,) in await connection.fetch(text, *args)}
            except _TRY_AGAIN:
                if not tries_left or connection.is_in_transaction():
                    raise
            except ValueError:
                raise
            except (*_REFUSED, *_LOST) as error:
                raise _unavailable(error, unknown=not isinstance(error, _REFUSED)) from error
        raise AssertionError("the last try returns or raises")

    async def _claim_and_store(self, one: _Waiting) -> None:
        try:
            one.set(await self._transact(one.append))
        except Exception as error:
            one.set(error)
        finally:
            self._busy.discard(one.append.game_id)
            self._kick()

    async def _transact(self, append: Packed) -> Outcome:
        """An append that also needs a key or a room code to be free: a transaction of a few statements."""
        sql = self._sql
        async with self._connection() as connection:
            try:
                async with connection.transaction():
                    if append.remember and not await connection.fetch(
                        sql.remember.text, *append.remember, append.at
                    ):
                        raise _Lost
                    if append.room and not await connection.fetch(sql.claim_room.text, *append.room):
                        raise _Lost
                    if append.link and not await connection.fetch(sql.claim_link.text, *append.link):
                        raise _Lost
                    if not await self._execute(connection, [append]):
                        raise _Lost
            except _Lost:
                return Outcome.CONFLICT
            except (*_REFUSED, *_LOST) as error:
                raise _unavailable(error, unknown=not isinstance(error, _REFUSED)) from error
        return Outcome.COMMITTED


def _heard(done: asyncio.Future[Any]) -> None:
    """The one who waited may be gone; an error is then nobody's, and asyncio need not complain."""
    if not done.cancelled():
        done.exception()


def _unavailable(error: BaseException, *, unknown: bool) -> StoreUnavailable:
    return StoreUnavailable(f"PostgreSQL: {str(error) or type(error).__name__}", unknown_outcome=unknown)
