"""Every play that a hand can make on a table: the generator behind action lists and K-7.

Plays come each effect once: wilds written out, lay-offs card by card.  Nothing here asks whether a
play strands the player; that is for ``dead_ends``.

What a meld takes does not depend on who asks, so ``takes`` works it out once for a meld's cards and
keeps it: masks with one bit a face, laid over a hand's mask.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from domain.additions import read_swaps, split, split_fault
from domain.cards import JOKER, NATURAL, ONE, RANK, SUIT, count, distinct, placed, present, size, spread
from domain.melds import RUN, RUN_LIMIT, SET, Meld, is_natural, run_bounds, set_room, slots, wild_count, wilds_allowed
from domain.rules import RuleSet

Table = tuple[Meld, ...]


def with_meld(melds: Table, meld: Meld) -> Table:
    """The table with one meld renewed or added."""
    i = meld.id - 1
    return (*melds[:i], meld, *melds[i + 1 :])


def removed(hand: int, cards: tuple[int, ...]) -> int:
    """The hand without the faces of placed cards."""
    for c in cards:
        hand -= ONE[c & 63]
    return hand


# --------------------------------------------------------------------- new melds

_RANK_COUNTERS = tuple(sum(7 * ONE[s * 13 + r] for s in range(4)) for r in range(13))
_SUIT_BITS = sum(ONE[:13])
_SUIT_COUNTERS = 7 * _SUIT_BITS
#: The places, three by three, that a run through a rank may begin with, the ace low; and high as well.
_WINDOWS_LOW = tuple(
    tuple(73 << 3 * low for low in range(max(0, r - 2), min(r, 10) + 1)) for r in range(13)
)
_WINDOWS_HIGH = tuple(
    tuple(73 << 3 * low for low in range(max(0, r - 2), min(r, 11) + 1)) + ((73 << 33,) if r == 0 else ())
    for r in range(13)
)
#: Where a run of three may begin, all suits, the ace low; and the queens, from where it may stand high.
_STARTS = sum(ONE[s * 13 + r] for s in range(4) for r in range(11))
_QUEENS = sum(ONE[s * 13 + 11] for s in range(4))


@lru_cache(maxsize=256)
def _counters(wild: int) -> int:
    """The counters of the wild faces, all bits set."""
    return sum([7 * ONE[f] for f in range(53) if wild >> f & 1])


def _no_run(rules: RuleSet, held: int) -> bool:
    """Whether no three cards held follow each other in a suit."""
    if held & held >> 3 & held >> 6 & _STARTS:
        return False
    return not (rules.ace_high and held & held >> 3 & held << 33 & _QUEENS)


def _subsets(faces: Sequence[int], counts: list[int], most: int) -> Iterator[tuple[int, ...]]:
    """Every multiset of up to ``most`` of the faces, in canonical order, the empty one first."""

    def go(i: int, left: int) -> Iterator[tuple[int, ...]]:
        if i == len(faces) or not left:
            yield ()
            return
        for take in range(min(counts[i], left) + 1):
            for rest in go(i + 1, left - take):
                yield (faces[i],) * take + rest

    return go(0, most)


def _most_wild(rules: RuleSet, hand: int, wilds: list[int]) -> int:
    most = sum([count(hand, w) for w in wilds])
    return most if rules.max_wilds is None else min(most, rules.max_wilds)


def _sets(
    rules: RuleSet, hand: int, faces: Sequence[int], wilds: list[int], most_wild: int
) -> Iterator[tuple[int, ...]]:
    a_suit = slots(rules)
    if rules.decks == 1:  # four counters of one bit each add up within three bits
        each = sum([hand >> 39 * s & _SUIT_COUNTERS for s in range(4)])
        low, mid, high = each, each >> 1, each >> 2
        enough = low & mid | high if not most_wild else mid | high if most_wild == 1 else low | mid | high
        for rank in spread(enough & _SUIT_BITS):
            yield from _sets_of(rules, hand, rank, wilds, a_suit)
        return
    held = [0] * 14
    for f in faces:
        held[RANK[f]] += min(hand >> 3 * f & 7, a_suit)
    for rank in range(13):
        if held[rank] and held[rank] + most_wild >= 3:
            yield from _sets_of(rules, hand, rank, wilds, a_suit)


def _starts(mask: int, most_wild: int) -> int:
    """Where a run may begin: its first three places need a card each."""
    one, two, three = mask, mask >> 1, mask >> 2
    if not most_wild:
        return one & two & three
    if most_wild == 1:
        return one & two | one & three | two & three
    return one | two | three if most_wild == 2 else ~0


def _sets_of(
    rules: RuleSet, hand: int, rank: int, wilds: list[int], a_suit: int
) -> Iterator[tuple[int, ...]]:
    own = [s * 13 + rank for s in range(4) if hand >> 3 * (s * 13 + rank) & 7]
    others = [w for w in wilds if RANK[w] != rank]
    counts = [min(count(hand, f), a_suit) for f in own]
    wild_counts = [count(hand, w) for w in others]
    most_wild = sum(wild_counts)
    if rules.max_wilds is not None:
        most_wild = min(most_wild, rules.max_wilds)
    room = set_room(rules)
    for naturals in _subsets(own, counts, room):
        if not naturals or len(naturals) + most_wild < 3:
            continue
        for extra in _subsets(others, wild_counts, min(most_wild, room - len(naturals))):
            total = len(naturals) + len(extra)
            if total < 3 or not wilds_allowed(rules, len(extra), total):
                continue
            cards = [NATURAL[f] for f in naturals]
            if extra:
                free = [a_suit] * 4
                for f in naturals:
                    free[SUIT[f]] -= 1
                suit = 0
                for w in extra:
                    while not free[suit]:
                        suit += 1
                    free[suit] -= 1
                    cards.append(placed(w, suit * 13 + rank))
                cards.sort(key=lambda c: (c >> 6, c >> 6 != c & 63, c & 63))
            yield tuple(cards)


def _runs(
    rules: RuleSet, hand: int, faces: Sequence[int], wilds: list[int], most_wild: int
) -> Iterator[tuple[int, ...]]:
    top = 13 if rules.ace_high else 12
    masks = [0, 0, 0, 0]
    for f in faces:
        masks[SUIT[f]] |= 1 << RANK[f]
    for suit in range(4):
        mask = masks[suit]
        if top == 13:
            mask |= (mask & 1) << 13
        starts = _starts(mask, most_wild) & (1 << top - 1) - 1
        while starts:
            low = (starts & -starts).bit_length() - 1
            starts &= starts - 1
            if most_wild:
                yield from _run_from(rules, suit * 13, low, top, mask, hand, wilds, most_wild)
                continue
            high = low + 2
            while high <= top and mask >> high & 1 and high - low < RUN_LIMIT:
                if low != 1 or high != 13:
                    yield tuple([NATURAL[suit * 13 + p % 13] for p in range(low, high + 1)])
                high += 1


def _run_from(
    rules: RuleSet, base: int, low: int, top: int, mask: int, hand: int, wilds: list[int], most_wild: int
) -> Iterator[tuple[int, ...]]:
    """Every run that starts at ``low``; thirteen cards from the two up are shown with the ace low."""
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
        if used < most_wild and (n > 2 or (mask >> place & 7).bit_count() + most_wild - used > 2 - n):
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
    most_wild = _most_wild(rules, hand, wilds) if wilds else 0
    if faces and faces[-1] == JOKER:
        faces = faces[:-1]
    yield from _sets(rules, hand, faces, wilds, most_wild)
    if rules.runs and (most_wild or not _no_run(rules, present(hand))):
        yield from _runs(rules, hand, faces, wilds, most_wild)


def has_meld_with(rules: RuleSet, wild: int, hand: int, face: int) -> bool:
    """Whether the hand can lay a new meld that uses ``face``.

    For a natural card three cards decide it: any lawful meld with it holds one of three cards with
    it, wilds being limited by a number at most.  Where the limit is a proportion, or the card is
    wild, the melds themselves are asked.
    """
    if wild >> face & 1 or rules.wilds_at_most_naturals:
        return next(melds_with(rules, wild, hand, face), None) is not None
    wilds = size(hand & _counters(wild))
    most = 2 if rules.max_wilds is None else min(2, rules.max_wilds)
    rank, suit = RANK[face], SUIT[face]
    if size(hand & _RANK_COUNTERS[rank]) + min(wilds, most) >= 3:
        return True
    if not rules.runs:
        return False
    held = present(hand) >> 39 * suit & _SUIT_BITS
    held |= (held & 1) << 39
    for window in (_WINDOWS_HIGH if rules.ace_high else _WINDOWS_LOW)[rank]:
        own = held & window
        left = wilds
        if wilds:  # a wild-rank card in its own place is one wild less for the others
            low = _counters(wild) >> 39 * suit
            left -= (own & (low | (low & 1) << 39)).bit_count()
        if own.bit_count() + min(left, most) >= 3:
            return True
    return False


def melds_with(rules: RuleSet, wild: int, hand: int, face: int) -> Iterator[tuple[int, ...]]:
    """New melds that use ``face``: only the cards that could lie in one with it are looked at."""
    relevant = hand
    if not wild >> face & 1:
        relevant = 0
        for f in distinct(hand):
            if wild >> f & 1 or RANK[f] == RANK[face] or (rules.runs and SUIT[f] == SUIT[face]):
                relevant += ONE[f] * count(hand, f)
    for cards in new_melds(rules, wild, relevant):
        if any([c & 63 == face for c in cards]):
            yield cards


# ---------------------------------------------------------------------- lay-offs


class Takes(NamedTuple):
    """What one meld takes: one bit a face, at three times its number.

    ``own``: cards that extend it as themselves; ``beside``: cards that may lie beside a wild (FK-10);
    ``wild_at``: the cards that a wild may stand for in it, empty where no wild is allowed;
    ``full``: a set that only a fifth card could join (WR-12).
    """

    own: int
    beside: int
    wild_at: tuple[int, ...]
    full: bool


def takes(rules: RuleSet, meld: Meld) -> Takes:
    """What a meld takes under these rules."""
    return _takes(
        rules.ace_high, rules.set_limit, rules.decks, rules.max_wilds, rules.wilds_at_most_naturals,
        rules.beside, meld.kind, meld.cards,
    )  # fmt: skip


_memo: tuple[RuleSet | None, Table, list[Takes]] = (None, (), [])


def table_takes(rules: RuleSet, melds: Table) -> list[Takes]:
    """What each meld of a table takes.  The last table asked for is kept: it is asked for often."""
    global _memo
    memo = _memo
    if memo[1] is not melds or memo[0] is not rules:
        memo = _memo = (rules, melds, [takes(rules, m) for m in melds])
    return memo[2]


@lru_cache(maxsize=1 << 12)
def _takes(
    ace_high: bool, set_limit: int, decks: int, max_wilds: int | None, half: bool, beside: bool, kind: str,
    cards: tuple[int, ...],
) -> Takes:  # fmt: skip
    n = len(cards) + 1
    wilds = wild_count(cards) + 1
    wild_fits = (max_wilds is None or wilds <= max_wilds) and (not half or 2 * wilds <= n)
    if kind == SET:
        rank = RANK[cards[0] >> 6]
        if n > (set_limit or 4 * decks):
            return Takes(0, 0, (rank,), True)
        room = [1 if set_limit else decks] * 4
        for c in cards:
            if is_natural(c):
                room[SUIT[c & 63]] -= 1
        own = sum([ONE[s * 13 + rank] for s in range(4) if room[s] > 0])
        for c in cards:
            if not is_natural(c):
                room[SUIT[c >> 6]] -= 1
        first = next(s for s in range(4) if room[s] > 0)
        return Takes(own, 0, (first * 13 + rank,) if wild_fits else (), False)
    low, high = run_bounds(cards)
    suit = SUIT[cards[0] >> 6]
    ends: list[int] = []
    if len(cards) < RUN_LIMIT:
        if low > 0:
            ends.append(suit * 13 + low - 1)
        if high < (13 if ace_high else 12) and suit * 13 + (high + 1) % 13 not in ends:
            ends.append(suit * 13 + (high + 1) % 13)
    held = {c >> 6 for c in cards if not is_natural(c)} if beside else ()
    return Takes(
        sum([ONE[f] for f in ends]), sum([ONE[f] for f in held]), tuple(ends) if wild_fits else (), False
    )


def lay_offs(
    rules: RuleSet, wild: int, hand: int, melds: Table, fifth: bool
) -> Iterator[tuple[Meld, int, str | None]]:
    """(meld, placed card, position) of every single card that can be added to the table."""
    wilds = [f for f in distinct(hand) if wild >> f & 1]
    held = present(hand)
    for meld, (own, beside, wild_at, full) in zip(melds, table_takes(rules, melds), strict=True):
        if full:
            if fifth:
                for w in wilds:
                    if RANK[w] != wild_at[0]:
                        yield meld, placed(w, wild_at[0]), None
            continue
        if held & own:
            for f in spread(held & own):
                yield meld, NATURAL[f], None
        if wilds and wild_at:
            for face in wild_at:
                for w in wilds:
                    if w != face and (meld.kind == RUN or RANK[w] != RANK[face]):
                        yield meld, placed(w, face), None
        if held & beside:
            for f in spread(held & beside):
                yield meld, NATURAL[f], "beside" if wild_at and wild >> f & 1 else None


def can_use(rules: RuleSet, wild: int, face: int, melds: Table) -> bool:
    """Whether the table can use a card: extended by it, as itself or as a wild, or beside (FK-13)."""
    bit, is_wild = ONE[face], wild >> face & 1
    for meld, (own, beside, wild_at, full) in zip(melds, table_takes(rules, melds), strict=True):
        if full:
            continue
        if bit & (own | beside):
            return True
        if is_wild and wild_at and (meld.kind == RUN or RANK[face] != RANK[wild_at[0]]):
            return True
    return False


def extensible(rules: RuleSet, wild: int, face: int, meld: Meld) -> bool:
    """Whether a card extends a meld, beside being no extension (FK-12)."""
    own, _, wild_at, full = takes(rules, meld)
    if full:
        return False
    if ONE[face] & own:
        return True
    return bool(wild >> face & 1 and wild_at and (meld.kind == RUN or RANK[face] != RANK[wild_at[0]]))


# ---------------------------------------------------------------- swaps and splits


def swaps(rules: RuleSet, hand: int, melds: Table) -> Iterator[tuple[Meld, int, int, Meld]]:
    """(meld, natural face, wild as it stands, meld after) of every swap (WR-13)."""
    for meld in melds:
        wilds = [c for c in meld.cards if not is_natural(c)]
        if not wilds:
            continue
        if meld.kind == RUN:
            faces = [c >> 6 for c in wilds if hand >> 3 * (c >> 6) & 7]
        else:
            rank = RANK[meld.cards[0] >> 6]
            faces = [s * 13 + rank for s in range(4) if hand >> 3 * (s * 13 + rank) & 7]
        for face in faces:
            for card, after in read_swaps(meld, face, None, rules, 0):
                yield meld, face, card, after


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


