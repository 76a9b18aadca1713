"""Exported logs and what is said of them."""

from __future__ import annotations

import hashlib
import json

import pytest

from .harness import OPERATOR_KEY, Client, Game, code

NDJSON = {"Content-Type": "application/x-ndjson"}


async def over(client: Client, **body: object) -> Game:
    game = await client.game(**body)
    await game.play(60)
    assert (await game.send(0, {"type": "resign"})).status_code == 200
    return game


@pytest.mark.asyncio
async def test_a_log_is_open_once_the_game_is_over_and_can_be_trusted(either: Client) -> None:
    game = await either.game()
    await game.play(30)
    assert (await game.get("/log")).status_code == 409
    assert code(await game.get("/log", 0)) == "game.not_finished"
    early = await game.get("/log", OPERATOR_KEY)
    assert early.status_code == 200
    assert (await game.send(0, {"type": "resign"})).status_code == 200
    answer = await game.get("/log")
    assert answer.headers["content-type"] == "application/x-ndjson"
    head, *lines = answer.content.splitlines(keepends=True)
    header = json.loads(head)
    assert list(header) == [
        "type", "format", "game_id", "variant", "rules_version", "commitment", "sandbox", "events", "chain",
    ]  # fmt: skip
    assert header["events"] == len(lines) == (await game.view())["version"]
    assert header["chain"] == hashlib.sha256(b"".join(lines)).hexdigest()
    assert all(json.loads(line)["v"] == 1 for line in lines)
    assert early.content.splitlines()[1:] == [line.strip() for line in lines[: len(early.content.splitlines()) - 1]]

    verdict = await either.call("POST", "/v1/replays", content=answer.content, headers=NDJSON)
    assert verdict.status_code == 200, verdict.text
    said = verdict.json()
    assert (said["ok"], said["complete"], said["intact"], said["fair"], said["lawful"]) == (True,) * 5
    assert said["divergence"] is None
    assert said["position"] is None
    assert said["result"] == (await game.get()).json()["result"]
    seq = next(json.loads(line)["seq"] for line in lines if json.loads(line)["type"] == "deal_started")
    at = await either.call("POST", f"/v1/replays?at={seq}", content=answer.content, headers=NDJSON)
    assert len(at.json()["position"]["hands"]) == 2


@pytest.mark.asyncio
async def test_a_changed_log_is_found_out(client: Client) -> None:
    log = (await (await over(client)).get("/log")).content
    lines = log.splitlines(keepends=True)
    for changed in (log[:-5] + b"x" + log[-4:], b"".join([*lines[:5], *lines[6:]]), log + lines[-1]):
        said = (await client.call("POST", "/v1/replays", content=changed, headers=NDJSON)).json()
        assert said["ok"] is False
        assert said["divergence"]["code"] in ("chain", "fold")
    for nonsense in (b"", b"{}", b"\xff\xfe", b'{"type":"log"}\n', b"[" * 100_000):
        answer = await client.call("POST", "/v1/replays", content=nonsense, headers=NDJSON)
        assert (answer.status_code, code(answer)) == (422, "log.invalid"), nonsense[:20]
    assert code(await client.call("POST", "/v1/replays", content=log, headers={"Content-Type": "image/png"})) == (
        "request.media_type")  # fmt: skip
    assert code(await client.call("POST", "/v1/replays?at=0", content=log, headers=NDJSON)) == "request.invalid"
    assert code(await client.call("POST", "/v1/replays?at=9999", content=log, headers=NDJSON)) == "request.invalid"


@pytest.mark.asyncio
async def test_the_log_of_a_private_game_is_for_those_who_played(client: Client) -> None:
    game = await over(client, visibility="private")
    assert code(await game.get("/log")) == "auth.required"
    assert code(await game.get("/log", (await client.game()).host)) == "auth.not_your_game"
    for token in (game.tokens[1], game.host, OPERATOR_KEY):
        assert (await game.get("/log", token)).status_code == 200


@pytest.mark.asyncio
async def test_a_long_log_comes_whole(client: Client) -> None:
    game = await client.game(seats=[{"kind": "human"}] * 4)
    await game.play(400)
    await game.client.call("POST", f"{game.path}/commands", OPERATOR_KEY, json={"type": "cancel"})
    answer = await game.get("/log")
    assert len(answer.content.splitlines()) - 1 == (await game.view())["version"] > 400
    said = (await client.call("POST", "/v1/replays", content=answer.content, headers=NDJSON)).json()
    assert (said["ok"], said["complete"]) == (True, True)
