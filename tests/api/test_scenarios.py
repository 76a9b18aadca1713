"""Every conformance scenario over HTTP: all of them on SQLite, a slice on PostgreSQL."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.scenario_files import hidden_cards, mismatch, same_command, scenarios

from .harness import Client, Game, code, running, sqlite_url

ALL = scenarios()
#: One of each file's scenarios, the first.
SLICE = [(name, scenario) for name, scenario in ALL if name.endswith("/0")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Client]:
    folder: Path = tmp_path_factory.mktemp("scenarios")
    async with running(sqlite_url(folder)) as client:
        yield client


async def check(game: Game, step: dict[str, Any]) -> None:
    seat: int | None = step["seat"]
    if "send" in step:
        await send(game, seat, step)
    if "view" in step or "hides" in step:
        view = await game.view(seat)
        assert (found := mismatch(step.get("view", {}), view)) is None, found
        text = hidden_cards(view)
        assert not [card for card in step.get("hides", ()) if f'"{card}"' in text]
    if "actions" in step and seat is not None:
        listed = await game.actions(seat)
        for wanted in step["actions"].get("has", []):
            assert any(same_command(wanted, got) for got in listed), (wanted, listed)
        for wanted in step["actions"].get("lacks", []):
            assert not any(same_command(wanted, got) for got in listed), (wanted, listed)


async def send(game: Game, seat: int | None, step: dict[str, Any]) -> None:
    before = (await game.view(seat))["version"]
    answer = await game.send(seat, step["send"])
    if "error" not in step:
        assert answer.status_code == 200, answer.text
        if "events" in step:
            assert [event["type"] for event in answer.json()["events"]] == step["events"]
        return
    assert code(answer) == step["error"], answer.text
    assert (await game.view(seat))["version"] == before
    if "choices" in step:
        offered = answer.json()["choices"]
        assert len(offered) == len(step["choices"])
        for wanted in step["choices"]:
            assert any(same_command(wanted, got) for got in offered), (wanted, offered)


async def arrange(client: Client, scenario: dict[str, Any], step: dict[str, Any]) -> None:
    body = {"variant": scenario["variant"], "options": scenario.get("options", {}), **step["arrange"]}
    answer = await client.call("POST", "/v1/arrangements", json=body)
    if "error" in step:
        assert code(answer) == step["error"]
        return
    assert answer.status_code == 200, answer.text
    assert (found := mismatch(step["view"], answer.json())) is None, found


async def play(client: Client, scenario: dict[str, Any]) -> None:
    made: Any = None
    if "seats" in scenario:
        made = await client.create(
            variant=scenario["variant"], options=scenario.get("options", {}),
            seats=[{"kind": "human"}] * scenario["seats"], sandbox=scenario.get("sandbox") or None,
            **({"host_seat": 0} if scenario["seats"] else {}),
        )  # fmt: skip
        if "refused" in scenario:
            assert code(made) == scenario["refused"], made.text
            return
        assert made.status_code == 201, made.text
    for step in scenario["steps"]:
        if "arrange" in step:
            await arrange(client, scenario, step)
        else:
            await check(Game(client, made.json()), step)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("scenario", [pytest.param(s, id=name) for name, s in ALL])
async def test_scenario_on_sqlite(shared: Client, scenario: dict[str, Any]) -> None:
    await play(shared, scenario)


@pytest.mark.asyncio
async def test_a_scenario_of_every_file_on_postgresql(postgres: Client) -> None:
    assert len(SLICE) > 30
    for _, scenario in SLICE:
        await play(postgres, scenario)
