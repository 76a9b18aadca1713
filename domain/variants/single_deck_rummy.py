"""Single-deck rummy: 54 cards, a first and a second life, lowest wins.

Rules SD-1 … SD-10.
"""

from __future__ import annotations

from typing import Any

from domain.rules import Clock, RuleSet, SeatRange, Variant
from domain.variants.texts.single_deck_rummy import RULES
from domain.variants.thirteen_card_rummy import VALUES, charging, declare_options

SEATS = SeatRange(2, 3, 2)

OPTIONS = declare_options(
    SEATS,
    {"deal": "SD-2", "deals": "SD-10", "clock": "SD-8", "invalid": "SD-6", "jokers": "SD-3",
     "return": "SD-3"},
    None, "penalty", False,
)  # fmt: skip

NUMBERS = {
    "command.not_in_variant": "SD-3",
    "draw.stock_empty": "SD-3", "draw.discard_empty": "SD-3",
    "draw.count_not_allowed": "SD-3", "turn.wrong_phase": "SD-3", "draw.joker_not_takeable": "SD-3",
    "discard.just_taken": "SD-3", "declare.needs_draw": "SD-5", "declare.wrong_cards": "SD-5",
    "declare.invalid": "SD-6",
}  # fmt: skip


def rule_set(options: dict[str, Any], seats: int) -> RuleSet:
    """SD-1 … SD-10 as data."""
    del seats
    clock = options["clock"]
    return RuleSet(
        variant="single-deck-rummy", family="declare", wins="lowest", options=options,
        decks=1, jokers_per_deck=2,                   # SD-1
        hand_size=13, turned_card=True, opens_pile=True,  # SD-2
        wild_by="rank",                               # SD-2
        deals=options["deals"],                       # SD-10
        pile="top", may_take_jokers=options["may_take_jokers"],  # SD-3
        may_return_taken=options["may_return_taken"],
        reshuffles="always", pile_saves=True,         # SD-10
        invalid_declaration=options["invalid_declaration"],  # SD-6
        values=VALUES, wild_value=0, cap=80, lives=2,  # SD-7
        clock=None if clock is None else Clock(**clock),  # SD-8
    )  # fmt: skip


VARIANT = Variant(
    slug="single-deck-rummy", name="54-card rummy", family="declare", wins="lowest",
    seats=SEATS, rules=RULES, options=OPTIONS, rule_set=rule_set, numbers=NUMBERS,
    first="first_dealer", score=charging("SD-7"),
)  # fmt: skip
