"""Every endpoint as the right seat, the other seat, the host, an operator, nobody, a stranger, another's friend."""

from __future__ import annotations

from typing import Any

import pytest

from .harness import OPERATOR_KEY, TWO, Client, Game, code

UNKNOWN = "01890a5d-ac96-774b-bcce-b302099a8057.seat0.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
MINE: list[tuple[str, str, Any]] = [
    ("GET", "", None), ("GET", "/view", None), ("GET", "/actions", None), ("GET", "/events", None),
    ("GET", "/scores", None), ("GET", "/log", None), ("POST", "/commands", {"type": "resign"}),
    ("POST", "/seats", {}),
]  # fmt: skip
EVERYWHERE: list[tuple[str, str, Any]] = [
    ("GET", "/v1/variants", None), ("GET", "/v1/variants/george", None), ("GET", "/v1/games", None),
    ("POST", "/v1/games", {"variant": "wild-rummy"}), ("GET", "/v1/rooms/QX7K2M", None),
    ("POST", "/v1/arrangements", {"variant": "thirteen-card-rummy", "hand": ["7H"]}), ("POST", "/v1/replays", None),
]  # fmt: skip


async def tokens(game: Game, other: Game) -> dict[str, str | None]:
    return {
        "seat": game.tokens[0], "seat 1": game.tokens[1], "host": game.host, "operator": OPERATOR_KEY, "nobody": None,
        "stranger": other.tokens[0], "unknown": UNKNOWN, "forged": game.tokens[0][:-2] + "AA", "garbage": "x y",
    }  # fmt: skip


#: Who gets what of a public game that is being played: a status for each endpoint of MINE.
TABLE = {
    "seat":     (200, 200, 200, 200, 200, 409, 200, 409),
    "seat 1":   (200, 200, 200, 200, 200, 409, 200, 409),
    "host":     (200, 200, 403, 200, 200, 409, 403, 409),
    "operator": (200, 200, 403, 200, 200, 200, 403, 409),
    "nobody":   (200, 200, 401, 200, 200, 409, 401, 409),
    "stranger": (200, 403, 403, 403, 403, 409, 403, 409),
    "unknown":  (401, 401, 401, 401, 401, 401, 401, 401),
    "forged":   (401, 401, 401, 401, 401, 401, 401, 401),
    "garbage":  (401, 401, 401, 401, 401, 401, 401, 401),
}  # fmt: skip


@pytest.mark.asyncio
@pytest.mark.parametrize("who", TABLE)
async def test_who_may_do_what(client: Client, who: str) -> None:
    other = await client.game()
    for (method, path, body), status in zip(MINE, TABLE[who], strict=True):
        game = await client.game()  # a new one for each: a resignation ends it
        token = (await tokens(game, other))[who]
        answer = await client.call(method, game.path + path, token, json=body)
        assert answer.status_code == status, (path, answer.text)
        if status >= 400:
            said = code(answer)
            if status == 401:
                assert answer.headers["www-authenticate"] == "Bearer"
                assert said == ("auth.required" if who == "nobody" else "auth.unknown_token")
            if status == 403:
                assert said == "auth.not_your_game"


@pytest.mark.asyncio
@pytest.mark.parametrize("token", [UNKNOWN, "x", "a.b.c", ".", "ünknown", "x" * 5000])
async def test_an_unknown_token_is_refused_even_where_none_is_needed(client: Client, token: str) -> None:
    for method, path, body in EVERYWHERE:
        header = {"Authorization": f"Bearer {token}".encode()}
        answer = await client.http.request(method, path, headers=header, json=body)
        assert code(answer) == "auth.unknown_token", path
        assert answer.headers["www-authenticate"] == "Bearer"
    for scheme in ("Basic dTpw", "Bearer", "Bearer  ", ""):
        answer = await client.call("GET", "/v1/games", headers={"Authorization": scheme})
        assert code(answer) == "auth.unknown_token", scheme


@pytest.mark.asyncio
async def test_a_token_of_any_game_is_welcome_where_none_is_needed(client: Client) -> None:
    game = await client.game()
    for method, path, body in EVERYWHERE:
        for token in (game.tokens[0], game.host, OPERATOR_KEY):
            answer = await client.call(method, path, token, json=body)
            assert answer.status_code not in (401, 403), path
    assert (await client.call("GET", "/v1/games", headers={"Authorization": f"bearer {game.host}"})).status_code == 200


@pytest.mark.asyncio
async def test_a_seat_sees_its_own_hand_and_nobody_elses(client: Client) -> None:
    game = await client.game(sandbox={"seed": "2" * 64})
    await game.play(6)
    hands = {seat: (await game.view(seat))["hand"] for seat in (0, 1)}
    for seat in (0, 1):
        seen = (await game.get("/events", seat, params={"limit": 500})).text
        started = [e for e in (await game.get("/events", seat)).json()["items"] if e["type"] == "deal_started"]
        assert started[0]["hands"][1 - seat] is None
        assert started[0]["hands"][seat] is not None
        assert started[0]["deck"] is None
        assert '"seed":"' not in seen
        assert (await game.view(seat))["hand"] == hands[seat]
    for token in (None, game.host, OPERATOR_KEY):
        view = (await game.get("/view", token)).json()
        assert (view["hand"], view["you"], view["may"]) == (None, None, [])
        items = (await game.get("/events", token)).json()["items"]
        assert next(e for e in items if e["type"] == "deal_started")["hands"] == [None, None]
        assert all(e["cards"] is None for e in items if e["type"] == "card_drawn" and e["source"] == "stock")


@pytest.mark.asyncio
async def test_a_game_without_spectators_shows_nothing_without_a_token(client: Client) -> None:
    game = await client.game(spectators="none")
    for path in ("/view", "/events", "/scores", "/log"):
        answer = await game.get(path)
        assert (answer.status_code, code(answer)) == (401, "auth.required"), path
        assert (await game.get(path, game.host)).status_code == (409 if path == "/log" else 200)
    assert (await game.get()).status_code == 200
    await game.send(0, {"type": "resign"})
    assert code(await game.get("/log")) == "auth.required"
    assert (await game.get("/log", 0)).status_code == 200


@pytest.mark.asyncio
async def test_spectators_may_lag_behind_by_turns(either: Client) -> None:
    game = await either.game(spectators={"delayed": 2}, sandbox={"seed": "3" * 64})
    first = (await game.view())["version"]
    ends = [first]
    seen: list[dict[str, Any]] = []
    for _ in range(40):
        view = await game.view(0)
        seat = view["turn"]["seat"]
        listed = await game.actions(seat)
        done = await game.send(seat, listed[-1])
        if any(e["type"] == "card_discarded" for e in done.json()["events"]):
            ends.append(done.json()["version"])
        allowed = ends[max(0, len(ends) - 3)]
        answer = await game.get("/view")
        assert answer.json()["version"] == allowed
        assert answer.headers["etag"] == f'"{allowed}"'
        assert (await game.get("/view", headers={"If-None-Match": f'"{allowed}"'})).status_code == 304
        assert (await game.get()).json()["version"] == allowed
        assert code(await game.get(f"/view?at={allowed + 1}")) == "not_found"
        seen = (await game.get("/events", params={"limit": 500})).json()["items"]
        assert [e["seq"] for e in seen] == list(range(1, allowed + 1))
        assert (await game.get("/events", params={"after": allowed})).json() == {
            "items": [], "next": allowed, "more": False}  # fmt: skip
    refused = await game.post("/seats", json={})
    assert (code(refused), refused.json()["version"]) == ("game.not_waiting", allowed)
    # A seat sees the game as it is. Who has a token of none sees what spectators see.
    now = (await game.view(0))["version"]
    assert now > allowed
    for token in (game.host, OPERATOR_KEY):
        assert (await game.get("/view", token)).json() == (await game.get("/view")).json()
        assert (await game.get("/events", token, params={"limit": 500})).json()["items"] == seen
        assert (await game.get("", token)).json()["version"] == allowed
        refused = await game.send(token, {"type": "start"} if token == game.host else {"type": "pause"})
        assert refused.json()["version"] == allowed
    for command in ("pause", "resume"):
        done = await game.send(game.host, {"type": command}, **{"If-Match": f'"{allowed}"'})
        assert (done.status_code, done.headers["etag"]) == (200, f'"{allowed}"'), done.text
        assert (done.json()["version"], done.json()["events"]) == (allowed, [])
        assert done.json()["view"] == (await game.get("/view")).json()
    assert (await game.view(0))["version"] == now + 2
    # Once it is over, so is the delay: the log is open too.
    await game.send(0, {"type": "resign"})
    assert (await game.view())["status"] == "finished"


@pytest.mark.asyncio
async def test_what_opened_a_delayed_game_tells_of_it_as_of_then_too(either: Client) -> None:
    """A rematch that there is already, and what is answered again."""
    old = await either.game(spectators={"delayed": 2}, sandbox={"seed": "3" * 64})
    await old.send(0, {"type": "resign"})
    key = {"Idempotency-Key": "once more"}
    first = await old.post("/rematch", old.host, headers=key)
    new = Game(either, {"game": first.json(), "tokens": old.created["tokens"], "host_token": old.host})
    await new.play(20)
    either.server.service.presence.came(new.id, 0)
    assert (await new.view(0))["version"] > (await new.view())["version"]
    again = await old.post("/rematch", old.host)
    assert again.json() == (await new.get("", old.host)).json() == (await new.get()).json()
    assert (await old.post("/rematch", 0)).json()["version"] == (await new.view(0))["version"]
    assert (await old.post("/rematch", old.host, headers=key)).json() == first.json()
    body: dict[str, Any] = {"spectators": {"delayed": 2}, "seats": TWO, "headers": {"Idempotency-Key": "k" * 22}}
    made = (await either.create(**body)).json()
    either.server.service.presence.came(made["game"]["game_id"], 1)
    assert (await either.create(**body)).json() == made


@pytest.mark.asyncio
async def test_a_late_command_is_answered_alike_when_it_is_repeated(either: Client) -> None:
    game = await either.game(spectators={"delayed": 2}, sandbox={"seed": "3" * 64})
    await game.play(12)
    paused = await game.send(game.host, {"type": "pause"}, Idempotency_Key="k")
    await game.send(game.host, {"type": "resume"})
    await game.play(12)
    for _ in range(2):
        again = await game.send(game.host, {"type": "pause"}, Idempotency_Key="k")
        assert (again.json(), again.headers["etag"]) == (paused.json(), paused.headers["etag"])
        await game.send(0, {"type": "resign"})


@pytest.mark.asyncio
async def test_the_lobby_shows_a_delayed_game_as_of_then(client: Client) -> None:
    game = await client.game(spectators={"delayed": 1})
    await game.play(3)
    (item,) = (await client.call("GET", "/v1/games")).json()["items"]
    assert item == (await game.get()).json()
    assert item["version"] < (await game.view(0))["version"]


@pytest.mark.asyncio
async def test_external_ids_are_for_operators(client: Client) -> None:
    seats = [{"kind": "human", "name": "Ada", "external_id": "u-1"}, {"kind": "open"}]
    assert code(await client.create(seats=seats)) == "auth.operator_only"
    assert code(await client.create(external_id="g-1")) == "auth.operator_only"
    made = await client.create(OPERATOR_KEY, seats=seats, external_id="g-1")
    assert made.json()["game"]["external_id"] == "g-1"
    game = Game(client, made.json())
    assert code(await game.post("/seats", json={"external_id": "u-2"})) == "auth.operator_only"
    assert code(await game.post("/seats", 0, json={"external_id": "u-2"})) == "auth.operator_only"
    assert (await game.post("/seats", OPERATOR_KEY, json={"external_id": "u-2"})).status_code == 201
    shown = (await game.get("", OPERATOR_KEY)).json()
    assert [s["external_id"] for s in shown["seats"]] == ["u-1", "u-2"]
    for token in (None, game.host, game.tokens[0]):
        hidden = (await game.get("", token)).json()
        assert hidden["external_id"] is None
        assert [s["external_id"] for s in hidden["seats"]] == [None, None]
    assert "u-1" not in (await client.call("GET", "/v1/games")).text
    assert "u-1" in (await client.call("GET", "/v1/games", OPERATOR_KEY)).text
