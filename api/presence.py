"""Who is connected: a seat is, as long as a stream or a socket of it is open.

It is told by Game and by streams, never by an event: a game's log does not depend on anybody's network.
What is here is of this process; `heard` and `told` let it be shared (see `api.presence_relay`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager

Changed = Callable[[str, int, bool], None]


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
        self._open: Counter[tuple[str, int]] = Counter()
        self._watches: dict[str, set[Watch]] = {}

    def connected(self, game_id: str, seat: int) -> bool:
        """Whether the seat follows the game now."""
        return (game_id, seat) in self._open

    def came(self, game_id: str, seat: int) -> None:
        """A stream or a socket of this seat was opened."""
        self._open[game_id, seat] += 1
        if self._open[game_id, seat] == 1:
            self._tell(game_id, seat, True)

    def went(self, game_id: str, seat: int) -> None:
        """One was closed."""
        self._open[game_id, seat] -= 1
        if not self._open[game_id, seat]:
            del self._open[game_id, seat]
            self._tell(game_id, seat, False)

    def _tell(self, game_id: str, seat: int, connected: bool) -> None:
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
