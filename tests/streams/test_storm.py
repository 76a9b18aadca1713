"""A storm of reconnects: whoever comes back with its last id misses nothing and sees nothing twice."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from domain.variants import VARIANTS
from tests.api.harness import OPERATOR_KEY, Game, bearer, sqlite_url

from .harness import HUMANS, Play, Site, served, until

Events = dict[int, bytes]
CARD = re.compile(r"\b(?:[A23456789TJQK][CDHS]|JK)\b")


@pytest_asyncio.fixture
async def sites(setup: tuple[str, list[dict[str, Any]]]) -> AsyncIterator[list[Site]]:
    """One server on SQLite, or two that share a PostgreSQL and hear of each other over it or over Redis."""
    url, servers = setup
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(served(url, **settings)) for settings in servers]


@pytest.fixture(params=["sqlite", "postgres", "redis"])
def setup(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, list[dict[str, Any]]]:
    if request.param == "sqlite":
        return sqlite_url(tmp_path), [{}]
    url = request.getfixturevalue("postgres_url")
    notifier = "postgres" if request.param == "postgres" else request.getfixturevalue("redis_url")
    return url, [{"notifier": notifier}] * 2


async def follow(sites: list[Site], game: Game, who: int | None, seed: int) -> Events:
    """Read a stream to its end, leaving after a few messages and coming back at any server, again and again."""
    chance = random.Random(seed)
    got: Events = {}
    last = 0
    while True:
        async with chance.choice(sites).stream(game, who, last=last) as stream:
            if stream.answer.status_code == 204:
                return got
            assert stream.answer.status_code == 200
            left = chance.randrange(12)
            while left and (message := await stream.next()) is not None:
                if message.event is None:
                    assert message.id == last + 1
                    last = message.id
                    got[last] = message.data
                left -= 1


async def follow_by_socket(sites: list[Site], game: Game, who: int, seed: int) -> Events:
    """The same over sockets, some of which are let go without a word."""
    chance = random.Random(seed)
    got: Events = {}
    last = 0
    while True:
        async with chance.choice(sites).socket(game, who, f"?after={last}") as socket:
            left = chance.randrange(12)
            async for frame in socket.link:
                read = json.loads(frame)
                if read["type"] == "event":
                    assert read["event"]["seq"] == last + 1
                    last += 1
                    got[last] = str(frame).removeprefix('{"type":"event","event":').removesuffix("}").encode()
                left -= 1
                if left <= 0:
                    break
            else:
                return got
            if chance.random() < 0.5:
                socket.link.transport.abort()


async def storm(sites: list[Site], variant: str, commands: int, readers: int) -> None:
    seats = min(len(HUMANS), VARIANTS[variant].seats.max)
    game = await sites[0].game(variant=variant, seats=HUMANS[:seats], sandbox={"seed": "9" * 64})
    whos: list[int | None] = [*range(seats), None]
    async with asyncio.TaskGroup() as group:
        tasks: list[tuple[int | None, asyncio.Task[Events]]] = []
        for n in range(readers):
            for i, who in enumerate(whos):
                tasks.append((who, group.create_task(follow(sites, game, who, 100 * n + i))))
                if who is not None:
                    tasks.append((who, group.create_task(follow_by_socket(sites, game, who, 200 * n + i))))
        play = Play(game, seats, seed=1)
        for n in range(commands):
            if not await play.step(sites[n % len(sites)]):
                break
        stopped = await game.send(OPERATOR_KEY, {"type": "cancel"})
        assert stopped.status_code in (200, 409)
    log = await game.get("/log", headers=bearer(OPERATOR_KEY))
    whole = [json.loads(line) for line in log.text.splitlines()[1:]]
    for who, task in tasks:
        got = task.result()
        assert list(got) == list(range(1, len(whole) + 1))
        assert b"[%b]" % b",".join(got.values()) == await listed(game, who)
        for event in whole:
            hides(event, got[event["seq"]], who)
    for site in sites:
        for seat in range(seats):
            await until(lambda site=site, seat=seat: not site.presence.connected(game.id, seat))


async def listed(game: Game, who: int | None) -> bytes:
    """All events, as they were sent."""
    parts: list[bytes] = []
    after, more = 0, True
    while more:
        page = await game.get("/events", who, params={"after": after, "limit": 500})
        after, more = page.json()["next"], page.json()["more"]
        parts.append(page.content.removeprefix(b'{"items":[').partition(b'],"next":')[0])
    return b"[%b]" % b",".join(parts)


def hides(event: dict[str, Any], sent: bytes, who: int | None) -> None:
    """No card that the reader may not see stands in what it was sent."""
    shown = json.loads(sent)
    if event["type"] == "deal_started":
        own = [] if who is None else shown["hands"][who]
        public = [shown["deal"], shown["discard"], shown["upcards"], shown["melds"], shown["turn"], own]
        text = sent.decode()
        for part in public:
            text = text.replace(json.dumps(part, separators=(",", ":")), "", 1)
        assert not CARD.search(text), text
    elif event["type"] == "card_drawn" and event["source"] == "stock":
        if event["seat"] == who:
            assert shown["cards"] == event["cards"]
        else:
            assert shown["cards"] is None
            assert not CARD.search(json.dumps(shown | {"turn": None})), sent
    elif event["type"] == "stock_rebuilt":
        assert not CARD.search(json.dumps(shown | {"discard": None}))
    assert not shown.get("deck")
    assert not shown.get("setup")
    assert (shown.get("seed") is not None) == (event["type"] == "seed_revealed")


@pytest.mark.asyncio
@pytest.mark.parametrize("variant", ["rummy-5000"])
async def test_readers_who_come_and_go_miss_nothing(sites: list[Site], variant: str) -> None:
    await storm(sites, variant, commands=60, readers=1)


@pytest.mark.soak
@pytest.mark.asyncio
@pytest.mark.parametrize("variant", ["rummy-5000", "thirteen-card-rummy", "two-player-rummy"])
async def test_a_long_storm(sites: list[Site], variant: str) -> None:
    await storm(sites, variant, commands=1500, readers=4)
