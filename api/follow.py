"""Following a game: what streams and sockets have in common.

Theory
------
A follower holds a position, the seq of the last event that it gave out, and nothing else: every event comes
from the store (or the table's tail in memory), page by page, and the next page is read when the one before
it was taken by the reader.  So a reader who is slow or far behind costs one page of memory, and one who
comes back with its position misses nothing and sees nothing twice, at whatever server it comes back.

Hints only wake the follower.  A hint about a commit of this process needs no look at the store, since the
table has it already; any other, and every `POLL` seconds without one, does.

Who may see what is asked again before every page: a token that was taken back ends its streams.

A reader who does not take what is sent to it within the server's patience is cut off.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from domain.views import redact

from .auth import Caller
from .notifier import POLL, Subscription
from .play import sight
from .presence import Watch
from .problems import Problem
from .server import Server
from .table import Table

#: Events that are read at once.
PAGE = 100
#: Redacted events of so many seqs at most are kept for the next reader of the same.
_KEPT = 20
#: Seconds that a reader has to take the rest when the server goes down.
FAREWELL = 1.0

_encode = msgspec.json.Encoder().encode


class TooSlow(Exception):
    """The reader does not read."""


class Follower:
    """One reader of one game, from a position on."""

    def __init__(self, server: Server, table: Table, caller: Caller, seat: int | None, after: int) -> None:
        self._server = server
        self._service = server.service
        self._table = table
        self._caller = caller
        self._seat = seat
        #: the seq of the last event given out
        self.position = after
        #: the version that the reader may see
        self.version = 0
        self._late = False
        #: why it ends before the game does: ``gone`` (the reader), ``drain`` (the server goes down)
        self.ended: str | None = None
        self._news: Subscription
        self._watch: Watch
        self._loop = asyncio.get_running_loop()
        self._next_ping = self._loop.time() + server.settings.ping
        self._limit: asyncio.Timeout | None = None

    @asynccontextmanager
    async def following(self) -> AsyncGenerator[None]:
        """Be connected, and be told."""
        game_id = self._table.game_id
        async with self._service.notifier.subscribe(game_id, self._table.state.version) as self._news:
            drain = asyncio.create_task(self._await_drain())
            try:
                with self._service.presence.here(game_id, self._seat, self._news.nudge) as self._watch:
                    # What was committed elsewhere before the subscription is no news to it.
                    self._table = await self._service.table(game_id)
                    yield
            finally:
                drain.cancel()

    async def _await_drain(self) -> None:
        await self._server.drain.wait()
        self.end("drain")

    def end(self, why: str) -> None:
        """Let the follower come to its end."""
        self.ended = self.ended or why
        if self._limit is not None:
            self._limit.reschedule(self._loop.time() + FAREWELL)
        self.nudge()

    def nudge(self) -> None:
        """Wake it."""
        self._news.nudge()

    async def wait(self) -> None:
        """Wait until there may be something to say."""
        now = self._loop.time()
        woken = await self._news.changed(max(0.0, min(self._next_ping - now, POLL)))
        table = self._table
        if not woken or self._news.gapped or table.gone or self._news.seen > table.state.version:
            self._table = await self._service.table(table.game_id)

    async def page(self) -> list[tuple[int, bytes]]:
        """The next events as the reader may see them, each with its seq; none if there are none yet.

        Raises what `sight` raises: the reader's rights may have changed.
        """
        table = self._table
        seen = await sight(self._server, table, self._caller)
        if seen.seat != self._seat:
            raise Problem("auth.not_your_game", "This token has no seat any more.")
        self.version, self._late = seen.version, table.late(seen.role)
        number = min(PAGE, seen.version - self.position)
        if number <= 0:
            return []
        key = ("events", seen.seat, self.position, number)
        found: Any = table.cache.get(key)
        if found is None:
            version = table.state.version
            events = await self._service.events(table, self.position, number)
            found = [(event.seq, _encode(redact(event, seen.seat))) for event in events]
            if number <= _KEPT and version == table.state.version:
                table.cache[key] = found
        if found:
            self.position = found[-1][0]
        return found

    @property
    def behind(self) -> bool:
        """Whether there are more events already."""
        return self.position < self.version

    @property
    def over(self) -> bool:
        """Whether the last event of the game was given out."""
        return is_over(self._table) and not self.behind

    def presence(self) -> dict[int, bool]:
        """Who has come (true) or gone since the last call; nothing to those who see the game late."""
        changes = self._watch.take()
        return {} if self._late else changes

    def ping(self) -> bytes | None:
        """``"now":…,"version":…`` if it is time."""
        now = self._loop.time()
        if now < self._next_ping:
            return None
        self._next_ping = now + self._server.settings.ping
        return b'"now":"%b","version":%d' % (self._service.clock().encode(), self.version)

    async def deliver(self, sending: Awaitable[None]) -> None:
        """Send something. Raises `TooSlow`."""
        patience = self._server.settings.patience if self.ended is None else FAREWELL
        try:
            async with asyncio.timeout(patience) as self._limit:
                await sending
        except TimeoutError:
            raise TooSlow from None
        finally:
            self._limit = None


def is_over(table: Table) -> bool:
    """Whether nothing more will happen: the last event is recorded."""
    return table.state.status in ("finished", "cancelled")


async def farewell(scope: Any) -> None:
    """Give a reader the time to take what its connection still holds; then break it."""
    transport, loop = scope.get("rummy.transport"), asyncio.get_running_loop()
    until = loop.time() + FAREWELL
    while transport is not None and transport.get_write_buffer_size():
        if loop.time() > until:
            transport.abort()
            return
        await asyncio.sleep(0.02)


def cut_off(scope: Any) -> None:
    """Break the connection, and drop what it still holds for its reader."""
    transport = scope.get("rummy.transport")
    if transport is not None:
        transport.abort()
