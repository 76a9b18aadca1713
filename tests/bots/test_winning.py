"""SD-9: a bot of any level takes a win that it holds, however well hidden, with an exhaustive search as oracle."""

from __future__ import annotations

import random
from typing import Any

import pytest

from domain.actions import actions
from domain.bots import choose
from domain.cards import NAMES
from domain.commands import Actor, Draw, Rejected
from domain.decide import Decision, execute
from domain.views import view
from tests.bots.test_bots import AT, LEVELS, at

#: (game, position); seat 1 is to act and can go out
HELD: list[tuple[str, dict[str, Any]]] = [
    ("two-player-rummy", {  # KD for the queen, and out with the three
        "deal": 13, "hands": [["KC", "JC", "2D", "6C"], ["KH", "KD", "3S", "AH"]],
        "stock": ["AS", "3H", "9H", "5S", "9D", "4D"], "discard": ["JS", "7H"], "melds": [],
        "turn": {"seat": 1, "phase": "play"}}),
    ("two-player-rummy", {  # two wilds bridge the way for the ten
        "deal": 5, "hands": [["9H", "JS", "AS", "9S"], ["5H", "5S", "TD", "AC"]],
        "stock": ["9D", "4H", "KH", "2C", "2D", "2S"], "discard": ["QC", "TH"],
        "melds": [{"owner": 1, "cards": ["5D", "6D", "7D"]}], "turn": {"seat": 1, "phase": "play"}}),
    ("wild-rummy", {  # the pile's top is laid off on what the hand can meld
        "deal": 1, "hands": [["TD", "JD", "2S", "AC"], ["AH", "6D", "AD", "QH"]],
        "stock": ["7C", "3H", "KD", "7D", "QC", "3S"], "discard": ["2D", "9D"], "melds": [],
        "turn": {"seat": 1, "phase": "draw"}}),
    ("rummy-5000", {  # a call of rummy would bring points, and no end
        "deal": 2, "dealer": 0, "wild_indicator": "TS",
        "hands": [["2C", "3C", "8D", "9H", "JH", "QD", "AC", "6H"], ["5D", "7D", "KD"], ["4H", "8C", "QC", "AD"]],
        "stock": ["3H", "9C", "8H", "6C", "4C", "2H"], "discard": ["9D", "QS", "TC"],
        "melds": [{"owner": 1, "cards": ["2S", "TH=3S", "4S"]}, {"owner": 0, "cards": ["JS", "TD=QS", "TS=KS"]}],
        "turn": {"seat": 1, "phase": "draw", "discarder": 0}, "scores": [550, 210, 260]}),
    ("single-deck-rummy", {  # 9H is of the wild rank and stands for itself
        "wild_indicator": "9S",
        "hands": [["KH", "9D", "6H"],
                  ["9H", "TH", "JH", "3S", "JK", "5S", "3C", "JK", "3D", "2C", "2S", "2H", "KC"]],
        "stock": ["AD", "5C", "AC", "7S", "QS", "QH"], "discard": ["KS", "8H"],
        "turn": {"seat": 1, "phase": "draw"}}),
    ("single-deck-rummy", {
        "wild_indicator": "5C",
        "hands": [["KH", "9D", "6H"],
                  ["4D", "5D", "6D", "7D", "4S", "5S", "6S", "JH", "JC", "JD", "QC", "QD", "2H"]],
        "stock": ["AD", "3C", "AC", "7S", "QS", "9H"], "discard": ["KS", "QH"],
        "turn": {"seat": 1, "phase": "draw"}}),
    ("thirteen-card-rummy", {
        "wild_indicator": "6D",
        "hands": [["KH", "9D", "2H"],
                  ["8C", "9C", "JK", "JC", "6H", "7H", "8H", "3S", "3C", "3H", "QH", "QD", "KD"]],
        "stock": ["AD", "3D", "AC", "7S", "QS", "9H"], "discard": ["KS", "QC"],
        "turn": {"seat": 1, "phase": "draw"}}),
]  # fmt: skip


def ended(decision: Decision, seat: int) -> bool | None:
    """Whether the deal ended with this seat as its winner; None if the seat's turn goes on."""
    for event in decision.events:
        if type(event).__name__ == "DealEnded":
            return event.result.winner == seat
    deal = decision.state.deal
    assert deal is not None
    return None if deal.turn is not None and deal.turn.seat == seat else False


def wins(state: Any, level: str) -> bool:
    """Whether a bot wins in the turn of the seat to act."""
    seat = state.deal.turn.seat
    while True:
        seen = view(state, seat, "g", [None] * len(state.seats))
        command = choose(level, seen, actions(state, seat)[0], b"entropy", state.rules)
        assert command is not None
        decision = execute(state, command, Actor(seat=seat), AT)
        if (over := ended(decision, seat)) is not None:
            return over
        state = decision.state


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("variant", "position"), HELD)
def test_sd_9_a_win_that_is_held_is_taken(variant: str, position: dict[str, Any], level: str) -> None:
    assert wins(at(variant, position), level)


#: Positions of a turn after which a search is given up.
TOO_MANY = 400


def can_win(state: Any, seat: int, seen: set[object]) -> bool:
    """Every sequence of commands of this turn, but those that begin with a card from the stock."""
    if len(seen) > TOO_MANY:
        return False
    for command in actions(state, seat)[0]:
        if isinstance(command, Draw) and command.source == "stock":
            continue
        decision = execute(state, command, Actor(seat=seat), AT)
        over = ended(decision, seat)
        if over:
            return True
        if over is not None:
            continue
        deal: Any = decision.state.deal
        key = deal.hands[seat], deal.turn.phase, deal.turn.pending, tuple(sorted(m.cards for m in deal.melds))
        if key not in seen:
            seen.add(key)
            if can_win(decision.state, seat, seen):
                return True
    return False


def some_positions(variant: str, rng: random.Random) -> Any:
    """Small hands, and melds of natural cards on the table; about one in twenty can be won at once."""
    by_number = variant in ("wild-rummy", "two-player-rummy")
    ranks = "A3456789TJQK" if variant == "george" else "A23456789TJQK"
    while True:
        deck = [r + s for s in "CDHS" for r in ranks] * (1 if by_number else 2)
        rng.shuffle(deck)
        wild = rng.choice(ranks)
        melds: list[dict[str, Any]] = []
        for _ in range(rng.randint(0, 2)):
            if rng.random() < 0.6 and variant != "george":
                low, length, suit = rng.randint(0, 9), rng.randint(3, 4), rng.choice("CDHS")
                cards = [r + suit for r in ranks[low : low + length]]
            else:
                rank, out = rng.choice(ranks), rng.choice("CDHS")
                cards = [rank + s for s in "CDHS" if s != out]
            if set(cards) <= set(deck):
                for card in cards:
                    deck.remove(card)
                melds.append({"owner": rng.randint(0, 1), "cards": cards})
        hand = [c for c in deck if c[0] == wild][: rng.randint(0, 2)]
        for card in hand:
            deck.remove(card)
        while len(hand) < rng.randint(3, 6):
            hand.append(deck.pop())
        named = {"deal": ranks.index(wild) + 1} if by_number else {"wild_indicator": wild + "C"}
        position = {
            "hands": [deck[:4], hand, *([] if by_number else [deck[4:6]])], "stock": deck[6:12],
            "discard": deck[12:15], "melds": melds,
            "turn": {"seat": 1, "phase": rng.choice(["draw", "play"])}, **named,
        }  # fmt: skip
        try:
            yield at(variant, position)
        except Rejected:
            continue


@pytest.mark.parametrize("variant", ["wild-rummy", "two-player-rummy", "rummy-5000", "george"])
def test_sd_9_no_win_of_a_turn_is_missed(variant: str) -> None:
    found = 0
    for state in some_positions(variant, random.Random(7)):
        if can_win(state, 1, set()):
            found += 1
            for level in LEVELS:
                hand = [NAMES[f] for f in range(53) if state.deal.hands[1] >> 3 * f & 7]
                assert wins(state, level), (level, hand, state.deal.melds)
        if found == 60:
            break
