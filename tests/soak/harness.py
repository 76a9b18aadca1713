"""Servers in processes of their own, players that remember what they were told, and the judgement of a log."""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from persistence import store_for
from persistence.store import Commit
from tests.api.harness import OPERATOR_KEY, SECRET, Client, Game
from tests.postgres import die_with_parent

ROOT = Path(__file__).parents[2]
#: Seconds after which something that should happen is taken to have failed.
SOON = 30.0
HUMAN: dict[str, Any] = {"kind": "human"}
BOTS: list[dict[str, Any]] = [{"kind": "bot", "level": level} for level in ("hard", "medium", "easy", "medium")]


def amounts(short: int | None, long: int) -> Any:
    """``amount`` as a parameter: a slice for every run, if there is one, and what `make soak` does."""
    slices = [] if short is None else [short]
    return pytest.mark.parametrize("amount", [*slices, pytest.param(long, marks=pytest.mark.soak)])


class Process:
    """``rummy serve`` in a process, to be killed and started again at the same address."""

    def __init__(self, folder: Path, url: str, **settings: str) -> None:
        self._env = {
            **{k: v for k, v in os.environ.items() if not k.startswith("RUMMY_")},
            "RUMMY_DATABASE_URL": url, "RUMMY_SECRET": SECRET, "RUMMY_API_KEYS": OPERATOR_KEY,
            "RUMMY_BOT_DELAY": "0.05", "RUMMY_CALL_PAUSE": "0.1", "RUMMY_POLL": "0.2", **settings,
        }  # fmt: skip
        self._errors = folder / f"errors-{id(self)}"
        self._process: subprocess.Popen[bytes] | None = None
        self._port = "0"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    async def start(self) -> str:
        """Returns the address once the server listens."""
        with self._errors.open("ab") as errors:
            self._process = subprocess.Popen(  # noqa: ASYNC220
                [sys.executable, "-m", "api.cli", "serve"], cwd=ROOT, stdout=subprocess.PIPE, stderr=errors,
                env={**self._env, "RUMMY_PORT": self._port}, preexec_fn=lambda: die_with_parent(9),
            )  # fmt: skip
        assert self._process.stdout is not None
        said = await asyncio.to_thread(self._process.stdout.readline)
        assert said.startswith(b"Listening on "), self.complaints()
        address = said.split()[2].decode()
        self._port = address.rpartition(":")[2]
        return address

    def kill(self) -> None:
        """As a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None

    def complaints(self) -> str:
        """What it said that it should not have to."""
        text = self._errors.read_text()
        return text if "ERROR" in text or "Traceback" in text else ""


@asynccontextmanager
async def client_of(address: str) -> AsyncIterator[Client]:
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=50)
    async with httpx.AsyncClient(base_url=address, limits=limits, timeout=SOON, trust_env=False) as http:
        yield Client(http, None)  # type: ignore[arg-type]


class Player:
    """Plays all human seats of a game, each command with a key of its own, and keeps what was acknowledged.

    What got no answer is sent again, with its key, before anything else.
    """

    def __init__(self, game: Game, chance: random.Random) -> None:
        self.game = game
        self.chance = chance
        self.sent = 0
        self.unsure: tuple[int, Any, str] | None = None
        #: key → the answer
        self.told: dict[str, dict[str, Any]] = {}
        self.replayed = 0
        self.unavailable = 0

    async def step(self) -> bool:
        """One command, if a human is on turn. Raises what the network raises."""
        if self.unsure is None:
            for seat in self.game.tokens:
                listed = await self.game.get("/actions", seat)
                if self._away(listed):
                    return False
                assert listed.status_code == 200, listed.text
                if found := listed.json()["actions"]:
                    self.sent += 1
                    self.unsure = (seat, self.chance.choice(found), f"key-{self.sent}")
                    break
            else:
                return False
        seat, command, key = self.unsure
        answer = await self.game.send(seat, command, idempotency_key=key)
        if self._away(answer):
            return False
        if answer.status_code != 200:
            # Somebody (a clock, another seat) was faster than the list of actions; nothing was bound.
            assert answer.status_code in (409, 422), answer.text
            assert answer.json()["code"] != "idempotency.mismatch"
            self.unsure = None
            return False
        self.replayed += "idempotency-replayed" in answer.headers
        self.told[key] = answer.json()
        self.unsure = None
        return True

    def _away(self, answer: httpx.Response) -> bool:
        if answer.status_code != 503:
            return False
        assert answer.json()["code"] == "unavailable"
        assert int(answer.headers["retry-after"]) >= 1
        self.unavailable += 1
        return True

    async def play(self, stop: asyncio.Event, pause: float = 0.0) -> None:
        """On and on, until told to stop or the server is gone."""
        while not stop.is_set():
            try:
                moved = await self.step()
            except httpx.TransportError:
                await asyncio.sleep(0.02)
                continue
            await asyncio.sleep(pause if moved else 0.02)


def check_commits(player: Player, commits: Iterable[Commit]) -> None:
    """What was acknowledged is there exactly once, and of what was sent with a key nothing else."""
    keyed = [c for c in commits if c.key is not None]
    # The store may add to a key whose it is.
    bound = {str(c.key).rpartition(":")[2]: c for c in keyed}
    assert len(bound) == len(keyed)
    for key, told in player.told.items():
        commit = bound.pop(key)
        assert commit.last_seq == told["version"]
        assert [e["seq"] for e in told["events"]] == list(range(commit.first_seq, commit.last_seq + 1))
        lines = map(json.loads, commit.events.splitlines())
        assert [e["type"] for e in lines] == [e["type"] for e in told["events"]]
    unsure = {player.unsure[2]} if player.unsure else set()
    assert set(bound) <= unsure, bound.keys()


async def stored(url: str, game_id: str) -> list[Commit]:
    """A game's log, read past the server."""
    store = store_for(url)
    await store.open(migrate=False)
    try:
        return await store.commits(game_id)
    finally:
        await store.close()


async def verified(game: Game) -> list[dict[str, Any]]:
    """The events of a game's log, which must be intact, fair and lawful."""
    exported = await game.get("/log", OPERATOR_KEY)
    assert exported.status_code == 200, exported.text
    kind = {"Content-Type": "application/x-ndjson"}
    answer = await game.client.call("POST", "/v1/replays", content=exported.content, headers=kind)
    verdict = answer.json()
    assert (verdict["ok"], verdict["intact"], verdict["fair"], verdict["lawful"]) == (True,) * 4, verdict
    events = [json.loads(line) for line in exported.text.splitlines()[1:]]
    assert [e["seq"] for e in events] == list(range(1, len(events) + 1))
    return events


def once(events: list[dict[str, Any]]) -> None:
    """No clock was acted on twice: between two time-outs the turn has moved."""
    turn = None
    for event in events:
        if event["type"] == "turn_timed_out":
            assert turn is None, (turn, event)
            turn = event
        elif event.get("turn") is not None or event["type"] == "deal_ended":
            turn = None
