"""The same command twice at the same instant, at two servers that share a PostgreSQL: one effect."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from typing import Any

import pytest

from tests.api.harness import Client, Game, code, running

from .harness import BOTS, HUMAN, amounts, stored, verified

VARIANTS = ("wild-rummy", "two-player-rummy", "thirteen-card-rummy", "single-deck-rummy", "rummy-5000", "george")


def at(client: Client, game: Game) -> Game:
    return Game(client, game.created)


async def on_turn(game: Game) -> tuple[int, list[dict[str, Any]]] | None:
    for seat in game.tokens:
        if listed := await game.actions(seat):
            return seat, listed
    return None


@amounts(18, 400)
@pytest.mark.asyncio
async def test_a_command_sent_twice_at_once_has_one_effect(postgres_url: str, amount: int) -> None:
    chance = random.Random(amount)
    async with running(postgres_url) as one, running(postgres_url) as two:
        games = [await one.game(variant=variant, seats=[HUMAN, HUMAN, HUMAN][: 2 + (variant in VARIANTS[4:])])
                 for variant in VARIANTS]  # fmt: skip
        done: Counter[str] = Counter()
        commits = dict.fromkeys((g.id for g in games), 0)
        for number in range(amount):
            game = games[number % len(games)]
            found = await on_turn(game)
            if found is None:
                continue
            seat, listed = found
            command = chance.choice(listed)
            how = chance.choice(("key", "if_match", "bare"))
            version = (await game.view(seat))["version"]
            headers = {
                "key": {"idempotency_key": f"k{number}"}, "if_match": {"if_match": f'"{version}"'}, "bare": {},
            }[how]  # fmt: skip
            ways = [at(one, game), at(two, game), at(one, game), at(two, game)][: chance.choice((2, 2, 4))]
            chance.shuffle(ways)
            answers = await asyncio.gather(*(way.send(seat, command, **headers) for way in ways))
            fine = [answer for answer in answers if answer.status_code == 200]
            if how == "key":
                assert len(fine) == len(answers), [a.text for a in answers]
                assert sum("idempotency-replayed" in a.headers for a in answers) == len(answers) - 1
                assert len({a.content for a in answers}) == 1
                commits[game.id] += 1
            else:
                assert fine
                refused = {code(answer) for answer in answers if answer.status_code != 200}
                if how == "if_match":
                    assert (len(fine), refused) == (1, {"version.stale"})
                elif command["type"] in ("draw", "discard", "declare", "pass"):
                    # A deal that ended with it may begin again at the same seat, but not in the same phase.
                    assert len(fine) == 1, (command, [a.text for a in answers])
                commits[game.id] += len(fine)
                assert len({a.json()["version"] for a in fine}) == len(fine)
            done[how] += 1
        assert min(done.values()) > 0
        assert sum(done.values()) > amount // 2
        for game in games:
            log = await stored(postgres_url, game.id)
            assert sum(commit.actor.startswith("seat:") for commit in log) == commits[game.id]
            await verified(game)


@amounts(8, 200)
@pytest.mark.asyncio
async def test_a_table_opened_or_joined_twice_at_once_is_one(postgres_url: str, amount: int) -> None:
    body = {"seats": [HUMAN, {"kind": "open"}, {"kind": "open"}], "visibility": "public"}
    async with running(postgres_url) as one, running(postgres_url) as two:
        for number in range(amount):
            key = {"Idempotency-Key": f"a-key-that-is-long-enough-{number}"}
            first, second = await asyncio.gather(*(c.create(headers=key, **body) for c in (one, two)))
            assert (first.status_code, second.status_code) == (201, 201)
            assert first.content == second.content
            game = Game(one, first.json())
            # The same person twice, and another one, who is given the other seat.
            answers = await asyncio.gather(
                game.post("/seats", json={"name": "Bob"}, headers=key),
                at(two, game).post("/seats", json={"name": "Bob"}, headers=key),
                at(two, game).post("/seats", json={"name": "Cid"}),
            )
            assert [a.status_code for a in answers] == [201] * 3, [a.text for a in answers]
            bob, bob_again, cid = (a.json() for a in answers)
            assert bob == bob_again
            assert {bob["seat"], cid["seat"]} == {1, 2}
        listed = (await one.call("GET", "/v1/games?limit=500")).json()["items"]
        assert len(listed) == amount


@pytest.mark.asyncio
async def test_a_seat_wanted_by_many_is_given_once(postgres_url: str) -> None:
    async with running(postgres_url) as one, running(postgres_url) as two:
        for _ in range(10):
            game = await one.game(seats=[HUMAN, {"kind": "open"}])
            ways = [at(client, game) for client in (one, two) * 4]
            answers = await asyncio.gather(*(way.post("/seats", json={}) for way in ways))
            assert sorted(a.status_code for a in answers) == [201] + [409] * 7
            assert {code(a) for a in answers if a.status_code == 409} <= {"game.full", "game.not_waiting", "seat.taken"}


@pytest.mark.asyncio
async def test_starts_resignations_and_rematches_twice_at_once(postgres_url: str) -> None:
    async with running(postgres_url, bot_delay=60.0) as one, running(postgres_url, bot_delay=60.0) as two:
        for _ in range(1):
            game = await one.game(seats=[HUMAN, HUMAN, BOTS[0]], start="manual")
            other = at(two, game)
            starts = await asyncio.gather(*(g.send(g.host, {"type": "start"}) for g in (game, other)))
            assert sorted(a.status_code for a in starts) == [200, 409]
            left = await asyncio.gather(game.send(0, {"type": "resign"}), other.send(1, {"type": "resign"}))
            assert sorted(a.status_code for a in left) == [200, 409], [a.text for a in left]
            again = await asyncio.gather(*(g.post("/rematch", 0) for g in (game, other)))
            assert sorted(a.status_code for a in again) == [200, 201], [a.text for a in again]
            assert len({a.json()["game_id"] for a in again}) == 1
            await verified(game)
