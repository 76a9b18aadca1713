"""A view, less names, presence, ``may`` and ``arrangement``, can be rebuilt from a viewer's events alone."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

import pytest

from domain import commands as cmd
from domain.commands import Actor
from domain.decide import NewGame, NewSeat, create, execute
from domain.evolve import NEW, evolve
from domain.state import Match
from domain.views import redact
from tests.rules.client import Client
from tests.rules.tables import AT, SERVER, VARIANT_SLUGS, plain, random_game, random_match, see

#: What no event tells, or what is told beside the events.
LEFT_OUT = ("game_id", "may", "arrangement")


def shown(state: Match, viewer: int | None) -> dict[str, Any]:
    view = {k: v for k, v in see(state, viewer).items() if k not in LEFT_OUT}
    view["seats"] = [{k: v for k, v in s.items() if k != "name"} for s in view["seats"]]
    return view


def follow(log: list[Any], clients: list[Client], state: Match, rng: Random, share: float) -> Match:
    """Every client hears every event; some of the views in between are compared, turns of deals always."""
    for event in log:
        state = evolve(state, event)
        tag = type(event).__struct_config__.tag
        compare = rng.random() < share or tag in (
            "deal_started", "deal_ended", "match_ended", "hand_declared", "stock_rebuilt", "rummy_called",
            "turn_timed_out", "game_paused", "game_resumed", "seat_left", "game_cancelled",
        )  # fmt: skip
        for client in clients:
            client.hear(copy.deepcopy(plain(redact(event, client.you))))
            if compare:
                assert client.view == shown(state, client.you), tag
    return state


@pytest.mark.parametrize("variant", VARIANT_SLUGS)
def test_k_9_a_view_can_be_rebuilt_from_its_viewers_events(variant: str) -> None:
    for number in range(6):
        rng = Random(f"rebuild {variant} {number}")
        game = random_game(variant, rng)
        clients = [Client(you) for you in (None, *range(len(game.seats)))]
        state = NEW
        for step in random_match(game, rng, 120):
            state = follow(step.events, clients, state, rng, 0.1)
        for client in clients:
            assert client.view == shown(state, client.you)


def test_k_9_a_table_that_fills_and_is_left_can_be_rebuilt_too() -> None:
    game = NewGame(
        "wild-rummy", "5" * 64, start="manual",
        seats=(NewSeat("human"), NewSeat("open"), NewSeat("open"), NewSeat("bot", "easy")),
    )  # fmt: skip
    clients = [Client(None), Client(0), Client(1)]
    rng = Random(5)
    events, state = create(game, AT)
    follow(events, clients, NEW, rng, 1)
    for command, actor in (
        (cmd.TakeSeat(1, "x"), SERVER), (cmd.Resign(), Actor(1)), (cmd.TakeSeat(1, "y"), SERVER),
        (cmd.Start("hard"), Actor(host=True)), (cmd.Absent(1, "medium"), SERVER), (cmd.Return(1), SERVER),
        (cmd.Absent(1, "medium"), SERVER), (cmd.Cancel(), Actor(operator=True)),
    ):  # fmt: skip
        before = state
        events, state = execute(state, command, actor, AT)
        follow(events, clients, before, rng, 1)
    assert [s["kind"] for s in clients[0].view["seats"]] == ["human", "human", "bot", "bot"]
    assert clients[0].view["status"] == "cancelled"
