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

from collections.abc import Iterator

from domain.cards import NATURAL, ONE, RANK, SUIT, count, distinct
from domain.melds import Addition, read_addition, read_swaps, split
from domain.plays import Table, lay_offs, new_melds, removed, split_table, splits, swaps, with_meld
from domain.rules import RuleSet
from domain.state import RUN, Meld

Pending = tuple[int, ...]

def settle(pending: Pending, cards: tuple[int, ...]) -> Pending:
    """What is still owed once these placed cards were played (WR-8): copies are alike."""
    if not pending:
        return pending
    left = list(pending)
    for c in cards:
        if c & 63 in left:
            left.remove(c & 63)
    return tuple(left)

def melds_with(rules: RuleSet, wild: int, hand: int, face: int) -> Iterator[tuple[int, ...]]:
    """New melds that use ``face``: only the cards that could lie in one with it are looked at."""
    if wild >> face & 1:
        relevant = hand
    else:
        relevant = 0
        for f in distinct(hand):
            if wild >> f & 1 or RANK[f] == RANK[face] or (rules.runs and SUIT[f] == SUIT[face]):
                relevant += ONE[f] * count(hand, f)
    for cards in new_melds(rules, wild, relevant):
        if any(c & 63 == face for c in cards):
            yield cards

def can_play(rules: RuleSet, wild: int, hand: int, melds: Table, face: int) -> bool:
    """Whether one card of the hand can be played, at once or after other plays; no swaps (FK-6)."""
    if next(lay_offs(rules, wild, ONE[face], melds, False), None) is not None:
        return True
    if next(melds_with(rules, wild, hand, face), None) is not None:
        return True
    return any(_grow(rules, wild, hand, meld, face, set()) for meld in melds)

def _grow(rules: RuleSet, wild: int, hand: int, meld: Meld, face: int, seen: set[object]) -> bool:
    """Whether ``meld``, extended from the hand and split, can come to take ``face``."""
    key = (hand, meld.cards)
    if key in seen:
        return False
    seen.add(key)
    own = Meld(1, 0, meld.kind, meld.cards, meld.by, ())
    if next(lay_offs(rules, wild, ONE[face], (own,), False), None) is not None:
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
        return next(melds_with(rules, wild, hand, face), None) is None
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
    for cards, new_hand, new_melds_, freed in _steps(rules, wild, hand, melds):
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

def _steps(
    rules: RuleSet, wild: int, hand: int, melds: Table
) -> Iterator[tuple[tuple[int, ...], int, Table, int | None]]:
    """(cards, hand after, table after, wild freed) of every single play."""
    fifth = fifth_allowed(rules, hand)
    for meld, card, position in lay_offs(rules, wild, hand, melds, fifth):
        added: Addition = read_addition(meld, (card,), position, rules, wild, 0, fifth)[0]
        yield (card,), hand - ONE[card & 63], with_meld(melds, added.after), None
    for cards in new_melds(rules, wild, hand):
        laid = Meld(len(melds) + 1, 0, _kind(cards), cards, (0,) * len(cards))
        yield cards, removed(hand, cards), (*melds, laid), None
    if rules.swaps:
        for meld, face, card, _ in swaps(rules, hand, melds):
            after = read_swaps(meld, face, card, rules, 0)[0][1]
            freed = card & 63
            yield (NATURAL[face],), hand - ONE[face] + ONE[freed], with_meld(melds, after), freed
    if rules.splits:
        for meld, at in splits(rules, melds):
            yield (), hand, split_table(melds, meld, at), None

def _kind(cards: tuple[int, ...]) -> str:
    return "set" if RANK[cards[0] >> 6] == RANK[cards[1] >> 6] else "run"

def fifth_allowed(rules: RuleSet, hand: int) -> bool:
    """WR-12: exactly two cards in hand."""
    return rules.fifth_card and hand.bit_count() <= 2 and sum(count(hand, f) for f in distinct(hand)) == 2

