"""Hints within one process: who follows which game, and waking them.

A subscriber holds no queue, only the newest version that it was told of: a slow reader costs nothing, and a
thousand hints while it looked away are one.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from msgspec import Struct

#: Games that an `Everything` remembers until it is asked; beyond that it only knows that it must look.
MOST = 10_000


class Subscription:
    """One reader of one game. To be waited on by one task at a time."""

    __slots__ = ("_look", "_news", "_nudged", "_wake", "gapped", "seen")

    def __init__(self, seen: int = 0) -> None:
        #: The version that the reader knows; hints up to it wake nobody. The reader may raise it.
        self.seen = seen
        #: Whether the last `changed` came since hints may have been lost.
        self.gapped = False
        self._news = seen
        self._look = False
        self._nudged = False
        self._wake = asyncio.Event()

    def tell(self, version: int) -> None:
        """A hint came in."""
        if version > self._news:
            self._news = version
            self._wake.set()

    def gap(self) -> None:
        """Hints may have been lost."""
        self._look = True
        self._wake.set()

    def nudge(self) -> None:
        """Wake the reader for a reason of its own: the game need not have moved."""
        self._nudged = True
        self._wake.set()

    async def changed(self, timeout: float | None = None) -> bool:
        """Wait until the game has, or may have, a version that was not seen; False after `timeout` seconds.

        Returns at once if a hint (or a nudge) came since the last call.
        """
        try:
            async with asyncio.timeout(timeout):
                while not (self._look or self._nudged or self._news > self.seen):
                    self._wake.clear()
                    await self._wake.wait()
        except TimeoutError:
            return False
        self.gapped, self._look, self._nudged = self._look, False, False
        self.seen = max(self.seen, self._news)
        return True


class Moved(Struct, frozen=True):
    """What `Everything` was told since it was last asked."""

    #: game → the latest version that was hinted at
    games: dict[str, int] = {}
    #: hints may have been lost: look at whatever is of interest
    gap: bool = False

    def __bool__(self) -> bool:
        return self.gap or bool(self.games)


class Everything:
    """One reader of all games. To be waited on by one task at a time."""

    __slots__ = ("_games", "_look", "_wake", "local")

    def __init__(self, *, local: bool = True) -> None:
        self.local = local
        self._games: dict[str, int] = {}
        self._look = False
        self._wake = asyncio.Event()

    def tell(self, game_id: str, version: int) -> None:
        """A hint came in."""
        if version > self._games.get(game_id, 0):
            self._games[game_id] = version
        if len(self._games) > MOST:
            self.gap()
        self._wake.set()

    def gap(self) -> None:
        """Hints may have been lost; those that are held say nothing more then."""
        self._look = True
        self._games = {}
        self._wake.set()

    async def moved(self, timeout: float | None = None) -> Moved:
        """Wait for hints and take all there are. Nothing (which is false) after `timeout` seconds."""
        try:
            async with asyncio.timeout(timeout):
                await self._wake.wait()
        except TimeoutError:
            return Moved()
        self._wake.clear()
        found = Moved(self._games, self._look)
        self._games, self._look = {}, False
        return found


class Hub:
    """The subscribers of one process."""

    def __init__(self) -> None:
        self._readers: dict[str, set[Subscription]] = {}
        self._everything: set[Everything] = set()
        #: what is called with what other processes announce: (process, about, what)
        self.heard: Callable[[str, str, str], None] | None = None

    def announce(self, about: str, what: str) -> None:
        """See `Notifier`. Here is nobody to tell."""

    @property
    def followed(self) -> int:
        """How many games have a subscriber here."""
        return len(self._readers)

    def tell(self, game_id: str, version: int, *, local: bool = True) -> None:
        """Wake whom a hint concerns; ``local`` is false for what another process said."""
        for reader in self._readers.get(game_id, ()):
            reader.tell(version)
        for everything in self._everything:
            if everything.local or not local:
                everything.tell(game_id, version)

    def gap(self) -> None:
        """Hints may have been lost: everybody looks."""
        for readers in self._readers.values():
            for reader in readers:
                reader.gap()
        for everything in self._everything:
            everything.gap()

    @asynccontextmanager
    async def subscribe(self, game_id: str, seen: int = 0) -> AsyncGenerator[Subscription]:
        """See `Notifier`. The last to leave takes the game's entry along."""
        reader = Subscription(seen)
        self._readers.setdefault(game_id, set()).add(reader)
        try:
            yield reader
        finally:
            readers = self._readers[game_id]
            readers.remove(reader)
            if not readers:
                del self._readers[game_id]

    @asynccontextmanager
    async def subscribe_all(self, *, local: bool = True) -> AsyncGenerator[Everything]:
        """See `Notifier`."""
        everything = Everything(local=local)
        self._everything.add(everything)
        try:
            yield everything
        finally:
            self._everything.remove(everything)
