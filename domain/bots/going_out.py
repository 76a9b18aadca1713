"""Going out: whether the plays of this one turn can bring the deal to its end (WR-14, TP-11, FK-14, GE-4).

Every bot takes a win that it holds (SD-9), however it judges its hand otherwise.  The search walks the
plays themselves, by the rules that decide them, on what the seat sees: its hand and the table.  Before it
a look at what could be placed at all, with more freedom than the rules give, says no to nearly every hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from domain.additions import read_addition, read_swaps
from domain.bots.fits import FACE_AT, Fits, spread
from domain.bots.sight import Laid, Sight
from domain.cards import FACE, NATURAL, ONE, PLACED, RANK, SUIT, distinct, pack, placed, size, unpack
from domain.commands import Command, Discard, Draw, LayOff, Split, Swap
from domain.commands import Meld as LayMeld
from domain.dead_ends import Pending, fifth_allowed, kind_of, owed_for, settle, steps
from domain.melds import RUN, SET, Meld, wild_count
from domain.plays import Table, can_use, removed, split_table, with_meld
from domain.rules import RuleSet

#: How many positions a bot looks at for one move: what needs more than this is not found.
MOST: Final = 500


def winning_move(sight: Sight, actions: Sequence[Command]) -> Command | None:
    """The action with which this seat begins to go out this turn, if it can."""
    table = tuple(_meld(m) for m in sight.melds)
    search = _Search(sight, len(table))
    draws = [a for a in actions if isinstance(a, Draw) and a.source == "discard"]
    if draws:
        return next((draw for draw in draws if search.wins_with(draw, table)), None)
    hand, pending = pack(sight.hand), tuple(sight.pending)
    if sight.turn.phase == "draw" or not search.hopeful(hand, table):
        return None
    search.barred = _barred(sight, {FACE[a.card] for a in actions if isinstance(a, Discard)})
    for action in actions:
        after = _after(search, action, hand, table)
        if after is not None:
            cards, left, laid, freed = after
            owed = settle(pending, cards)
            if search.ends(left, laid, owed if freed is None else (*owed, freed), cards):
                return action
    return None


def _barred(sight: Sight, thrown: set[int]) -> int | None:
    """The card just taken, where it may not be thrown again; the list of actions knows."""
    taken = sight.turn.taken
    if taken is None or sight.rules.may_return_taken or FACE[taken] in thrown:
        return None
    return FACE[taken]


def _meld(laid: Laid) -> Meld:
    cards = tuple(placed(c, s) for c, s in zip(laid.cards, laid.stands, strict=True))
    beside = tuple((f, 0) for f in laid.beside)
    return Meld(laid.number, 0, RUN if laid.run else SET, cards, (0,) * len(cards), beside)


def _after(
    search: _Search, action: Command, hand: int, melds: Table
) -> tuple[tuple[int, ...], int, Table, int | None] | None:
    """(cards, hand, table, wild freed) after a play from the list; None for what is no play."""
    rules, wild = search.rules, search.wild
    if isinstance(action, LayMeld):
        cards = tuple(PLACED[c] for c in action.cards)
        laid = Meld(len(melds) + 1, 0, kind_of(cards), cards, (0,) * len(cards))
        return cards, removed(hand, cards), (*melds, laid), None
    if isinstance(action, LayOff):
        cards, meld = tuple(PLACED[c] for c in action.cards), melds[action.meld - 1]
        found = read_addition(meld, cards, action.position, rules, wild, 0, fifth_allowed(rules, hand))
        added = max(found, key=lambda a: a.naturals)
        return cards, removed(hand, cards), with_meld(melds, added.after), None
    if isinstance(action, Swap):
        face = FACE[action.card]
        named = None if action.wild is None else PLACED[action.wild]
        card, after = read_swaps(melds[action.meld - 1], face, named, rules, 0)[0]
        return (NATURAL[face],), hand - ONE[face] + ONE[card & 63], with_meld(melds, after), card & 63
    if isinstance(action, Split):
        return (), hand, split_table(melds, melds[action.meld - 1], action.at), None
    return None


class _Search:
    """The plays of one turn, until the hand is gone as the game asks for it."""

    def __init__(self, sight: Sight, melds: int) -> None:
        self.sight = sight
        self.rules = sight.rules
        self.wild = sight.wild_mask
        #: the card just taken, where it may not be thrown
        self.barred: int | None = None
        self.melds = melds
        #: whether cards may be laid off before a meld of its own (TP-9)
        self.free = sight.melded[sight.you] or not sight.rules.lay_off_needs_meld
        self.seen: set[object] = set()
        self._kinds = sight.kinds._replace(max_wilds=13, balanced=False)
        self._measures: dict[frozenset[int], Fits] = {}

    def wins_with(self, draw: Draw, table: Table) -> bool:
        """Whether the cards of a draw from the pile end the deal this turn."""
        cards = self.sight.discard[: -draw.count - 1 : -1]
        hand = pack([*self.sight.hand, *cards])
        if not self.hopeful(hand, table):
            return False
        self.barred = cards[0] if len(cards) == 1 and not self.rules.may_return_taken else None
        return self.ends(hand, table, owed_for(self.rules, draw.source, cards), ())

    def ends(self, hand: int, table: Table, pending: Pending, cards: tuple[int, ...]) -> bool:
        """Whether the deal can end from here; ``cards`` were played last."""
        barred = self.barred if not any(c & 63 == self.barred for c in cards) else None
        key = hand, pending, barred, tuple(sorted(m.cards for m in table))
        if key in self.seen or len(self.seen) >= MOST:
            return False
        self.seen.add(key)
        if self._over(hand, table, pending, barred):
            return True
        if not self.hopeful(hand, table):
            return False
        may_lay_off = self.free or len(table) > self.melds
        later = sorted(steps(self.rules, self.wild, hand, table), key=lambda s: size(s[1]))
        for played, left, after, freed in later:
            if not may_lay_off and played and len(after) == len(table):
                continue
            owed = settle(pending, played)
            if self.ends(left, after, owed if freed is None else (*owed, freed), played):
                return True
        return False

    def _over(self, hand: int, table: Table, pending: Pending, barred: int | None) -> bool:
        rules = self.rules
        if pending:
            return False
        if not hand:
            return rules.last_card == "any"
        if size(hand) > 1 or (barred is not None and hand == ONE[barred]):
            return False
        (face,) = distinct(hand)
        return rules.last_card != "float" or not can_use(rules, self.wild, face, table)

    def hopeful(self, hand: int, table: Table) -> bool:
        """Whether all cards but one could perhaps be placed: never no where they can.

        Groups may hold any number of wilds here, a meld of the table reaches as far as held cards and wilds
        carry it, and one wild does all of it at once.
        """
        faces = unpack(hand)
        plain = self.sight.plain(faces)
        wilds = len(faces) - len(plain)
        if self.rules.swaps:
            wilds += sum(wild_count(m.cards) for m in table)
        held = set(faces)
        reach = frozenset(f for meld in table for f in _reach(self.rules, meld, held, wilds))
        measure = self._measures.get(reach)
        if measure is None:
            measure = self._measures[reach] = Fits(self._kinds, [f not in reach for f in FACE_AT])
        return measure.least(spread(plain), wilds, free=1, limit=1) == 0


def _reach(rules: RuleSet, meld: Meld, held: set[int], wilds: int) -> set[int]:
    """The faces that a meld of the table could come to take."""
    stands = [c >> 6 for c in meld.cards]
    rank, base = RANK[stands[0]], SUIT[stands[0]] * 13
    if meld.kind == SET:
        return {s * 13 + rank for s in range(4)}
    found = set(stands)  # for the place of a wild, beside it, or in a half after a split
    top = 13 if rules.ace_high else 12
    for places in (range(rank - 1, -1, -1), range(rank + len(stands), top + 1)):
        left = wilds
        for place in places:
            face = base + place % 13
            found.add(face)
            if face not in held:
                left -= 1
                if left < 0:
                    break
    return found
