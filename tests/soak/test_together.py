# ruff: noqa: ASYNC110, E501
"""Two servers on one PostgreSQL: bots, clocks, a storm of readers, and one of the two killed in the middle."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections import Counter
from pathlib import Path

import httpx
import pytest

from tests.api.harness import OPERATOR_KEY, Client, Game, running
from tests.live.test_wakeups import JumpingClock

from .harness import BOTS, HUMAN, SOON, Player, Process, amounts, check_commits, client_of, once, stored, verified


class Reader:
    """Follows a game at whatever server answers, and goes away without a word again and again."""

    def __init__(self, clients: list[Client], game: Game, chance: random.Random) -> None:
        self.clients = clients
        self.game = game
        self.chance = chance
        self.got: list[int] = []
        self.comings = 0

    async def run(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            with contextlib.suppress(httpx.TransportError):
                if await self.read(self.chance.choice(self.clients)):
                    return
            await asyncio.sleep(0.02)

    async def read(self, client: Client) -> bool:
        """Whether the game is over."""
        last = self.got[-1] if self.got else 0
        headers = {"Last-Event-ID": str(last)}
        left = self.chance.randrange(1, 15)
        async with client.http.stream("GET", f"{self.game.path}/stream", headers=headers) as answer:
            if answer.status_code == 204:
                return True
            assert answer.status_code == 200, answer.status_code
            self.comings += 1
            rest = b""
            async for chunk in answer.aiter_bytes():
                *blocks, rest = (rest + chunk).split(b"\n\n")
                for block in blocks:
                    if block.startswith(b"id: "):
                        number = int(block.split(b"\n", 1)[0][4:])
                        assert number == (self.got[-1] if self.got else 0) + 1
                        self.got.append(number)
                        left -= 1
                if left <= 0:
                    break
        return False


@amounts(None, 4)
@pytest.mark.asyncio
async def test_one_of_two_servers_is_killed_and_the_other_takes_over(
    postgres_url: str, tmp_path: Path, amount: int
) -> None:
    chance = random.Random(amount)
    servers = [Process(tmp_path, postgres_url, RUMMY_BOT_DELAY="0.1") for _ in range(2)]
    stop = asyncio.Event()
    try:
        addresses = await asyncio.gather(*(server.start() for server in servers))
        async with client_of(addresses[0]) as one, client_of(addresses[1]) as two:
            clients = [one, two]
            bots = [await clients[n % 2].game(variant="two-player-rummy", seats=BOTS[:2]) for n in range(2 + 2 * amount)]
            timed = [await one.game(variant="single-deck-rummy", seats=[HUMAN, HUMAN], options={"clock": {"turn": 5}})]
            players = [Player(await one.game(seats=[HUMAN, HUMAN]), chance)]
            readers = [Reader(clients, game, chance) for game in (*bots, *timed) for _ in range(1 + amount)]
            reading = [asyncio.create_task(reader.run(stop)) for reader in readers]
            playing = [asyncio.create_task(hop(player, clients, stop)) for player in players]
            for _ in range(amount):
                for dead in (0, 1):
                    await asyncio.sleep(chance.uniform(0.5, 1.0))
                    servers[dead].kill()
                    # The other one goes on with every game, those of the dead one included.
                    await asyncio.gather(*(moved(clients[1 - dead], game, 4) for game in bots))
                    await servers[dead].start()
            await asyncio.gather(*(timed_out(clients[0], game) for game in timed))
            for game in (*bots, *timed):
                await at(one, game).send(OPERATOR_KEY, {"type": "cancel"})
            async with asyncio.timeout(SOON):
                await asyncio.gather(*reading)
            stop.set()
            await asyncio.gather(*playing)
            for reader in readers:
                events = await verified(at(two, reader.game))
                once(events)
                assert reader.got == list(range(1, len(events) + 1))
            assert sum(reader.comings for reader in readers) > 3 * len(readers)
            for player in players:
                while player.unsure is not None:
                    await player.step()
                check_commits(player, await stored(postgres_url, player.game.id))
                assert len(player.told) > 5
        assert [server.complaints() for server in servers] == ["", ""]
    finally:
        stop.set()
        for server in servers:
            server.kill()


def at(client: Client, game: Game) -> Game:
    return Game(client, game.created)


async def hop(player: Player, clients: list[Client], stop: asyncio.Event) -> None:
    """Play at both servers in turn."""
    created, number = player.game.created, 0
    while not stop.is_set():
        number += 1
        player.game = Game(clients[number % 2], created)
        with contextlib.suppress(httpx.TransportError):
            await player.step()
        await asyncio.sleep(0.02)


async def moved(client: Client, game: Game, events: int) -> None:
    """The game gets longer, or is over."""
    version = None
    async with asyncio.timeout(SOON):
        while True:
            view = await at(client, game).view()
            version = version or view["version"]
            if view["status"] == "finished" or view["version"] >= version + events:
                return
            await asyncio.sleep(0.1)


async def timed_out(client: Client, game: Game) -> None:
    async with asyncio.timeout(SOON):
        while True:
            page = (await at(client, game).get("/events?limit=500")).json()["items"]
            if any(event["type"] == "turn_timed_out" for event in page):
                return
            await asyncio.sleep(0.2)


@amounts(1, 30)
@pytest.mark.asyncio
async def test_every_clock_is_acted_on_once_by_two_servers(postgres_url: str, amount: int) -> None:
    clock = JumpingClock()
    pace = {"bot_delay": 3600.0, "poll": 0.05, "notifier": "postgres"}
    async with running(postgres_url, clock=clock, **pace) as one, running(postgres_url, clock=clock, **pace) as two:
        games = [
            await (one, two)[n % 2].game(
                variant="thirteen-card-rummy", seats=[HUMAN] * 4, options={"first_dealer": 1, "clock": {"turn": 20}}
            )
            for n in range(amount)
        ]
        # Twelve turns of four seats: after the third of its own each is found to be absent.
        for turn in range(1, 13):
            clock.ahead += 24
            async with asyncio.timeout(SOON):
                while any([await timeouts(game) < turn for game in games]):
                    await asyncio.sleep(0.02)
        for game in games:
            events = await verified(game)
            once(events)
            kinds = Counter(e["type"] for e in events)
            assert kinds["turn_timed_out"] == 12
            assert kinds["seat_left"] == len({e["seat"] for e in events if e["type"] == "seat_left"})


async def timeouts(game: Game) -> int:
    text = (await game.get("/log", OPERATOR_KEY)).text
    return sum(json.loads(line)["type"] == "turn_timed_out" for line in text.splitlines())


