"""Who is connected. Streams and sockets will say so; until then nobody is."""

from __future__ import annotations

from collections import Counter


class Presence:
    """Open streams by game and seat, of this process."""

    def __init__(self) -> None:
        self._open: Counter[tuple[str, int]] = Counter()

    def came(self, game_id: str, seat: int) -> bool:
        """A stream of this seat was opened. Returns whether the seat was away before."""
        self._open[game_id, seat] += 1
        return self._open[game_id, seat] == 1

    def went(self, game_id: str, seat: int) -> bool:
        """A stream of this seat was closed. Returns whether it was the last."""
        self._open[game_id, seat] -= 1
        if self._open[game_id, seat] > 0:
            return False
        del self._open[game_id, seat]
        return True

    def connected(self, game_id: str, seat: int) -> bool:
        """Whether the seat follows the game now."""
        return self._open[game_id, seat] > 0 if (game_id, seat) in self._open else False
