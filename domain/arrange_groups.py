"""Groups of the declare games: laying them out, and reading those that a player shows (TC-5, SD-4).

Theory
------
Places of a run count 0 (ace) to 12 (king) in its suit, and 13 for a high ace; no run has both aces.

Laying out turns a *draft* (which plain cards, which places) into placed cards.  A place takes the
wild of its very face if one is left, so that as many wilds as possible are natural; any other wild
fills it otherwise.  Wilds left over lengthen sequences and sets, never at the cost of a pure
sequence unless every card must be shown.

Reading goes the other way.  A declaration is never ambiguous (K-6): any lawful reading will do, so
each group gets the one that helps most: a pure sequence before a sequence before a set.  Groups do
not depend on each other, and a sequence counts for all that a set does, so the choice is safe group
by group.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple

from msgspec import Struct

from domain.cards import JOKER, NATURAL, pack, placed, unpack
from domain.melds import SET, Reading, meld_fault, read_meld
from domain.rules import RuleSet
from domain.shapes import Fault

Kind = Literal["pure_sequence", "sequence", "set"]
_KINDS: Final[tuple[Kind, ...]] = ("pure_sequence", "sequence", "set")


# ------------------------------------------------------------------------------------ laying out


class Draft(NamedTuple):
    """A group in outline: a run of ``suit`` in places ``low``..``high``, or a set of rank ``low``;
    ``faces`` lie in it as themselves, wilds fill the rest.  A run of suit -1 is one wild at its own
    face value with two others."""

    run: bool
    suit: int
    low: int
    high: int
    faces: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many cards it takes."""
        return self.high - self.low + 1 if self.run else max(len(self.faces), 3)


class _Run:
    """A sequence being laid out: places to placed cards."""

    __slots__ = ("cells", "suit")

    def __init__(self, suit: int) -> None:
        self.suit = suit
        self.cells: dict[int, int] = {}

    def face(self, place: int) -> int:
        return self.suit * 13 + place % 13

    def ends(self) -> list[int]:
        """The places at which it can grow, the high end first."""
        low, high = min(self.cells), max(self.cells)
        places = [high + 1] if high < 12 or (high == 12 and low) else []
        return [*places, low - 1] if low > 1 or (low == 1 and high < 13) else places

    def pure(self) -> bool:
        return all(card >> 6 == card & 63 for card in self.cells.values())

    def cards(self) -> tuple[int, ...]:
        return tuple(self.cells[place] for place in sorted(self.cells))


def lay(
    drafts: Sequence[Draft], pool: Sequence[int], *, every_wild: bool
) -> tuple[tuple[tuple[int, ...], ...], tuple[Kind, ...]]:
    """Draft groups as placed cards, with their kinds: pure sequences, sequences, sets, each in order.

    ``pool`` counts the wilds a face; the first draft is a pure sequence where the hand holds one.
    Wilds left over are worked in where that harms nothing; with ``every_wild`` all of them are,
    which needs a second sequence among the drafts.
    """
    left = list(pool)
    runs: list[_Run] = []
    sets: list[tuple[int, list[int]]] = []
    open_places: list[tuple[_Run, int]] = []
    for draft in sorted(drafts, key=lambda d: d.suit >= 0 and d is not drafts[0]):
        if not draft.run:
            sets.append((draft.low, [NATURAL[f] for f in draft.faces]))
            continue
        if draft.suit < 0:
            own = next(f for f in range(JOKER) if left[f])
            suit, rank = divmod(own, 13)
            low = min(rank, 11)
            draft = Draft(True, suit, low, low + 2, (own,))
        run = _Run(draft.suit)
        runs.append(run)
        for place in range(draft.low, draft.high + 1):
            face = run.face(place)
            if face in draft.faces:
                run.cells[place] = NATURAL[face]
                left[face] -= left[face] > 0
            else:
                open_places.append((run, place))
    rest: list[tuple[_Run, int]] = []
    for run, place in open_places:
        face = run.face(place)
        if left[face]:
            left[face] -= 1
            run.cells[place] = NATURAL[face]
        else:
            rest.append((run, place))
    for rank, cards in sets:
        if len(cards) < 3:
            cards.append(_into_set(rank, cards, left))
    for run, place in rest:
        face = next(f for f, n in enumerate(left) if n)
        left[face] -= 1
        run.cells[place] = placed(face, run.face(place))
    for face in [f for f, n in enumerate(left) for _ in range(n)]:
        if not _lengthen(face, runs) and not _widen(face, sets) and every_wild:
            _append(face, runs[1:])
    shown: list[tuple[int, tuple[int, ...]]] = [(not run.pure(), run.cards()) for run in runs]
    shown += [(2, tuple(sorted(cards, key=lambda c: c >> 6))) for _, cards in sets]
    shown.sort(key=lambda g: (g[0], g[1][0] >> 6))
    return tuple(g for _, g in shown), tuple(_KINDS[k] for k, _ in shown)


def _into_set(rank: int, cards: list[int], left: list[int]) -> int:
    """Take a wild for a set out of ``left`` and place it: a card of the rank stands for itself (K-2)."""
    face = next(f for f, n in enumerate(left) if n)
    left[face] -= 1
    return _set_card(face, rank, cards)


def _set_card(face: int, rank: int, cards: list[int]) -> int:
    suits = {card >> 6: None for card in cards}
    if face < JOKER and face % 13 == rank:
        return NATURAL[face]
    return placed(face, next(f for f in range(rank, 52, 13) if f not in suits))


def _lengthen(face: int, runs: list[_Run]) -> bool:
    """Add a wild to a run: where it stands for itself, or else to a run that is not pure."""
    for run in runs:
        for place in run.ends():
            if run.face(place) == face:
                run.cells[place] = NATURAL[face]
                return True
    return _append(face, [run for run in runs if not run.pure()])


def _append(face: int, runs: list[_Run]) -> bool:
    for run in runs:
        for place in run.ends():
            run.cells[place] = placed(face, run.face(place))
            return True
    return False


def _widen(face: int, sets: list[tuple[int, list[int]]]) -> bool:
    """Add a wild to a set of three whose open suit it may take."""
    for rank, cards in sets:
        if len(cards) == 3 and NATURAL[face] not in cards:
            card = _set_card(face, rank, cards)
            if all(card >> 6 != other >> 6 for other in cards):
                cards.append(card)
                return True
    return False


# ----------------------------------------------------------------------------------- what is shown


class Judgement(Struct, frozen=True):
    """Groups as read, in the order sent.

    ``kinds`` and ``codes``: exactly one of the two is set for a group; ``groups``: its placed cards,
    runs low to high and sets by suit, or as sent where it does not stand.  ``lives`` and ``pure``:
    what the groups that stand hold.
    """

    groups: tuple[tuple[int, ...], ...]
    kinds: tuple[Kind | None, ...]
    codes: tuple[str | None, ...]
    lives: int
    pure: bool

    @property
    def wins(self) -> bool:
        """Whether every group stands and both lives are there (the cards are the caller's check)."""
        return self.lives == 2 and None not in self.kinds


#: The limits that both declare games set on groups (TC-6, TC-7, SD-4): the plain ones of K-3, K-4.
_LIMITS: Final = RuleSet(variant="", family="declare", wins="lowest", options={}, decks=1)


def judge(groups: Iterable[Sequence[int]], wild: int) -> Judgement:
    """Read the groups of a declaration (TC-5 to TC-7, SD-4, SD-5) in the way that helps most.

    ``groups``: placed cards in any order, wilds plain or written out; ``wild``: bit f set where
    face f is wild (printed jokers always are).  Codes are those of melds (``card.not_wild``,
    ``meld.too_short``, …).
    """
    wild |= 1 << JOKER
    read: list[tuple[int, ...]] = []
    kinds: list[Kind | None] = []
    codes: list[str | None] = []
    for group in groups:
        shown: list[tuple[Kind, Reading]] = [(_kind(r), r) for r in read_meld(group, None, _LIMITS, wild)]
        if shown:
            kind, reading = min(shown, key=lambda s: (_KINDS.index(s[0]), -s[1].naturals))
            read.append(reading.cards)
            kinds.append(kind)
            codes.append(None)
        else:
            read.append(tuple(group))
            kinds.append(None)
            codes.append(meld_fault(group, None, _LIMITS, wild))
    pure = any(kind == "pure_sequence" for kind in kinds)
    two = sum(kind in ("pure_sequence", "sequence") for kind in kinds) > 1
    lives = 0 if not pure else 2 if two else 1
    return Judgement(tuple(read), tuple(kinds), tuple(codes), lives, pure)


def _kind(reading: Reading) -> Kind:
    if reading.kind == SET:
        return "set"
    return "pure_sequence" if reading.naturals == len(reading.cards) else "sequence"


def charge(
    hand: int, judged: Judgement, wild: int, values: Sequence[int], lives: int, cap: int = 80
) -> tuple[int, int, tuple[int, ...]]:
    """What ``hand`` is charged when shown so (TC-12, SD-7): capped, uncapped, and its deadwood.

    The groups' cards must be in the hand; those of a group that does not stand are deadwood.
    """
    shown = pack(
        card & 63 for group, kind in zip(judged.groups, judged.kinds, strict=True) if kind for card in group
    )
    deadwood = unpack(hand - shown)
    counted = deadwood if judged.lives >= lives else unpack(hand)
    raw = sum(values[f] for f in counted if f != JOKER and not wild >> f & 1)
    return min(raw, cap), raw, tuple(deadwood)


def faults(judged: Judgement, rule: str | None = None) -> list[Fault]:
    """Every reason why a declaration does not win: a group that does not stand, a missing life.

    ``rule``: the number that asks for the lives in this game (TC-5, SD-5).
    """
    found = [Fault(f"#/groups/{i}", code, *_REASONS[code]) for i, code in enumerate(judged.codes) if code]
    if not judged.pure:
        detail = (
            "The first life is missing: a pure sequence, three or more cards of one suit in order, "
            "none standing for another."
        )
        found.append(Fault("#/groups", "declare.invalid", detail, rule))
    if sum(kind in ("pure_sequence", "sequence") for kind in judged.kinds) < (2 if judged.pure else 1):
        detail = "The second life is missing: one more sequence, pure or with wilds."
        found.append(Fault("#/groups", "declare.invalid", detail, rule))
    return found


#: What to say of a group that does not stand, and the ledger's rule.
_REASONS: Final[dict[str, tuple[str, str]]] = {
    "meld.too_short": ("A group has at least three cards.", "K-3"),
    "meld.not_a_meld": ("The group is neither a set nor a sequence.", "K-3"),
    "card.not_wild": ("A card that is not wild stands for itself only.", "K-2"),
    "meld.no_natural": ("A group needs a card that stands for itself.", "K-4"),
    "meld.mixed_ranks": ("The cards of a set have one rank.", "K-3"),
    "meld.mixed_suits": ("The cards of a sequence have one suit.", "K-3"),
    "meld.repeated_suit": ("A set holds each suit once.", "K-3"),
    "meld.ace_wraps": ("The ace is low or high: no sequence goes on from king over ace to two.", "K-3"),
    "meld.not_consecutive": ("The cards of a sequence follow each other, each rank once.", "K-3"),
    "meld.too_long": ("A set has at most four cards, a sequence thirteen.", "K-3"),
}
