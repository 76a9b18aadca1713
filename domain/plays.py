"""Every play that a hand can make on a table: the generator behind action lists and K-7.

Plays come in the contract's command order (melds, lay-offs, swaps, splits), each effect once:
wilds written out, lay-offs card by card.  Nothing here asks whether a play strands the player;
that is for ``turns.table_melds``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from domain.cards import JOKER, NATURAL, ONE, RANK, SUIT, count, distinct, placed
from domain.melds import (
    RUN_LIMIT, fill_set, is_natural, read_swaps, run_bounds, set_room, slots, split, split_fault,
    wild_count, wilds_allowed,
)  # fmt: skip
from domain.rules import RuleSet
from domain.state import RUN, SET, Meld

Table = tuple[Meld, ...]


class Play(NamedTuple):
    """A play and what it leads to: ``hand`` and ``melds`` afterwards, the face of a wild freed."""

    kind: str
    meld: int
    cards: tuple[int, ...]
    position: str | None
    hand: int
    melds: Table
    freed: int | None = None
    wild: int | None = None
    at: int = 0


def with_meld(melds: Table, meld: Meld) -> Table:
    """The table with one meld renewed or added."""
    i = meld.id - 1
    return (*melds[:i], meld, *melds[i + 1 :])


# --------------------------------------------------------------------- new melds


def _subsets(faces: list[int], counts: list[int], most: int) -> Iterator[tuple[int, ...]]:
    """Every multiset of up to ``most`` of the faces, in canonical order, the empty one first."""

    def go(i: int, left: int) -> Iterator[tuple[int, ...]]:
        if i == len(faces) or not left:
            yield ()
            return
        for take in range(min(counts[i], left) + 1):
            for rest in go(i + 1, left - take):
                yield (faces[i],) * take + rest

    return go(0, most)


def _sets(rules: RuleSet, hand: int, faces: list[int], wilds: list[int]) -> Iterator[tuple[int, ...]]:
    room = set_room(rules)
    a_suit = slots(rules)
    by_rank: list[list[int]] = [[] for _ in range(14)]
    for f in faces:
        by_rank[RANK[f]].append(f)
    for rank in range(13):
        own = by_rank[rank]
        if not own:
            continue
        others = [w for w in wilds if RANK[w] != rank]
        counts = [min(count(hand, f), a_suit) for f in own]
        wild_counts = [count(hand, w) for w in others]
        most_wild = sum(wild_counts)
        if rules.max_wilds is not None:
            most_wild = min(most_wild, rules.max_wilds)
        if sum(counts) + most_wild < 3:
            continue
        for naturals in _subsets(own, counts, room):
            if not naturals or len(naturals) + most_wild < 3:
                continue
            for extra in _subsets(others, wild_counts, min(most_wild, room - len(naturals))):
                total = len(naturals) + len(extra)
                if total < 3 or not wilds_allowed(rules, len(extra), total):
                    continue
                if not extra:
                    yield tuple([NATURAL[f] for f in naturals])
                    continue
                free = [a_suit] * 4
                for f in naturals:
                    free[SUIT[f]] -= 1
                cards = [NATURAL[f] for f in naturals]
                suit = 0
                for w in extra:
                    while not free[suit]:
                        suit += 1
                    free[suit] -= 1
                    cards.append(placed(w, suit * 13 + rank))
                cards.sort(key=lambda c: (c >> 6, c >> 6 != c & 63, c & 63))
                yield tuple(cards)


def _runs(rules: RuleSet, hand: int, faces: list[int], wilds: list[int]) -> Iterator[tuple[int, ...]]:
    most_wild = sum(count(hand, w) for w in wilds)
    if rules.max_wilds is not None:
        most_wild = min(most_wild, rules.max_wilds)
    top = 13 if rules.ace_high else 12
    for suit in range(4):
        mask = 0
        base = suit * 13
        for f in faces:
            if SUIT[f] == suit:
                mask |= 1 << f - base
        if not mask:
            continue
        if top == 13:
            mask |= (mask & 1) << 13
        if not most_wild:
            starts = mask & mask >> 1 & mask >> 2
            if not starts:
                continue
            for low in range(12):
                if starts >> low & 1:
                    high = low + 2
                    while high <= top and mask >> high & 1 and high - low < RUN_LIMIT:
                        if not (low == 1 and high == 13):
                            yield tuple([NATURAL[base + p % 13] for p in range(low, high + 1)])
                        high += 1
            continue
        for low in range(top - 1):
            yield from _run_from(rules, base, low, top, mask, hand, wilds, most_wild)


def _run_from(
    rules: RuleSet, base: int, low: int, top: int, mask: int, hand: int, wilds: list[int], most_wild: int
) -> Iterator[tuple[int, ...]]:
    cards: list[int] = []

    def go(place: int, hand: int, used: int) -> Iterator[tuple[int, ...]]:
        n = len(cards)
        if n >= 3 and wilds_allowed(rules, used, n) and not (low == 1 and place == 14):
            yield tuple(cards)
        if place > top or n == RUN_LIMIT:
            return
        own = base + place % 13
        if mask >> place & 1 and hand >> 3 * own & 7:
            cards.append(NATURAL[own])
            yield from go(place + 1, hand - ONE[own], used)
            cards.pop()
        if used < most_wild:
            for w in wilds:
                if w != own and hand >> 3 * w & 7:
                    cards.append(placed(w, own))
                    yield from go(place + 1, hand - ONE[w], used + 1)
                    cards.pop()

    return go(low, hand, 0)


def new_melds(rules: RuleSet, wild: int, hand: int) -> Iterator[tuple[int, ...]]:
    """Every set and every run that the hand can lay, as placed cards in table order."""
    faces = distinct(hand)
    wilds = [f for f in faces if wild >> f & 1]
    faces = [f for f in faces if f != JOKER]
    yield from _sets(rules, hand, faces, wilds)
    if rules.runs:
        yield from _runs(rules, hand, faces, wilds)


def removed(hand: int, cards: tuple[int, ...]) -> int:
    """The hand without the faces of placed cards."""
    for c in cards:
        hand -= ONE[c & 63]
    return hand


# ---------------------------------------------------------------------- lay-offs


def _onto_run(
    rules: RuleSet, meld: Meld, hand: int, wilds: list[int]
) -> Iterator[tuple[int, str | None]]:
    """(placed card, position) of each single card that a run takes."""
    low, high = run_bounds(meld.cards)
    suit = SUIT[meld.cards[0] >> 6]
    ends: list[int] = []
    if len(meld.cards) < RUN_LIMIT:
        if low > 0:
            ends.append(suit * 13 + low - 1)
        if high < (13 if rules.ace_high else 12) and not (low == 0 and high == 12):
            above = suit * 13 + (high + 1) % 13
            if above not in ends:
                ends.append(above)
    for face in ends:
        if hand >> 3 * face & 7:
            yield NATURAL[face], None
    extends = False
    if wilds and ends:
        total = len(meld.cards) + 1
        if wilds_allowed(rules, wild_count(meld.cards) + 1, total):
            extends = True
            for face in ends:
                for w in wilds:
                    if w != face:
                        yield placed(w, face), None
    if rules.beside:
        seen: set[int] = set()
        for c in meld.cards:
            face = c >> 6
            if not is_natural(c) and hand >> 3 * face & 7 and face not in seen:
                seen.add(face)
                yield NATURAL[face], "beside" if extends and face in wilds else None


def _onto_set(
    rules: RuleSet, meld: Meld, hand: int, wilds: list[int], fifth: bool
) -> Iterator[int]:
    """Each single placed card that a set takes."""
    rank = RANK[meld.cards[0] >> 6]
    total = len(meld.cards) + 1
    if total > set_room(rules):
        if fifth and total == 5:
            for w in wilds:
                if RANK[w] != rank:
                    yield placed(w, rank)
        return
    room = slots(rules)
    pairs = list(zip(meld.cards, meld.by, strict=True))
    for suit in range(4):
        face = suit * 13 + rank
        if hand >> 3 * face & 7 and sum(c == NATURAL[face] for c in meld.cards) < room:
            yield NATURAL[face]
    if wilds and wilds_allowed(rules, wild_count(meld.cards) + 1, total):
        for w in wilds:
            if RANK[w] != rank:
                filled = fill_set(rules, 1 << w, rank, pairs, (NATURAL[w],), 0)
                if filled is not None:
                    yield filled[1][0]


def lay_offs(
    rules: RuleSet, wild: int, hand: int, melds: Table, fifth: bool
) -> Iterator[tuple[Meld, int, str | None]]:
    """(meld, placed card, position) of every single card that can be added to the table."""
    wilds = [f for f in distinct(hand) if wild >> f & 1]
    for meld in melds:
        if meld.kind == SET:
            for card in _onto_set(rules, meld, hand, wilds, fifth):
                yield meld, card, None
        else:
            for card, position in _onto_run(rules, meld, hand, wilds):
                yield meld, card, position


def can_use(rules: RuleSet, wild: int, face: int, melds: Table) -> bool:
    """Whether the table can use a card: extended by it, as itself or as a wild, or beside (FK-13)."""
    return next(lay_offs(rules, wild, ONE[face], melds, False), None) is not None


def extensible(rules: RuleSet, wild: int, face: int, meld: Meld) -> bool:
    """Whether a card extends a meld, beside being no extension (FK-12)."""
    return any(
        not (meld.kind == RUN and is_natural(card) and _is_beside(meld, card))
        for _, card, position in lay_offs(rules, wild, ONE[face], (meld,), False)
        if position != "beside"
    )


def _is_beside(meld: Meld, card: int) -> bool:
    return any(c >> 6 == card >> 6 for c in meld.cards)


# ---------------------------------------------------------------- swaps and splits


def swaps(rules: RuleSet, hand: int, melds: Table) -> Iterator[tuple[Meld, int, int, bool]]:
    """(meld, natural face, wild as it stands, whether the wild must be named) of every swap (WR-13)."""
    for meld in melds:
        if wild_count(meld.cards) == 0:
            continue
        for face in distinct(hand):
            found = read_swaps(meld, face, None, rules, 0)
            for card, _ in found:
                yield meld, face, card, len(found) > 1


def splits(rules: RuleSet, melds: Table) -> Iterator[tuple[Meld, int]]:
    """(meld, cards that stay in the first half) of every split (FK-23)."""
    for meld in melds:
        for at in range(3, len(meld.cards) - 2):
            if split_fault(meld, at, rules) is None:
                yield meld, at


def split_table(melds: Table, meld: Meld, at: int) -> Table:
    """The table after a split."""
    first, second = split(meld, at, len(melds) + 1)
    return (*with_meld(melds, first), second)
