"""Wild Rummy: thirteen deals, a new wild rank each, melds on the table, swaps, the lowest total wins.

Rules WR-1 … WR-18.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.rules import Clock, Option, RuleSet, SeatRange, Variant, clock_option, seat_option
from domain.scoring import Ending, Score, hand_faces, lines_for
from domain.shapes import ScoreLine
from domain.state import Deal, Seat
from domain.variants.texts.wild_rummy import RULES

SEATS = SeatRange(2, 4, 2)

OPTIONS: tuple[Option, ...] = (
    seat_option("first_starter", "WR-5", "First starter", SEATS.max),
    clock_option(None, "TC-9"),
)

NUMBERS = {
    "command.not_in_variant": "WR-6",
    "draw.stock_empty": "WR-6", "draw.discard_empty": "WR-6",
    "draw.count_not_allowed": "WR-6", "draw.discard_unplayable": "WR-7", "turn.wrong_phase": "WR-6",
    "meld.too_short": "WR-9", "meld.too_long": "WR-9", "meld.repeated_suit": "WR-9",
    "meld.mixed_ranks": "WR-9", "meld.mixed_suits": "WR-10", "meld.not_consecutive": "WR-10",
    "meld.ace_wraps": "WR-10", "meld.ace_high": "WR-10", "meld.too_many_wilds": "K-4",
    "lay_off.does_not_fit": "WR-11", "lay_off.not_beside": "WR-11", "meld.not_found": "WR-11",
    "pending.must_play": "WR-8",
}  # fmt: skip


def rule_set(options: dict[str, Any], seats: int) -> RuleSet:
    """WR-1 … WR-17 as data."""
    del seats
    clock = options["clock"]
    return RuleSet(
        variant="wild-rummy", family="table_melds", wins="lowest", options=options,
        decks=1,                                      # WR-1
        hand_size=7, extra_card="starter", opening_phase="play",  # WR-4
        winner_passes_start=True,                     # WR-5
        wild_by="deal_number", deals=13,              # WR-2, WR-3
        set_limit=4, ace_high=False,                  # WR-9, WR-10
        swaps=True, fifth_card=True,                  # WR-13, WR-12
        last_card="discard",                          # WR-14
        pile="playable_top",                          # WR-7
        reshuffles="once",                            # WR-17
        values=(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10), wild_value=25,  # WR-15
        clock=None if clock is None else Clock(**clock),
    )  # fmt: skip


def score(rules: RuleSet, deal: Deal, seats: Sequence[Seat], ending: Ending) -> list[Score]:
    """WR-15: every card left in hand counts; WR-16: going out earns a bonus."""
    scores: list[Score] = []
    for i, seat in enumerate(seats):
        if i != ending.winner:
            scores.append(Score(lines_for(rules, deal.wild, hand_faces(deal, i), "WR-15", "points")))
            continue
        streak = seat.streak + 1
        scores.append(Score([ScoreLine("WR-16", "bonus", [], -12 if streak % 3 == 0 else -2)]))
    return scores


VARIANT = Variant(
    slug="wild-rummy", name="Wild Rummy", family="table_melds", wins="lowest", seats=SEATS,
    rules=RULES, options=OPTIONS, rule_set=rule_set, numbers=NUMBERS, first="first_starter", score=score,
)  # fmt: skip
