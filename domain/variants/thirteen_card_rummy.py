"""Thirteen-card (Indian) rummy: a double deck, jokers, declare thirteen cards in groups, lowest wins.

Rules TC-1 … TC-15.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from domain.arrange import best
from domain.cards import PLACED_NAME, unpack
from domain.rules import (
    BOOLEAN,
    Clock,
    Option,
    RuleSet,
    SeatRange,
    Variant,
    choice,
    clock_option,
    integer,
    seat_option,
)  # fmt: skip
from domain.scoring import Ending, Score, lines_for, value_table
from domain.shapes import ScoreLine
from domain.state import Deal, Seat
from domain.variants.texts.thirteen_card_rummy import RULES


def declare_options(
    seats: SeatRange, rules: dict[str, str], clock: dict[str, int] | None, bad: str, lenient: bool
) -> tuple[Option, ...]:
    """The options of the declare family, by their rule numbers and defaults in one game."""
    return (
        seat_option("first_dealer", rules["deal"], "First dealer", seats.max),
        Option("deals", rules["deals"], "Deals", "How many deals make a match.", integer(1, 100), 1),
        clock_option(clock, rules["clock"]),
        Option("invalid_declaration", rules["invalid"], "Invalid declaration",
               "It is rejected and costs nothing, or it ends the deal with a penalty.",
               choice("reject", "penalty"), bad),
        Option("may_take_jokers", rules["jokers"], "Jokers on the pile",
               "Whether a wild card may be taken from the pile.", BOOLEAN, lenient),
        Option("may_return_taken", rules["return"], "Return the card taken",
               "Whether the card just taken from the pile may be discarded or set aside in the same turn.",
               BOOLEAN, lenient),
    )  # fmt: skip


SEATS = SeatRange(2, 6, 4)

OPTIONS = declare_options(
    SEATS,
    {"deal": "TC-2", "deals": "TC-14", "clock": "TC-9", "invalid": "TC-8", "jokers": "TC-15",
     "return": "TC-15"},
    {"draw": 15, "discard": 22}, "reject", True,
)  # fmt: skip

NUMBERS = {
    "command.not_in_variant": "TC-4",
    "draw.stock_empty": "TC-4", "draw.discard_empty": "TC-4",
    "draw.count_not_allowed": "TC-4", "turn.wrong_phase": "TC-4", "draw.joker_not_takeable": "TC-15",
    "discard.just_taken": "TC-15", "declare.needs_draw": "TC-5", "declare.wrong_cards": "TC-5",
    "declare.invalid": "TC-8",
}  # fmt: skip

#: Values of A 2 … K (TC-11, SD-7); every joker counts nothing.
VALUES = (10, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)


def rule_set(options: dict[str, Any], seats: int) -> RuleSet:
    """TC-1 … TC-15 as data."""
    del seats
    clock = options["clock"]
    return RuleSet(
        variant="thirteen-card-rummy", family="declare", wins="lowest", options=options,
        decks=2, jokers_per_deck=1,                   # TC-1
        hand_size=13, turned_card=True, opens_pile=True,  # TC-2
        wild_by="rank_and_colour",                    # TC-3
        deals=options["deals"],                       # TC-14
        pile="top", may_take_jokers=options["may_take_jokers"],  # TC-4, TC-15
        may_return_taken=options["may_return_taken"],
        reshuffles="always", pile_saves=True,         # TC-10
        draw_limit=100,                               # TC-13
        invalid_declaration=options["invalid_declaration"],  # TC-8
        values=VALUES, wild_value=0, cap=80, lives=1,  # TC-11, TC-12
        clock=None if clock is None else Clock(**clock),  # TC-9
    )  # fmt: skip


def charging(rule: str) -> Callable[[RuleSet, Deal, Sequence[Seat], Ending], list[Score]]:
    """The declare family's scoring, by the rule that charges hands in one game (TC-12, SD-7)."""

    def score(rules: RuleSet, deal: Deal, seats: Sequence[Seat], ending: Ending) -> list[Score]:
        """Each seat is charged by its best arrangement; SD-6: 80 for an invalid declaration."""
        if ending.reason == "invalid_declaration":
            penalty = ScoreLine("SD-6", "bonus", [], 80)
            return [Score([penalty] if i == ending.declarer else [], []) for i in range(len(seats))]
        values = value_table(rules, deal.wild)
        return [
            Score([], [[PLACED_NAME[c] for c in g] for g in ending.groups])
            if i == ending.winner
            else _charged(rules, rule, deal.hands[i], deal.wild, values)
            for i in range(len(seats))
        ]

    return score


def _charged(rules: RuleSet, rule: str, hand: int, wild: int, values: tuple[int, ...]) -> Score:
    cap = rules.cap or 0
    found = best(hand, wild, values, rules.lives, cap)
    counted = unpack(hand) if found.whole else list(found.deadwood)
    lines = lines_for(rules, wild, counted, rule, "points")
    if found.raw > cap:
        lines.append(ScoreLine(rule, "points", [], cap - found.raw))
    return Score(lines, [[PLACED_NAME[c] for c in g] for g in found.groups])


VARIANT = Variant(
    slug="thirteen-card-rummy", name="13-card rummy", family="declare", wins="lowest",
    seats=SEATS, rules=RULES, options=OPTIONS, rule_set=rule_set, numbers=NUMBERS,
    first="first_dealer", score=charging("TC-12"),
)  # fmt: skip

