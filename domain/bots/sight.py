"""What a bot looks at: its seat's view, read once into integers.

A bot is given what a person in its seat is given.  The view is taken by its shape, so that nothing
here can reach the state, the events' deciders or the stock; the rule set is public too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from domain.bots.fits import MeldKinds, meld_kinds
from domain.cards import FACE, FACES, JOKER, PLACED, RANK, RANKS, SUIT
from domain.rules import RuleSet
from domain.shapes import DealShape, MeldShape, StockShape, TurnShape


class SeatSeen(Protocol):
    """A seat of the view, as far as bots look at it."""

    @property
    def cards(self) -> int: ...
    @property
    def melded(self) -> bool: ...
    @property
    def upcard(self) -> str | None: ...


class ViewSeen(Protocol):
    """A seat's view, as far as bots look at it."""

    @property
    def you(self) -> int | None: ...
    @property
    def deal(self) -> DealShape | None: ...
    @property
    def turn(self) -> TurnShape | None: ...
    @property
    def hand(self) -> list[str] | None: ...
    @property
    def seats(self) -> Sequence[SeatSeen]: ...
    @property
    def stock(self) -> StockShape | None: ...
    @property
    def discard(self) -> list[str]: ...
    @property
    def melds(self) -> list[MeldShape]: ...


class Laid(NamedTuple):
    """A meld on the table: what each card is and what it stands for."""

    number: int
    run: bool
    cards: tuple[int, ...]
    stands: tuple[int, ...]
    beside: tuple[int, ...]


class Sight:
    """The table from one seat.

    ``values``: what each face counts (a wild what wilds count); ``wild[face]``: whether it is wild.
    """

    def __init__(self, view: ViewSeen, rules: RuleSet) -> None:
        assert view.you is not None
        assert view.deal is not None
        assert view.turn is not None
        self.rules = rules
        self.kinds: MeldKinds = meld_kinds(rules)
        self.you: int = view.you
        self.turn = view.turn
        self.hand = [FACE[c] for c in view.hand or ()]
        self.pending = [FACE[c] for c in view.turn.pending]
        self.discard = [FACE[c] for c in view.discard]
        self.stock = 0 if view.stock is None else view.stock.count
        self.cards = [s.cards for s in view.seats]
        self.melded = [s.melded for s in view.seats]
        self.upcards = [None if s.upcard is None else FACE[s.upcard] for s in view.seats]
        indicator = view.deal.wild.indicator
        self.indicator = FACE[indicator] if indicator is not None and rules.turned_card else None
        self.wild = [False] * FACES
        for c in view.deal.wild.cards:
            self.wild[FACE[c]] = True
        self.values = [self._value(f) for f in range(FACES)]
        self.melds = [_laid(m) for m in view.melds]

    def _value(self, face: int) -> int:
        rules = self.rules
        if self.wild[face] or face == JOKER:
            ace = rules.wild_ace_value
            return ace if ace is not None and face != JOKER and RANK[face] == 0 else rules.wild_value
        return rules.values[RANK[face]]

    @property
    def wild_mask(self) -> int:
        """The wild faces, a bit a face."""
        return sum(1 << f for f, wild in enumerate(self.wild) if wild)

    @property
    def others(self) -> list[int]:
        """The other seats, the next to act first."""
        seats = len(self.cards)
        return [(self.you + i) % seats for i in range(1, seats)]

    def plain(self, faces: Sequence[int]) -> list[int]:
        """The faces that are not wild."""
        return [f for f in faces if not self.wild[f]]

    def copies(self) -> list[int]:
        """How many cards of each face the deck holds."""
        rules = self.rules
        deck = [0 if RANKS[RANK[f]] in rules.missing_ranks else rules.decks for f in range(JOKER)]
        return [*deck, rules.decks * rules.jokers_per_deck]

    def unseen(self) -> list[int]:
        """How many cards of each face lie where this seat cannot see them: in the stock or a hand."""
        left = self.copies()
        for f in self.hand:
            left[f] -= 1
        for f in self.discard:
            left[f] -= 1
        for meld in self.melds:
            for f in (*meld.cards, *meld.beside):
                left[f] -= 1
        if self.indicator is not None:
            left[self.indicator] -= 1
        return [max(n, 0) for n in left]


def _laid(meld: MeldShape) -> Laid:
    cards = [PLACED[c] for c in meld.cards]
    return Laid(
        meld.id, meld.kind == "run", tuple(c & 63 for c in cards), tuple(c >> 6 for c in cards),
        tuple(FACE[b.card] for b in meld.beside),
    )  # fmt: skip


def near(a: int, b: int, rules: RuleSet) -> int:
    """How closely two plain cards belong together: 0 not at all, 1 with a gap, 2 side by side or alike."""
    if a == JOKER or b == JOKER:
        return 0
    if RANK[a] == RANK[b]:
        return 2 if SUIT[a] != SUIT[b] or not rules.set_limit else 0
    if SUIT[a] != SUIT[b] or not rules.runs:
        return 0
    gap = abs(RANK[a] - RANK[b])
    if gap > 10 and rules.ace_high and 0 in (RANK[a], RANK[b]):
        gap = 13 - gap
    return 2 if gap == 1 else 1 if gap == 2 else 0
