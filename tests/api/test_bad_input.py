"""Anything malformed gets a coded answer, and nothing is recorded. Bytes are sent, not objects."""

from __future__ import annotations

import json

import pytest

from api.problems import PROBLEMS
from domain.commands import ORDER

from .harness import Client, code

JSON = {"Content-Type": "application/json"}
DRAW = b'{"type":"draw","source":"stock"}'

MALFORMED = [
    b"", b" ", b"{", b"}", b"[1,", b"nul", b"\xff", b'{"type":"dr\xffaw"}', b'"\xff"', b"\xef\xbb\xbf" + DRAW,
    DRAW + b" x", b"\x00", b'{"type":"draw","source":"\\ud800"}', b"{'type':'draw'}", b'{"type":"draw",}', b"NaN",
    DRAW.decode().encode("utf-16"),
    b'{"type":"declare","groups":' + b"[" * 20_000 + b"]" * 20_000 + b',"discard":"7H"}',
    b"[" * 60_000,
]  # fmt: skip
INVALID = [
    (b"null", "#"), (b"1", "#"), (b"[]", "#"), (b'"draw"', "#"), (b"{}", "#"), (b'{"type":null}', "#/type"),
    (b'{"type":1}', "#/type"), (b'{"type":"fly"}', "#/type"), (b'{"type":"draw"}', "#"),
    (b'{"type":"draw","source":"sky"}', "#/source"), (b'{"type":"draw","source":"stock","x":1}', "#/x"),
    (b'{"type":"draw","source":"stock","count":0}', "#/count"),
    (b'{"type":"draw","source":"stock","count":1.5}', "#/count"),
    (b'{"type":"draw","source":"stock","count":"1"}', "#/count"),
    (b'{"type":"draw","source":"stock","count":true}', "#/count"),
    (b'{"type":"meld","cards":[]}', "#/cards"), (b'{"type":"meld","cards":["7H","8H","XX"]}', "#/cards/2"),
    (b'{"type":"meld","cards":["7h"]}', "#/cards/0"), (b'{"type":"meld","cards":["7H\\n"]}', "#/cards/0"),
    (b'{"type":"meld","cards":["7H=8H\\n"]}', "#/cards/0"), (b'{"type":"discard","card":"JK\\n"}', "#/card"),
    (b'{"type":"meld","cards":["7H"],"kind":"pair"}', "#/kind"),
    (b'{"type":"lay_off","meld":0,"cards":["7H"]}', "#/meld"),
    (b'{"type":"discard","card":"10H"}', "#/card"), (b'{"type":"discard","card":null}', "#/card"),
    (b'{"type":"declare","groups":[["7H"],"x"],"discard":"7H"}', "#/groups/1"),
    (b'{"type":"take_seat","seat":0,"entropy":""}', "#/type"), (b'{"type":"time_out"}', "#/type"),
    (b'{"type":"expire"}', "#/type"),
]  # fmt: skip


@pytest.mark.asyncio
async def test_bytes_that_are_no_command(client: Client) -> None:
    game = await client.game()
    before = await game.view(0)
    for body in MALFORMED:
        answer = await game.post("/commands", 0, content=body, headers=JSON)
        assert (answer.status_code, code(answer)) == (400, "request.malformed"), (body[:60], answer.text)
    for body, pointer in INVALID:
        answer = await game.post("/commands", 0, content=body, headers=JSON)
        assert (answer.status_code, code(answer)) == (400, "request.invalid"), (body[:60], answer.text)
        assert [e["pointer"] for e in answer.json()["errors"]] == [pointer], (body[:60], answer.text)
    assert await game.view(0) == before


@pytest.mark.asyncio
@pytest.mark.parametrize(("path", "body", "detail"), [
    ("/commands", b'{"type":"knock"}', f"One of {', '.join(ORDER)}, start, pause, resume, resign, cancel."),
    ("/commands", b'{"type":"draw","source":"pile"}', "One of discard, stock."),
    ("/commands", b'{"type":"draw"}', "The member source is missing."),
    ("/commands", b'{"type":"pass","x":1}', "There is no member x here."),
    ("/commands", b"[]", "An object belongs here, not a list."),
    ("/commands", b'{"type":"draw","source":"stock","count":0}', "At least 1."),
    ("/commands", b'{"type":"draw","source":"stock","count":1.5}', "A whole number belongs here, not a fraction."),
    ("/commands", b'{"type":"draw","source":"stock","count":"1"}', "A whole number belongs here, not text."),
    ("/commands", b'{"type":"meld","cards":[]}', "At least 1 item."),
    ("/commands", b'{"type":"discard","card":"10H"}', "A card belongs here, such as 7H."),
    ("/commands", b'{"type":"meld","cards":["7h"]}',
     "A card belongs here, such as 7H, or a wild and what it stands for, such as 2C=6H."),
    ("/seats", b'{"name":" "}', "Printable text belongs here, and not only spaces."),
    ("/seats", b'{"name":"' + b"x" * 41 + b'"}', "At most 40 characters."),
    ("/v1/games", b'{"variant":"wild-rummy","seats":[{"kind":"robot"}]}', "One of human, open, bot."),
    ("/v1/games", b'{"variant":"wild-rummy","spectators":"all"}', "One of none, public, or an object."),
    ("/v1/games", b'{"variant":"wild-rummy","spectators":7}', "Text or an object belongs here, not a whole number."),
    ("/v1/games", b'{"variant":"wild-rummy","sandbox":{"seed":"x"}}', "64 hex digits belong here."),
    ("/v1/games", b'{"variant":"wild-rummy","sandbox":{"position":{"hands":[],"turn":{"seat":0,"phase":"x"}}}}',
     "One of discard, draw, play."),
    ("/events?wait=31", None, "At most 30."), ("/events?limit=x", None, "A whole number belongs here."),
    ("/events?far=1", None, "There is no parameter far here."),
])  # fmt: skip
async def test_a_fault_is_said_in_the_words_of_a_person(
    client: Client, path: str, body: bytes | None, detail: str
) -> None:
    game = await client.game()
    where = path if path.startswith("/v1") else game.path + path
    answer = await client.call("GET" if body is None else "POST", where, game.tokens[0], content=body, headers=JSON)
    assert code(answer) == "request.invalid"
    problem = answer.json()
    assert (problem["detail"], [e["detail"] for e in problem["errors"]]) == (detail, [detail])


@pytest.mark.asyncio
async def test_numbers_of_any_size_are_answered(client: Client) -> None:
    game = await client.game()
    seat = (await game.view(0))["turn"]["seat"]
    for number in (b"9" * 400, b"9" * 30_000, b"1e999", b"-0", b"1e1", b"-" + b"9" * 100, b"1" + b"0" * 19):
        for key in ({}, {"Idempotency-Key": "k"}):
            for member in (b'"type":"draw","source":"stock","count":', b'"type":"lay_off","cards":["7H"],"meld":'):
                body = b"{" + member + number + b"}"
                answer = await game.post("/commands", seat, content=body, headers={**JSON, **key})
                assert code(answer).startswith(("request.", "turn.", "draw.", "card.", "meld.")), answer.text
        assert (await game.get(f"/events?after={number.decode()[:3000]}")).status_code in (200, 400)


@pytest.mark.asyncio
async def test_bodies_have_a_largest_size(client: Client) -> None:
    game = await client.game()
    for path, most in (("/v1/games", 256), (f"{game.path}/commands", 64), ("/v1/arrangements", 64)):
        answer = await client.call("POST", path, content=b" " * (most * 1024 + 1), headers=JSON)
        assert (answer.status_code, code(answer)) == (413, "request.too_large"), path

    async def endless() -> object:
        for _ in range(100):
            yield b" " * 1024

    answer = await client.http.post(f"{game.path}/commands", content=endless(), headers=JSON)
    assert code(answer) == "request.too_large"


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", [
    "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml", "x", "",
    "application/json; charset=latin-1", "application/jsonp",
])  # fmt: skip
async def test_other_media_types_are_refused(client: Client, kind: str) -> None:
    game = await client.game()
    for path in (f"{game.path}/commands", f"{game.path}/seats", "/v1/games", "/v1/arrangements"):
        answer = await client.call("POST", path, game.tokens[0], content=DRAW, headers={"Content-Type": kind})
        assert (answer.status_code, code(answer)) == (415, "request.media_type"), path


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", [
    "application/json", "application/json; charset=utf-8", 'Application/JSON;charset="UTF-8"', None,
])  # fmt: skip
async def test_json_by_any_of_its_names(client: Client, kind: str | None) -> None:
    headers = {} if kind is None else {"Content-Type": kind}
    answer = await client.call("POST", "/v1/games", content=b'{"variant":"wild-rummy"}', headers=headers)
    assert answer.status_code == 201, answer.text


@pytest.mark.asyncio
async def test_the_routers_errors_are_problems_too(client: Client) -> None:
    for path in ("/", "/v1", "/v2/games", "/v1/games/x/y/z", "/..", "//", "/v1/games/%2e%2e/view", "/docs/x.js"):
        assert code(await client.call("GET", path)) == "not_found", path
    for path in ("/", "/v1", "/v1/games/x/y/z"):
        answer = await client.call("GET", path)
        assert "documentation is at /docs" in answer.json()["detail"]  # whoever came by is shown the way
    for path, allow in (
        ("/v1/games", "GET, HEAD, OPTIONS, POST"), ("/v1/variants", "GET, HEAD, OPTIONS"),
        ("/v1/replays", "OPTIONS, POST"), ("/health/live", "GET, HEAD, OPTIONS"),
    ):  # fmt: skip
        for method in ("DELETE", "PATCH", "TRACE", "BREW"):
            answer = await client.call(method, path)
            assert (answer.status_code, code(answer)) == (405, "method_not_allowed"), (method, path)
            assert answer.headers["allow"] == allow
        options = await client.call("OPTIONS", path)
        assert (options.status_code, options.headers["allow"]) == (204, allow)


@pytest.mark.asyncio
async def test_head_is_get_without_a_body(client: Client) -> None:
    game = await client.game()
    for path in ("/v1/variants", game.path, f"{game.path}/view", "/health/live", f"{game.path}/nothing"):
        got, head = await client.call("GET", path), await client.call("HEAD", path)
        assert (head.status_code, head.content) == (got.status_code, b"")
        assert head.headers["content-length"] == got.headers["content-length"]


@pytest.mark.asyncio
async def test_pages_of_any_origin_may_call(client: Client) -> None:
    game = await client.game()
    asked = {"Origin": "http://page.test", "Access-Control-Request-Method": "POST",
             "Access-Control-Request-Headers": "authorization, idempotency-key"}  # fmt: skip
    answer = await client.call("OPTIONS", f"{game.path}/commands", headers=asked)
    assert answer.status_code == 204
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "POST" in answer.headers["access-control-allow-methods"]
    allowed = answer.headers["access-control-allow-headers"].lower()
    for name in ("authorization", "content-type", "idempotency-key", "if-match", "if-none-match", "last-event-id"):
        assert name in allowed
    for path in (f"{game.path}/view", "/nowhere"):
        answer = await client.call("GET", path, headers={"Origin": "http://page.test"})
        assert answer.headers["access-control-allow-origin"] == "*"
        assert "access-control-allow-credentials" not in answer.headers
        exposed = answer.headers["access-control-expose-headers"]
        for name in ("ETag", "Location", "Retry-After", "Idempotency-Replayed", "Request-Id"):
            assert name in exposed


@pytest.mark.asyncio
async def test_every_answer_has_an_id_of_its_own(client: Client) -> None:
    ids = {(await client.call("GET", path)).headers["request-id"] for path in ("/v1/games", "/x", "/health/live") * 3}
    assert len(ids) == 9


@pytest.mark.asyncio
async def test_every_problem_is_explained_at_its_address(client: Client) -> None:
    for name, (status, title, detail) in PROBLEMS.items():
        answer = await client.call("GET", f"/problems/{name}")
        assert json.loads(answer.content) == {
            "type": f"/problems/{name}", "code": name, "title": title, "status": status, "detail": detail}  # fmt: skip
    assert code(await client.call("GET", "/problems/nothing")) == "not_found"


@pytest.mark.asyncio
async def test_what_nobody_expected_is_an_internal_error_and_tells_nothing(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    game = await client.game()

    def broken() -> str:
        raise ZeroDivisionError("the ace of spades")

    client.server.service.clock = broken
    seat = (await game.view(0))["turn"]["seat"]
    answer = await game.send(seat, (await game.actions(seat))[0])
    assert (answer.status_code, code(answer)) == (500, "internal")
    assert "ace of spades" not in answer.text
    assert answer.headers["request-id"] in caplog.text


@pytest.mark.asyncio
async def test_the_documentation_needs_nothing_from_elsewhere(client: Client) -> None:
    page = await client.call("GET", "/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "http" not in page.text.replace("https://", "http").split("<html")[0]
    for part in ("swagger-ui.css", "swagger-ui-bundle.js", "start.js", "favicon-32x32.png", "LICENSE", "NOTICE"):
        answer = await client.call("GET", f"/docs/{part}")
        assert answer.status_code == 200
        assert answer.content
    assert (await client.call("GET", "/openapi.json")).json()["openapi"].startswith("3.1")
