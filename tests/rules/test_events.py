"""Events: their members by the contract, what is hidden from whom, and how commits hang together."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

import pytest

from domain import commands as cmd
from domain.views import redact
from tests.rules.tables import (
    OPERATOR,
    SERVER,
    VARIANT_SLUGS,
    do,
    plain,
    position,
    random_game,
    random_match,
    types,
)  # fmt: skip

MELD = ("seat", "meld", "after", "turn")
#: The members of every event by the contract (others may be added), and which are hidden.
EVENTS: dict[str, tuple[str, ...]] = {
    "game_created": (
        "variant", "rules_version", "rules", "seats", "visibility", "spectators", "commitment", "sandbox",
    ),
    "seat_taken": ("seat", "entropy"),
    "seat_left": ("seat", "reason", "bot"),
    "seat_returned": ("seat",),
    "game_started": ("seats", "client", "first"),
    "deal_started": (
        "deal", "counts", "hands", "upcards", "melds", "discard", "stock", "scores", "streaks", "turn",
        "draw",
    ),
    "card_drawn": ("seat", "source", "count", "cards", "turn"),
    "meld_laid": (*MELD, "cards"),
    "cards_laid_off": (*MELD, "cards", "position"),
    "wild_swapped": (*MELD, "card", "wild"),
    "meld_split": (*MELD, "split_at", "new"),
    "card_discarded": ("seat", "card", "turn"),
    "rummy_called": (*MELD, "card", "position"),
    "call_window_closed": ("turn",),
    "hand_declared": ("seat", "groups", "discard", "valid", "errors"),
    "turn_passed": ("seat", "turn"),
    "turn_timed_out": ("seat", "phase"),
    "stock_rebuilt": ("stock", "discard", "draw"),
    "deal_ended": ("result",),
    "match_ended": ("result",),
    "seed_revealed": ("seed",),
    "game_paused": ("by", "turn"),
    "game_resumed": ("by", "turn"),
    "game_cancelled": ("reason",),
}  # fmt: skip
TURN = {"seat", "phase", "taken", "pending", "floating", "discarder", "window", "deadline", "remaining"}
#: Hidden from everybody until the log.
SECRETS = {
    "game_created": ("seed", "setup"),
    "deal_started": ("deck",),
    "stock_rebuilt": ("cards",),
    "deal_ended": ("stock",),
}


def check_event(event: Any, following: Any, seats: int) -> str:
    whole = plain(event)
    kind = whole["type"]
    assert {"seq", "commit", "at", "type", *EVENTS[kind]} <= set(whole)
    turn = whole.get("turn")
    if "turn" in EVENTS[kind]:
        ended = following is not None and plain(following)["type"] == "deal_ended"
        assert (turn is None) == (ended and following.commit == event.commit), kind
        assert turn is None or set(turn) == TURN
    for viewer in (None, *range(seats)):
        told = plain(redact(event, viewer))
        changed = {k for k in whole if told[k] != whole[k]}
        for member in SECRETS.get(kind, ()):
            assert told[member] is None
        changed -= set(SECRETS.get(kind, ()))
        if kind == "deal_started":
            assert told["hands"] == [h if i == viewer else None for i, h in enumerate(whole["hands"])]
        elif kind == "card_drawn" and whole["source"] == "stock" and whole["seat"] != viewer:
            assert told["cards"] is None
        else:
            assert not changed, (kind, changed)
    return kind


def check_events(log: list[Any], seats: int) -> set[str]:
    """The types met; ``turn`` is null in the last event of a turn that ends its deal, and only there."""
    return {check_event(e, following, seats) for e, following in zip(log, [*log[1:], None], strict=True)}


def rare_events() -> list[Any]:
    """A match of every event that random play hardly meets."""
    meld = {"owner": 1, "cards": ["4D", "5D", "6C=6D", "7D", "8D", "9D"]}
    state = position(
        [["KS", "KD", "4H"], ["TS", "5C"], ["5H"]], {"phase": "play"}, "rummy-5000",
        {"max_wilds_per_meld": 2}, wild_indicator="6H", stock=[], discard=["JC"], melds=[meld],
    )  # fmt: skip
    log: list[Any] = []
    for command, actor in (
        (cmd.Absent(2, "medium"), SERVER), (cmd.Return(2), SERVER), (cmd.Split(1, 3), 0),
        (cmd.Discard("KS"), 0), (cmd.Pass(), 1), (cmd.Cancel(), OPERATOR),
    ):  # fmt: skip
        events, state = do(state, command, actor)
        log += events
    assert types(log) == [
        "seat_left", "seat_returned", "meld_split", "card_discarded", "turn_passed", "deal_ended",
        "deal_started", "game_cancelled", "seed_revealed",
    ]  # fmt: skip
    return log


def test_events_have_the_members_of_the_contract_and_hide_what_they_must() -> None:
    met: set[str] = set()
    for number in range(4):
        for variant in VARIANT_SLUGS:
            rng = Random(f"events {variant} {number}")
            game = random_game(variant, rng)
            log = [e for step in random_match(game, rng, 110) for e in step.events]
            met |= check_events(log, len(game.seats))
            for event, following in pairwise(log):
                kind = plain(event)["type"]
                if kind == "deal_ended":
                    assert plain(following)["type"] in ("deal_started", "match_ended")
                if kind == "match_ended":
                    assert plain(following)["type"] == "seed_revealed"
                if kind in ("deal_ended", "match_ended", "hand_declared", "turn_timed_out"):
                    assert following.commit == event.commit
    met |= check_events(rare_events(), 3)
    assert met == set(EVENTS)


@pytest.mark.parametrize("variant", VARIANT_SLUGS)
def test_k_9_hands_are_public_once_their_deal_has_ended_and_the_stock_is_not(variant: str) -> None:
    rng = Random(variant)
    steps = random_match(random_game(variant, rng), rng, 4000)
    ended = next(e for step in steps for e in step.events if plain(e)["type"] == "deal_ended")
    told = plain(redact(ended, None))
    assert told["stock"] is None
    assert all(isinstance(seat["hand"], list) for seat in told["result"]["seats"])
