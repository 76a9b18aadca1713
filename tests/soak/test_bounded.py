# ruff: noqa: ASYNC110
"""Thousands of games opened, joined, played and followed: what the server holds in memory stays bounded."""

from __future__ import annotations

import asyncio
import contextlib
import random
from pathlib import Path
from typing import Any

import pytest

from api.wakeups import Wakeups
from tests.api.harness import Game, bearer, sqlite_url
from tests.streams.harness import Site, served

from .harness import BOTS, HUMAN, amounts

CACHE = 25


def wakeups_of(site: Site) -> Wakeups:
    found: Any = site.server.parts.service.wakeup_for
    return found.__self__


async def one(site: Site, chance: random.Random, number: int) -> None:
    """A table from its opening to its end, or left standing."""
    variant = ("wild-rummy", "two-player-rummy", "rummy-5000", "single-deck-rummy")[number % 4]
    third = BOTS[:1] if variant == "rummy-5000" else []
    seats = [HUMAN, {"kind": "open"} if number % 3 else HUMAN, *third]
    clock = {"turn": 300} if number % 2 else None
    private = number % 5 == 0
    answer = await site.client.create(
        variant=variant, seats=seats, options={"clock": clock}, visibility="private" if private else "public"
    )
    assert answer.status_code == 201, answer.text
    game = Game(site.client, answer.json())
    if number % 3:
        code = answer.json()["room_code"]
        sat = await game.post("/seats", json={"room_code": code} if private else {})
        game.tokens[1] = sat.json()["token"]
    follow = chance.choice((stream, stream, socket, poll))
    async with asyncio.TaskGroup() as group:
        group.create_task(follow(site, game, chance.randrange(2)))
        for _ in range(chance.randrange(1, 5)):
            for seat in (0, 1):
                if listed := await game.actions(seat):
                    assert (await game.send(seat, chance.choice(listed))).status_code in (200, 409)
                    break
    await game.get("/view?at=2", 0)
    if number % 4 == 0:
        assert (await game.send(0, {"type": "resign"})).status_code in (200, 409)
        await game.post("/rematch", 1)


async def stream(site: Site, game: Game, seat: int) -> None:
    async with site.stream(game, seat, last=0) as messages:
        await messages.next()


async def socket(site: Site, game: Game, seat: int) -> None:
    async with site.socket(game, seat, "?after=0") as messages:
        await messages.frame()
        messages.link.transport.abort()


async def poll(site: Site, game: Game, seat: int) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(0.05):
            version = (await game.view(seat))["version"]
            await site.http.get(f"{game.path}/events?after={version}&wait=1", headers=bearer(game.tokens[seat]))


@amounts(60, 2_000)
@pytest.mark.asyncio
async def test_memory_does_not_grow_with_the_number_of_games(tmp_path: Path, amount: int) -> None:
    chance = random.Random(amount)
    async with served(sqlite_url(tmp_path), cache=CACHE, bot_delay=0.01, call_pause=0.0) as site:
        service, wakeups = site.server.parts.service, wakeups_of(site)
        await one(site, chance, 0)
        for start in range(0, amount, 10):
            await asyncio.gather(*(one(site, chance, start + n) for n in range(10)))
            # Games in use stay, whatever the size of the cache.
            assert len(service._tables) <= CACHE + 20
        notifier: Any = service.notifier
        presence: Any = service.presence
        async with asyncio.timeout(30):
            while notifier._readers or presence._open or presence._watches or service._tasks:
                await asyncio.sleep(0.02)
        assert not service._loading
        assert not presence._elsewhere
        # Only games with a clock or a bot are kept; what is void is thrown away.
        assert len(wakeups._kept) <= amount + amount // 4 + 2
        assert len(wakeups._heap) <= 2 * len(wakeups._kept) + 1_000
        assert len(wakeups._tasks) <= len(wakeups._kept)
        assert len(wakeups._thinkers._deals) <= len(wakeups._kept) + 1
        assert all(len(table.past) <= 3 and len(table.cache) < 50 for table in service._tables.values())
        site_tasks = [task for task in asyncio.all_tasks() if "follow" in repr(task.get_coro())]
        assert len(site_tasks) < 20


@amounts(400, 8_000)
@pytest.mark.asyncio
async def test_a_fast_game_with_a_long_clock_leaves_no_timers_behind(tmp_path: Path, amount: int) -> None:
    chance = random.Random(amount)
    async with served(sqlite_url(tmp_path)) as site:
        service, wakeups = site.server.parts.service, wakeups_of(site)
        game = await site.game(variant="wild-rummy", seats=[HUMAN] * 4, options={"clock": {"turn": 500}})
        from api.random_play import legal
        from domain.commands import Actor

        for _ in range(amount):
            table = await service.table(game.id)
            if table.state.status != "playing":
                game = await site.game(variant="wild-rummy", seats=[HUMAN] * 4, options={"clock": {"turn": 500}})
                continue
            seat, command = chance.choice(legal(table.state))
            await service.submit(game.id, command, Actor(seat=seat))
        assert len(wakeups._heap) <= 2 * len(wakeups._kept) + 100
