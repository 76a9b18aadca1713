"""The search for the best arrangement of a hand in the declare games: which cards stand together.

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
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple

from domain.arrange_groups import Draft
from domain.cards import FACES, JOKER, distinct, size, unpack

NEVER: Final = 1 << 20
#: One bit for each field of two bits.
LOW: Final = sum(1 << 2 * i for i in range(16))
_JOKER_BIT: Final = 1 << JOKER


class Group(NamedTuple):
    """Plain cards ``cards`` (two bits a face) and ``wilds`` jokers: a run in its suit's places
    ``low``..``high`` (ace 0, and 13 when high), or a set."""

    cards: int
    wilds: int
    run: bool
    suit: int
    low: int
    high: int


class Pure(NamedTuple):
    """A pure sequence: its plain cards, and the wild faces that stand in it for themselves."""

    group: Group
    own: tuple[int, ...]


class Table(NamedTuple):
    """A hand made ready for the search: plain faces by rank, what is held of them, the groups that
    begin with each, pure sequences, lone cards, and the wilds."""

    faces: list[int]
    held: int
    groups: list[list[Group]]
    pures: list[Pure]
    lone: list[int]
    wilds: int
    pool: list[int]


def wild_part(hand: int, wild: int) -> int:
    """The wild cards of a hand, packed."""
    part = hand & 7 << 3 * JOKER
    wild &= ~_JOKER_BIT
    while wild:
        low = wild & -wild
        part |= hand & 7 << 3 * (low.bit_length() - 1)
        wild ^= low
    return part


def make_table(hand: int, wild: int) -> Table:
    pool_cards = wild_part(hand, wild)
    pool = [0] * FACES
    for f in unpack(pool_cards):
        pool[f] += 1
    wilds = size(pool_cards)
    plain = hand ^ pool_cards
    faces = sorted(distinct(plain), key=lambda f: f % 13 * 4 + f // 13)
    bit = {f: 1 << 2 * i for i, f in enumerate(faces)}
    held = sum(b * (plain >> 3 * f & 7) for f, b in bit.items())
    groups = [_groups_of(f, bit, wilds) for f in faces]
    pures = pure_sequences(bit, pool)
    grouped = 0
    for some in groups:
        for group in some:
            grouped |= group.cards
    for pure in pures:
        grouped |= pure.group.cards
    lone = [f for f in faces if not bit[f] & grouped for _ in range(plain >> 3 * f & 7)]
    for f in set(lone):
        held -= bit[f] * (plain >> 3 * f & 7)
    return Table(faces, held, groups, pures, lone, wilds, pool)


def _groups_of(face: int, bit: dict[int, int], wilds: int) -> list[Group]:
    """The groups of two and more plain cards in which ``face`` is the first by rank and suit."""
    suit, rank = divmod(face, 13)
    base = face - rank
    first = bit[face]
    found: list[Group] = []
    near = [(d, bit[face + d]) for d in (1, 2, 3, 4) if rank + d < 13 and face + d in bit]
    for cards, reach, count in _subsets(first, near):
        length = max(reach + 1, 3)
        if length - count <= wilds:
            low = min(rank, 14 - length)
            found.append(Group(cards, length - count, True, suit, low, low + length - 1))
    if rank == 0:
        near = [(d, bit[base + 13 - d]) for d in (1, 2, 3, 4) if base + 13 - d in bit]
        for cards, reach, count in _subsets(first, near):
            length = max(reach + 1, 3)
            if length - count <= wilds:
                found.append(Group(cards, length - count, True, suit, 14 - length, 13))
    mates = [(0, bit[f]) for f in range(face + 13, 52, 13) if f in bit]
    for cards, _, count in _subsets(first, mates):
        if count > 2 or wilds:
            found.append(Group(cards, max(3 - count, 0), False, 0, rank, rank))
    found.sort(key=lambda g: (g.wilds, -g.cards.bit_count()))
    return found


def _subsets(first: int, others: list[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """``first`` with each non-empty choice of ``others``: cards, the last distance, how many."""
    found = [(first, 0, 1)]
    for distance, b in others:
        found += [(cards | b, distance, count + 1) for cards, _, count in found]
    return found[1:]


def pure_sequences(bit: dict[int, int], pool: list[int]) -> list[Pure]:
    """The pure sequences of three, four and five cards; the longer ones end in plain cards."""
    found: list[Pure] = []
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
                    found.append(Pure(Group(cards, len(own), True, base // 13, low, place), own))
    found.sort(key=lambda p: (p.group.wilds, -p.group.cards.bit_count()))
    return found


# ------------------------------------------------------------------------------------ the search

Values = Sequence[int]
Least = Callable[[int, int, int, int], int]


def search(table: Table, values: Values) -> Least:
    """``least(held, wilds, need, limit)``: the least deadwood of ``held`` and the lone cards.

    ``need``: 0 nothing, 1 a sequence, 2 a sequence, and a wild is left that can be its natural
    card.  Exact below ``limit``; otherwise some number not below it that the answer reaches too.
    """
    lone = sorted((values[f] for f in table.lone), reverse=True)
    lone_cost = [sum(lone[i:]) for i in range(16)]
    worth = [values[f] for f in table.faces]
    return partial(_least, (table.groups, worth, len(lone), lone_cost, {}))


_Context = tuple[list[list[Group]], list[int], int, list[int], dict[int, int]]


def _least(context: _Context, held: int, wilds: int, need: int, limit: int) -> int:
    # A function of the module, not a closure: one that calls itself would be a cycle that only the
    # garbage collector frees.
    groups, worth, lone_count, lone_cost, memo = context
    if not held:
        if need and not (wilds >= 2 and lone_count) and not (need == 2 and wilds >= 3):
            return NEVER
        return lone_cost[wilds >> 1]
    if wilds > 1:
        cards = (held & LOW).bit_count() + 2 * (held >> 1 & LOW).bit_count()
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
    there = (held | held >> 1) & LOW
    best = limit
    for cards, cost, run, _, _, _ in groups[index]:
        if cost <= wilds and (there & cards) == cards:
            found = _least(context, held - cards, wilds - cost, 0 if run else need, best)
            if found < best:
                best = found
                if not found:
                    break
    else:
        one = 1 << 2 * index
        if wilds > 1:
            found = _least(context, held - one, wilds - 2, 0, best)
            if found < best:
                best = found
        value = worth[index]
        if value < best:
            found = value + _least(context, held - one, wilds, need, best - value)
            if found < best:
                best = found
    memo[key] = best if best < limit else ~limit
    return best


def walk(table: Table, values: Values, least: Least, held: int, wilds: int, need: int) -> list[Draft]:
    """Groups that reach ``least(held, wilds, need)``."""
    drafts: list[Draft] = []
    goal = least(held, wilds, need, NEVER)
    while held:
        index = (held & -held).bit_length() - 1 >> 1
        there = (held | held >> 1) & LOW
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
        drafts.append(Draft(True, -1, 0, 2, ()))
    return drafts


def with_pure(table: Table, values: Values, least: Least, pure: Pure, second: bool) -> list[Draft]:
    """The pure sequence, and groups that reach the least cost beside it."""
    cards, cost = pure.group.cards, pure.group.wilds
    need = need_beside(table, pure) if second else 0
    rest = walk(table, values, least, table.held - cards, table.wilds - cost, need)
    return [_draft(table, pure.group, pure.own), *rest]


def _draft(table: Table, group: Group, own: tuple[int, ...] = ()) -> Draft:
    naturals = [f for i, f in enumerate(table.faces) if group.cards >> 2 * i & 1]
    return Draft(group.run, group.suit, group.low, group.high, (*naturals, *own))


def _alone(face: int) -> Draft:
    suit, rank = divmod(face, 13)
    low = min(rank, 11)
    return Draft(True, suit, low, low + 2, (face,))


def need_beside(table: Table, pure: Pure) -> int:
    """What the rest must hold when a second sequence is asked for: 2 if a wild-rank card is left."""
    return 2 if sum(table.pool[:JOKER]) > len(pure.own) else 1


def choose(
    table: Table, least: Least, second: bool, floor: int, limit: int = NEVER
) -> tuple[Pure | None, int]:
    """The pure sequence with which the rest costs least, and that cost, if it is below ``limit``."""
    chosen: Pure | None = None
    for pure in table.pures:
        group = pure.group
        need = need_beside(table, pure) if second else 0
        cost = least(table.held - group.cards, table.wilds - group.wilds, need, limit)
        if cost < limit:
            chosen, limit = pure, cost
            if cost <= floor:
                break
    return chosen, limit
