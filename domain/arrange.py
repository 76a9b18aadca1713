"""The best arrangement of a hand in the declare games: exact (TC-12, SD-7), and the winning one (TC-5, SD-5).

Theory
------
A wild in the hand is worth 0, so only *plain* cards (those of no wild face) can cost anything, and
wilds are a budget: a group is a choice of plain cards and the number of wilds that completes it.
Four facts keep the choice small, and lose nothing:

* A run of six or more falls into two runs, and a run whose end is a wild can drop it, down to
  three cards.  So runs of three, four and five whose ends are plain cards are enough (three may end
  in wilds); a set of four needs four plain cards.  Cutting and dropping keeps purity and only adds
  sequences.
* Any plain card is a run with two wilds beside it.  A card that is in no other group can only be
  that (*lone*), and of those the costliest come first.
* A wild at its own face value costs one wild like any other.  It matters only where naturalness
  does: in the pure sequence, and in a second sequence made of three wilds, one of them itself.
* A set of two plain cards takes any one wild.  That a wild-rank card in a set of its own rank keeps
  its own suit (K-2) never stands in the way: the suit of a plain card is another one.

So: choose the pure sequence (a handful), then take the plain cards in order of rank; the first one
left is in one of its groups, alone with two wilds, or deadwood.  What is left is a small integer
(two bits a face), a memo over it and a bound on the cost make the search short: sets are closed
within a rank and runs reach four ranks on, so few different remainders arise.

A winning hand must place every card, wilds included.  Surplus wilds are no obstacle: the second
sequence takes them all, for it has at most ten of the thirteen cards and a run has room for
thirteen.  So a hand of 14 wins if and only if some card can be set aside so that no plain card is
deadwood with both lives.  One search that allows one card of deadwood settles nearly all hands; in
front of it stands a bound made of a few bit operations: each plain card's least share of wilds in
any group that it could be in, summed, against the wilds held.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from msgspec import Struct

from domain.arrange_groups import Draft, Kind, lay
from domain.cards import FACES, JOKER, ONE, distinct, pack, size, unpack

_NEVER: Final = 1 << 20
_LOW: Final = sum(1 << 2 * i for i in range(16))
_JOKER_BIT: Final = 1 << JOKER


class Arrangement(Struct, frozen=True):
    """How a hand is charged, and groups that show it.

    ``points``: the charge, capped; ``raw``: the same uncapped; ``whole``: whether the whole hand is
    charged, and not the deadwood alone.  ``groups``: placed cards, runs low
    to high (a high ace last), sets by suit; ``kinds`` names each.  ``deadwood``: the cards outside
    them in canonical order, wilds that found no place included.  ``lives`` and ``pure`` say what the
    hand can hold, whatever is shown: 2 with a pure sequence and another, 1 with a pure one only.
    Where the whole hand is charged the groups shown are those that hold the most lives and, of
    these, leave the least deadwood.
    """

    points: int
    raw: int
    groups: tuple[tuple[int, ...], ...]
    kinds: tuple[Kind, ...]
    deadwood: tuple[int, ...]
    lives: int
    pure: bool
    whole: bool


class Winning(NamedTuple):
    """A declaration that wins: thirteen placed cards in groups, and the face set aside."""

    groups: tuple[tuple[int, ...], ...]
    discard: int


class _Group(NamedTuple):
    """Plain cards ``cards`` (two bits a face) and ``wilds`` jokers: a run in its suit's places
    ``low``..``high`` (ace 0, and 13 when high), or a set."""

    cards: int
    wilds: int
    run: bool
    suit: int
    low: int
    high: int


class _Pure(NamedTuple):
    """A pure sequence: its plain cards, and the wild faces that stand in it for themselves."""

    group: _Group
    own: tuple[int, ...]


class _Table(NamedTuple):
    """A hand made ready for the search: plain faces by rank, what is held of them, the groups that
    begin with each, pure sequences, lone cards, and the wilds."""

    faces: list[int]
    held: int
    groups: list[list[_Group]]
    pures: list[_Pure]
    lone: list[int]
    wilds: int
    pool: list[int]


def _wild_part(hand: int, wild: int) -> int:
    """The wild cards of a hand, packed."""
    part = hand & 7 << 3 * JOKER
    wild &= ~_JOKER_BIT
    while wild:
        low = wild & -wild
        part |= hand & 7 << 3 * (low.bit_length() - 1)
        wild ^= low
    return part


def _table(hand: int, wild: int) -> _Table:
    pool_cards = _wild_part(hand, wild)
    pool = [0] * FACES
    for f in unpack(pool_cards):
        pool[f] += 1
    wilds = size(pool_cards)
    plain = hand ^ pool_cards
    faces = sorted(distinct(plain), key=lambda f: f % 13 * 4 + f // 13)
    bit = {f: 1 << 2 * i for i, f in enumerate(faces)}
    held = sum(b * (plain >> 3 * f & 7) for f, b in bit.items())
    groups = [_groups_of(f, bit, wilds) for f in faces]
    pures = _pures(bit, pool)
    grouped = 0
    for some in groups:
        for group in some:
            grouped |= group.cards
    for pure in pures:
        grouped |= pure.group.cards
    lone = [f for f in faces if not bit[f] & grouped for _ in range(plain >> 3 * f & 7)]
    for f in set(lone):
        held -= bit[f] * (plain >> 3 * f & 7)
    return _Table(faces, held, groups, pures, lone, wilds, pool)


def _groups_of(face: int, bit: dict[int, int], wilds: int) -> list[_Group]:
    """The groups of two and more plain cards in which ``face`` is the first by rank and suit."""
    suit, rank = divmod(face, 13)
    base = face - rank
    first = bit[face]
    found: list[_Group] = []
    near = [(d, bit[face + d]) for d in (1, 2, 3, 4) if rank + d < 13 and face + d in bit]
    for cards, reach, count in _subsets(first, near):
        length = max(reach + 1, 3)
        if length - count <= wilds:
            low = min(rank, 14 - length)
            found.append(_Group(cards, length - count, True, suit, low, low + length - 1))
    if rank == 0:
        near = [(d, bit[base + 13 - d]) for d in (1, 2, 3, 4) if base + 13 - d in bit]
        for cards, reach, count in _subsets(first, near):
            length = max(reach + 1, 3)
            if length - count <= wilds:
                found.append(_Group(cards, length - count, True, suit, 14 - length, 13))
    mates = [(0, bit[f]) for f in range(face + 13, 52, 13) if f in bit]
    for cards, _, count in _subsets(first, mates):
        if count > 2 or wilds:
            found.append(_Group(cards, max(3 - count, 0), False, 0, rank, rank))
    found.sort(key=lambda g: (g.wilds, -g.cards.bit_count()))
    return found


def _subsets(first: int, others: list[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """``first`` with each non-empty choice of ``others``: cards, the last distance, how many."""
    found = [(first, 0, 1)]
    for distance, b in others:
        found += [(cards | b, distance, count + 1) for cards, _, count in found]
    return found[1:]


def _pures(bit: dict[int, int], pool: list[int]) -> list[_Pure]:
    """The pure sequences of three, four and five cards; the longer ones end in plain cards."""
    found: list[_Pure] = []
    for base in (0, 13, 26, 39):
        cells: list[int | None] = []
        for place in range(14):
            f = base + place % 13
            cells.append(bit[f] if f in bit else 0 if pool[f] else None)
        for low in range(12):
            cards, own = 0, ()
            for place in range(low, min(low + 5, 14 if low else 13)):
                cell = cells[place]
                if cell is None:
                    break
                cards |= cell
                if not cell:
                    own = (*own, base + place % 13)
                length = place - low + 1
                if length == 3 or (length > 3 and cell and cells[low]):
                    found.append(_Pure(_Group(cards, len(own), True, base // 13, low, place), own))
    found.sort(key=lambda p: (p.group.wilds, -p.group.cards.bit_count()))
    return found


# ------------------------------------------------------------------------------------ the search

_Values = Sequence[int]
_Least = Callable[[int, int, int, int], int]


def _search(table: _Table, values: _Values) -> _Least:
    """``least(held, wilds, need, limit)``: the least deadwood of ``held`` and the lone cards.

    ``need``: 0 nothing, 1 a sequence, 2 a sequence, and a wild is left that can be its natural
    card.  Exact below ``limit``; otherwise some number not below it that the answer reaches too.
    """
    groups = table.groups
    worth = [values[f] for f in table.faces]
    lone = sorted((values[f] for f in table.lone), reverse=True)
    lone_count = len(lone)
    lone_cost = [sum(lone[i:]) for i in range(lone_count)] + [0] * (16 - lone_count)
    memo: dict[int, int] = {}

    def least(held: int, wilds: int, need: int, limit: int) -> int:
        if not held:
            if need and not (wilds >= 2 and lone_count) and not (need == 2 and wilds >= 3):
                return _NEVER
            return lone_cost[wilds >> 1]
        if wilds > 1:
            cards = (held & _LOW).bit_count() + 2 * (held >> 1 & _LOW).bit_count()
            if wilds >= 2 * (cards + lone_count):
                return 0
        key = (held << 4 | wilds) << 2 | need
        known = memo.get(key)
        if known is not None:
            if known >= 0:
                return known
            if ~known >= limit:
                return ~known
        index = (held & -held).bit_length() - 1 >> 1
        there = (held | held >> 1) & _LOW
        best = limit
        for cards, cost, run, _, _, _ in groups[index]:
            if cost <= wilds and (there & cards) == cards:
                found = least(held - cards, wilds - cost, 0 if run else need, best)
                if found < best:
                    best = found
                    if not found:
                        break
        else:
            one = 1 << 2 * index
            if wilds > 1:
                found = least(held - one, wilds - 2, 0, best)
                if found < best:
                    best = found
            value = worth[index]
            if value < best:
                found = value + least(held - one, wilds, need, best - value)
                if found < best:
                    best = found
        memo[key] = best if best < limit else ~limit
        return best

    return least


def _walk(table: _Table, values: _Values, least: _Least, held: int, wilds: int, need: int) -> list[Draft]:
    """Groups that reach ``least(held, wilds, need)``."""
    drafts: list[Draft] = []
    goal = least(held, wilds, need, _NEVER)
    while held:
        index = (held & -held).bit_length() - 1 >> 1
        there = (held | held >> 1) & _LOW
        face = table.faces[index]
        one = 1 << 2 * index
        for group in table.groups[index]:
            after = 0 if group.run else need
            if group.wilds > wilds or (there & group.cards) != group.cards:
                continue
            if least(held - group.cards, wilds - group.wilds, after, goal + 1) == goal:
                drafts.append(_draft(table, group))
                held, wilds, need = held - group.cards, wilds - group.wilds, after
                break
        else:
            if wilds > 1 and least(held - one, wilds - 2, 0, goal + 1) == goal:
                drafts.append(_alone(face))
                held, wilds, need = held - one, wilds - 2, 0
            else:
                held -= one
                goal -= values[face]
    for face in sorted(table.lone, key=lambda f: -values[f]):
        if wilds > 1:
            drafts.append(_alone(face))
            wilds, need = wilds - 2, 0
    if need:
        drafts.append(Draft(True, -1, 0, 0, ()))
    return drafts


def _with_pure(table: _Table, values: _Values, least: _Least, pure: _Pure, second: bool) -> list[Draft]:
    """The pure sequence, and groups that reach the least cost beside it."""
    cards, cost = pure.group.cards, pure.group.wilds
    need = _need(table, pure) if second else 0
    rest = _walk(table, values, least, table.held - cards, table.wilds - cost, need)
    return [_draft(table, pure.group, pure.own), *rest]


def _draft(table: _Table, group: _Group, own: tuple[int, ...] = ()) -> Draft:
    naturals = [f for i, f in enumerate(table.faces) if group.cards >> 2 * i & 1]
    return Draft(group.run, group.suit, group.low, group.high, (*naturals, *own))


def _alone(face: int) -> Draft:
    suit, rank = divmod(face, 13)
    low = min(rank, 11)
    return Draft(True, suit, low, low + 2, (face,))


# -------------------------------------------------------------------------------------- the best


def best(hand: int, wild: int, values: _Values, lives: int, cap: int = 80) -> Arrangement:
    """The arrangement of ``hand`` (1–14 cards, packed) that is charged least: exact.

    ``wild``: bit f set where face f is wild (printed jokers always are).  ``values``: points a
    face; wilds count 0 whatever it says.  ``lives``: what an arrangement must hold for its deadwood
    alone to be charged: 1 a pure sequence (TC-12), 2 a pure sequence and another (SD-7).
    """
    table = _table(hand, wild)
    least = _search(table, values)
    held, wilds = table.held, table.wilds
    floor = least(held, wilds, 0, _NEVER)
    chosen, raw = _choose(table, least, lives > 1, floor)
    whole = chosen is None
    if whole:
        lives = 1
        chosen, _ = _choose(table, least, False, floor)
        raw = sum(values[f] for f in unpack(hand ^ _wild_part(hand, wild)))
    if chosen is None:
        drafts = _walk(table, values, least, held, wilds, 0)
    else:
        drafts = _with_pure(table, values, least, chosen, lives > 1)
    groups, kinds = lay(drafts, table.pool, every_wild=False)
    shown = pack(p & 63 for g in groups for p in g)
    can = 0 if not table.pures else 2 if _two_sequences(table, hand) else 1
    return Arrangement(
        points=min(raw, cap),
        raw=raw,
        groups=groups,
        kinds=kinds,
        deadwood=tuple(unpack(hand - shown)),
        lives=can,
        pure=bool(table.pures),
        whole=whole,
    )


def _need(table: _Table, pure: _Pure) -> int:
    """What the rest must hold when a second sequence is asked for: 2 if a wild-rank card is left."""
    return 2 if sum(table.pool[:JOKER]) > len(pure.own) else 1


def _choose(
    table: _Table, least: _Least, second: bool, floor: int, limit: int = _NEVER
) -> tuple[_Pure | None, int]:
    """The pure sequence with which the rest costs least, and that cost, if it is below ``limit``."""
    chosen: _Pure | None = None
    for pure in table.pures:
        group = pure.group
        need = _need(table, pure) if second else 0
        cost = least(table.held - group.cards, table.wilds - group.wilds, need, limit)
        if cost < limit:
            chosen, limit = pure, cost
            if cost == floor:
                break
    return chosen, limit


def _two_sequences(table: _Table, hand: int) -> bool:
    """Whether the hand holds a pure sequence and, beside it, another sequence."""
    for (cards, wilds, _, suit, low, high), own in table.pures:
        if high - low > 2:
            continue
        left = table.wilds - wilds
        plain = table.held - cards
        if left > 1 and (plain or table.lone):
            return True
        if left > 2 and sum(table.pool[:JOKER]) > len(own):
            return True
        rest = hand - pack(suit * 13 + place % 13 for place in range(low, high + 1))
        if _pures(_bits(rest, table), _pool(table, own)):
            return True
        if left and _pair(plain, table):
            return True
    return False


def _bits(rest: int, table: _Table) -> dict[int, int]:
    return {f: 1 for f in table.faces if rest >> 3 * f & 7}


def _pool(table: _Table, own: tuple[int, ...]) -> list[int]:
    pool = table.pool.copy()
    for f in own:
        pool[f] -= 1
    return pool


def _pair(plain: int, table: _Table) -> bool:
    """Whether two plain cards stand so close that one wild makes them a sequence."""
    there = (plain | plain >> 1) & _LOW
    return any(g.run and g.wilds == 1 and (there & g.cards) == g.cards for some in table.groups for g in some)


# ----------------------------------------------------------------------------------- the winning


def winning(hand: int, wild: int, barred: int | None = None) -> Winning | None:
    """A declaration of the 14 cards of ``hand`` that wins (TC-5, SD-5), if there is one: exact.

    One card is set aside, never one of face ``barred`` (SD-3); the other 13 stand in groups, wilds
    written out, two of them sequences and one of these pure.
    """
    pool = _wild_part(hand, wild)
    if _hopeless(hand, hand ^ pool, size(pool)):
        return None
    table = _table(hand, wild)
    ones = [1] * FACES
    if barred is not None:
        ones[barred] = 2
    chosen, cost = _choose(table, _search(table, ones), True, 0, 2)
    if chosen is None:
        return None
    for aside in distinct(pool) + distinct(hand ^ pool) if not cost else distinct(hand ^ pool):
        if aside != barred:
            groups = _complete(hand - ONE[aside], wild)
            if groups is not None:
                return Winning(groups, aside)
    return None


def _complete(hand: int, wild: int) -> tuple[tuple[int, ...], ...] | None:
    """Groups that hold every card of a hand of 13, both lives among them, if there are any."""
    table = _table(hand, wild)
    ones = [1] * FACES
    least = _search(table, ones)
    chosen, _ = _choose(table, least, True, 0, 1)
    if chosen is None:
        return None
    drafts = _with_pure(table, ones, least, chosen, True)
    return lay(drafts, table.pool, every_wild=True)[0]


# The bound in front of the search works on one integer in which each suit has nineteen fields of
# three bits: ace to king, the ace again, and room so that no shift reaches the next suit.
_SUIT: Final = (1 << 39) - 1
_STRIDE: Final = 57
_EVERY: Final = sum(1 << _STRIDE * s for s in range(4))
_FIRST: Final = sum(ONE[r] for r in range(13)) * _EVERY  # the thirteen places, ace low
_HAND_LOW: Final = sum(ONE)


def _spread(x: int) -> int:
    """Presence bits of a hand, suit by suit, the ace low and high."""
    c, d, h, s = x & _SUIT, x >> 39 & _SUIT, x >> 78 & _SUIT, x >> 117 & _SUIT
    x = c | d << 57 | h << 114 | s << 171
    return x | (x & _EVERY) << 39


def _hopeless(hand: int, plain: int, wilds: int) -> bool:
    """Whether a hand of 14 cannot win, by a bound that errs on the side of hope.

    Without a pure sequence it cannot.  Otherwise every plain card but the one set aside has a share
    of the wilds in its group; the least share (in twelfths) that any group would give it is: 0 in a
    natural group, 3 among four of five places, 4 among three of four, 6 beside a card at most two
    away or a card of its rank, 8 beside one three or four away, 24 alone.
    """
    every = _spread((hand | hand >> 1 | hand >> 2) & _HAND_LOW)
    if not every & every >> 3 & every >> 6:
        return True
    once = _spread((plain | plain >> 1 | plain >> 2) & _HAND_LOW)
    e3, e6, e9 = once >> 3, once >> 6, once >> 9
    runs = once & e3 & e6
    free = runs | runs << 3 | runs << 6
    c, d, h, s = once & _SUIT, once >> 57 & _SUIT, once >> 114 & _SUIT, once >> 171 & _SUIT
    cd, hs = c & d, h & s
    free |= (cd & (h | s) | hs & (c | d)) * _EVERY
    rest = once & _FIRST & ~(free | free >> 39 & _EVERY)
    if not rest:
        return False
    pairs = once & e3
    pairs |= pairs << 3
    gaps = once & e6
    half = (cd | hs | (c | d) & (h | s)) * _EVERY | pairs | gaps | gaps << 6
    half = rest & (half | half >> 39 & _EVERY)
    rest ^= half
    ends = once & e9
    third = ends & (e3 | e6)
    third |= third << 3 | third << 6 | third << 9
    wide = once & once >> 12
    quarter = wide & (e3 & (e6 | e9) | e6 & e9)
    quarter |= quarter << 3 | quarter << 6 | quarter << 9 | quarter << 12
    quarter = half & (quarter | quarter >> 39 & _EVERY)
    third = half & (third | third >> 39 & _EVERY) & ~quarter
    half ^= quarter | third
    far = ends | ends << 9 | wide | wide << 12
    far = rest & (far | far >> 39 & _EVERY)
    rest ^= far
    total = (
        3 * quarter.bit_count()
        + 4 * third.bit_count()
        + 6 * half.bit_count()
        + 8 * far.bit_count()
        + 24 * rest.bit_count()
    )
    budget = 12 * wilds + (24 if rest else 8 if far else 6 if half else 4 if third else 3)
    if total > budget:
        return True
    twice = (plain >> 1 | plain >> 2) & _HAND_LOW
    if not twice:
        return False
    twice = _spread(twice)
    total += (
        3 * (quarter & twice).bit_count()
        + 4 * (third & twice).bit_count()
        + 6 * (half & twice).bit_count()
        + 8 * (far & twice).bit_count()
        + 24 * (rest & twice).bit_count()
    )
    return total > budget
