"""Games: what is created, the lobby, rooms, seats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from domain.variants import VARIANTS

from .harness import OPERATOR_KEY, TWO, Client, Game, code, running, sqlite_url


@pytest.mark.asyncio
async def test_only_the_variant_is_needed(either: Client) -> None:
    for slug, variant in VARIANTS.items():
        made = await either.create(variant=slug)
        assert made.status_code == 201, made.text
        body = made.json()
        game = body["game"]
        assert made.headers["location"] == f"/v1/games/{game['game_id']}"
        assert set(body) == {"game", "host_token", "tokens", "room_code"}
        assert (body["tokens"], body["room_code"]) == ({}, None)
        assert [s["kind"] for s in game["seats"]] == ["open"] * variant.seats.default
        assert (game["status"], game["variant"], game["visibility"], game["spectators"]) == (
            "waiting", slug, "public", "public")  # fmt: skip
        assert (game["result"], game["rematch"], game["started_at"], game["ended_at"]) == (None,) * 4
        assert game["options"].keys() == {o.name for o in variant.options}
        assert (await either.call("GET", made.headers["location"])).json() == game


@pytest.mark.asyncio
async def test_a_table_of_humans_starts_at_once(client: Client) -> None:
    game = await client.game(host_seat=1)
    assert game.host == game.tokens[1]
    assert (await game.view(0))["status"] == "playing"
    shown = (await game.get()).json()
    assert [s["name"] for s in shown["seats"]] == ["Ada", "Bob"]
    assert shown["started_at"] == shown["created_at"]
    assert [s["name"] for s in (await game.view(0))["seats"]] == ["Ada", "Bob"]


@pytest.mark.asyncio
@pytest.mark.parametrize(("body", "pointer"), [
    ({"variant": "poker"}, "#/variant"),
    ({"seats": [{"kind": "open"}]}, "#/seats"),
    ({"seats": [{"kind": "open"}] * 5}, "#/seats"),
    ({"seats": []}, "#/seats"),
    ({"seats": [{"kind": "dog"}]}, "#/seats/0/kind"),
    ({"seats": [{"kind": "bot", "level": "divine"}, {"kind": "open"}]}, "#/seats/0/level"),
    ({"seats": [{"kind": "open", "name": "Ada"}, {"kind": "open"}]}, "#/seats/0/name"),
    ({"seats": TWO, "host_seat": 2}, "#/host_seat"),
    ({"seats": [TWO[0], {"kind": "open"}], "host_seat": 1}, "#/host_seat"),
    ({"host_seat": -1}, "#/host_seat"),
    ({"start": "later"}, "#/start"),
    ({"visibility": "secret"}, "#/visibility"),
    ({"spectators": {"delayed": 0}}, "#/spectators/delayed"),
    ({"spectators": {"delayed": 2, "more": 1}}, "#/spectators/more"),
    ({"options": []}, "#/options"),
    ({"surprise": 1}, "#/surprise"),
    ({"sandbox": {}}, "#/sandbox"),
    ({"sandbox": {"seed": "12"}}, "#/sandbox/seed"),
    ({"sandbox": {"seed": "0" * 64 + "\n"}}, "#/sandbox/seed"),
    ({"sandbox": {"deck": ["7H"], "position": {"hands": [], "turn": {"seat": 0, "phase": "draw"}}}}, "#/sandbox"),
    ({"sandbox": {"deck": ["7X"]}}, "#/sandbox/deck/0"),
])  # fmt: skip
async def test_what_cannot_be_created_says_where(client: Client, body: dict[str, Any], pointer: str) -> None:
    answer = await client.create(**body)
    assert code(answer) == "request.invalid", answer.text
    assert [e["pointer"] for e in answer.json()["errors"]] == [pointer], answer.text
    assert (await client.call("GET", "/v1/games")).json()["items"] == []


@pytest.mark.asyncio
async def test_every_fault_of_the_options_is_told(client: Client) -> None:
    answer = await client.create(options={"first_starter": 9, "a/b": 1, "clock": {"turn": 1}})
    assert (answer.status_code, code(answer)) == (422, "options.invalid")
    assert {e["pointer"] for e in answer.json()["errors"]} == {
        "#/options/first_starter", "#/options/a~1b", "#/options/clock"}  # fmt: skip


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["", "x" * 41, "a\nb", "a\u202eb", "\u200b", "   ", "a\x00b", "a\x7fb", "Ada\n"])
async def test_names_are_1_to_40_printable_characters(client: Client, name: str) -> None:
    assert code(await client.create(seats=[{"kind": "human", "name": name}, {"kind": "open"}])) == "request.invalid"
    game = await client.game(seats=[{"kind": "open"}] * 2)
    assert code(await game.post("/seats", json={"name": name})) == "request.invalid"


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["A", "x" * 40, "Ada Lovelace", "Ærøskøbing", "愛", "😀", "0' OR 1=1 --", "<b>"])
async def test_names_come_back_as_they_were_given(either: Client, name: str) -> None:
    game = await either.game(seats=[{"kind": "human", "name": name}, {"kind": "open"}])
    await game.post("/seats", json={"name": name})
    assert [s["name"] for s in (await game.get()).json()["seats"]] == [name, name]


@pytest.mark.asyncio
async def test_sandboxes_can_be_switched_off_and_never_show_in_the_lobby(tmp_path: Path) -> None:
    async with running(sqlite_url(tmp_path), sandbox=False) as client:
        assert code(await client.create(sandbox={"seed": "0" * 64})) == "sandbox.disabled"
        assert (await client.create()).status_code == 201
    async with running(sqlite_url(tmp_path / "on")) as client:
        await client.game(sandbox={"seed": "0" * 64})
        assert (await client.call("GET", "/v1/games")).json()["items"] == []


@pytest.mark.asyncio
async def test_a_sandbox_that_cannot_be_is_refused_at_once_even_with_open_seats(client: Client) -> None:
    position = {"hands": [["7C", "7C"], ["KS"]], "turn": {"seat": 0, "phase": "play"}}
    for seats in (TWO, [{"kind": "open"}] * 2):
        answer = await client.create(seats=seats, sandbox={"position": position})
        assert (answer.status_code, code(answer)) == (422, "sandbox.bad_position")


@pytest.mark.asyncio
async def test_creating_may_be_for_operators(tmp_path: Path) -> None:
    async with running(sqlite_url(tmp_path), create="operator") as client:
        assert code(await client.create()) == "auth.required"
        made = await client.create(OPERATOR_KEY, seats=TWO)
        assert made.status_code == 201
        assert code(await client.create(made.json()["host_token"])) == "auth.operator_only"


@pytest.mark.asyncio
async def test_the_lobby_lists_public_games_newest_first_page_by_page(either: Client) -> None:
    made = [(await either.create()).json()["game"]["game_id"] for _ in range(5)]
    await either.create(visibility="private")
    playing = await either.game(variant="two-player-rummy")
    await playing.play(2)
    listed = (await either.call("GET", "/v1/games")).json()
    assert [g["game_id"] for g in listed["items"]] == [playing.id, *reversed(made)]
    assert listed["next"] is None
    assert listed["items"][0] == (await playing.get()).json()
    assert listed["items"][1] == (await either.call("GET", f"/v1/games/{made[-1]}")).json()
    waiting = (await either.call("GET", "/v1/games?status=waiting")).json()["items"]
    assert [g["game_id"] for g in waiting] == list(reversed(made))
    of_kind = (await either.call("GET", "/v1/games?variant=two-player-rummy")).json()["items"]
    assert [g["game_id"] for g in of_kind] == [playing.id]
    seen, after = [], ""
    while True:
        page = (await either.call("GET", f"/v1/games?limit=2{after}")).json()
        seen += [g["game_id"] for g in page["items"]]
        if page["next"] is None:
            break
        after = f"&after={page['next']}"
    assert seen == [playing.id, *reversed(made)]


@pytest.mark.asyncio
@pytest.mark.parametrize("query", [
    "limit=0", "limit=501", "limit=x", "status=odd", "status=null", "surprise=1", "limit=1&limit=2", "limit=%ff",
])  # fmt: skip
async def test_a_query_that_cannot_be(client: Client, query: str) -> None:
    assert code(await client.call("GET", f"/v1/games?{query}")) == "request.invalid"


@pytest.mark.asyncio
async def test_a_private_game_is_joined_with_its_code(either: Client) -> None:
    game = await either.game(seats=[TWO[0], {"kind": "open"}], visibility="private")
    room = game.created["room_code"]
    assert len(room) == 6
    for given in ({}, {"room_code": "AAAAAA"}, {"room_code": ""}):
        answer = await game.post("/seats", json=given)
        assert (answer.status_code, code(answer)) == (403, "room_code.wrong")
    for text in (room, room.lower()):
        assert (await either.call("GET", f"/v1/rooms/{text}")).json() == (await game.get()).json()
    assert (await game.post("/seats", json={"room_code": room.lower()})).status_code == 201
    assert room not in (await game.get()).text


@pytest.mark.asyncio
async def test_room_codes_cannot_be_found_by_trying(client: Client) -> None:
    game = await client.game(visibility="private", seats=[{"kind": "open"}] * 2)
    time = [0.0]
    client.server.codes.time = lambda: time[0]
    for i in range(10):
        if i % 2:
            assert code(await client.call("GET", "/v1/rooms/AAAAAA")) == "room_code.unknown"
        else:
            assert code(await game.post("/seats", json={"room_code": "AAAAAA"})) == "room_code.wrong"
        time[0] += 1
    # Not even the right one now.
    limited = await client.call("GET", f"/v1/rooms/{game.created['room_code']}")
    assert (limited.status_code, code(limited)) == (429, "rate_limited")
    assert 1 <= int(limited.headers["retry-after"]) <= 60
    assert code(await game.post("/seats", json={"room_code": game.created["room_code"]})) == "rate_limited"
    time[0] += int(limited.headers["retry-after"])
    assert (await client.call("GET", f"/v1/rooms/{game.created['room_code']}")).status_code == 200


@pytest.mark.asyncio
async def test_seats_are_taken_until_the_game_begins(either: Client) -> None:
    game = await either.game(seats=[{"kind": "open"}] * 3)
    second = await game.post("/seats", json={"seat": 1, "name": "Bob", "entropy": "x" * 64})
    assert set(second.json()) == {"game_id", "seat", "token"}
    assert code(await game.post("/seats", json={"seat": 1})) == "seat.taken"
    assert code(await game.post("/seats", json={"seat": 3})) == "request.invalid"
    assert code(await game.post("/seats", json={"entropy": "x" * 65})) == "request.invalid"
    first = await game.post("/seats")
    assert first.json()["seat"] == 0
    assert (await game.get()).json()["status"] == "waiting"
    assert (await game.post("/seats", json={})).json()["seat"] == 2
    assert (await game.get()).json()["status"] == "playing"
    assert code(await game.post("/seats", json={})) == "game.not_waiting"


@pytest.mark.asyncio
async def test_a_manual_game_that_is_full_is_full(client: Client) -> None:
    game = await client.game(start="manual")
    assert code(await game.post("/seats", json={})) == "game.full"


@pytest.mark.asyncio
async def test_games_that_are_not_there(client: Client) -> None:
    no_game = "01890a5d-ac96-774b-bcce-b302099a8057"
    for game_id in (no_game, no_game.upper(), "x", "%00", "%F0%9F%98%80"):
        for path in ("", "/view", "/events", "/actions", "/scores", "/log"):
            answer = await client.call("GET", f"/v1/games/{game_id}{path}")
            assert code(answer) == "not_found", (game_id, path)
        assert code(await client.call("POST", f"/v1/games/{game_id}/seats", json={})) == "not_found"


@pytest.mark.asyncio
async def test_games_outlive_the_memory_of_the_server(tmp_path: Path) -> None:
    async with running(sqlite_url(tmp_path), cache=2) as client:
        games = [await client.game(sandbox={"seed": f"{i:064x}"}) for i in range(5)]
        for _ in range(3):
            for game in games:
                await game.play(2)
        for game in games:
            assert (await game.get("/events", 0, params={"limit": 500})).json()["items"][-1]["seq"] == (
                await game.view(0))["version"]  # fmt: skip
        created = [game.created for game in games]
        views = [await game.view(0) for game in games]
    async with running(sqlite_url(tmp_path)) as client:
        assert [await Game(client, c).view(0) for c in created] == views
