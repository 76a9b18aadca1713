"""What ``hard`` concludes from what it remembers: which cards may still come, and who wants which."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from domain.bots.fits import MeldKinds
from domain.bots.memory import Memory
from domain.bots.sight import Sight, near
from domain.cards import FACES, JOKER, RANK, SUIT

#: How much less likely a seat holds a card that goes with one it threw.
THROWN: Final = 0.7


class Guess:
    """Likelihoods from the public course of the deal.

    ``left[face]``: copies in the stock or, unknown, in a hand; ``total`` their number.
    """

    def __init__(self, sight: Sight, history: Sequence[Any]) -> None:
        self.sight = sight
        self.memory = Memory(len(sight.cards), sight.upcards, history)
        self.left = sight.unseen()
        for seat in sight.others:
            for face in self.memory.known(seat):
                self.left[face] = max(self.left[face] - self.memory.holds[seat][face], 0)
        self.total = max(sum(self.left), 1)
        self._next = self._holding(sight.others[0])

    def _holding(self, seat: int) -> list[float]:
        """How likely a seat holds each face: what it took for certain, the rest by number."""
        known = self.memory.holds[seat]
        share = max(self.sight.cards[seat] - sum(known), 0) / self.total
        likely = [1.0 if known[f] else min(self.left[f] * share, 1.0) for f in range(FACES)]
        for thrown in self.memory.thrown[seat]:
            for face in _companions(thrown, self.sight.kinds):
                if not known[face]:
                    likely[face] *= THROWN
        return likely

    def wanted(self, face: int) -> float:
        """How likely the next seat can use a card: that it holds two which the card joins."""
        chance = 1.0
        for a, b in _partners(face, self.sight.kinds):
            chance *= 1 - self._next[a] * self._next[b]
        return 1 - chance

    def growth(self, face: int, hand: Sequence[int]) -> float:
        """How closely a card belongs to the rest of the hand and to what may still come."""
        rules = self.sight.rules
        held = sum(near(face, f, rules) for f in hand if f != face)
        return held + 0.1 * sum(n * near(face, f, rules) for f, n in enumerate(self.left) if n)


@lru_cache(maxsize=512)
def _companions(face: int, kinds: MeldKinds) -> tuple[int, ...]:
    """The faces that lie side by side with a face, or are alike."""
    return tuple({f for pair in _partners(face, kinds) for f in pair})


@lru_cache(maxsize=512)
def _partners(face: int, kinds: MeldKinds) -> tuple[tuple[int, int], ...]:
    """The pairs of faces that make a group of three with a face, without wilds."""
    if face == JOKER:
        return ()
    rank, base = RANK[face], SUIT[face] * 13
    mates = [s * 13 + rank for s in range(4) if s * 13 != base or kinds.copies > 1]
    pairs = [(a, b) for i, a in enumerate(mates) for b in mates[i + 1 :]]
    if kinds.runs:
        for place in (rank, 13) if rank == 0 and kinds.ace_high else (rank,):
            for low in range(max(place - 2, 0), min(place, 11 if kinds.ace_high else 10) + 1):
                a, b = (base + p % 13 for p in range(low, low + 3) if p != place)
                pairs.append((a, b))
    return tuple(pairs)
