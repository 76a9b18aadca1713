"""SS-1 over HTTP, on both stores."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from litestar import Litestar

from api.sheet_service import Found
from domain.commands import Actor
from domain.score_sheet import NEW, Create, decide, fold
from persistence.store import EventStore

from .conftest import OPERATOR

pytestmark = pytest.mark.asyncio

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
KEY = "a key that nobody guesses"


class Pad:
    """One sheet, as those who hold its tokens use it."""

    def __init__(self, http: httpx.AsyncClient, created: dict[str, Any]) -> None:
        self.http = http
        self.id: str = created["scoresheet"]["scoresheet_id"]
        self.path = f"/v1/scoresheets/{self.id}"
        self.host: str = created["host_token"]
        self.tokens: dict[str, str] = created["tokens"]

    def elsewhere(self, http: httpx.AsyncClient) -> Pad:
        """The same sheet on another server."""
        created = {"scoresheet": {"scoresheet_id": self.id}, "host_token": self.host, "tokens": self.tokens}
        return Pad(http, created)

    async def get(self) -> dict[str, Any]:
        return ok(await self.http.get(self.path))

    async def enter(
        self, round_no: Any, column: Any, value: Any, token: str | None = None, **headers: str
    ) -> httpx.Response:
        return await self.http.put(
            f"{self.path}/rounds/{round_no}/columns/{column}",
            json={"value": value},
            headers=bearer(token or self.host) | named(headers),
        )

    async def join(self, name: Any, token: str | None = None, **headers: str) -> httpx.Response:
        return await self.http.post(
            f"{self.path}/columns", json={"name": name}, headers=bearer(token or self.host) | named(headers)
        )

    async def end(self, token: str | None = None, **headers: str) -> httpx.Response:
        return await self.http.post(f"{self.path}/end", headers=bearer(token or self.host) | named(headers))


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} if token != "nobody" else {}


def named(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


def ok(response: httpx.Response, status: int = 200) -> Any:
    assert response.status_code == status, response.text
    return response.json()


def refused(response: httpx.Response, status: int, code: str) -> dict[str, Any]:
    body: dict[str, Any] = response.json()
    assert (response.status_code, body["code"]) == (status, code), response.text
    assert response.headers["content-type"] == "application/problem+json"
    assert body["type"] == f"/problems/{code}"
    assert body["detail"]
    return body


async def post(http: httpx.AsyncClient, body: Any, **headers: str) -> httpx.Response:
    return await http.post("/v1/scoresheets", json=body, headers=named(headers))


async def pad(http: httpx.AsyncClient, *names: str, target: int | None = None) -> Pad:
    body = {"columns": list(names or ("Ada", "Bo")), "target": target}
    return Pad(http, ok(await post(http, body), 201))


# Creating and reading


async def test_ss_1_create_and_read(client: httpx.AsyncClient) -> None:
    response = await post(client, {"columns": ["Ada", "Bo"], "target": 500})
    created = ok(response, 201)
    assert created.keys() == {"scoresheet", "host_token", "tokens"}
    assert created["tokens"].keys() == {"0", "1"}
    assert len({created["host_token"], *created["tokens"].values()}) == 3
    sheet = created["scoresheet"]
    assert response.headers["location"] == f"/v1/scoresheets/{sheet['scoresheet_id']}"
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["etag"] == '"1"'
    assert TIME.fullmatch(sheet["created_at"])
    assert sheet["scoresheet_id"][14] == "7", "a UUID of version 7"
    assert sheet == {
        "scoresheet_id": sheet["scoresheet_id"],
        "status": "open",
        "version": 1,
        "columns": [{"column": 0, "name": "Ada", "total": 0}, {"column": 1, "name": "Bo", "total": 0}],
        "rounds": [],
        "totals": [],
        "target": 500,
        "reached": [],
        "result": None,
        "created_at": sheet["created_at"],
        "ended_at": None,
    }
    got = await client.get(response.headers["location"])
    assert ok(got) == sheet
    assert got.headers["etag"] == '"1"'


async def test_ss_1_target_may_be_left_out(client: httpx.AsyncClient) -> None:
    assert ok(await post(client, {"columns": ["Ada"]}), 201)["scoresheet"]["target"] is None


async def test_ss_1_create_refused(client: httpx.AsyncClient) -> None:
    wrong: list[tuple[Any, str]] = [
        ({}, "#"),
        ({"columns": []}, "#/columns"),
        ({"columns": ["x"] * 17}, "#/columns"),
        ({"columns": "Ada"}, "#/columns"),
        ({"columns": ["Ada", ""]}, "#/columns/1"),
        ({"columns": ["x" * 41]}, "#/columns/0"),
        ({"columns": ["two\nlines"]}, "#/columns/0"),
        ({"columns": [" "]}, "#/columns/0"),
        ({"columns": [None]}, "#/columns/0"),
        ({"columns": ["Ada"], "target": 1.5}, "#/target"),
        ({"columns": ["Ada"], "target": "500"}, "#/target"),
        ({"columns": ["Ada"], "target": 1_000_001}, "#/target"),
        ({"columns": ["Ada"], "goal": 500}, "#/goal"),
        ([], "#"),
    ]
    for body, pointer in wrong:
        problem = refused(await post(client, body), 400, "request.invalid")
        assert [fault["pointer"] for fault in problem["errors"]] == [pointer]


async def test_ss_1_bytes_that_are_no_json(client: httpx.AsyncClient) -> None:
    for body in (b"", b"\xff", b'{"columns": ["\xc3\x28"]}', b'{"columns"'):
        response = await client.post("/v1/scoresheets", content=body)
        refused(response, 400, "request.malformed")


async def test_ss_1_no_such_sheet(client: httpx.AsyncClient) -> None:
    for wrong in ("018f0000-0000-7000-8000-000000000000", "no-id", "A" * 300, "%00"):
        refused(await client.get(f"/v1/scoresheets/{wrong}"), 404, "not_found")


async def test_ss_1_not_modified(client: httpx.AsyncClient) -> None:
    sheet = await pad(client)
    same = await client.get(sheet.path, headers={"If-None-Match": '"1"'})
    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", '"1"')
    ok(await sheet.enter(1, 0, 5))
    assert ok(await client.get(sheet.path, headers={"If-None-Match": '"1"'}))["version"] == 2


async def test_ss_1_a_game_is_no_sheet_and_a_sheet_no_game(client: httpx.AsyncClient) -> None:
    game = ok(await client.post("/v1/games", json={"variant": "wild-rummy"}), 201)
    sheet = await pad(client)
    game_id = game["game"]["game_id"]
    refused(await client.get(f"/v1/scoresheets/{game_id}"), 404, "not_found")
    end = await client.post(f"/v1/scoresheets/{game_id}/end", headers=bearer(game["host_token"]))
    refused(end, 404, "not_found")
    refused(await sheet.enter(1, 0, 5, game["host_token"]), 403, "auth.not_your_game")
    assert (await sheet.get())["version"] == 1
    listed = ok(await client.get("/v1/games"))
    assert [item["game_id"] for item in listed["items"]] == [game_id]


# Entering


async def test_ss_1_enter_and_correct_below_zero(client: httpx.AsyncClient) -> None:
    sheet = await pad(client, "Ada", "Bo", "Cy", target=60)
    ok(await sheet.enter(1, 0, 25, sheet.tokens["0"]))
    ok(await sheet.enter(1, 1, -10, sheet.tokens["1"]))
    ok(await sheet.enter(2, 1, -35))
    ok(await sheet.enter(2, 0, 40, sheet.tokens["0"]))
    now = ok(await sheet.enter(3, 2, 1_000_000, sheet.tokens["2"]))
    assert now["rounds"] == [[25, -10, None], [40, -35, None], [None, None, 1_000_000]]
    assert now["totals"] == [[25, -10, 0], [65, -45, 0], [65, -45, 1_000_000]]
    assert [column["total"] for column in now["columns"]] == [65, -45, 1_000_000]
    assert now["reached"] == [2, 0]

    corrected = await sheet.enter(1, 0, -25, sheet.tokens["0"])
    now = ok(corrected)
    assert now["rounds"][0] == [-25, -10, None]
    assert now["totals"] == [[-25, -10, 0], [15, -45, 0], [15, -45, 1_000_000]]
    assert now["reached"] == [2]
    assert now["version"] == 7
    assert corrected.headers["etag"] == '"7"'
    assert await sheet.get() == now


async def test_ss_1_entering_the_same_again_changes_nothing(client: httpx.AsyncClient) -> None:
    sheet = await pad(client)
    first = ok(await sheet.enter(1, 0, 5))
    assert ok(await sheet.enter(1, 0, 5)) == first
    assert first["version"] == 2


async def test_ss_1_no_whole_number(client: httpx.AsyncClient) -> None:
    sheet = await pad(client)
    for value in (1_000_001, -1_000_001, 0.5, "5", True, None, 10**400):
        problem = refused(await sheet.enter(1, 0, value), 400, "request.invalid")
        assert problem["errors"][0]["pointer"] == "#/value"
    assert (await sheet.get())["version"] == 1


async def test_ss_1_rounds_from_1_to_the_next(client: httpx.AsyncClient) -> None:
    sheet = await pad(client)
    for round_no in (2, 0, -1, 1_001, "x", "1.5", "9" * 5_000):
        refused(await sheet.enter(round_no, 0, 5), 404, "not_found")
    ok(await sheet.enter(1, 0, 5))
    ok(await sheet.enter(2, 0, 5))
    assert "3" in refused(await sheet.enter(4, 1, 5), 404, "not_found")["detail"]
    assert ok(await sheet.enter(1, 1, 5))["rounds"] == [[5, 5], [5, None]]


async def test_ss_1_no_such_column(client: httpx.AsyncClient) -> None:
    sheet = await pad(client)
    for column in (2, -1, 99, "x"):
        refused(await sheet.enter(1, column, 5), 404, "not_found")
        refused(await sheet.enter(1, column, 5, sheet.tokens["0"]), 404, "not_found")


async def test_ss_1_if_match(client: httpx.AsyncClient) -> None:
    sheet = await pad(client)
    ok(await sheet.enter(1, 0, 5, If_Match='"1"'))
    for stale in (
        await sheet.enter(1, 0, 6, If_Match='"1"'),
        await sheet.join("Cy", If_Match='"1"'),
        await sheet.end(If_Match='"1"'),
    ):
        assert refused(stale, 412, "version.stale")["version"] == 2
    ok(await sheet.enter(1, 0, 6, If_Match='"2"'))
    ok(await sheet.end(If_Match='"3"'))


# Who may


async def test_ss_1_wrong_tokens(clients: list[httpx.AsyncClient], client: httpx.AsyncClient) -> None:
    sheet, other = await pad(client), await pad(client)
    forged = f"{sheet.id}.host.{'A' * 43}"
    for here in (sheet, sheet.elsewhere(clients[1])):
        for token, status, code in (
            ("nobody", 401, "auth.required"),
            (forged, 401, "auth.unknown_token"),
            ("nonsense", 401, "auth.unknown_token"),
            (sheet.tokens["0"] + "x", 401, "auth.unknown_token"),
            (other.host, 403, "auth.not_your_game"),
            (other.tokens["0"], 403, "auth.not_your_game"),
            (OPERATOR, 403, "auth.not_your_game"),
        ):
            for response in (
                await here.enter(1, 0, 5, token),
                await here.join("Cy", token),
                await here.end(token),
            ):
                refused(response, status, code)
                assert ("www-authenticate" in response.headers) == (status == 401)
        refused(await here.enter(1, 1, 5, sheet.tokens["0"]), 403, "auth.host_only")
        read = await here.http.get(here.path, headers=bearer(forged))
        refused(read, 401, "auth.unknown_token")
        ok(await here.http.get(here.path, headers=bearer(other.host)))
        ok(await here.http.get(here.path, headers=bearer(OPERATOR)))
    refused(await post(client, {"columns": ["Ada"]}, **bearer(forged)), 401, "auth.unknown_token")
    assert (await sheet.get())["version"] == 1


async def test_ss_1_a_server_that_wants_a_key_for_new_games(app_for: Callable[..., Litestar]) -> None:
    transport = httpx.ASGITransport(app_for(create="operator"))
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as http:
        body = {"columns": ["Ada"]}
        refused(await post(http, body), 401, "auth.required")
        created = Pad(http, ok(await post(http, body, **bearer(OPERATOR)), 201))
        refused(await post(http, body, **bearer(created.host)), 403, "auth.operator_only")


# Joining


async def test_ss_1_join(clients: list[httpx.AsyncClient], client: httpx.AsyncClient) -> None:
    sheet = await pad(client)
    ok(await sheet.enter(1, 0, 5))
    response = await sheet.join("Cy", sheet.tokens["1"])
    joined = ok(response, 201)
    assert joined.keys() == {"column", "token"}
    assert joined["column"] == 2
    assert response.headers["cache-control"] == "no-store"
    for here in (sheet, sheet.elsewhere(clients[1])):
        ok(await here.enter(2, 2, -8, joined["token"]))
        refused(await here.enter(1, 0, 9, joined["token"]), 403, "auth.host_only")
    now = await sheet.get()
    assert now["columns"][2] == {"column": 2, "name": "Cy", "total": -8}
    assert now["rounds"] == [[5, None, None], [None, None, -8]]


async def test_ss_1_join_refused(client: httpx.AsyncClient) -> None:
    sheet = await pad(client, *[f"P{n}" for n in range(15)])
    for name in ("", " ", "x" * 41, "a\x00b", None, 5):
        refused(await sheet.join(name), 400, "request.invalid")
    ok(await sheet.join("the sixteenth"), 201)
    refused(await sheet.join("one too many"), 409, "game.full")


# Ending


@pytest.mark.parametrize("who", ["host", "2"])
async def test_ss_1_any_of_them_may_end(client: httpx.AsyncClient, who: str) -> None:
    sheet = await pad(client, "Ada", "Bo", "Cy")
    for column, value in enumerate((7, 30, 7)):
        ok(await sheet.enter(1, column, value))
    token = sheet.host if who == "host" else sheet.tokens[who]
    ended = ok(await sheet.end(token))
    assert ended["status"] == "ended"
    assert TIME.fullmatch(ended["ended_at"])
    assert ended["result"] == {"places": [[1], [0, 2]], "totals": [7, 30, 7]}
    assert await sheet.get() == ended
    refused(await sheet.enter(1, 0, 7), 409, "game.not_playing")
    refused(await sheet.enter(1, 0, 8, sheet.tokens["0"]), 409, "game.not_playing")
    refused(await sheet.join("Di"), 409, "game.not_playing")
    assert refused(await sheet.end(), 409, "game.not_playing")["rule"] == "SS-1"
    assert await sheet.get() == ended


async def test_ss_1_end_takes_an_empty_object(client: httpx.AsyncClient) -> None:
    sheet = await pad(client)
    wrong = await client.post(f"{sheet.path}/end", json={"winner": 0}, headers=bearer(sheet.host))
    refused(wrong, 400, "request.invalid")
    ok(await client.post(f"{sheet.path}/end", json={}, headers=bearer(sheet.host)))


# Asking again


async def test_ss_1_create_again(clients: list[httpx.AsyncClient]) -> None:
    body = {"columns": ["Ada", "Bo"], "target": 100}
    first = ok(await post(clients[0], body, Idempotency_Key=KEY), 201)
    sheet = Pad(clients[0], first)
    ok(await sheet.enter(1, 0, 5))
    ok(await sheet.join("Cy"), 201)
    for http in clients:
        again = await post(http, body, Idempotency_Key=KEY)
        assert ok(again, 201) == first, "the first answer, tokens and all, at its own version"
        assert again.headers["idempotency-replayed"] == "true"
        assert again.headers["location"] == sheet.path
        other = await post(http, {"columns": ["Ada"]}, Idempotency_Key=KEY)
        refused(other, 422, "idempotency.mismatch")
    refused(await post(clients[0], body, Idempotency_Key="short"), 400, "request.invalid")
    assert ok(await post(clients[0], body), 201)["scoresheet"]["scoresheet_id"] != sheet.id
    with_token = await post(clients[0], body, Idempotency_Key=KEY, **bearer(sheet.host))
    assert ok(with_token, 201)["scoresheet"]["scoresheet_id"] != sheet.id, "another caller's key is another"


async def test_ss_1_create_at_once_with_one_key(clients: list[httpx.AsyncClient]) -> None:
    body = {"columns": ["Ada"]}
    made = await asyncio.gather(*(post(clients[n % 2], body, Idempotency_Key=KEY) for n in range(8)))
    assert len({ok(one, 201)["host_token"] for one in made}) == 1
    assert sum("idempotency-replayed" not in one.headers for one in made) == 1


async def test_ss_1_join_again(clients: list[httpx.AsyncClient]) -> None:
    sheet = await pad(clients[0])
    first = ok(await sheet.join("Cy", Idempotency_Key="k"), 201)
    ok(await sheet.enter(1, 2, 5, first["token"]))
    ok(await sheet.end())
    for here in (sheet, sheet.elsewhere(clients[1])):
        again = await here.join("Cy", Idempotency_Key='"k"', If_Match='"1"')
        assert ok(again, 201) == first
        assert again.headers["idempotency-replayed"] == "true"
        refused(await here.join("Di", Idempotency_Key="k"), 422, "idempotency.mismatch")
        refused(await here.end(Idempotency_Key="k"), 422, "idempotency.mismatch")
        refused(await here.join("Cy", "nobody", Idempotency_Key="k"), 401, "auth.required")
        refused(await here.join("Cy", sheet.tokens["0"], Idempotency_Key="k"), 409, "game.not_playing")
    assert len((await sheet.get())["columns"]) == 3


async def test_ss_1_end_again(clients: list[httpx.AsyncClient]) -> None:
    sheet = await pad(clients[0])
    ok(await sheet.enter(1, 0, 5))
    first = ok(await sheet.end(sheet.tokens["1"], Idempotency_Key="k"))
    for here in (sheet, sheet.elsewhere(clients[1])):
        again = await here.end(sheet.tokens["1"], Idempotency_Key="k")
        assert ok(again) == first
        assert again.headers["idempotency-replayed"] == "true"
        refused(await here.end(sheet.tokens["1"]), 409, "game.not_playing")


async def test_ss_1_a_refusal_binds_no_key(client: httpx.AsyncClient) -> None:
    sheet = await pad(client)
    refused(await sheet.end(If_Match='"9"', Idempotency_Key="k"), 412, "version.stale")
    assert "idempotency-replayed" not in (await sheet.end(Idempotency_Key="k")).headers


# All at once


async def test_ss_1_racing_writers_on_two_servers(clients: list[httpx.AsyncClient]) -> None:
    sheet = await pad(clients[0], *[f"P{n}" for n in range(8)])
    pads = [sheet, sheet.elsewhere(clients[1])]
    for round_no in (1, 2):
        answers = await asyncio.gather(
            *(
                pads[(column + copy) % 2].enter(
                    round_no, column, (-1) ** copy * (100 * round_no + column), sheet.tokens[str(column)]
                )
                for column in range(8)
                for copy in range(2)
            )
        )
        assert {answer.status_code for answer in answers} == {200}
    now = await pads[1].get()
    assert now == await pads[0].get()
    for round_no, row in enumerate(now["rounds"], start=1):
        assert [abs(value) for value in row] == [100 * round_no + column for column in range(8)]
    assert now["version"] == 33, "each write is one event, and none was lost"


async def test_ss_1_racing_joins_get_different_columns(clients: list[httpx.AsyncClient]) -> None:
    sheet = await pad(clients[0], "Ada", "Bo")
    pads = [sheet, sheet.elsewhere(clients[1])]
    answers = await asyncio.gather(*(pads[n % 2].join(f"P{n}") for n in range(20)))
    given = [answer.json() for answer in answers if answer.status_code == 201]
    assert sorted(one["column"] for one in given) == [*range(2, 16)]
    for answer in answers:
        if answer.status_code != 201:
            refused(answer, 409, "game.full")
    names = [column["name"] for column in (await sheet.get())["columns"]]
    for n, answer in enumerate(answers):
        if answer.status_code == 201:
            assert names[answer.json()["column"]] == f"P{n}"
            ok(await pads[1].enter(1, answer.json()["column"], n, answer.json()["token"]))


async def test_ss_1_one_of_many_ends_it(clients: list[httpx.AsyncClient]) -> None:
    sheet = await pad(clients[0])
    pads = [sheet, sheet.elsewhere(clients[1])]
    answers = await asyncio.gather(*(pads[n % 2].end() for n in range(8)))
    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 7


# What is stored


async def test_ss_1_names_stand_beside_the_log(client: httpx.AsyncClient, store: EventStore) -> None:
    sheet = await pad(client, "Adelheid")
    ok(await sheet.join("Bartholomew"), 201)
    ok(await sheet.end())
    commits = await store.commits(sheet.id)
    assert [commit.commit_no for commit in commits] == [1, 2, 3]
    stored = b"".join(commit.events for commit in commits)
    assert b"Adelheid" not in stored
    assert b"Bartholomew" not in stored
    assert [row.name for row in await store.seats(sheet.id)] == ["Adelheid", "Bartholomew"]
    assert await store.game(sheet.id) is None, "in no list of games"
    tokens = [row.hash for row in await store.tokens(sheet.id)]
    assert len(tokens) == 3
    assert all(len(found) == 32 for found in tokens)


async def test_ss_1_a_long_sheet_is_read_whole(clients: list[httpx.AsyncClient]) -> None:
    sheet = await pad(clients[0], "Ada")
    for n in range(205):
        ok(await sheet.enter(n // 2 + 1, 0, n))
    now = ok(await sheet.elsewhere(clients[1]).enter(104, 0, -1))
    assert now["version"] == 207
    assert now["rounds"] == [[2 * n + 1] for n in range(102)] + [[204], [-1]]


async def test_ss_1_the_tag_counts_erased_names() -> None:
    sheet = fold(decide(NEW, Create(3), Actor(), "2026-03-01T12:00:00.000Z"))
    assert Found("an id", sheet, ["Ada", "Bo", "Cy"]).etag == '"1"'
    assert Found("an id", sheet, [None, "Bo", None]).etag == '"1.2"'
