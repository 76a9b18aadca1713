"""Two-player rummy: thirteen rounds, a new wild rank each, the highest total wins.

Rules TP-1 … TP-15.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.rules import (
    BOOLEAN,
    Clock,
    Option,
    RuleSet,
    SeatRange,
    Variant,
    clock_option,
    integer,
    seat_option,
)  # fmt: skip
from domain.scoring import Ending, Score, hand_faces, lines_for
from domain.state import Deal, Seat
from domain.variants.texts.two_player_rummy import RULES

SEATS = SeatRange(2, 2, 2)

OPTIONS: tuple[Option, ...] = (
    seat_option("first_dealer", "TP-2", "First dealer", SEATS.max),
    Option("rounds", "TP-4", "Rounds", "How many rounds make a match.", integer(1, 52), 13),
    Option("may_return_taken", "TP-14", "Return the card taken",
           "Whether the card just taken from the pile may be discarded in the same turn.", BOOLEAN, True),
    clock_option(None, "TC-9"),
)  # fmt: skip

NUMBERS = {
    "command.not_in_variant": "TP-3",
    "draw.stock_empty": "TP-3", "draw.discard_empty": "TP-3",
    "draw.count_not_allowed": "TP-3", "turn.wrong_phase": "TP-3",
    "meld.too_short": "TP-7", "meld.too_long": "TP-7", "meld.repeated_suit": "TP-7",
    "meld.mixed_ranks": "TP-7", "meld.mixed_suits": "TP-8", "meld.not_consecutive": "TP-8",
    "meld.ace_wraps": "TP-8", "meld.too_many_wilds": "TP-6", "lay_off.does_not_fit": "TP-9",
    "lay_off.not_beside": "TP-9", "meld.not_found": "TP-9", "discard.just_taken": "TP-14",
}  # fmt: skip


def rule_set(options: dict[str, Any], seats: int) -> RuleSet:
    """TP-1 … TP-15 as data."""
    del seats
    clock = options["clock"]
    return RuleSet(
        variant="two-player-rummy", family="table_melds", wins="highest", options=options,
        decks=1,                                      # TP-1
        hand_size=7, extra_card="dealer", starter="dealer", opening_phase="discard",  # TP-2
        wild_by="deal_number", deals=options["rounds"],  # TP-4
        wilds_at_most_naturals=True,                  # TP-6
        set_limit=4, ace_high=True,                   # TP-7, TP-8
        lay_off_needs_meld=True,                      # TP-9
        last_card="any",                              # TP-11
        pile="top", may_return_taken=options["may_return_taken"],  # TP-3, TP-14
        reshuffles="always",                          # TP-13
        values=(10, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10), wild_value=15,  # TP-11
        clock=None if clock is None else Clock(**clock),
    )  # fmt: skip


def score(rules: RuleSet, deal: Deal, seats: Sequence[Seat], ending: Ending) -> list[Score]:
    """TP-11: the winner scores the other's hand; a round that nobody won scores nothing (TP-13)."""
    scores = [Score([]) for _ in seats]
    if ending.winner is not None:
        other = hand_faces(deal, 1 - ending.winner)
        scores[ending.winner] = Score(lines_for(rules, deal.wild, other, "TP-11", "bonus"))
    return scores


VARIANT = Variant(
    slug="two-player-rummy", name="Two-player rummy", family="table_melds", wins="highest",
    seats=SEATS, rules=RULES, options=OPTIONS, rule_set=rule_set, numbers=NUMBERS,
    first="first_dealer", score=score,
)  # fmt: skip
