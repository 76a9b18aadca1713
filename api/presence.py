"""Who is connected: a seat is, as long as a stream or a socket of it is open, at whatever server.

It is told by Game and by streams, never by an event: a game's log does not depend on anybody's network.

Theory
------
A server knows its own connections.  It says over the notifier when the first of a seat was opened and the
last was closed, and says all that are open again every `REFRESH` seconds.  What a server has said holds for
`LASTING` seconds, so what is lost on the way, or left behind by a server that was killed, is put right by
time alone.  A server that starts asks the others once.  With the notifier ``memory`` a server is alone.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager

from .notifier import Notifier

#: Seconds between two times that a server says who is connected, and for how long it is believed.
REFRESH = 20.0
LASTING = 50.0

_HERE, _GONE, _WHO = "+", "-", "?"


class Watch:
    """Comings and goings at one table, for one reader: of each seat the latest that was not told yet."""

    __slots__ = ("_changes", "_wake")

    def __init__(self, wake: Callable[[], None]) -> None:
        self._changes: dict[int, bool] = {}
        self._wake = wake

    def tell(self, seat: int, connected: bool) -> None:
        """Somebody came or went."""
        self._changes[seat] = connected
        self._wake()

    def take(self) -> dict[int, bool]:
        """What has changed since the last call: seat → whether it is connected now."""
        changes, self._changes = self._changes, {}
        return changes


class Presence:
    """Who is connected, and who wants to know."""

    def __init__(self) -> None:
        self.time: Callable[[], float] = time.monotonic
        self._open: Counter[tuple[str, int]] = Counter()
        #: what other servers have said: seat → server → until when it holds
        self._elsewhere: dict[tuple[str, int], dict[str, float]] = {}
        self._watches: dict[str, set[Watch]] = {}
        self._announce: Callable[[str, str], None] = lambda _about, _what: None

    def connected(self, game_id: str, seat: int) -> bool:
        """Whether the seat follows the game now."""
        return (game_id, seat) in self._open or (game_id, seat) in self._elsewhere

    # Here

    def came(self, game_id: str, seat: int) -> None:
        """A stream or a socket of this seat was opened."""
        before = self.connected(game_id, seat)
        self._open[game_id, seat] += 1
        if self._open[game_id, seat] == 1:
            self._announce(f"{game_id}.{seat}", _HERE)
        self._tell(game_id, seat, before)

    def went(self, game_id: str, seat: int) -> None:
        """One was closed."""
        self._open[game_id, seat] -= 1
        if not self._open[game_id, seat]:
            del self._open[game_id, seat]
            self._announce(f"{game_id}.{seat}", _GONE)
            self._tell(game_id, seat, True)

    def _tell(self, game_id: str, seat: int, before: bool) -> None:
        connected = self.connected(game_id, seat)
        if connected != before:
            for watch in self._watches.get(game_id, ()):
                watch.tell(seat, connected)

    @contextmanager
    def here(self, game_id: str, seat: int | None, wake: Callable[[], None]) -> Generator[Watch]:
        """Be connected (a spectator, ``None``, is nobody) and hear of the others.

        ``wake`` is called for news. A reader is not told of its own coming.
        """
        if seat is not None:
            self.came(game_id, seat)
        watch = Watch(wake)
        self._watches.setdefault(game_id, set()).add(watch)
        try:
            yield watch
        finally:
            watches = self._watches[game_id]
            watches.remove(watch)
            if not watches:
                del self._watches[game_id]
            if seat is not None:
                self.went(game_id, seat)

    # Elsewhere

    @asynccontextmanager
    async def shared(self, notifier: Notifier) -> AsyncGenerator[None]:
        """Say and hear over this notifier who is connected."""
        self._announce = notifier.announce
        notifier.heard = self.heard
        notifier.announce("", _WHO)
        keeping = asyncio.create_task(self._keep_sharing(), name="presence")
        try:
            yield
        finally:
            keeping.cancel()
            notifier.heard = None

    async def _keep_sharing(self) -> None:
        while True:
            await asyncio.sleep(REFRESH)
            self.refresh()
            self.expire()

    def refresh(self) -> None:
        """Say who is connected here."""
        for game_id, seat in self._open:
            self._announce(f"{game_id}.{seat}", _HERE)

    def heard(self, server: str, about: str, what: str) -> None:
        """What another server says."""
        if what == _WHO:
            self.refresh()
            return
        game_id, _, number = about.rpartition(".")
        if not (game_id and number.isascii() and number.isdigit() and len(number) < 3):
            return
        seat = int(number)
        before = self.connected(game_id, seat)
        if what == _HERE:
            self._elsewhere.setdefault((game_id, seat), {})[server] = self.time() + LASTING
        elif what == _GONE:
            self._forget((game_id, seat), server)
        self._tell(game_id, seat, before)

    def _forget(self, who: tuple[str, int], server: str) -> None:
        servers = self._elsewhere.get(who)
        if servers is not None:
            servers.pop(server, None)
            if not servers:
                del self._elsewhere[who]

    def expire(self) -> None:
        """Forget what was said too long ago."""
        now = self.time()
        old = [
            (who, server)
            for who, servers in self._elsewhere.items()
            for server, until in servers.items()
            if until < now
        ]
        for who, server in old:
            self._forget(who, server)
            self._tell(*who, True)
