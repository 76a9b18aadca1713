"""How the cards of a hand could fit together: the measure that every level judges hands by.

Theory
------
Plain cards (of no wild face) lie in one integer, two bits a *place*; places run rank by rank, suits
C D H S within a rank.  Take the lowest place held: its card is in one of the few groups that begin
with it, alone beside two wilds, or left over.  What remains is a smaller integer, so a memo makes
the search short.  A run of six or more falls into two, and a run needs no wild at its ends beyond
three cards, so runs of three to five are enough.  The groups that a place could begin depend only
on what is held near it; each such picture is worked out once for all games with the same melds.

``Fits.least`` gives the least value that must be left over.  What a leftover card is worth is up to
the caller: points for the games with melds on the table (nothing for a card that the table takes),
one a card for ``distance``: how many cards a hand of the declare games is away from winning.  There
a missing card is a wild that may even stand in the pure sequence, and there are as many of them as
cards left over.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from domain.rules import RuleSet

PLACES: Final = 52
_LOW: Final = sum(1 << 2 * i for i in range(PLACES))
NEVER: Final = 1 << 30

#: face → place and back
PLACE: Final[tuple[int, ...]] = tuple(f % 13 * 4 + f // 13 for f in range(52))
FACE_AT: Final[tuple[int, ...]] = tuple(i % 4 * 13 + i // 4 for i in range(52))
BIT: Final[tuple[int, ...]] = tuple(1 << 2 * PLACE[f] for f in range(52))


def spread(faces: Iterable[int]) -> int:
    """Faces as counts by place."""
    held = 0
    for f in faces:
        held += BIT[f]
    return held


class Group(NamedTuple):
    """Plain cards that stand together with ``wilds`` wilds between or beside them."""

    cards: int
    wilds: int
    run: bool


class MeldKinds(NamedTuple):
    """What a game's rule set says about melds, as far as groups depend on it."""

    runs: bool
    ace_high: bool
    copies: int  # of one suit in a set
    room: int  # cards in a set
    max_wilds: int
    balanced: bool  # wilds at most as many as naturals


def meld_kinds(rules: RuleSet) -> MeldKinds:
    """The part of a rule set that shapes groups."""
    return MeldKinds(
        rules.runs, rules.ace_high, 1 if rules.set_limit else rules.decks,
        rules.set_limit or 4 * rules.decks, 13 if rules.max_wilds is None else rules.max_wilds,
        rules.wilds_at_most_naturals,
    )  # fmt: skip


class _Pictures:
    """The groups that each place can begin, by what is held around it."""

    def __init__(self, kinds: MeldKinds) -> None:
        self.kinds = kinds
        self.near: list[int] = []
        self.known: list[dict[int, tuple[Group, ...]]] = [{} for _ in range(PLACES)]
        for place in range(PLACES):
            rank = place >> 2
            mask = 3 << 2 * place
            for mate in range(place + 1, (rank + 1) * 4):
                mask |= 3 << 2 * mate
            if kinds.runs:
                for other in self._along(place):
                    mask |= 3 << 2 * other[1]
            self.near.append(mask)

    def _along(self, place: int) -> list[tuple[int, int]]:
        """(distance, place) of the cards up to four away in the suit, an ace low, then high."""
        rank, suit = divmod(place, 4)
        found = [(d, place + 4 * d) for d in (1, 2, 3, 4) if rank + d < 13]
        if rank == 0 and self.kinds.ace_high:
            found += [(-d, (13 - d) * 4 + suit) for d in (1, 2, 3, 4)]
        return found

    def groups(self, place: int, held: int) -> tuple[Group, ...]:
        """The groups of two cards and more that begin at ``place``, the cheapest first."""
        key = held & self.near[place]
        found = self.known[place].get(key)
        if found is None:
            found = self.known[place][key] = self._find(place, key)
        return found

    def _find(self, place: int, held: int) -> tuple[Group, ...]:
        kinds = self.kinds
        first = 1 << 2 * place
        found: list[Group] = []

        def add(cards: int, count: int, length: int, run: bool) -> None:
            wilds = length - count
            if wilds <= kinds.max_wilds and not (kinds.balanced and wilds > count):
                found.append(Group(cards, wilds, run))

        if kinds.runs:
            along = [(d, 1 << 2 * p) for d, p in self._along(place) if held >> 2 * p & 3]
            for side in (1, -1):
                chosen = [(first, 0, 1)]
                for distance, bit in along:
                    if distance * side > 0:
                        reach = distance * side
                        chosen += [(c | bit, reach, n + 1) for c, _, n in chosen]
                for cards, reach, count in chosen[1:]:
                    add(cards, count, max(reach + 1, 3), True)
        sets = [(first * n, n) for n in range(1, min(held >> 2 * place & 3, kinds.copies) + 1)]
        for mate in range(place + 1, (place >> 2) * 4 + 4):
            most = min(held >> 2 * mate & 3, kinds.copies)
            sets += [(c + n * (1 << 2 * mate), k + n) for n in range(1, most + 1) for c, k in sets]
        for cards, count in sets:
            if 2 <= count <= kinds.room:
                add(cards, count, max(count, 3), False)
        found.sort(key=lambda g: (g.wilds, -g.cards.bit_count()))
        return tuple(found)


@lru_cache(maxsize=32)
def _pictures(kinds: MeldKinds) -> _Pictures:
    return _Pictures(kinds)


class Fits:
    """A measure of hands: what a leftover card of each place counts, and the melds of the game.

    ``worth`` is by place.  ``price`` is what the use of one wild counts: above zero it saves wilds
    for groups that are worth one.
    """

    def __init__(self, kinds: MeldKinds, worth: Sequence[int], price: int = 0) -> None:
        self._groups = _pictures(kinds).groups
        self._worth = worth
        self._price = price
        self._lone = kinds.runs and kinds.max_wilds > 1 and not kinds.balanced
        self._memo: dict[int, int] = {}

    def least(self, held: int, wilds: int, *, need: bool = False, free: int = 0, limit: int = NEVER) -> int:
        """The least that ``held`` must cost with ``wilds`` to help.

        ``need``: at least one group must be a run.  ``free``: so many cards, up to three, may be left
        over at no cost.  Exact below ``limit``; otherwise some number not below it.
        """
        return self._least(held, wilds, need << 2 | free, limit)

    def trim(self, most: int) -> None:
        """Forget what was worked out if it is more than ``most`` hands; answers stay the same."""
        if len(self._memo) > most:
            self._memo.clear()

    def _least(self, held: int, wilds: int, rest: int, limit: int) -> int:
        if not held:
            return NEVER if rest > 3 and wilds < 3 else 0
        price = self._price
        if wilds > 1 and self._lone and not price:
            cards = (held & _LOW).bit_count() + 2 * (held >> 1 & _LOW).bit_count()
            if wilds >= 2 * cards:
                return 0
        key = (held << 4 | wilds) << 3 | rest
        known = self._memo.get(key)
        if known is not None:
            if known >= 0:
                return known
            if ~known >= limit:
                return ~known
        place = (held & -held).bit_length() - 1 >> 1
        best = limit
        for cards, cost, run in self._groups(place, held):
            if cost > wilds:
                break
            paid = price * cost
            if paid < best:
                found = paid + self._least(held - cards, wilds - cost, rest & 3 if run else rest, best - paid)
                if found < best:
                    best = found
                    if not found:
                        break
        if best:
            best = self._leave(held, wilds, rest, place, best)
        self._memo[key] = best if best < limit else ~limit
        return best

    def _leave(self, held: int, wilds: int, rest: int, place: int, best: int) -> int:
        """The lowest card left over, or alone beside two wilds."""
        held -= 1 << 2 * place
        worth = self._worth[place]
        if rest & 3:
            best = min(best, self._least(held, wilds, rest - 1, best))
        if worth < best:
            best = min(best, worth + self._least(held, wilds, rest, best - worth))
        paid = 2 * self._price
        if wilds > 1 and self._lone and paid < best:
            best = min(best, paid + self._least(held, wilds - 2, rest & 3, best - paid))
        return best


# ------------------------------------------------------------------ the way to a declaration

#: Windows of a pure sequence: cards, how many, the ends that longer ones must hold.
_PURES: Final[tuple[tuple[int, int, int], ...]] = tuple(
    (sum(bits), length, bits[0] | bits[-1] if length > 3 else 0)
    for length in (3, 4, 5)
    for suit in range(4)
    for low in range(15 - length)
    for bits in [[1 << 2 * ((low + k) % 13 * 4 + suit) for k in range(length)]]
)


def pure_sequences(held: int) -> list[int]:
    """The cards of every pure sequence of three to five that is held."""
    there = (held | held >> 1) & _LOW
    return [window for window, _, _ in _PURES if there & window == window]


class Distance:
    """How many cards hands of 13 are away from winning, in the declare games (TC-5, SD-5).

    A hand: its plain cards, how many wilds, and ``own``: the places of wilds that are cards of a rank, and so
    may stand for themselves in a pure sequence (K-2).
    """

    def __init__(self, kinds: MeldKinds) -> None:
        self._fits = Fits(kinds, (1,) * PLACES)
        self._known: dict[tuple[int, int, int, int], bool] = {}

    def trim(self, most: int) -> None:
        """Forget what was worked out if it is more than ``most`` hands; answers stay the same."""
        self._fits.trim(most)
        if len(self._known) > most:
            self._known.clear()

    def within(self, held: int, wilds: int, own: int, missing: int, over: int = 0) -> bool:
        """Whether ``missing`` cards more could win; ``over``: cards held beyond thirteen."""
        key = (held, wilds, own, missing << 1 | over)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._within(held, wilds, own, missing, over)
        return found

    def _within(self, held: int, wilds: int, own: int, missing: int, over: int) -> bool:
        there = (held | held >> 1) & _LOW
        spare = missing + over
        least = self._fits.least
        for window, length, ends in _PURES:
            if ends & ~(there | own):
                continue
            cards = there & window
            selves = (own & window & ~there).bit_count()
            lacks = length - cards.bit_count() - selves
            if lacks > missing or not cards | own & window:
                continue
            if least(held - cards, wilds - selves + missing - lacks, need=True, limit=spare + 1) <= spare:
                return True
        return missing > 2 and least(held, wilds + missing - 3, need=True, limit=spare + 1) <= spare

    def of(self, held: int, wilds: int, own: int, most: int, over: int = 0) -> int:
        """The number of cards missing, or ``most`` if that many or more are."""
        for missing in range(most):
            if self.within(held, wilds, own, missing, over):
                return missing
        return most
