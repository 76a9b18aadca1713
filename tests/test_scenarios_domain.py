"""Every conformance scenario, straight on the domain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from domain import commands as cmd
from domain.actions import actions
from domain.arrangements import arrange_hand
from domain.commands import Actor, Rejected
from domain.decide import NewGame, NewSeat, create, execute
from domain.positions import Position
from domain.views import view
from tests.scenario_files import hidden_cards, mismatch, same_command, scenarios

AT = "2026-01-01T00:00:00.000Z"
SEED = "0" * 64


def start(scenario: dict[str, Any]) -> Any:
    sandbox = scenario.get("sandbox") or {}
    setup: dict[str, Any] | None = None
    if scenario.get("sandbox"):
        setup = dict(sandbox)
        if "position" in setup:
            setup["position"] = msgspec.to_builtins(msgspec.convert(setup["position"], Position))
    return create(
        NewGame(
            scenario["variant"], sandbox.get("seed", SEED), scenario.get("options", {}),
            tuple(NewSeat("human") for _ in range(scenario["seats"])), sandbox=setup,
        ),
        AT,
    ).state  # fmt: skip


def plain(x: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(x))


def see(state: Any, seat: int | None) -> dict[str, Any]:
    return plain(view(state, seat, "game", [None] * len(state.seats)))


def check_actions(state: Any, step: dict[str, Any]) -> None:
    listed = [plain(c) for c in actions(state, step["seat"])[0]]
    for wanted in step["actions"].get("has", []):
        assert any(same_command(wanted, c) for c in listed), (wanted, listed)
    for wanted in step["actions"].get("lacks", []):
        assert not any(same_command(wanted, c) for c in listed), (wanted, listed)
    types = set(see(state, step["seat"])["may"])
    assert types == {c["type"] for c in listed}


def answered(work: Callable[[], Any]) -> tuple[Any, Rejected | None]:
    """What came of it, or the refusal."""
    try:
        return work(), None
    except msgspec.ValidationError as fault:
        return None, Rejected("request.invalid", str(fault))
    except Rejected as refusal:
        return None, refusal


def arrange(scenario: dict[str, Any], step: dict[str, Any]) -> None:
    asked = step["arrange"]
    options = asked.get("options", scenario.get("options", {}))
    got, refusal = answered(
        lambda: arrange_hand(
            scenario["variant"], options, asked["hand"], asked.get("wild"), asked.get("groups")
        )
    )
    assert (refusal.code if refusal else None) == step.get("error")
    if refusal is None:
        assert (found := mismatch(step["view"], plain(got))) is None, found


def send(state: Any, step: dict[str, Any]) -> Any:
    """The state after a step's command, which must be answered as the step says."""
    actor = Actor(seat=step["seat"], host=step["seat"] == 0)
    decision, refusal = answered(
        lambda: execute(state, msgspec.convert(step["send"], cmd.Command), actor, AT)
    )
    assert (refusal.code if refusal else None) == step.get("error"), refusal
    if refusal is not None:
        if "choices" in step:
            offered = [plain(c) for c in refusal.choices or []]
            assert len(offered) == len(step["choices"])
            for wanted in step["choices"]:
                assert any(same_command(wanted, c) for c in offered), (wanted, offered)
        return state
    if "events" in step:
        assert [plain(e)["type"] for e in decision.events] == step["events"]
    return decision.state


@pytest.mark.parametrize("scenario", [pytest.param(s, id=i) for i, s in scenarios()])
def test_scenario(scenario: dict[str, Any]) -> None:
    if "refused" in scenario:
        with pytest.raises(Rejected) as refusal:
            start(scenario)
        assert refusal.value.code == scenario["refused"]
        return
    state: Any = None
    for step in scenario["steps"]:
        if "arrange" in step:
            arrange(scenario, step)
            continue
        state = start(scenario) if state is None else state
        if "send" in step:
            state = send(state, step)
        if "view" in step:
            assert (found := mismatch(step["view"], see(state, step["seat"]))) is None, found
        if "hides" in step:
            text = hidden_cards(see(state, step["seat"]))
            assert not [c for c in step["hides"] if f'"{c}"' in text]
        if "actions" in step:
            check_actions(state, step)
