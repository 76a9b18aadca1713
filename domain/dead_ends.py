"""K-7: no command may leave the player without a legal way to end the turn.

Why the search is complete
--------------------------
A turn of the table games is a sequence of plays and one end.  Every meld and lay-off takes cards
from the hand; a swap takes a natural card for good and brings back a wild; splits are bounded by
the cards on the table.  So the tree of plays is finite, and ``_search`` walks all of it (positions
seen before excepted), plays that use an owed card first.  There is no budget: the answer is exact.

Two facts keep it small.

* Where the last card may be played (TP-11) or the seat may float (FK-14) a hand of two cards or
  more can always end the turn, and so can one card that is not barred: discarded, or laid off where
  the table can use it.  What is left to ask is whether one given card can be played.
* One owed card P and no swaps: if a new meld M without P helps P, then M with P in it is a meld
  too (P extends M, or takes the place of one of its wilds), so new melds matter only if they hold P.
  What may help is to grow and split the one meld that takes P; ``_grow`` walks those few tables.

Neither looks at the stock's order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from domain.additions import add_card, read_addition, split
from domain.cards import NATURAL, ONE, RANK, SUIT, count, distinct, size
from domain.melds import RUN, RUN_LIMIT, Meld, run_bounds, wild_count, wilds_allowed
from domain.plays import (
    Table,
    can_use,
    has_meld_with,
    lay_offs,
    new_melds,
    removed,
    split_table,
    splits,
    swaps,
    with_meld,
)  # fmt: skip
from domain.rules import RuleSet

Pending = tuple[int, ...]


def owed_for(rules: RuleSet, source: str, cards: Sequence[int]) -> Pending:
    """The card of a draw that must be played this turn (WR-8, FK-6, GE-3); ``cards``: the pile's top first."""
    if source == "stock" or rules.pile == "top" or (rules.pile == "deepest" and len(cards) == 1):
        return ()
    return (cards[-1],)


def settle(pending: Pending, cards: tuple[int, ...]) -> Pending:
    """What is still owed once these placed cards were played (WR-8): copies are alike."""
    if not pending:
        return pending
    left = list(pending)
    for c in cards:
        if c & 63 in left:
            left.remove(c & 63)
    return tuple(left)


def can_play(rules: RuleSet, wild: int, hand: int, melds: Table, face: int) -> bool:
    """Whether one card of the hand can be played, at once or after other plays; no swaps (FK-6)."""
    if can_use(rules, wild, face, melds) or has_meld_with(rules, wild, hand, face):
        return True
    if rules.splits or wild >> face & 1:
        return any(_can_grow(rules, wild, hand, meld, face) for meld in melds)
    return any(reach(rules, wild, hand, meld, face) is not None for meld in melds)


def reach(rules: RuleSet, wild: int, hand: int, meld: Meld, face: int) -> int | None:
    """Without splits: how many cards of the hand lengthen a run until a natural ``face`` extends it."""
    if meld.kind != RUN or SUIT[meld.cards[0] >> 6] != SUIT[face]:
        return None
    low, high = run_bounds(meld.cards)
    base = SUIT[face] * 13
    wilds = sum([count(hand, f) for f in distinct(hand) if wild >> f & 1])
    for place in (RANK[face],) if RANK[face] or not rules.ace_high else (0, 13):
        between = range(place + 1, low) if place < low else range(high + 1, place)
        if low <= place <= high or len(meld.cards) + len(between) + 1 > RUN_LIMIT:
            continue
        own = [base + p % 13 for p in between if count(hand, base + p % 13)]
        # A wild-rank card in its own place is one wild less for the others.
        left = wilds - sum([wild >> f & 1 for f in own])
        missing = len(between) - len(own)
        total = wild_count(meld.cards) + missing
        if missing <= left and (not missing or wilds_allowed(rules, total, len(meld.cards) + len(between))):
            return len(between)
    return None


_grown: tuple[RuleSet | None, dict[object, bool]] = (None, {})
_GROWN_LIMIT = 4096


def _can_grow(rules: RuleSet, wild: int, hand: int, meld: Meld, face: int) -> bool:
    """``_grow`` by the cards that matter to it, remembered: a list of actions asks it over and over."""
    global _grown
    first = meld.cards[0] >> 6
    relevant = 0
    for f in distinct(hand):
        same = SUIT[f] == SUIT[first] if meld.kind == RUN else RANK[f] == RANK[first]
        if same or wild >> f & 1:
            relevant += ONE[f] * count(hand, f)
    memo = _grown
    if memo[0] is not rules or len(memo[1]) > _GROWN_LIMIT:
        memo = _grown = (rules, {})
    key = (wild, relevant, meld.cards, face)
    answer = memo[1].get(key)
    if answer is None:
        answer = memo[1][key] = _grow(rules, wild, relevant, meld, face, set())
    return answer


def _grow(rules: RuleSet, wild: int, hand: int, meld: Meld, face: int, seen: set[object]) -> bool:
    """Whether ``meld``, extended from the hand and split, can come to take ``face``."""
    key = (hand, meld.cards)
    if key in seen:
        return False
    seen.add(key)
    own = Meld(1, 0, meld.kind, meld.cards, meld.by, ())
    if can_use(rules, wild, face, (own,)):
        return True
    if not wild >> face & 1:
        stands = own.cards[0] >> 6
        if SUIT[stands] != SUIT[face] if own.kind == RUN else RANK[stands] != RANK[face]:
            return False
    rest = hand - ONE[face] if count(hand, face) else hand
    for _, at in splits(rules, (own,)):
        if any(_grow(rules, wild, hand, half, face, seen) for half in split(own, at, 2)):
            return True
    for _, card, position in lay_offs(rules, wild, rest, (own,), False):
        if position == "beside":
            continue
        for added in read_addition(own, (card,), position, rules, wild, 0):
            if added.position != "beside" and _grow(
                rules, wild, hand - ONE[card & 63], added.after, face, seen
            ):
                return True
    return False


def stuck(
    rules: RuleSet, wild: int, seat: int, hand: int, melds: Table, pending: Pending, barred: int | None
) -> bool:
    """Whether the seat to act could no longer end its turn (K-7).

    ``barred``: the card just taken, where it may not be discarded.
    """
    if not pending and (barred is None or hand != ONE[barred]):
        return not hand and rules.last_card == "discard"
    if rules.swaps or len(pending) > 1 or (pending and barred not in (None, pending[0])):
        return not _search(rules, wild, hand, melds, pending, barred, set())
    face = pending[0] if pending else barred
    assert face is not None
    if rules.lay_off_needs_meld and not any(m.owner == seat for m in melds):
        return not has_meld_with(rules, wild, hand, face)
    return not can_play(rules, wild, hand, melds, face)


def _search(
    rules: RuleSet, wild: int, hand: int, melds: Table, pending: Pending, barred: int | None,
    seen: set[object],
) -> bool:  # fmt: skip
    """Whether some sequence of plays ends the turn, walking every one if need be."""
    if not pending:
        if hand and hand != (ONE[barred] if barred is not None else 0):
            return True
        if not hand:
            return rules.last_card != "discard"
    key = (hand, pending, barred, tuple([m.cards for m in melds]))
    if key in seen:
        return False
    seen.add(key)
    later: list[tuple[int, Table, Pending, int | None]] = []
    for cards, new_hand, new_melds_, freed in steps(rules, wild, hand, melds):
        if not new_hand and rules.last_card == "discard":
            continue
        owed = settle(pending, cards)
        if freed is not None:
            owed = (*owed, freed)
        still = barred if barred is not None and all(c & 63 != barred for c in cards) else None
        if len(owed) < len(pending):
            if _search(rules, wild, new_hand, new_melds_, owed, still, seen):
                return True
        else:
            later.append((new_hand, new_melds_, owed, still))
    return any(_search(rules, wild, h, m, p, b, seen) for h, m, p, b in later)


def steps(
    rules: RuleSet, wild: int, hand: int, melds: Table
) -> Iterator[tuple[tuple[int, ...], int, Table, int | None]]:
    """(cards, hand after, table after, wild freed) of every single play."""
    fifth = fifth_allowed(rules, hand)
    for meld, card, position in lay_offs(rules, wild, hand, melds, fifth):
        added = add_card(meld, card, position, rules, wild, 0, fifth)
        yield (card,), hand - ONE[card & 63], with_meld(melds, added.after), None
    for cards in new_melds(rules, wild, hand):
        laid = Meld(len(melds) + 1, 0, kind_of(cards), cards, (0,) * len(cards))
        yield cards, removed(hand, cards), (*melds, laid), None
    if rules.swaps:
        for _, face, card, after in swaps(rules, hand, melds):
            freed = card & 63
            yield (NATURAL[face],), hand - ONE[face] + ONE[freed], with_meld(melds, after), freed
    if rules.splits:
        for meld, at in splits(rules, melds):
            yield (), hand, split_table(melds, meld, at), None


def kind_of(cards: tuple[int, ...]) -> str:
    """Set or run, of a meld's placed cards."""
    return "set" if RANK[cards[0] >> 6] == RANK[cards[1] >> 6] else "run"


def fifth_allowed(rules: RuleSet, hand: int) -> bool:
    """WR-12: exactly two cards in hand."""
    return rules.fifth_card and size(hand) == 2
