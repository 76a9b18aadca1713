"""The same request with the same key is carried out once and answered alike, whatever happened between."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from .harness import OPERATOR_KEY, TWO, Client, Game, code, running, sqlite_url

LONG = "a key of twenty-two characters or more"


@pytest.mark.asyncio
async def test_a_command_sent_twice_is_carried_out_once(either: Client) -> None:
    game = await either.game()
    seat = (await game.view(0))["turn"]["seat"]
    command = (await game.actions(seat))[0]
    first = await game.send(seat, command, idempotency_key="k")
    again = await game.send(seat, command, idempotency_key='"k"')
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.content == again.content
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    assert again.headers["etag"] == first.headers["etag"]
    assert (await game.view(0))["version"] == first.json()["version"]


@pytest.mark.asyncio
async def test_the_first_answer_comes_again_after_the_game_went_on_and_the_server_was_restarted(
    tmp_path: Path,
) -> None:
    url = sqlite_url(tmp_path)
    async with running(url) as client:
        game = await client.game(sandbox={"seed": "1" * 64})
        seat = (await game.view(0))["turn"]["seat"]
        command = (await game.actions(seat))[0]
        first = await game.send(seat, command, idempotency_key="k")
        await game.play(12)
        again = await game.send(seat, command, idempotency_key="k")
        assert again.content == first.content
    async with running(url) as client:
        after = await Game(client, game.created).send(seat, command, idempotency_key="k")
        assert after.content == first.content
        assert after.headers["idempotency-replayed"] == "true"


@pytest.mark.asyncio
async def test_the_same_key_for_something_else_is_a_mismatch(either: Client) -> None:
    game = await either.game()
    seat = (await game.view(0))["turn"]["seat"]
    first, *others = await game.actions(seat)
    await game.send(seat, first, idempotency_key="k")
    version = (await game.view(0))["version"]
    # A refused one and a legal one alike: the key is looked up before any rule.
    for command in (others[-1], {"type": "draw", "source": "stock"}, {"type": "pass"}, {"type": "resign"}):
        answer = await game.send(seat, command, idempotency_key="k")
        assert code(answer) == "idempotency.mismatch"
        assert answer.json()["version"] == version
    # Another caller's key is another key.
    answer = await game.send(1 - seat, {"type": "resign"}, idempotency_key="k")
    assert answer.status_code == 200


@pytest.mark.asyncio
async def test_a_key_is_looked_up_before_if_match(either: Client) -> None:
    game = await either.game()
    view = await game.view(0)
    seat, version = view["turn"]["seat"], view["version"]
    command = (await game.actions(seat))[0]
    headers = {"idempotency_key": "k", "if_match": f'"{version}"'}
    first = await game.send(seat, command, **headers)
    again = await game.send(seat, command, **headers)
    assert (first.status_code, again.status_code) == (200, 200)
    assert again.content == first.content


@pytest.mark.asyncio
async def test_a_refused_command_binds_no_key(either: Client) -> None:
    game = await either.game()
    seat = (await game.view(0))["turn"]["seat"]
    refused = await game.send(1 - seat, {"type": "draw", "source": "stock"}, idempotency_key="k")
    assert code(refused) == "turn.not_yours"
    await game.send(seat, (await game.actions(seat))[-1])
    while (await game.view(0))["turn"]["seat"] == seat:
        await game.play(1)
    accepted = await game.send(1 - seat, {"type": "draw", "source": "stock"}, idempotency_key="k")
    assert accepted.status_code == 200
    assert "idempotency-replayed" not in accepted.headers


@pytest.mark.asyncio
async def test_the_same_command_sent_at_once_is_carried_out_once(either: Client) -> None:
    game = await either.game()
    seat = (await game.view(0))["turn"]["seat"]
    command = (await game.actions(seat))[0]
    answers = await asyncio.gather(*(game.send(seat, command, idempotency_key="k") for _ in range(8)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    assert sum("idempotency-replayed" not in answer.headers for answer in answers) == 1


@pytest.mark.asyncio
async def test_a_dry_run_binds_no_key_and_answers_to_none(either: Client) -> None:
    game = await either.game()
    seat = (await game.view(0))["turn"]["seat"]
    command = (await game.actions(seat))[0]
    dry = await game.send(seat, command, "?dry_run=true", idempotency_key="k")
    assert dry.json() == {"version": (await game.view(0))["version"], "ok": True}
    real = await game.send(seat, command, idempotency_key="k")
    assert "idempotency-replayed" not in real.headers
    assert code(await game.send(seat, command, "?dry_run=true", idempotency_key="k")) != "idempotency.mismatch"


@pytest.mark.asyncio
async def test_a_game_created_twice_is_one_game_with_the_same_tokens(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path)
    body = {"seats": TWO, "visibility": "private"}
    async with running(url) as client:
        first = await client.create(headers={"Idempotency-Key": LONG}, **body)
        await Game(client, first.json()).play(3)
        again = await client.create(headers={"Idempotency-Key": LONG}, **body)
        assert first.status_code == again.status_code == 201
        assert first.json() == again.json()
        assert again.headers["location"] == first.headers["location"]
        assert again.headers["idempotency-replayed"] == "true"
        mismatch = await client.create(headers={"Idempotency-Key": LONG}, **{**body, "start": "manual"})
        assert code(mismatch) == "idempotency.mismatch"
        # Somebody else's key is another key.
        operator = await client.create(OPERATOR_KEY, headers={"Idempotency-Key": LONG}, **body)
        assert operator.json()["game"]["game_id"] != first.json()["game"]["game_id"]
    async with running(url) as client:
        after = await client.create(headers={"Idempotency-Key": LONG}, **body)
        assert after.json() == first.json()


@pytest.mark.asyncio
async def test_games_created_at_once_with_one_key_are_one(either: Client) -> None:
    answers = await asyncio.gather(
        *(either.create(headers={"Idempotency-Key": LONG}, seats=TWO) for _ in range(8))
    )
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1


@pytest.mark.asyncio
async def test_an_answer_is_remembered_for_a_day(tmp_path: Path) -> None:
    now = ["2026-01-01T00:00:00.000Z"]
    async with running(sqlite_url(tmp_path), clock=lambda: now[0]) as client:
        first = await client.create(headers={"Idempotency-Key": LONG})
        now[0] = "2026-01-01T23:59:59.000Z"
        assert (await client.create(headers={"Idempotency-Key": LONG})).json() == first.json()
        now[0] = "2026-01-02T00:00:01.000Z"
        assert (await client.create(headers={"Idempotency-Key": LONG})).json() != first.json()


@pytest.mark.asyncio
async def test_a_seat_taken_twice_with_one_key_is_one_seat_with_the_same_token(either: Client) -> None:
    game = await either.game(seats=[{"kind": "open"}] * 3)
    first = await game.post("/seats", json={"name": "Ada"}, headers={"Idempotency-Key": LONG})
    other = await game.post("/seats", json={"name": "Bob"})
    again = await game.post("/seats", json={"name": "Ada"}, headers={"Idempotency-Key": LONG})
    assert first.status_code == again.status_code == 201
    assert again.json() == first.json()
    assert again.headers["idempotency-replayed"] == "true"
    assert other.json()["seat"] == 1
    assert (await game.get("/view", again.json()["token"])).json()["you"] == 0
    mismatch = await game.post("/seats", json={"name": "Eve"}, headers={"Idempotency-Key": LONG})
    assert code(mismatch) == "idempotency.mismatch"


@pytest.mark.asyncio
async def test_a_seat_left_and_taken_again_with_an_old_key_has_no_old_token(either: Client) -> None:
    game = await either.game(seats=[{"kind": "open"}] * 2)
    first = (await game.post("/seats", json={}, headers={"Idempotency-Key": LONG})).json()
    assert (await game.send(first["token"], {"type": "resign"})).status_code == 200
    second = (await game.post("/seats", OPERATOR_KEY, json={}, headers={"Idempotency-Key": LONG})).json()
    assert second["seat"] == first["seat"]
    assert second["token"] != first["token"]
    assert code(await game.get("/view", first["token"])) == "auth.unknown_token"


@pytest.mark.asyncio
@pytest.mark.parametrize("key", ["", '""', "k" * 201, '"' + "k" * 201 + '"'])
async def test_a_key_has_1_to_200_characters(client: Client, key: str) -> None:
    game = await client.game()
    answer = await game.send(0, {"type": "resign"}, idempotency_key=key)
    assert code(answer) == "request.invalid"
    assert (await game.view(0))["status"] == "playing"


@pytest.mark.asyncio
async def test_without_a_token_a_key_that_gives_tokens_is_long(client: Client) -> None:
    assert code(await client.create(headers={"Idempotency-Key": "k" * 21})) == "request.invalid"
    assert (await client.create(headers={"Idempotency-Key": "k" * 22})).status_code == 201
    game = await client.game(seats=[{"kind": "open"}] * 2)
    assert code(await game.post("/seats", json={}, headers={"Idempotency-Key": "k"})) == "request.invalid"
    assert (await game.post("/seats", game.host, json={}, headers={"Idempotency-Key": "k"})).status_code == 201
    assert (await client.create(OPERATOR_KEY, headers={"Idempotency-Key": "k"})).status_code == 201


@pytest.mark.asyncio
async def test_who_has_left_hears_it_again_and_can_do_nothing_else(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path)
    async with running(url) as client:
        game = await client.game(seats=[*TWO, {"kind": "open"}], host_seat=0)
        for seat in (0, 1):
            first = await game.send(seat, {"type": "resign"}, idempotency_key="k")
            again = await game.send(seat, {"type": "resign"}, idempotency_key="k")
            assert (first.status_code, again.status_code) == (200, 200)
            assert again.content == first.content
            assert again.headers["idempotency-replayed"] == "true"
        assert code(await game.send(1, {"type": "resign"})) == "auth.unknown_token"
        assert code(await game.send(1, {"type": "resign"}, idempotency_key="other")) == "auth.unknown_token"
        assert code(await game.get("/view", 1)) == "auth.unknown_token"
        # Whoever sits there next may use the same keys for the same things.
        next_one = (await game.post("/seats", json={"seat": 1})).json()["token"]
        done = await game.send(next_one, {"type": "resign"}, idempotency_key="k")
        assert "idempotency-replayed" not in done.headers
        assert done.json()["version"] > first.json()["version"]
    async with running(url) as client:
        # Of those who left a seat it is the last who is remembered.
        after = await Game(client, game.created).send(next_one, {"type": "resign"}, idempotency_key="k")
        assert after.content == done.content
