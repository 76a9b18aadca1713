"""George, or 2500 Rummy without runs: sets only, one wild a set, two decks without twos.

Rules GE-1 … GE-3, and FK-2 … FK-23 as far as GE does not change them.
"""

from __future__ import annotations

from typing import Any

from domain.rules import (
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
from domain.variants.rummy_5000 import (
    CROSSING,
    DEADWOOD,
    TARGET,
    VALUES,
    WILD_CARDS,
    WINDOW,
    score,
)  # fmt: skip
from domain.variants.rummy_5000 import (
    NUMBERS as FK_NUMBERS,
)
from domain.variants.texts.george import RULES

SEATS = SeatRange(3, 8, 3)

OPTIONS: tuple[Option, ...] = (
    seat_option("first_dealer", "FK-2", "First dealer", SEATS.max),
    Option("target", "FK-17", "Target", TARGET, integer(100, 100000), 2500),
    CROSSING,
    Option("permanent_wilds", "GE-1", "Permanent wilds",
           "Cards that are always wild beside the dealt rank; this deck has no twos.",
           choice("none", "jokers"), "none"),
    WILD_CARDS,
    DEADWOOD,
    Option("ace_hand", "GE-2", "Hand of an ace", "How many cards a seat gets whose upcard is an ace.",
           choice(14, 15), 14),
    WINDOW,
    clock_option(None, "TC-9"),
)  # fmt: skip

NUMBERS = {**FK_NUMBERS, "meld.too_many_wilds": "GE-1", "draw.needs_matching_pair": "GE-3"}


def rule_set(options: dict[str, Any], seats: int) -> RuleSet:
    """GE-1 … GE-3 as data, the rest as in 5000 Rummy."""
    del seats
    jokers = 2 if options["permanent_wilds"] == "jokers" else 0
    return RuleSet(
        variant="george", family="table_melds", wins="highest", options=options,
        decks=2, missing_ranks="2", jokers_per_deck=jokers,  # GE-1
        upcard_hands=(options["ace_hand"], 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13),  # GE-2
        permanent_wild_hand=options["permanent_wild_cards"], permanent_wilds=options["permanent_wilds"],
        opens_pile=True, wild_by="upcard_rank",
        target=options["target"], crossing=options["crossing"],
        runs=False, set_limit=0, max_wilds=1, splits=True,  # GE-1
        calls=True, last_card="float",
        pile="matching_pair", may_return_taken=False,  # GE-3
        reshuffles="never",
        values=VALUES, wild_value=100, wild_ace_value=200, deadwood=options["deadwood"],
        clock=None if options["clock"] is None else Clock(**options["clock"]),
        rummy_window=options["rummy_window"],
    )  # fmt: skip


VARIANT = Variant(
    slug="george", name="George", family="table_melds", wins="highest", seats=SEATS,
    rules=RULES, options=OPTIONS, rule_set=rule_set, numbers=NUMBERS, first="first_dealer", score=score,
)  # fmt: skip
