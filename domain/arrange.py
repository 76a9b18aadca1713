"""The best arrangement of a hand in the declare games (TC-12, SD-7), and the winning one (TC-5, SD-5): exact.

Theory
------
The search (``arrange_search``) says which plain cards stand together, the layout
(``arrange_groups``) where the wilds go.

A winning hand must place every card, wilds included.  Surplus wilds are no obstacle: the second
sequence takes them all, for it has at most ten of the thirteen cards and a run has room for
thirteen.  So a hand of 14 wins if and only if some card can be set aside so that no plain card is
deadwood with both lives.  One search that allows one card of deadwood settles it: the card left
over is set aside, or a wild that no group needs, or a card of a group of more than three.  Only
where the spare wilds may not be set aside is each card tried in turn.  In front of the search
stands a bound made of a few bit operations: each plain card's least share of wilds in any group
that it could be in, summed, against the wilds held.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from msgspec import Struct

from domain.arrange_groups import Draft, Kind, lay
from domain.arrange_search import (
    LOW,
    NEVER,
    Pure,
    Table,
    Values,
    choose,
    make_table,
    pure_sequences,
    search,
    walk,
    wild_part,
    with_pure,
)
from domain.cards import FACES, JOKER, ONE, distinct, pack, size, unpack
from domain.melds import face_at


class Arrangement(Struct, frozen=True):
    """How a hand is charged, and groups that show it.

    ``points``: the charge, capped; ``raw``: the same uncapped; ``whole``: whether the whole hand is
    charged, and not the deadwood alone.  ``groups``: placed cards, runs low to high (a high ace
    last), sets by suit; ``kinds`` names each.  ``deadwood``: the cards outside them in canonical
    order, wilds that found no place included.  ``lives`` and ``pure`` say what the
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


def best(hand: int, wild: int, values: Values, lives: int, cap: int = 80) -> Arrangement:
    """The arrangement of ``hand`` (1–14 cards, packed) that is charged least: exact.

    ``wild``: bit f set where face f is wild (printed jokers always are).  ``values``: points a
    face; wilds count 0 whatever it says.  ``lives``: what an arrangement must hold for its deadwood
    alone to be charged: 1 a pure sequence (TC-12), 2 a pure sequence and another (SD-7).
    """
    table = make_table(hand, wild)
    least = search(table, values)
    held, wilds = table.held, table.wilds
    floor = least(held, wilds, 0, NEVER)
    chosen, raw = choose(table, least, lives > 1, floor)
    whole = chosen is None
    if whole:
        lives = 1
        chosen, _ = choose(table, least, False, floor)
        raw = sum(values[f] for f in unpack(hand ^ wild_part(hand, wild)))
    if chosen is None:
        drafts = walk(table, values, least, held, wilds, 0)
    else:
        drafts = with_pure(table, values, least, chosen, lives > 1)
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


def _two_sequences(table: Table, hand: int) -> bool:
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
        if pure_sequences(_bits(rest, table), _pool(table, own)):
            return True
        if left and _pair(plain, table):
            return True
    return False


def _bits(rest: int, table: Table) -> dict[int, int]:
    return {f: 1 for f in table.faces if rest >> 3 * f & 7}


def _pool(table: Table, own: tuple[int, ...]) -> list[int]:
    pool = table.pool.copy()
    for f in own:
        pool[f] -= 1
    return pool


def _pair(plain: int, table: Table) -> bool:
    """Whether two plain cards stand so close that one wild makes them a sequence."""
    there = (plain | plain >> 1) & LOW
    return any(g.run and g.wilds == 1 and (there & g.cards) == g.cards for some in table.groups for g in some)


# ----------------------------------------------------------------------------------- the winning


def winning(hand: int, wild: int, barred: int | None = None) -> Winning | None:
    """A declaration of the 14 cards of ``hand`` that wins (TC-5, SD-5), if there is one: exact.

    One card is set aside, never one of face ``barred`` (SD-3); the other 13 stand in groups, wilds
    written out, two of them sequences and one of these pure.
    """
    pool = wild_part(hand, wild)
    if _hopeless(hand, hand ^ pool, size(pool)):
        return None
    table = make_table(hand, wild)
    ones = [1] * FACES
    if barred is not None:
        ones[barred] = 2
    least = search(table, ones)
    chosen, cost = choose(table, least, True, 1, 2)
    if chosen is None:
        return None
    drafts = with_pure(table, ones, least, chosen, True)
    if cost:
        plain = hand ^ pool
        for draft in drafts:
            plain -= pack(f for f in draft.faces if not pool >> 3 * f & 7)
        aside = distinct(plain)[0]
    else:
        aside = _set_aside(drafts, table, chosen, barred)
    if aside is not None:
        left = table.pool.copy()
        left[aside] -= left[aside] > 0
        return Winning(lay(drafts, left, every_wild=True)[0], aside)
    for aside in distinct(hand):  # the only spare wilds are barred: perhaps other groups spare another
        if aside != barred:
            table = make_table(hand - ONE[aside], wild)
            least = search(table, ones)
            chosen, _ = choose(table, least, True, 0, 1)
            if chosen is not None:
                drafts = with_pure(table, ones, least, chosen, True)
                return Winning(lay(drafts, table.pool, every_wild=True)[0], aside)
    return None


def _set_aside(drafts: list[Draft], table: Table, pure: Pure, barred: int | None) -> int | None:
    """A card that groups holding every plain card can spare, taken out of them, if there is one.

    A wild that no group needs, or else a plain card of a group of four or five.  If no wild is left
    over there is such a group, for 14 cards are no number of threes, and two of its cards will do.
    """
    if sum(draft.size for draft in drafts) < 14:
        ranked = sum(table.pool[:JOKER]) - len(pure.own)  # wild-rank cards beside the pure sequence
        alone = any(draft.suit < 0 for draft in drafts)  # a sequence of wilds needs one of them
        for f, n in enumerate(table.pool):
            if f != barred and n > pure.own.count(f) and (f == JOKER or ranked > alone):
                return f
    for i, draft in enumerate(drafts):
        if draft.size > 3:
            ends = [face_at(draft.suit, p) for p in (draft.high, draft.low)] if draft.run else draft.faces
            aside = next(f for f in ends if f != barred)
            faces = tuple(f for f in draft.faces if f != aside)
            if not draft.run:
                drafts[i] = draft._replace(faces=faces)
            elif aside == ends[0]:
                drafts[i] = draft._replace(faces=faces, high=draft.high - 1)
            else:
                drafts[i] = draft._replace(faces=faces, low=draft.low + 1)
            return aside
    return None


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
