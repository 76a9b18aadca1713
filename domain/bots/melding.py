"""Bots for the games with melds on the table (WR, TP, FK, GE).

All of them lay what they can.  ``easy`` lays the longest meld it sees and throws the dearest card
outside a group, now and then a wrong one.  ``medium`` divides its hand so that the least is left
over, saves wilds for groups that are worth one, and keeps pairs that can grow.  ``hard`` weighs each
draw and each discard by the cards that may still come, keeps to itself what the next seat may want,
and lets go of everything when the end is near.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from domain.bots.chance import Chance
from domain.bots.fits import BIT, FACE_AT, NEVER, Fits, spread
from domain.bots.going_out import winning_move
from domain.bots.guess import Guess
from domain.bots.sight import Laid, Sight, near
from domain.cards import FACE, JOKER, PLACED, RANK, SUIT
from domain.commands import CallRummy, Command, Discard, Draw, LayOff, Meld, Pass, Swap

Play = Meld | LayOff | Swap

#: How often ``easy`` throws some other card than the one it should.
SLIP: Final = 0.2
#: more than any hand can count: what it costs to leave over a card that must be played
OWED: Final = 10_000


def choose(
    level: str, sight: Sight, actions: Sequence[Command], chance: Chance, history: Sequence[Any]
) -> Command | None:
    """The move of a level; out of turn a call of rummy or None."""
    player = _PLAYERS[level](sight, chance, history)
    calls = [a for a in actions if isinstance(a, CallRummy)]
    # The last card goes with a call; else a win of one's own turn comes before a call for points.
    win = None if calls and len(sight.hand) == 1 else winning_move(sight, actions)
    if win is not None:
        return win
    if calls:
        call = player.calls(calls)
        if call is not None or len(calls) == len(actions):
            return call
    throws = {FACE[a.card]: a for a in actions if isinstance(a, Discard)}
    plays = [a for a in actions if isinstance(a, Play)]
    if throws and len(sight.hand) == 1:
        return next(iter(throws.values()))  # out
    if plays:
        play = player.plays(plays, bool(throws))
        if play is not None:
            return play
    if throws:
        return throws[player.throws(list(throws))]
    draws = [a for a in actions if isinstance(a, Draw)]
    if draws:
        ends = next((a for a in actions if isinstance(a, Pass)), None)
        return player.draws(draws, ends)
    return actions[0]


def played(play: Play) -> list[int]:
    """The faces that leave the hand."""
    if isinstance(play, Swap):
        return [FACE[play.card]]
    return [PLACED[c] & 63 for c in play.cards]


def without(faces: Sequence[int], gone: Sequence[int]) -> list[int]:
    """The faces less those that are gone."""
    left = list(faces)
    for f in gone:
        left.remove(f)
    return left


def open_faces(sight: Sight) -> set[int]:
    """The plain faces that the table takes now; along a run as far as the hand reaches."""
    rules = sight.rules
    found: set[int] = set()
    if rules.lay_off_needs_meld and not sight.melded[sight.you]:
        return found
    for meld in sight.melds:
        if meld.run:
            found.update(_open_ends(sight, meld))
            if rules.beside or rules.swaps:
                found.update(s for c, s in zip(meld.cards, meld.stands, strict=True) if c != s)
        else:
            found.update(_open_suits(sight, meld))
    return {f for f in found if not sight.wild[f]}


def _open_suits(sight: Sight, meld: Laid) -> list[int]:
    kinds = sight.kinds
    rank = RANK[meld.stands[0]]
    naturals = [c for c in meld.cards if c != JOKER and RANK[c] == rank]
    if len(meld.cards) >= kinds.room and not (sight.rules.swaps and len(naturals) < len(meld.cards)):
        return []
    return [s * 13 + rank for s in range(4) if naturals.count(s * 13 + rank) < kinds.copies]


def _open_ends(sight: Sight, meld: Laid) -> list[int]:
    low = RANK[meld.stands[0]]
    high = low + len(meld.cards) - 1
    base = SUIT[meld.stands[0]] * 13
    top = 13 if sight.rules.ace_high and low > 0 else 12
    found: list[int] = []
    for place in range(low - 1, -1, -1):
        found.append(base + place)
        if base + place not in sight.hand:
            break
    for place in range(high + 1, top + 1):
        found.append(base + place % 13)
        if base + place % 13 not in sight.hand:
            break
    return found


class _Easy:
    """What lies in the hand now."""

    #: what a card left over counts beside its value, for it stands between the hand and its end
    EACH = 0

    def __init__(self, sight: Sight, chance: Chance, history: Sequence[Any]) -> None:
        del history
        self.sight = sight
        self.chance = chance
        self.open = open_faces(sight)
        #: cards on the table count for the seat that played them
        self.counts = sight.rules.calls
        self._measures: dict[tuple[int, bool, int], Fits] = {}

    def fits(self, price: int = 0, ones: bool = False, owed: int = JOKER) -> Fits:
        """The measure of what is left over: points, or cards; cards that the table takes are nothing.

        ``owed``: a face that must not be left over.
        """
        key = price, ones, owed
        found = self._measures.get(key)
        if found is None:
            values = self.sight.values
            worth = [
                OWED if f == owed else 0 if f in self.open else 1 if ones else values[f] + self.EACH
                for f in FACE_AT
            ]  # fmt: skip
            found = self._measures[key] = Fits(self.sight.kinds, worth, price)
        return found

    def left(self, faces: Sequence[int], *, free: int = 0, price: int = 0, ones: bool = False) -> int:
        """What a hand leaves over at the least; ``free``: cards that are thrown."""
        plain = self.sight.plain(faces)
        return self.fits(price, ones).least(spread(plain), len(faces) - len(plain), free=free)

    # the moves

    def draws(self, draws: list[Draw], ends: Pass | None) -> Command:
        """From the pile if its top falls into a group at once, else from the stock."""
        hand, top = self.sight.hand, self.sight.discard[-1:]
        for draw in draws:
            if draw.source == "discard" and draw.count == 1:
                plain = self.sight.plain(hand)
                measure = self.fits(ones=True)
                if self.sight.wild[top[0]]:
                    return draw
                if measure.least(spread([*plain, *top]), 0) <= measure.least(spread(plain), 0):
                    return draw
        return next((d for d in draws if d.source == "stock"), ends or draws[0])

    def plays(self, plays: list[Play], may_throw: bool) -> Play | None:
        """The longest meld, the fewest wilds; natural cards added to the table; wilds only to end."""
        wild = self.sight.wild
        owed = self._owed(plays)
        melds = [a for a in owed if isinstance(a, Meld)]
        if melds:
            return max(melds, key=lambda a: (len(a.cards), -sum(wild[f] for f in played(a)), self.chance.number()))
        few = len(self.sight.hand) < 4
        for play in owed:
            if isinstance(play, LayOff) and (few or not wild[played(play)[0]]):
                return play
        return None if may_throw else owed[0]

    def _owed(self, plays: list[Play]) -> list[Play]:
        """The plays of a card that is owed, where there is one."""
        pending = self.sight.pending
        return [a for a in plays if any(f in pending for f in played(a))] or plays

    def throws(self, faces: list[int]) -> int:
        """The dearest card outside the groups; sometimes some other one that may be missed more."""
        sight = self.sight
        plain = sight.plain(faces) or faces
        if self.chance.happens(SLIP):
            return plain[int(self.chance.number() * len(plain))]
        return min(plain, key=lambda f: (self.left(without(sight.hand, [f])), self.chance.number()))

    def calls(self, calls: list[CallRummy]) -> CallRummy | None:
        """Always, throwing what it would throw."""
        faces = {FACE[a.discard]: a for a in calls if a.discard is not None}
        if not faces:
            return calls[0]
        return faces[self.throws(list(faces))]


class _Medium(_Easy):
    """The hand divided as well as it can be."""

    #: what a wild is saved for: the points that a group must bring to be worth one
    PRICE = 6
    #: cards in hand below which a wild is better on the table, where it counts there
    SMALL = 6
    #: what a card that lies close to another is kept for, as a part of both their values
    TIES = 0.12

    @property
    def price(self) -> int:
        """What the use of a wild counts: nothing for a small hand where wilds count on the table."""
        return 0 if self.counts and len(self.sight.hand) < self.SMALL else self.PRICE

    def draws(self, draws: list[Draw], ends: Pass | None) -> Command:
        """From the pile if its cards fall into groups at once, else from the stock."""
        stock = next((d for d in draws if d.source == "stock"), None)
        hand = self.sight.hand
        now = self.left(hand, price=self.price)
        best: Draw | None = None
        gain = -1.0
        for draw in draws:
            if draw.source == "stock":
                continue
            cards = self.sight.discard[-draw.count :]
            after = self.left([*hand, *cards], price=self.price)
            new = sum(self.sight.values[f] for f in cards) if self.counts else 0
            # What is left over may yet be melded, or may fall to somebody else: it counts half.
            found = now - after + (new if self.counts else 0) - (0.0 if draw.count == 1 else 10.0)
            if after <= now + (0 if draw.count == 1 else new / 2) and found > gain:
                best, gain = draw, found
        return best or stock or ends or draws[0]

    def plays(self, plays: list[Play], may_throw: bool) -> Play | None:
        """The play that belongs to the best division of the hand."""
        sight = self.sight
        owed = self._owed(plays)
        must = bool(sight.pending) or not may_throw
        hand = sight.hand
        if sight.rules.last_card == "any":
            for play in owed:
                if len(played(play)) == len(hand) and not isinstance(play, Swap):
                    return play  # out
        ending = self.left(hand, free=1, ones=True) == 0
        price = 0 if ending else self.price
        now = self.left(hand, free=1, price=price, ones=ending)
        best: tuple[float, ...] | None = None
        chosen: Play | None = None
        for play in owed:
            gone = played(play)
            rest = without(hand, gone)
            wilds = sum(sight.wild[f] for f in gone)
            if isinstance(play, Swap):
                rest.append(self._freed(play))
                wilds = -1
            cost = self.left(rest, free=1, price=price, ones=ending) + price * wilds
            if cost > now and not must:
                continue
            key = (cost, wilds, -len(gone))
            if best is None or key < best:
                best, chosen = key, play
        return chosen

    def _freed(self, swap: Swap) -> int:
        """The wild that a swap brings to the hand."""
        meld = next(m for m in self.sight.melds if m.number == swap.meld)
        if swap.wild is not None:
            return PLACED[swap.wild] & 63
        face = FACE[swap.card]
        fits = [c for c, s in zip(meld.cards, meld.stands, strict=True) if c != s and (s == face or not meld.run)]
        return fits[0] if fits else next(f for f in meld.cards if self.sight.wild[f])

    def ties(self, face: int) -> float:
        """What a card is kept for: how close it lies to others, and what they count together."""
        sight = self.sight
        values = sight.values
        return sum(
            near(face, f, sight.rules) * (values[face] + values[f]) for f in sight.plain(sight.hand) if f != face
        )  # fmt: skip

    def cost(self, face: int) -> float:
        """What it costs to throw a card: how the hand then stands, and the ties that are cut."""
        return self.stand(without(self.sight.hand, [face])) + self.TIES * self.ties(face)

    def stand(self, faces: Sequence[int]) -> float:
        """What the hand leaves over."""
        return self.left(faces, price=self.price)

    def throws(self, faces: list[int]) -> int:
        """The card that costs least."""
        plain = self.sight.plain(faces) or faces
        return min(plain, key=lambda f: (self.cost(f), self.chance.number()))

    def calls(self, calls: list[CallRummy]) -> CallRummy | None:
        """If the card called and the one thrown are worth more than what is thrown with it."""
        faces = {FACE[a.discard]: a for a in calls if a.discard is not None}
        if not faces:
            return calls[0]
        thrown = self.throws(list(faces))
        if len(self.sight.hand) == 1:
            return faces[thrown]
        loss = self.cost(thrown) - self.stand(self.sight.hand)
        return faces[thrown] if loss < self.sight.values[self.sight.discard[-1]] else None


class _Hard(_Medium):
    """As ``medium``, by what may still come, and what the others may want.

    A meld on the table helps the others to get rid of their cards and shows how near the end is; so
    hard keeps its melds until it can go out whole, or somebody else is near.
    """

    PRICE = 12
    EACH = 8
    #: cards in the smallest other hand from which on nothing is held back
    NEAR = 3
    #: points that the next seat gains by a card it can use
    FEED = 4

    def __init__(self, sight: Sight, chance: Chance, history: Sequence[Any]) -> None:
        super().__init__(sight, chance, history)
        self.guess = Guess(sight, history)
        self.smallest = min(sight.cards[s] for s in sight.others)

    @property
    def price(self) -> int:
        """Nothing is saved when the end is near, or where wilds count most on the table."""
        return 0 if self.counts or self.smallest <= self.NEAR else self.PRICE

    def plays(self, plays: list[Play], may_throw: bool) -> Play | None:
        """As ``medium``, but no melds while there is time."""
        sight = self.sight
        early = may_throw and not sight.pending and self.smallest > self.NEAR
        if early and self.left(sight.hand, free=1, ones=True):
            plays = [p for p in plays if not isinstance(p, Meld)]
        return super().plays(plays, may_throw) if plays else None

    def stand(self, faces: Sequence[int]) -> float:
        """What the hand leaves over, less what the draws that are likely to be left may bring."""
        sight = self.sight
        plain = sight.plain(faces)
        held, wilds = spread(plain), len(faces) - len(plain)
        least = self.fits(self.price).least
        now = least(held, wilds)
        gain = 0
        for f, copies in enumerate(self.guess.left):
            if not copies:
                continue
            if sight.wild[f]:
                gain += copies * max(now - least(held, wilds + 1), 0)
            elif f not in self.open and any(near(f, g, sight.rules) for g in plain):
                better = now - least(held + BIT[f], wilds)
                if better > 0:
                    gain += copies * (better + (sight.values[f] if self.counts else 0))
        return now - (self.smallest - 0.5) * gain / self.guess.total

    def cost(self, face: int) -> float:
        """What it costs to throw a card: how the hand then stands, and what the next seat gets."""
        feed = self.FEED + (self.sight.values[face] if self.counts else 0)
        used = 1.0 if face in self.open else self.guess.wanted(face)
        return self.stand(without(self.sight.hand, [face])) + feed * used

    def draws(self, draws: list[Draw], ends: Pass | None) -> Command:
        """The draw after which the hand is worth most, the stock judged by what may come."""
        sight = self.sight
        hand = sight.hand
        stock = next((d for d in draws if d.source == "stock"), None)
        best: Command = stock or ends or draws[0]
        most = self._stock() if stock is not None else self._worth(hand, self.left(hand)) if ends else -NEVER
        for draw in draws:
            if draw.source == "stock":
                continue
            cards = sight.discard[-draw.count :]
            owed = cards[0] if draw.count > 1 or sight.rules.pile == "matching_pair" else JOKER
            plain = sight.plain([*hand, *cards])
            least = self.fits(self.price, owed=owed).least(
                spread(plain), len(hand) + len(cards) - len(plain), free=1
            )  # fmt: skip
            found = self._worth([*hand, *cards], least)
            if least < OWED and found > most:
                best, most = draw, found
        return best

    def _worth(self, faces: Sequence[int], least: int) -> float:
        """What a hand is worth that leaves so much over: less is better; where cards on the table
        count, what can be laid is added."""
        return sum(self.sight.values[f] for f in faces) - least if self.counts else -least

    def _stock(self) -> float:
        """What a card from the stock makes of the hand, on average."""
        sight = self.sight
        plain = sight.plain(sight.hand)
        held, wilds = spread(plain), len(sight.hand) - len(plain)
        least = self.fits(self.price).least
        total = 0.0
        for f, copies in enumerate(self.guess.left):
            if copies:
                left = least(held, wilds + 1, free=1) if sight.wild[f] else least(held + BIT[f], wilds, free=1)
                total += copies * self._worth([*sight.hand, f], left)
        return total / self.guess.total


_PLAYERS: Final[dict[str, type[_Easy | _Medium]]] = {"easy": _Easy, "medium": _Medium, "hard": _Hard}
