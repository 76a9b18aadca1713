"""5000 Rummy: uneven hands by upcard, several cards off the pile, calling rummy, floating.

Rules FK-1 … FK-24.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    nullable_integer,
    seat_option,
)  # fmt: skip
from domain.scoring import Ending, Score, hand_faces, lines_for, played_by
from domain.shapes import ScoreLine
from domain.state import Deal, Seat
from domain.variants.texts.rummy_5000 import RULES

TARGET = "The running total that ends the match once a hand is over."
CROSSING = Option(
    "crossing", "FK-18", "Crossing together",
    "Who wins when several seats reach the target in one hand: the highest total, or the seat that went out.",
    choice("highest", "out_first"), "highest",
)  # fmt: skip
WILD_CARDS = Option(
    "permanent_wild_cards", "FK-19", "Cards for a permanent wild",
    "How many cards beside the upcard a seat gets whose upcard is a permanent wild.", choice(15, 20), 15,
)  # fmt: skip
DEADWOOD = Option(
    "deadwood", "FK-22", "Cards left in hand",
    "They count for the seat that went out, or against their holder.", choice("to_winner", "subtract"),
    "to_winner",
)  # fmt: skip
WINDOW = Option(
    "rummy_window", "FK-12", "Time to call rummy",
    "Seconds that the next draw waits when some seat could call the discard.", integer(0, 30), 0,
)  # fmt: skip

SEATS = SeatRange(3, 8, 3)

OPTIONS: tuple[Option, ...] = (
    seat_option("first_dealer", "FK-2", "First dealer", SEATS.max),
    Option("target", "FK-17", "Target", TARGET, integer(100, 100000), 5000),
    CROSSING,
    Option("permanent_wilds", "FK-19", "Permanent wilds",
           "Cards that are always wild beside the dealt rank.", choice("none", "twos", "jokers"), "none"),
    WILD_CARDS,
    Option("upcard_counts", "FK-20", "What the upcard counts",
           "The cards beside the upcard, or the whole hand.", choice("extra", "total"), "extra"),
    DEADWOOD,
    Option("max_wilds_per_meld", "FK-23", "Wilds in one meld",
           "The most wilds that one meld may hold; null for no limit.", nullable_integer(1, 8), None),
    WINDOW,
    clock_option(None, "TC-9"),
)  # fmt: skip

NUMBERS = {
    "draw.stock_empty": "FK-15", "draw.discard_empty": "FK-6", "draw.count_not_allowed": "FK-6",
    "turn.wrong_phase": "FK-6",
    "meld.too_short": "FK-8", "meld.too_long": "FK-8", "meld.repeated_suit": "FK-8",
    "meld.mixed_ranks": "FK-8", "meld.mixed_suits": "FK-8", "meld.not_consecutive": "FK-8",
    "meld.ace_wraps": "FK-8", "meld.too_many_wilds": "FK-23", "lay_off.does_not_fit": "FK-7",
    "meld.not_found": "FK-7", "pending.must_play": "FK-6", "discard.just_taken": "FK-11",
}  # fmt: skip

#: Cards in hand by the rank of the upcard, itself included: A 2 3 … 9 10 J Q K (FK-3, FK-20).
EXTRA = (12, 3, 4, 5, 6, 7, 8, 9, 10, 11, 11, 11, 11)
TOTAL = (11, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)


def rule_set(options: dict[str, Any], seats: int) -> RuleSet:
    """FK-1 … FK-23 as data."""
    jokers = 2 if options["permanent_wilds"] == "jokers" else 0
    return RuleSet(
        variant="rummy-5000", family="table_melds", wins="highest", options=options,
        decks=1 if seats <= 4 else 2, jokers_per_deck=jokers,  # FK-1, FK-19
        upcard_hands=EXTRA if options["upcard_counts"] == "extra" else TOTAL,  # FK-3, FK-20
        permanent_wild_hand=options["permanent_wild_cards"], permanent_wilds=options["permanent_wilds"],
        opens_pile=True,                              # FK-5
        wild_by="upcard_rank",                        # FK-4
        target=options["target"], crossing=options["crossing"],  # FK-17, FK-18
        set_limit=0, ace_high=True,                   # FK-8
        max_wilds=options["max_wilds_per_meld"], splits=options["max_wilds_per_meld"] is not None,  # FK-23
        beside=True, calls=True,                      # FK-10, FK-12
        last_card="float",                            # FK-13, FK-14
        pile="deepest", may_return_taken=False,       # FK-6, FK-11
        reshuffles="never",                           # FK-15
        values=VALUES, wild_value=100, wild_ace_value=200, deadwood=options["deadwood"],  # FK-16, FK-22
        clock=None if options["clock"] is None else Clock(**options["clock"]),
        rummy_window=options["rummy_window"],
    )  # fmt: skip


#: Values of A 2 … K where they are not wild (FK-16).
VALUES = (100, 5, 5, 5, 5, 5, 5, 5, 5, 10, 10, 10, 10)


def score(rules: RuleSet, deal: Deal, seats: Sequence[Seat], ending: Ending) -> list[Score]:
    """FK-16: cards played to the table; FK-22: the hands to the seat that went out, or subtracted."""
    scores: list[Score] = []
    for i in range(len(seats)):
        lines = lines_for(rules, deal.wild, played_by(deal, i), "FK-16", "points")
        if rules.deadwood == "subtract":
            lines += lines_for(rules, deal.wild, hand_faces(deal, i), "FK-22", "bonus", -1)
        elif i == ending.winner:
            lines += _collected(rules, deal, i)
        scores.append(Score(lines))
    return scores


def _collected(rules: RuleSet, deal: Deal, winner: int) -> list[ScoreLine]:
    others = [i for i in range(len(deal.hands)) if i != winner]
    return [x for i in others for x in lines_for(rules, deal.wild, hand_faces(deal, i), "FK-16", "bonus")]


VARIANT = Variant(
    slug="rummy-5000", name="5000 Rummy", family="table_melds", wins="highest", seats=SEATS,
    rules=RULES, options=OPTIONS, rule_set=rule_set, numbers=NUMBERS, first="first_dealer", score=score,
)  # fmt: skip
