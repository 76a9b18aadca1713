"""What an outside client found to differ from the contract: a test a sentence."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.streams.harness import Site, served

from .harness import OPERATOR_KEY, TWO, Client, code, sqlite_url

UNKNOWN = "01890a5d-ac96-774b-bcce-b302099a8057.seat0.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
NOWHERE = "01890a5d-ac96-774b-bcce-b302099a8057"
LAGGING: Any = {"delayed": 1}


@pytest_asyncio.fixture
async def real(tmp_path: Path) -> AsyncIterator[Site]:
    """A server on a port: what lies below the application answers too."""
    async with served(sqlite_url(tmp_path)) as found:
        yield found


@pytest.mark.asyncio
async def test_answers_without_a_body_leave_their_connection_whole(real: Site) -> None:
    for method, path, status in (
        ("HEAD", "/v1/variants", 200), ("HEAD", "/nowhere", 404), ("HEAD", "/v1/games", 200),
        ("OPTIONS", "/v1/games", 204), ("OPTIONS", "/nowhere", 404), ("HEAD", "/docs", 200),
    ):  # fmt: skip
        answer = await real.http.request(method, path)
        assert answer.status_code == status, (method, path)
        assert method != "HEAD" or (answer.content == b"" and int(answer.headers["content-length"]) > 0)
    assert len(real.server.server_state.connections) == 1


@pytest.mark.asyncio
async def test_what_is_no_http_is_a_problem_too(real: Site) -> None:
    answer = await real.http.request("NONSENSE", "/v1/variants")
    assert (answer.status_code, code(answer)) == (400, "request.malformed")
    assert answer.headers["access-control-allow-origin"] == "*"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", f"/v1/games/{NOWHERE}")]
    + [("GET", f"/v1/games/{NOWHERE}/{what}") for what in ("view", "actions", "events", "scores", "log", "stream")]
    + [("POST", f"/v1/games/{NOWHERE}/{what}") for what in ("commands", "seats", "rematch")]
    + [("GET", f"/v1/scoresheets/{NOWHERE}"), ("POST", f"/v1/scoresheets/{NOWHERE}/end")],
)
async def test_an_unknown_token_is_401_of_games_that_are_not_there_too(client: Client, method: str, path: str) -> None:
    body = {"type": "resign"} if path.endswith("commands") else {} if method == "POST" else None
    assert code(await client.call(method, path, UNKNOWN, json=body)) == "auth.unknown_token"
    assert code(await client.call(method, path, json=body)) == "not_found"


@pytest.mark.asyncio
async def test_a_rematch_asked_for_twice_with_its_key_is_the_first_answer_again(either: Client) -> None:
    game = await either.game(host_seat=0)
    await game.send(0, {"type": "resign"})
    first = await game.post("/rematch", 0, headers={"Idempotency-Key": "again"})
    again = await game.post("/rematch", 0, headers={"Idempotency-Key": "again"})
    other = await game.post("/rematch", 1, headers={"Idempotency-Key": "again"})
    assert (first.status_code, again.status_code, other.status_code) == (201, 201, 200)
    assert again.content == first.content
    assert again.headers["idempotency-replayed"] == "true"
    assert again.headers["location"] == first.headers["location"]
    assert "idempotency-replayed" not in other.headers


@pytest.mark.asyncio
async def test_a_rematch_is_for_seats_and_host_and_takes_no_members(client: Client) -> None:
    game, other = await client.game(), await client.game()
    assert code(await game.post("/rematch", OPERATOR_KEY)) == "auth.not_your_game"
    assert code(await game.post("/rematch", other.host)) == "auth.not_your_game"
    assert code(await game.post("/rematch")) == "auth.required"
    assert code(await game.post("/rematch", 0, json={"swap": True})) == "request.invalid"
    assert code(await game.post("/rematch", 0, content=b"{")) == "request.malformed"


@pytest.mark.asyncio
async def test_a_public_log_is_open_to_anyone_whatever_else_they_play(client: Client) -> None:
    other, closed = await client.game(), "auth.not_your_game"
    cases: Any = (({}, None), ({"visibility": "private"}, closed), ({"spectators": "none"}, closed))
    for more, said in cases:
        game = await client.game(**more)
        assert code(await game.get("/log", other.tokens[0])) == (said or "game.not_finished")
        await game.send(0, {"type": "resign"})
        answer = await game.get("/log", other.tokens[0])
        assert answer.status_code == 200 if said is None else code(answer) == said


@pytest.mark.asyncio
async def test_a_log_has_no_event_behind_its_last(client: Client) -> None:
    game = await client.game()
    await game.send(0, {"type": "resign"})
    log = (await game.get("/log")).content
    answer = await client.call(
        "POST", "/v1/replays?at=999", content=log, headers={"Content-Type": "application/x-ndjson"}
    )
    assert code(answer) == "request.invalid"
    assert answer.json()["errors"][0]["pointer"] == "?at"


@pytest.mark.asyncio
async def test_the_lobby_is_not_ahead_of_delayed_spectators(either: Client) -> None:
    game = await either.game(spectators=LAGGING)
    await game.send(game.host, {"type": "pause"})
    for status, ids in (("paused", []), ("playing", [game.id])):
        found = (await either.call("GET", f"/v1/games?status={status}")).json()["items"]
        assert [(x["game_id"], x["status"]) for x in found] == [(i, status) for i in ids]
    assert (await game.view(0))["status"] == "paused"


@pytest.mark.asyncio
async def test_a_cursor_is_one_of_ours(client: Client) -> None:
    assert code(await client.call("GET", "/v1/games?after=yesterday")) == "request.invalid"
    assert (await client.call("GET", f"/v1/games?after={NOWHERE}")).status_code == 200


@pytest.mark.asyncio
async def test_wrong_codes_do_not_keep_anybody_from_public_tables(client: Client) -> None:
    private = await client.game(seats=[*TWO, {"kind": "open"}], visibility="private")
    public = await client.game(seats=[*TWO, {"kind": "open"}])
    said = [code(await private.post("/seats", json={"room_code": "WRONG"})) for _ in range(11)]
    assert said == ["room_code.wrong"] * 10 + ["rate_limited"]
    assert (await public.post("/seats", json={})).status_code == 201


@pytest.mark.asyncio
async def test_a_key_has_two_hundred_characters_not_bytes(client: Client) -> None:
    game = await client.game(start="manual")
    for key, status in ("ß" * 200, 200), ("ß" * 201, 400):
        answer = await client.http.post(
            f"{game.path}/commands", json={"type": "start"},
            headers=[(b"authorization", b"Bearer " + game.host.encode()), (b"idempotency-key", key.encode())],
        )  # fmt: skip
        assert answer.status_code == status, answer.text


@pytest.mark.asyncio
async def test_every_list_has_pages(client: Client) -> None:
    position = {"hands": [["5H"], ["KS"]], "stock": ["9D", "2C"], "turn": {"seat": 0, "phase": "play"}}
    game = await client.game(variant="two-player-rummy", sandbox={"position": position})
    assert (await game.get("/scores?limit=1")).json() == {"items": [], "next": None}
    await game.send(0, {"type": "discard", "card": "5H"})
    await game.send(0, {"type": "resign"})
    for path, most in ("/v1/variants", 6), (f"{game.path}/scores", 2):
        whole = (await client.call("GET", path)).json()
        assert (len(whole["items"]), whole["next"]) == (most, None)
        found: list[Any] = []
        page: Any = {"next": None}
        while not found or page["next"] is not None:
            after = f"&after={page['next']}" if found else ""
            page = (await client.call("GET", f"{path}?limit=1{after}")).json()
            assert len(page["items"]) == 1
            found += page["items"]
        assert found == whole["items"]
        for query in "limit=0", "limit=501", "after=nothing", "page=2":
            assert code(await client.call("GET", f"{path}?{query}")) == "request.invalid"


@pytest.mark.asyncio
async def test_a_parameter_that_an_operation_does_not_know_is_refused(client: Client) -> None:
    game = await client.game()
    for method, path in ("POST", "/seats"), ("GET", ""), ("GET", "/actions"), ("GET", "/log"), ("POST", "/rematch"):
        answer = await client.call(method, f"{game.path}{path}?dry_run=true", game.host)
        assert code(answer) == "request.invalid"
        assert answer.json()["errors"][0]["pointer"] == "?dry_run"
    answer = await client.call("POST", "/v1/games?dry_run=true", json={"variant": "george"})
    assert code(answer) == "request.invalid"
    assert len((await client.call("GET", "/v1/games")).json()["items"]) == 1


@pytest.mark.asyncio
async def test_what_the_variant_lacks_is_said_before_who_may_send_it(client: Client) -> None:
    game, other = await client.game(), await client.game()
    for who in (None, other.tokens[0], game.host, OPERATOR_KEY, 0, 1):
        assert code(await game.send(who, {"type": "pass"})) == "command.not_in_variant"
    assert code(await game.send(None, {"type": "pass", "by": 1})) == "request.invalid"
    assert code(await game.send(UNKNOWN, {"type": "pass"})) == "auth.unknown_token"
    assert code(await game.send(None, {"type": "resign"})) == "auth.required"
    assert code(await game.send(other.tokens[0], {"type": "draw", "source": "stock"})) == "auth.not_your_game"


@pytest.mark.asyncio
async def test_a_member_that_is_not_known_is_pointed_at(client: Client) -> None:
    turn = {"seat": 0, "phase": "draw", "x": 0}
    cases: list[tuple[dict[str, Any], str]] = [
        ({"x": 1}, "#/x"),
        ({"a/b~c": 1}, "#/a~1b~0c"),
        ({"seats": [{"kind": "open", "name": "Ada"}]}, "#/seats/0/name"),
        ({"sandbox": {"position": {"hands": [], "turn": turn}}}, "#/sandbox/position/turn/x"),
    ]
    for body, pointer in cases:
        answer = await client.create(**body)
        assert code(answer) == "request.invalid"
        assert [fault["pointer"] for fault in answer.json()["errors"]] == [pointer]
