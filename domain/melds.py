"""Sets and runs, and the readings of wilds (K-3 … K-6).

Theory
------
A run is an interval of places in one suit: the ace is place 0, the king 12, and place 13 is the
ace again where it may stand high.  A command's cards are *fixed* (natural cards, and wilds written
out) or *free* (wild-rank cards sent plain, printed jokers).  For a suit and an interval there is
one reading with the most natural cards: a free card whose own place is open stands for itself, the
others fill what is left in the order sent, lowest place first (K-6).  So the readings of a new meld
are at most one set for a rank and one run for a suit and an interval, and two readings differ in
play exactly if they differ in that.

A set is a number of slots a suit (one, or one a deck).  Natural cards are placed first, then wilds
that name a suit, then older wilds (keeping their slot while it is open), then the rest (K-5).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec import Struct

from domain.cards import JOKER, NATURAL, RANK, SUIT, placed
from domain.rules import RuleSet

RUN_LIMIT = 13
SET, RUN = "set", "run"


class Meld(Struct, frozen=True, gc=False):
    """A meld on the table: placed cards, and card by card who played each."""

    id: int
    owner: int
    kind: str
    cards: tuple[int, ...]
    by: tuple[int, ...]
    beside: tuple[tuple[int, int], ...] = ()


class Reading(NamedTuple):
    """One lawful way to read the cards of a new meld."""

    kind: str
    cards: tuple[int, ...]
    naturals: int


def is_natural(card: int) -> bool:
    """Whether a placed card stands for itself and is no printed joker (K-2)."""
    face = card & 63
    return card >> 6 == face and face != JOKER


def wild_count(cards: Iterable[int]) -> int:
    """How many placed cards stand for another."""
    return sum(1 for c in cards if not is_natural(c))


def set_room(rules: RuleSet) -> int:
    """The most cards that a set holds (WR-9, TP-7, FK-8)."""
    return rules.set_limit or 4 * rules.decks


def slots(rules: RuleSet) -> int:
    """How many cards of one suit a set holds: one, or one a deck (K-5, FK-8)."""
    return 1 if rules.set_limit else rules.decks


def wilds_allowed(rules: RuleSet, wilds: int, total: int) -> bool:
    """The limits on wilds in one meld (K-4, TP-6, FK-23, GE-1)."""
    if wilds >= total:
        return False
    if rules.max_wilds is not None and wilds > rules.max_wilds:
        return False
    return not rules.wilds_at_most_naturals or 2 * wilds <= total


# -------------------------------------------------------------------------- sets


def _order(card: int) -> tuple[int, bool, int]:
    return card >> 6, card >> 6 != card & 63, card & 63


def fill_set(
    rules: RuleSet, wild: int, rank: int, old: Sequence[tuple[int, int]], new: Sequence[int], by: int
) -> tuple[tuple[tuple[int, int], ...], tuple[int, ...]] | None:
    """Place ``new`` cards into a set of ``rank`` beside the ``old`` (card, by); None if they do not fit.

    Returns the whole set in order, and the new cards as placed, in the order sent.
    """
    room = [slots(rules)] * 4
    done: list[tuple[int, int]] = []
    wilds_old: list[tuple[int, int]] = []
    for card, who in old:
        if is_natural(card):
            room[SUIT[card & 63]] -= 1
            done.append((card, who))
        else:
            wilds_old.append((card, who))
    result = list(new)
    named: list[int] = []
    unnamed: list[int] = []
    for i, card in enumerate(new):
        face = card & 63
        plain = card >> 6 == face
        if not plain and RANK[card >> 6] != rank:
            return None
        if face != JOKER and RANK[face] == rank:  # always natural in a set of its own rank (K-2)
            result[i] = NATURAL[face]
            room[SUIT[face]] -= 1
        elif not wild >> face & 1:
            return None
        elif plain:
            unnamed.append(i)
        else:
            named.append(i)
    if min(room) < 0:
        return None
    for i in named:
        suit = SUIT[new[i] >> 6]
        room[suit] -= 1
        if room[suit] < 0:
            return None
    moved: list[int] = []
    for k, (card, _) in enumerate(wilds_old):
        suit = SUIT[card >> 6]
        if room[suit] > 0:
            room[suit] -= 1
        else:
            moved.append(k)
    for k in moved:
        suit = next((s for s in range(4) if room[s] > 0), None)
        if suit is None:
            return None
        room[suit] -= 1
        wilds_old[k] = (placed(wilds_old[k][0] & 63, suit * 13 + rank), wilds_old[k][1])
    for i in unnamed:
        suit = next((s for s in range(4) if room[s] > 0), None)
        if suit is None:
            return None
        room[suit] -= 1
        result[i] = placed(new[i] & 63, suit * 13 + rank)
    whole = sorted([*done, *wilds_old, *((c, by) for c in result)], key=lambda p: _order(p[0]))
    return tuple(whole), tuple(result)


def _set_ranks(cards: Sequence[int], wild: int) -> list[int]:
    """The ranks that a set of these cards might have: that of its plain cards, if there are any."""
    plain = {RANK[c & 63] for c in cards if c >> 6 == c & 63 and not wild >> (c & 63) & 1}
    if plain:
        return sorted(plain) if len(plain) == 1 else []
    ranks = {RANK[c >> 6] for c in cards if c >> 6 != c & 63}
    ranks |= {RANK[c & 63] for c in cards if c & 63 != JOKER}
    return sorted(ranks)


def _read_sets(cards: Sequence[int], rules: RuleSet, wild: int) -> list[Reading]:
    if not 3 <= len(cards) <= set_room(rules):
        return []
    readings: list[Reading] = []
    for rank in _set_ranks(cards, wild):
        filled = fill_set(rules, wild, rank, (), cards, 0)
        if filled is None:
            continue
        whole = tuple(c for c, _ in filled[0])
        wilds = wild_count(whole)
        if wilds_allowed(rules, wilds, len(whole)):
            readings.append(Reading(SET, whole, len(whole) - wilds))
    return readings


# -------------------------------------------------------------------------- runs


def place_of(face: int, low: int, high: int) -> int | None:
    """The place of a face in the interval low..high, or None."""
    rank = RANK[face]
    if low <= rank <= high:
        return rank
    return 13 if rank == 0 and high == 13 else None


def run_bounds(cards: Sequence[int]) -> tuple[int, int]:
    """First and last place of a run in order."""
    low = RANK[cards[0] >> 6]
    return low, low + len(cards) - 1


def face_at(suit: int, place: int) -> int:
    """The face that belongs at a place of a run."""
    return suit * 13 + place % 13


def fill_places(
    suit: int, low: int, high: int, open_places: list[int], cards: Sequence[int], wild: int
) -> list[int] | None:
    """Put every card at one of the open places; placed cards in the order sent, or None."""
    result: list[int] = [0] * len(cards)
    left = set(open_places)
    free: list[int] = []
    for i, card in enumerate(cards):
        stands = card >> 6
        if stands == card & 63 and wild >> stands & 1:
            free.append(i)
            continue
        if SUIT[stands] != suit:
            return None
        place = place_of(stands, low, high)
        if place is None or place not in left:
            return None
        left.discard(place)
        result[i] = card
    rest: list[int] = []
    for i in free:
        face = cards[i] & 63
        place = place_of(face, low, high) if SUIT[face] == suit else None
        if place is not None and place in left:
            left.discard(place)
            result[i] = cards[i]
        else:
            rest.append(i)
    for i, place in zip(rest, sorted(left), strict=True):
        result[i] = placed(cards[i] & 63, face_at(suit, place))
    return result


def _run_order(cards: Iterable[int], low: int) -> tuple[int, ...]:
    return tuple(sorted(cards, key=lambda c: RANK[c >> 6] or (0 if low == 0 else 13)))


def _read_runs(cards: Sequence[int], rules: RuleSet, wild: int) -> list[Reading]:
    n = len(cards)
    if not rules.runs or not 3 <= n <= RUN_LIMIT:
        return []
    fixed = [c >> 6 for c in cards if c >> 6 != c & 63 or not wild >> (c & 63) & 1]
    suits = {SUIT[f] for f in fixed} or {SUIT[c & 63] for c in cards if c & 63 != JOKER}
    if fixed and len(suits) != 1:
        return []
    top = 13 if rules.ace_high and n < RUN_LIMIT else 12
    readings: list[Reading] = []
    for suit in sorted(suits):
        for low in range(top - n + 2):
            high = low + n - 1
            result = fill_places(suit, low, high, list(range(low, high + 1)), cards, wild)
            if result is None:
                continue
            wilds = wild_count(result)
            if wilds_allowed(rules, wilds, n):
                readings.append(Reading(RUN, _run_order(result, low), n - wilds))
    return readings


# --------------------------------------------------------------------- new melds


def read_meld(cards: Sequence[int], kind: str | None, rules: RuleSet, wild: int) -> list[Reading]:
    """Every lawful reading of a new meld, sets before runs, then the lower place (K-6)."""
    if any(c >> 6 != c & 63 and not wild >> (c & 63) & 1 for c in cards):
        return []
    readings = [] if kind == RUN else _read_sets(cards, rules, wild)
    if kind != SET:
        readings += _read_runs(cards, rules, wild)
    return readings


_FAULTS = (
    "meld.runs_not_allowed", "card.not_wild", "meld.no_natural", "meld.mixed_ranks", "meld.mixed_suits",
    "meld.repeated_suit", "meld.ace_wraps", "meld.ace_high", "meld.not_consecutive", "meld.too_long",
    "meld.too_many_wilds",
)  # fmt: skip


def meld_fault(cards: Sequence[int], kind: str | None, rules: RuleSet, wild: int) -> str:
    """Why cards that have no lawful reading have none: the code, by the contract's precedence."""
    if len(cards) < 3:
        return "meld.too_short"
    if kind is not None:
        return _run_fault(cards, rules, wild) if kind == RUN else _set_fault(cards, rules, wild)
    plain = [c & 63 for c in cards if c >> 6 == c & 63 and not wild >> (c & 63) & 1]
    if not plain:
        if any(c >> 6 != c & 63 and not wild >> (c & 63) & 1 for c in cards):
            return "card.not_wild"
        if not any(is_natural(c) for c in cards):
            return "meld.no_natural"
    # Plain wilds alone: one of them may be the single natural card.
    one_suit = len({SUIT[f] for f in plain}) <= 1
    one_rank = len({RANK[f] for f in plain}) <= 1
    if one_suit and one_rank:
        faults = _run_fault(cards, rules, wild), _set_fault(cards, rules, wild)
        return max(faults, key=lambda f: _FAULTS.index(f) if f in _FAULTS else len(_FAULTS))
    if one_suit:
        return _run_fault(cards, rules, wild)
    if one_rank:
        return _set_fault(cards, rules, wild)
    return "meld.not_a_meld"


def _common_fault(cards: Sequence[int], wild: int) -> str | None:
    if any(c >> 6 != c & 63 and not wild >> (c & 63) & 1 for c in cards):
        return "card.not_wild"
    return None if any(is_natural(c) for c in cards) else "meld.no_natural"


def _too_many(cards: Sequence[int], rules: RuleSet, wild: int) -> bool:
    wilds = sum(1 for c in cards if wild >> (c & 63) & 1)
    wilds -= wilds == len(cards)  # one of them may be the natural card (K-4)
    return not wilds_allowed(rules, wilds, len(cards))


def _set_fault(cards: Sequence[int], rules: RuleSet, wild: int) -> str:
    if fault := _common_fault(cards, wild):
        # In a set of its own rank a wild-rank card is natural, however it is written (K-2).
        own = fault == "meld.no_natural" and any(
            c & 63 != JOKER and RANK[c & 63] == RANK[c >> 6] for c in cards
        )
        if not own:
            return fault
    fixed = [c for c in cards if c >> 6 != c & 63 or not wild >> (c & 63) & 1]
    if len({RANK[c >> 6] for c in fixed}) > 1:
        return "meld.mixed_ranks"
    ranks = _set_ranks(cards, wild)
    if not any(_suits_fit(cards, rank, rules) for rank in ranks):
        return "meld.repeated_suit"
    if len(cards) > set_room(rules):
        return "meld.too_long"
    return "meld.too_many_wilds" if _too_many(cards, rules, wild) else "meld.not_a_meld"


def _suits_fit(cards: Sequence[int], rank: int, rules: RuleSet) -> bool:
    room = [slots(rules)] * 5
    for c in cards:
        face = c & 63
        if face != JOKER and RANK[face] == rank:
            room[SUIT[face]] -= 1
        elif c >> 6 != face:
            room[SUIT[c >> 6]] -= 1
    return min(room) >= 0


def _run_fault(cards: Sequence[int], rules: RuleSet, wild: int) -> str:
    if not rules.runs:
        return "meld.runs_not_allowed"
    if fault := _common_fault(cards, wild):
        return fault
    fixed = [c >> 6 for c in cards if c >> 6 != c & 63 or not wild >> (c & 63) & 1]
    if len({SUIT[f] for f in fixed}) > 1:
        return "meld.mixed_suits"
    n = len(cards)
    ranks = [RANK[f] for f in fixed]
    if len(set(ranks)) != len(ranks):
        return "meld.not_consecutive"
    if n <= RUN_LIMIT and ranks:
        high = [r or 13 for r in ranks]
        if max(ranks) - min(ranks) >= n and not (rules.ace_high and max(high) - min(high) < n):
            if max(high) - min(high) < n:
                return "meld.ace_high"
            # cyclic: the interval runs over the king and the ace to the two
            if any(all((r - low) % 13 < n for r in ranks) for low in range(1, 13) if low + n - 1 > 13):
                return "meld.ace_wraps"
            return "meld.not_consecutive"
    if n > RUN_LIMIT:
        return "meld.too_long"
    return "meld.too_many_wilds" if _too_many(cards, rules, wild) else "meld.not_a_meld"
