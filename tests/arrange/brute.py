"""The slow truth about arrangements, by trying everything: it shares no code with the domain.

Cards are strings as in K-1.  A hand is a list; a group is any part of it that could be read as a
sequence or a set; an arrangement is any choice of disjoint groups.  Nothing is assumed about what a
good arrangement looks like.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations

ORDER_LOW = "A23456789TJQK"
RUN_ORDER = ORDER_LOW + "A"
INFINITE = 10**9


def points(card: str, wild: frozenset[str]) -> int:
    if card in wild or card == "JK":
        return 0
    return 10 if card[0] in "ATJQK" else int(card[0])


@lru_cache(maxsize=400_000)
def readings(group: tuple[str, ...], wild: frozenset[str]) -> frozenset[str]:
    """All of "pure", "run", "set" that the cards can be (sorted tuple of cards)."""
    found: set[str] = set()
    n = len(group)
    plain = [c for c in group if c != "JK" and c not in wild]
    able = [c for c in group if c == "JK" or c in wild]
    if n < 3 or (len({c[0] for c in plain}) > 1 and len({c[1] for c in plain}) > 1):
        return frozenset()
    # runs: every suit, every stretch of the ranks
    if n <= 13:
        for suit in "CDHS":
            if any(c[1] != suit for c in plain):
                continue
            for start in range(len(RUN_ORDER) - n + 1):
                places = [r + suit for r in RUN_ORDER[start : start + n]]
                if any(plain.count(c) > 1 or c not in places for c in plain):
                    continue
                natural = len(plain) + len({c for c in able if c in places})
                if natural == n:
                    found.add("pure")
                if natural:
                    found.add("run")
    # sets: every rank, every way to give the able cards suits
    if n <= 4:
        for rank in ORDER_LOW:
            if any(c[0] != rank for c in plain):
                continue
            suits = [c[1] for c in plain]
            if len(set(suits)) < len(suits):
                continue
            left = [s for s in "CDHS" if s not in suits]
            for given in permutations(left, len(able)):
                own = [c != "JK" and c[0] == rank for c in able]
                fits = all(c[1] == s for c, s, o in zip(able, given, own, strict=True) if o)
                if fits and (plain or any(own)):
                    found.add("set")
                    break
    return frozenset(found)


class Brute:
    """All arrangements of one hand."""

    def __init__(self, hand: list[str], wild: frozenset[str]) -> None:
        self.hand = sorted(hand)
        self.wild = wild
        self.n = len(hand)
        self.starting: list[list[tuple[int, frozenset[str]]]] = [[] for _ in hand]
        for mask in range(1, 1 << self.n):
            if mask.bit_count() >= 3:
                cards = tuple(c for i, c in enumerate(self.hand) if mask >> i & 1)
                kinds = readings(cards, wild)
                if kinds:
                    self.starting[(mask & -mask).bit_length() - 1].append((mask, kinds))
        self.values = [points(c, wild) for c in self.hand]
        self.memo: dict[int, dict[tuple[int, int], int]] = {}

    def outcomes(self, left: int) -> dict[tuple[int, int], int]:
        """For the cards of ``left``: (pure sequences, sequences), each up to 2, to least deadwood."""
        if not left:
            return {(0, 0): 0}
        known = self.memo.get(left)
        if known is not None:
            return known
        first = (left & -left).bit_length() - 1
        found: dict[tuple[int, int], int] = {}
        for key, cost in self.outcomes(left & ~(1 << first)).items():
            found[key] = min(found.get(key, INFINITE), cost + self.values[first])
        for mask, kinds in self.starting[first]:
            if mask & left == mask:
                for (pure, runs), cost in self.outcomes(left ^ mask).items():
                    if "pure" in kinds:
                        key = (min(pure + 1, 2), min(runs + 1, 2))
                    elif "run" in kinds:
                        key = (pure, min(runs + 1, 2))
                    else:
                        key = (pure, runs)
                    if cost < found.get(key, INFINITE):
                        found[key] = cost
        self.memo[left] = found
        return found

    def charge(self, lives: int) -> int:
        """Uncapped points by TC-12 (one life) or SD-7 (two)."""
        cost = sum(self.values)
        for (pure, runs), deadwood in self.outcomes((1 << self.n) - 1).items():
            if pure and runs >= lives:
                cost = min(cost, deadwood)
        return cost

    def least(self) -> int:
        """Least deadwood of any arrangement."""
        return min(self.outcomes((1 << self.n) - 1).values())

    def lives(self) -> int:
        held = [key for key in self.outcomes((1 << self.n) - 1) if key[0]]
        return 0 if not held else 2 if any(runs > 1 for _, runs in held) else 1


def wins(hand: list[str], wild: frozenset[str], barred: str | None) -> bool:
    """Whether 14 cards hold a winning declaration: every card to set aside, every full cover."""
    brute = Brute(hand, wild)
    every = (1 << brute.n) - 1
    memo: dict[int, set[tuple[int, int]]] = {0: {(0, 0)}}

    def covers(left: int) -> set[tuple[int, int]]:
        """(pure sequences up to 1, sequences up to 2) of the ways to group all cards of ``left``."""
        if left in memo:
            return memo[left]
        found: set[tuple[int, int]] = set()
        for mask, kinds in brute.starting[(left & -left).bit_length() - 1]:
            if mask & left == mask:
                for pure, runs in covers(left ^ mask):
                    if "pure" in kinds:
                        found.add((1, min(runs + 1, 2)))
                    elif "run" in kinds:
                        found.add((pure, min(runs + 1, 2)))
                    else:
                        found.add((pure, runs))
        memo[left] = found
        return found

    return any(
        (1, 2) in covers(every & ~(1 << i))
        for i, card in enumerate(brute.hand)
        if card != barred and (not i or brute.hand[i - 1] != card)
    )
