"""Hands for the tests of arrangements, as strings, and how they cross into the domain."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from domain.cards import FACE, NAMES, pack, unpack

RANKS, SUITS = "A23456789TJQK", "CDHS"
PLAIN = [r + s for s in SUITS for r in RANKS]
RED = "DH"

#: Points a face by TC-11; wilds are 0 whatever stands here.
VALUES = (*(10 if n[0] in "ATJQK" else int(n[0]) for n in NAMES[:52]), 0)


class Game(NamedTuple):
    """A declare game as far as arrangements go."""

    decks: int
    lives: int
    by_colour: bool


TC = Game(decks=2, lives=1, by_colour=True)
SD = Game(decks=1, lives=2, by_colour=False)


def deck(game: Game) -> list[str]:
    return PLAIN * game.decks + ["JK", "JK"]


def wilds(game: Game, turned: str | None) -> frozenset[str]:
    """TC-3, SD-2."""
    if turned is None:
        return frozenset({"JK"})
    if turned == "JK":
        return frozenset({"JK", *("A" + s for s in SUITS)})
    suits = [s for s in SUITS if not game.by_colour or (s in RED) == (turned[1] in RED)]
    return frozenset({"JK", *(turned[0] + s for s in suits)})


def mask(wild: frozenset[str]) -> int:
    return sum(1 << FACE[c] for c in wild)


def packed(hand: list[str]) -> int:
    return pack(FACE[c] for c in hand)


def texts(hand: int) -> list[str]:
    return [NAMES[f] for f in unpack(hand)]


class Dealt(NamedTuple):
    game: Game
    hand: list[str]
    wild: frozenset[str]


def dealt(rng: random.Random, game: Game, size: int, jokers: tuple[int, int] | None = None) -> Dealt:
    """A random hand; with ``jokers`` (fewest, most) a meld-rich one with so many wilds.

    Meld-rich hands are drawn from two suits, from five neighbouring ranks, from five ranks anywhere,
    or from all cards.
    """
    cards = deck(game)
    rng.shuffle(cards)
    wild = wilds(game, cards.pop())
    if jokers is None:
        return Dealt(game, cards[:size], wild)
    able = [c for c in cards if c in wild]
    plain = [c for c in cards if c not in wild]
    hand = able[: min(rng.randint(*jokers), size)]
    style = rng.randrange(4)
    if style == 0:
        suits = rng.sample(SUITS, 2)
        plain = [c for c in plain if c[1] in suits]
    elif style == 1:
        start = rng.randrange(13)
        plain = [c for c in plain if (RANKS.index(c[0]) - start) % 13 < 5]
    elif style == 2:
        ranks = rng.sample(RANKS, 5)
        plain = [c for c in plain if c[0] in ranks]
    return Dealt(game, hand + plain[: size - len(hand)], wild)


def many(seed: int, count: int, sizes: tuple[int, ...]) -> Iterator[Dealt]:
    """``count`` hands of each game, size and kind: random, and meld-rich with few and many wilds."""
    rng = random.Random(seed)
    for game in (TC, SD):
        for size in sizes:
            for jokers in (None, (0, 2), (2, 4), (3, 8)):
                for _ in range(count):
                    yield dealt(rng, game, size, jokers)


def composed(rng: random.Random, game: Game) -> Dealt:
    """Fourteen cards near a win: groups that fill thirteen, one card more, often one exchanged."""
    while True:
        left = deck(game)
        rng.shuffle(left)
        wild = wilds(game, left.pop())
        able = [c for c in left if c in wild][: rng.randint(0, 7)]
        for c in able:
            left.remove(c)
        hand: list[str] = []
        while len(hand) < 13:
            room = 13 - len(hand)
            length = min(rng.choice((3, 3, 3, 4, 5)), room)
            if room - length in (1, 2):
                length = room
            if length > 4 or len(hand) < 6 or rng.random() < 0.6:
                suit, low = rng.choice(SUITS), rng.randrange(15 - length)
                group = [r + suit for r in (RANKS + "A")[low : low + length]]
            else:
                rank = rng.choice(RANKS)
                group = [rank + s for s in rng.sample(SUITS, length)]
            for card in group:
                if able and (card not in left or (len(hand) >= 3 and rng.random() < 0.5)):
                    hand.append(able.pop())
                elif card in left:
                    left.remove(card)
                    hand.append(card)
        hand = [*hand[:13], left.pop()]
        if rng.random() < 0.5:
            hand[rng.randrange(14)] = left.pop()
        return Dealt(game, hand, wild)
