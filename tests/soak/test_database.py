# ruff: noqa: ASYNC110, ASYNC220
"""PostgreSQL is stopped, its connections are cut, its replies are lost, all in the middle of play."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import subprocess
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import pytest

from tests.api.harness import OPERATOR_KEY, Client, Game, code, running
from tests.live.test_wakeups import JumpingClock
from tests.persistence.proxy import Proxy
from tests.postgres import _unprivileged, _wait_until_ready, die_with_parent, postgres_server

from .harness import BOTS, HUMAN, SOON, Player, amounts, check_commits, once, stored, verified

TABLES: list[dict[str, Any]] = [
    {"variant": "wild-rummy", "seats": [HUMAN, HUMAN]},
    {"variant": "rummy-5000", "seats": [HUMAN, HUMAN, BOTS[1]]},
    {"variant": "two-player-rummy", "seats": [HUMAN, BOTS[0]], "options": {"rounds": 52}},
    {"variant": "single-deck-rummy", "seats": [HUMAN, HUMAN]},
]
#: Seconds between two commands of a player: no match must end before the test does.
UNHURRIED = 0.05
PACE: dict[str, Any] = {"bot_delay": 0.02, "call_pause": 0.02, "poll": 0.1}


class Postgres:
    """A PostgreSQL of this test alone, to be stopped and started again."""

    def __init__(self, admin: str, data: Path) -> None:
        self.admin = admin
        self._data = data
        pid = int((data / "postmaster.pid").read_text().splitlines()[0])
        self._first: int | None = pid
        self._command = Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")
        self._process: subprocess.Popen[bytes] | None = None

    async def stop(self) -> None:
        """Immediately, as if it had crashed."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            await asyncio.to_thread(self._process.wait)
        elif self._first is not None:
            os.kill(self._first, signal.SIGQUIT)
            async with asyncio.timeout(SOON):
                while (self._data / "postmaster.pid").exists():
                    await asyncio.sleep(0.01)
        self._process = self._first = None

    async def start(self) -> None:
        log = self._data.parent / "log"
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                self._command, stdout=output, stderr=output, cwd=self._data.parent,
                preexec_fn=lambda: die_with_parent(signal.SIGQUIT), **_unprivileged(),
            )  # fmt: skip
        await asyncio.to_thread(_wait_until_ready, self._process, self._data, log)

    async def cut(self) -> None:
        """Every connection but this one."""
        connection = await asyncpg.connect(self.admin)
        await connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
        await connection.close()


@pytest.fixture
def own_postgres(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Postgres, str]]:
    """The server, and the URL of a database on it that loses nothing when it crashes."""
    monkeypatch.delenv("TEST_DATABASE_URL", raising=False)
    with postgres_server() as admin:
        name = f"rummy_{uuid.uuid4().hex}"

        async def prepare() -> str:
            connection = await asyncpg.connect(admin)
            await connection.execute(f"CREATE DATABASE {name}")
            await connection.execute(f"ALTER DATABASE {name} SET synchronous_commit = on")
            found: str = await connection.fetchval("SHOW data_directory")
            await connection.close()
            return found

        server = Postgres(admin, Path(asyncio.run(prepare())))
        try:
            yield server, urlsplit(admin)._replace(scheme="postgresql+asyncpg", path=f"/{name}").geturl()
        finally:
            asyncio.run(server.stop())


@contextlib.asynccontextmanager
async def playing(players: list[Player]) -> AsyncIterator[None]:
    """Play as long as the block lasts; then whatever got no answer is sent once more."""
    stop = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        for player in players:
            group.create_task(player.play(stop, UNHURRIED))
        yield
        stop.set()
    for player in players:
        while player.unsure is not None:
            await player.step()


async def on(players: list[Player], more: int) -> None:
    """Every player plays so many commands more."""
    goal = {id(player): len(player.told) + more for player in players}
    async with asyncio.timeout(SOON):
        while any(len(p.told) < goal[id(p)] for p in players):
            await asyncio.sleep(0.01)


async def follow(game: Game, got: list[int], stop: asyncio.Event) -> None:
    """Long polls through everything: nothing twice, nothing missed, and 503 as the only excuse."""
    while not stop.is_set():
        answer = await game.get(f"/events?after={got[-1]}&wait=1", OPERATOR_KEY)
        if answer.status_code == 503:
            assert code(answer) == "unavailable"
            await asyncio.sleep(0.02)
            continue
        assert answer.status_code == 200, answer.text
        got += [event["seq"] for event in answer.json()["items"]]


async def judged(url: str, players: list[Player], followed: dict[str, list[int]]) -> None:
    for player in players:
        check_commits(player, await stored(url, player.game.id))
        events = await verified(player.game)
        once(events)
        got = followed[player.game.id]
        assert got == list(range(len(got)))


@amounts(1, 12)
@pytest.mark.asyncio
async def test_postgresql_crashes_and_comes_back(own_postgres: tuple[Postgres, str], amount: int) -> None:
    postgres, url = own_postgres
    chance = random.Random(amount)
    async with running(url, notifier="postgres", **PACE) as client:
        players = [Player(await client.game(**table), chance) for table in TABLES]
        stop = asyncio.Event()
        followed = {p.game.id: [0] for p in players}
        followers = [asyncio.create_task(follow(p.game, followed[p.game.id], stop)) for p in players]
        async with playing(players):
            for _ in range(amount):
                await asyncio.sleep(chance.uniform(0.1, 0.5))
                await postgres.stop()
                await away(client, players)
                await postgres.start()
                await on(players, 3)
        stop.set()
        await asyncio.gather(*followers)
        assert sum(player.unavailable for player in players) > 0
        await judged(url, players, followed)
        assert (await client.game()).id


async def away(client: Client, players: list[Player]) -> None:
    for path in (f"/v1/games/{players[0].game.id}/view", "/v1/games", "/health/ready"):
        answer = await client.call("GET", path)
        assert (answer.status_code, code(answer)) == (503, "unavailable"), path
        assert int(answer.headers["retry-after"]) >= 1
    opened = await client.create()
    assert (opened.status_code, code(opened)) == (503, "unavailable")
    assert (await client.call("GET", "/health/live")).status_code == 200


@amounts(5, 150)
@pytest.mark.asyncio
async def test_every_connection_is_cut_again_and_again(own_postgres: tuple[Postgres, str], amount: int) -> None:
    postgres, url = own_postgres
    chance = random.Random(amount)
    async with running(url, notifier="postgres", **PACE) as client:
        players = [Player(await client.game(**table), chance) for table in TABLES]
        stop = asyncio.Event()
        followed = {p.game.id: [0] for p in players}
        followers = [asyncio.create_task(follow(p.game, followed[p.game.id], stop)) for p in players]
        async with playing(players):
            for _ in range(amount):
                await asyncio.sleep(chance.uniform(0.01, 0.2))
                await postgres.cut()
        stop.set()
        await asyncio.gather(*followers)
        await judged(url, players, followed)


class Losing(Proxy):
    """Loses the reply that comes after so many others."""

    def __init__(self, url: str) -> None:
        self.wait: int | None = None
        super().__init__(url)

    @property
    def lose_next_reply(self) -> bool:
        if self.wait is None:
            return False
        self.wait -= 1
        return self.wait < 0

    @lose_next_reply.setter
    def lose_next_reply(self, value: bool) -> None:
        self.wait = 0 if value else None


@amounts(8, 200)
@pytest.mark.asyncio
async def test_whatever_reply_is_lost_a_repeat_with_the_key_has_one_effect(postgres_url: str, amount: int) -> None:
    proxy = Losing(postgres_url)
    await proxy.start()
    chance = random.Random(amount)
    lost = 0
    async with running(proxy.url, poll=60.0) as client:
        for number in range(amount):
            # A table is opened, a seat taken, a command sent; somewhere on the way a reply is lost.
            proxy.wait = chance.randrange(12)
            key = {"Idempotency-Key": f"a-key-that-is-long-enough-{number}"}
            body = {"variant": "wild-rummy", "seats": [HUMAN, {"kind": "open"}]}
            created, before = await again(client, "/v1/games", None, key, body)
            game = Game(client, created)
            seat, sat = await again(client, f"{game.path}/seats", None, key, {"name": "Bob"})
            game.tokens[1] = seat["token"]
            player = Player(game, chance)
            moved = False
            for _ in range(20):
                if moved := await player.step():
                    break
            assert moved
            lost += before + sat + player.unavailable
            proxy.wait = None
            log = await stored(postgres_url, game.id)
            check_commits(player, [c for c in log if c.actor.startswith("seat:")])
            kinds = [e["type"] for e in await verified(game)]
            assert [kinds.count(kind) for kind in ("game_created", "seat_taken", "game_started")] == [1, 2, 1]
        listed = await client.call("GET", "/v1/games?limit=500")
        assert len(listed.json()["items"]) == amount
    await proxy.stop()
    assert lost >= amount // 4


async def again(
    client: Client, path: str, token: str | None, headers: dict[str, str], body: Any
) -> tuple[dict[str, Any], int]:
    """Ask until there is an answer; it, and how often there was none."""
    for failed in range(5):
        answer = await client.call("POST", path, token, headers=headers, json=body)
        if answer.status_code != 503:
            assert answer.status_code == 201, answer.text
            return json.loads(answer.content), failed
        assert code(answer) == "unavailable"
    raise AssertionError("no answer in five tries")


@pytest.mark.asyncio
async def test_clocks_that_run_out_while_the_database_is_away_are_acted_on_once(postgres_url: str) -> None:
    proxy = Proxy(postgres_url)
    await proxy.start()
    clock = JumpingClock()
    async with running(proxy.url, clock=clock, poll=0.05, bot_delay=0.0) as client:
        games = [
            await client.game(variant="thirteen-card-rummy", seats=[HUMAN, HUMAN], options={"first_dealer": 1})
            for _ in range(5)
        ]
        await proxy.stop()
        clock.ahead += 16
        await asyncio.sleep(0.5)
        await proxy.start()
        for game in games:
            async with asyncio.timeout(SOON):
                while (await game.view(0))["turn"]["seat"] == 0:
                    await asyncio.sleep(0.02)
            events = await verified(game)
            assert [e["type"] for e in events].count("turn_timed_out") == 1
    await proxy.stop()
