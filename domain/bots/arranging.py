"""Bots for the games of declaring: thirteen cards into groups, two lives among them (TC, SD).

``easy`` looks at the groups it holds now and throws the dearest card outside them, now and then a
wrong one.  ``medium`` counts how many cards it is away from winning, so that it protects groups and
pairs alike.  ``hard`` counts the cards, too, that would bring it nearer and are still to come, and
does not throw what the next seat has shown that it collects.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from domain.arrange import winning
from domain.bots.chance import Chance
from domain.bots.fits import BIT, FACE_AT, PLACES, Distance, Fits, MeldKinds, pure_sequences, spread
from domain.bots.guess import Guess
from domain.bots.sight import Sight, near
from domain.cards import FACE, JOKER, pack
from domain.commands import Command, Declare, Discard, Draw

#: Distances are counted up to here; beyond, hands are compared by how their cards lie together.
FAR: Final = 4
#: How many hands a measure that is shared by moves remembers (some 10 MB).
REMEMBERED: Final = 60_000
#: How often ``easy`` throws some other card than the one it should.
SLIP: Final = 0.2


class Hand:
    """A hand in the making: plain cards by place, wilds counted, and the places of those that have one."""

    def __init__(self, faces: Sequence[int], sight: Sight) -> None:
        self.faces = list(faces)
        plain = sight.plain(faces)
        self.held = spread(plain)
        self.wilds = len(faces) - len(plain)
        self.own = spread({f for f in faces if sight.wild[f] and f != JOKER})


def without(faces: Sequence[int], face: int) -> list[int]:
    """The faces less one copy of ``face``."""
    left = list(faces)
    left.remove(face)
    return left


def wins_with(sight: Sight, top: int) -> bool:
    """Whether the hand and the pile's top make a declaration that wins (TC-5, SD-5)."""
    barred = None if sight.rules.may_return_taken else top
    return winning(pack([*sight.hand, top]), sight.wild_mask, barred) is not None


def choose(level: str, sight: Sight, actions: Sequence[Command], chance: Chance, history: Sequence[Any]) -> Command:
    """The move of a level; a declaration that wins is always taken."""
    for action in actions:
        if isinstance(action, Declare):
            return action
    draws = [a for a in actions if isinstance(a, Draw)]
    player = _PLAYERS[level](sight, chance, history)
    if draws:
        pile = next((a for a in draws if a.source == "discard"), None)
        stock = next((a for a in draws if a.source == "stock"), None)
        if pile is None or stock is None:
            return draws[0]
        if wins_with(sight, sight.discard[-1]):
            return pile
        return pile if player.takes(sight.discard[-1]) else stock
    throws = {FACE[a.card]: a for a in actions if isinstance(a, Discard)}
    return throws[player.throws(list(throws))]


class _Easy:
    """Groups as they lie in the hand."""

    def __init__(self, sight: Sight, chance: Chance, history: Sequence[Any]) -> None:
        del history
        self.sight = sight
        self.chance = chance
        self.fits = Fits(sight.kinds, (1,) * PLACES)

    def loose(self, faces: Sequence[int]) -> int:
        """How many cards lie outside the groups."""
        hand = Hand(faces, self.sight)
        return self.fits.least(hand.held, hand.wilds)

    def takes(self, top: int) -> bool:
        """Whether the pile's top falls into a group at once."""
        hand = self.sight.hand
        return self.sight.wild[top] or self.loose([*hand, top]) <= self.loose(hand)

    def throws(self, faces: list[int]) -> int:
        """The dearest card outside the groups; sometimes some other one that may be missed more."""
        sight = self.sight
        plain = sight.plain(faces) or faces
        if self.chance.happens(SLIP):
            return plain[int(self.chance.number() * len(plain))]
        return min(plain, key=lambda f: (self.loose(without(sight.hand, f)), -sight.values[f], self.chance.number()))


class _Medium(_Easy):
    """Groups, with an eye on the two lives, and cards that lie close together."""

    def loose(self, faces: Sequence[int]) -> int:
        """How many cards lie outside the groups, a missing life counted like a card."""
        hand = Hand(faces, self.sight)
        least = self.fits.least(hand.held, hand.wilds) + 2
        for cards in pure_sequences(hand.held):
            rest = hand.held - cards
            least = min(least, self.fits.least(rest, hand.wilds, need=True, limit=least))
            least = min(least, self.fits.least(rest, hand.wilds, limit=least) + 1)
        return least

    def ties(self, face: int) -> float:
        """How much a card belongs to the rest of the hand."""
        sight = self.sight
        return sum(near(face, f, sight.rules) for f in sight.plain(sight.hand) if f != face)

    def throws(self, faces: list[int]) -> int:
        """Of the cards outside the groups the one that lies farthest from the rest."""
        sight = self.sight
        plain = sight.plain(faces) or faces
        loose = {f: self.loose(without(sight.hand, f)) for f in plain}
        return min(plain, key=lambda f: (loose[f], self.ties(f), -sight.values[f], self.chance.number()))


@lru_cache(maxsize=4)
def _distance(kinds: MeldKinds, deal: tuple[bool, ...]) -> Distance:
    """One measure for all hands of a deal: it remembers what it has worked out."""
    del deal
    return Distance(kinds)


class _Hard(_Medium):
    """Cards missing to a win, with what is still to come and what the next seat collects."""

    def __init__(self, sight: Sight, chance: Chance, history: Sequence[Any]) -> None:
        super().__init__(sight, chance, history)
        self.distance = _distance(sight.kinds, tuple(sight.wild))
        self.distance.trim(REMEMBERED)
        self.points = Fits(sight.kinds, [sight.values[f] for f in FACE_AT])
        self.guess = Guess(sight, history)

    def away(self, faces: Sequence[int], over: int = 0) -> int:
        """How many cards are missing to a win."""
        hand = Hand(faces, self.sight)
        return self.distance.of(hand.held, hand.wilds, hand.own, FAR, over)

    def charge(self, faces: Sequence[int]) -> int:
        """What the hand would be charged if somebody else won now (TC-12, SD-7)."""
        rules = self.sight.rules
        hand = Hand(faces, self.sight)
        least = sum(self.sight.values[f] for f in faces)
        for cards in pure_sequences(hand.held):
            rest = hand.held - cards
            least = min(least, self.points.least(rest, hand.wilds, need=rules.lives > 1, limit=least))
        return least if rules.cap is None else min(least, rules.cap)

    def helps(self, faces: Sequence[int], away: int) -> int:
        """How many unseen cards would bring the hand nearer."""
        hand = Hand(faces, self.sight)
        found = 0
        for face, copies in enumerate(self.guess.left):
            if not copies:
                continue
            if self.sight.wild[face] or self.distance.within(hand.held + BIT[face], hand.wilds, hand.own, away - 1, 1):
                found += copies
        return found

    def takes(self, top: int) -> bool:
        """Whether the pile's top brings the hand nearer to winning, or makes it a good deal cheaper to lose."""
        hand, away = self.sight.hand, self.away(self.sight.hand)
        if self.sight.wild[top] or self.away([*hand, top], 1) < away:
            return True
        cheap = self.charge(hand) - self.CHEAPER
        left = (without([*hand, top], f) for f in set(self.sight.plain(hand)))
        return any(self.charge(rest) <= cheap and self.away(rest) <= away for rest in left)

    #: how many discards are weighed against each other: those with the weakest ties
    WIDTH = 5
    #: points by which a card from the pile must lower the charge to be worth more than one from the stock
    CHEAPER = 8
    #: what counts beside the cards that help, each in helping cards: a tie; a point of the charge, and
    #: of the card's own value; and, as a part of all unseen cards, the next seat's use for the card
    TIE = 0.5
    CHARGE = 0.6
    VALUE = 0.05
    FEED = 0.1

    def throws(self, faces: list[int]) -> int:
        """Of the cards that keep the hand nearest to winning the one that costs the fewest helping
        cards, and feeds the next seat least."""
        sight, guess = self.sight, self.guess
        plain = sight.plain(faces) or faces
        away = {f: self.away(without(sight.hand, f)) for f in plain}
        nearest = min(away.values())
        hand = sight.plain(sight.hand)
        ties = {f: guess.growth(f, hand) for f in plain if away[f] == nearest}
        close = sorted(ties, key=lambda f: (ties[f], f))

        def score(face: int) -> float:
            rest = without(sight.hand, face)
            feed = self.FEED * guess.total * guess.wanted(face)
            found = self.VALUE * sight.values[face] - feed
            if nearest >= FAR:
                return found - ties[face]
            return found - self.TIE * ties[face] + self.helps(rest, nearest) - self.CHARGE * self.charge(rest)

        return max(close if nearest >= FAR else close[: self.WIDTH], key=lambda f: (score(f), -f))


_PLAYERS: Final[dict[str, type[_Easy | _Medium]]] = {"easy": _Easy, "medium": _Medium, "hard": _Hard}
