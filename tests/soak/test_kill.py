"""The server process killed at any moment: what was acknowledged stands, once, and the server's own work goes on."""

from __future__ import annotations

import asyncio
import os
import random
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.api.harness import OPERATOR_KEY, Game

from .harness import BOTS, HUMAN, SOON, Player, Process, check_commits, client_of, once, stored, verified

TABLES: list[dict[str, Any]] = [
    {"variant": "wild-rummy", "seats": [HUMAN, HUMAN]},
    {"variant": "two-player-rummy", "seats": [HUMAN, HUMAN]},
    {"variant": "rummy-5000", "seats": [HUMAN, HUMAN, HUMAN]},
    {"variant": "george", "seats": [HUMAN, BOTS[0], BOTS[2]]},
    {"variant": "thirteen-card-rummy", "seats": [HUMAN, BOTS[1]], "options": {"clock": {"turn": 600}}},
    {"variant": "single-deck-rummy", "seats": [HUMAN, HUMAN], "options": {"clock": None}},
]
#: Nobody plays these: bots and clocks are on their own.
ALONE: dict[str, Any] = {"variant": "wild-rummy", "seats": BOTS[:3]}
#: Opened before the last kill: after three time-outs in a row bots would play for its seats.
CLOCKED: dict[str, Any] = {"variant": "single-deck-rummy", "seats": [HUMAN, HUMAN], "options": {"clock": {"turn": 5}}}


async def create_until_told(client: Any, body: dict[str, Any], key: str, stop: asyncio.Event) -> dict[str, Any] | None:
    while not stop.is_set():
        try:
            answer = await client.create(headers={"Idempotency-Key": key}, **body)
        except httpx.TransportError:
            await asyncio.sleep(0.02)
            continue
        assert answer.status_code == 201, answer.text
        return answer.json()
    return None


async def create_on_and_on(client: Any, name: str, stop: asyncio.Event, made: dict[str, Any]) -> None:
    """Tables for two to be found in the lobby, each asked for until the answer came."""
    number = 0
    while not stop.is_set():
        number += 1
        key = f"{name}-{number:04d}-of-the-burst-of-tables"
        created = await create_until_told(client, {"seats": [HUMAN, {"kind": "open"}]}, key, stop)
        if created is not None:
            made[key] = created
        await asyncio.sleep(0.05)


def children_of(pid: int) -> list[int]:
    """All processes below this one."""
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, path.read_text().split()):
            found += [child, *children_of(child)]
    return found


@pytest.mark.parametrize(("database_url", "amount"), [
    ("sqlite", 1), *(pytest.param(kind, 12, marks=pytest.mark.soak) for kind in ("sqlite", "postgres")),
], indirect=["database_url"])  # fmt: skip
@pytest.mark.asyncio
async def test_a_killed_server_has_what_it_acknowledged_once(database_url: str, tmp_path: Path, amount: int) -> None:
    chance = random.Random(amount)
    server = Process(tmp_path, database_url)
    try:
        async with client_of(await server.start()) as client:
            stop = asyncio.Event()
            players = [Player(await client.game(**table), chance) for table in (TABLES[2:4] if amount == 1 else TABLES)]
            bots, clock = await client.game(**ALONE), None
            made: dict[str, Any] = {}
            async with asyncio.TaskGroup() as group:
                for player in players:
                    group.create_task(player.play(stop))
                group.create_task(create_on_and_on(client, str(amount), stop, made))
                for kills in range(amount):
                    await asyncio.sleep(chance.uniform(0.1, 1.2))
                    if kills == amount - 1:
                        clock = await client.game(**CLOCKED)
                    below = children_of(server.pid)
                    server.kill()
                    await gone(below)
                    before = sum(len(player.told) for player in players)
                    await server.start()
                    await until(lambda before=before: sum(len(p.told) for p in players) > before + len(players))
                stop.set()
            await rest(players)
            assert sum(len(player.told) for player in players) > 5 * amount
            await check_lobby(client, made)
            for player in players:
                await verified(player.game)
            # Bots and clocks go on, and each was acted on once.
            assert clock is not None
            await asyncio.gather(moved(bots, 3), timed_out(clock))
            once(await verified(clock))
            await verified(bots)
        server.kill()
        assert server.complaints() == ""
        for player in players:
            check_commits(player, await stored(database_url, player.game.id))
    finally:
        server.kill()


async def rest(players: list[Player]) -> None:
    """Every command that got no answer is sent once more."""
    for player in players:
        if player.unsure is not None:
            await player.step()
            assert player.unsure is None


async def until(true: Any) -> None:
    async with asyncio.timeout(SOON):
        while not true():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def gone(pids: list[int]) -> None:
    """The processes in which bots think do not outlive their server."""
    await until(lambda: not any(Path(f"/proc/{pid}/exe").exists() and os.getpgid(pid) for pid in pids))


async def check_lobby(client: Any, made: dict[str, Any]) -> None:
    """Each key of a creation has opened one table, and its answer comes again."""
    listed = (await client.call("GET", "/v1/games?status=waiting&limit=500", OPERATOR_KEY)).json()["items"]
    assert sorted(g["game_id"] for g in listed) == sorted(c["game"]["game_id"] for c in made.values())
    for key, created in made.items():
        again = await client.create(headers={"Idempotency-Key": key}, seats=[HUMAN, {"kind": "open"}])
        assert again.headers["idempotency-replayed"] == "true"
        assert (again.json()["tokens"], again.json()["host_token"]) == (created["tokens"], created["host_token"])


async def moved(game: Game, times: int) -> None:
    version = (await game.view())["version"]
    async with asyncio.timeout(SOON):
        while times:
            page = (await game.get(f"/events?after={version}&wait=5")).json()
            times = max(0, times - len(page["items"]))
            version = page["next"]


async def timed_out(game: Game) -> None:
    """A clock runs out after the last start."""
    async with asyncio.timeout(SOON):
        version = (await game.view())["version"]
        while True:
            page = (await game.get(f"/events?after={version}&wait=5")).json()
            if any(e["type"] == "turn_timed_out" for e in page["items"]):
                return
            version = page["next"]
