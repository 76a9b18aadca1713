"""WebSockets: who may have one, commands and their answers, bad frames, and how a socket ends."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from api import sockets
from tests.api.harness import OPERATOR_KEY, Game, sqlite_url

from .harness import HUMANS, SOON, Play, Site, Socket, body_of, served

PASS = {"type": "pass"}


async def first(game: Game) -> tuple[int, Any]:
    """Whose turn it is, and the first thing that may be done."""
    seat = (await game.view(0))["turn"]["seat"]
    return seat, (await game.actions(seat))[0]


async def refused(socket: Socket) -> tuple[int, str]:
    """The close code and the problem's, where a socket was not to be."""
    frame = await socket.next("answer")
    assert frame["key"] is None
    assert frame["body"]["status"] == frame["status"]
    assert await socket.closed() == 4000 + frame["status"]
    return frame["status"], frame["body"]["code"]


# ------------------------------------------------------------------- who it is


@pytest.mark.asyncio
async def test_the_token_comes_in_the_header_or_first(site: Site) -> None:
    game = await site.game()
    version = (await game.view(0))["version"]
    seat, command = await first(game)
    async with site.socket(game, seat, "?after=0") as socket:
        seqs = [(await socket.frame())["event"]["seq"] for _ in range(version)]
        assert seqs == list(range(1, version + 1))
    async with site.socket(game, seat, "?after=0", token=False) as socket:
        await socket.send({"auth": game.tokens[seat]})
        seqs = [(await socket.frame())["event"]["seq"] for _ in range(version)]
        assert seqs == list(range(1, version + 1))
        assert (await socket.ask("a", command))["status"] == 200
    async with site.socket(game, seat) as socket:  # from now on
        await socket.send({"key": "b", "command": PASS})
        assert (await socket.frame())["status"] == 409


@pytest.mark.asyncio
async def test_who_may_not_have_a_socket_is_told_why(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    game, other = await site.game(), await site.game()
    private = await site.game(spectators="none")
    host = game.host
    monkeypatch.setattr(sockets, "AUTH_SECONDS", SOON)  # however busy the machine is
    wrong = f"{game.id}.seat0.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    for who, expected in (
        (wrong, (401, "auth.unknown_token")),
        ("nonsense", (401, "auth.unknown_token")),
        (other.tokens[0], (403, "auth.not_your_game")),
        (host, (403, "auth.not_your_game")),
        (OPERATOR_KEY, (403, "auth.not_your_game")),
    ):
        async with site.socket(game, who) as socket:
            assert await refused(socket) == expected
        async with site.socket(game, token=False) as socket:
            await socket.send({"auth": who})
            assert await refused(socket) == expected
    command = json.dumps({"key": "a", "command": PASS})
    for frame in ("{}", '{"auth": 1}', '{"auth": "a", "b": 1}', "not json", "", command):
        async with site.socket(game, token=False) as socket:
            await socket.send(frame)
            assert await refused(socket) == (401, "auth.required")
    for query in ("?after=-1", "?after=x", f"?token={game.tokens[0]}", "?after=1&after=1", "?after=9999"):
        async with site.socket(game, 0, query) as socket:
            assert await refused(socket) == (400, "request.invalid")
    missing = Game(site.client, {**game.created, "game": {"game_id": f"{game.id[:-4]}0000"}})
    nobody = f"{missing.id}.seat0.AAAA"
    for who, expected in (game.tokens[0], (404, "not_found")), (nobody, (401, "auth.unknown_token")):
        async with site.socket(missing, who) as socket:
            assert await refused(socket) == expected
    monkeypatch.setattr(sockets, "AUTH_SECONDS", 0.05)
    for silent in (game, private):
        async with site.socket(silent, token=False) as socket:
            assert await refused(socket) == (401, "auth.required")


@pytest.mark.asyncio
async def test_the_address_is_no_page(site: Site) -> None:
    game = await site.game()
    assert (await game.get("/socket", 0)).status_code == 405


# -------------------------------------------------------------------- commands


@pytest.mark.asyncio
async def test_an_answer_is_what_http_answers(either: Site) -> None:
    """Byte by byte, for what is done, refused or not understood; and the keys are the same."""
    game = await either.game(sandbox={"seed": "5" * 64})
    seat, command = await first(game)
    other = 1 - seat
    async with either.socket(game, seat) as socket:

        async def over_both(key: str, command: Any, **headers: str) -> tuple[bytes, Any]:
            raw = command if isinstance(command, str) else json.dumps(command)
            await socket.send(f'{{"key":"{key}","command":{raw}}}')
            frame = await socket.raw("answer")
            answer = await game.post("/commands", seat, content=raw, headers={
                "Content-Type": "application/json", "Idempotency-Key": key, **headers})  # fmt: skip
            assert json.loads(frame)["status"] == answer.status_code
            return body_of(frame), answer

        body, answer = await over_both("one", command)
        assert (answer.status_code, body) == (200, answer.content)
        assert answer.headers["idempotency-replayed"] == "true"
        for key, bad in (
            ("two", {"type": "lay_off", "meld": 9, "cards": ["2C"]}),
            ("one", PASS),  # another request with the same key
            ("three", {"type": "meld", "cards": ["2C", "3D", "9H"]}),
            ("four", {"type": "meld", "cards": ["2C", "3D", "XX"]}),
            ("five", {"type": "discard"}),
            ("six", {"type": "discard", "card": "2C", "more": 1}),
            ("seven", {"type": "unknown"}),
            ("eight", "[]"),
            ("nine", "null"),
            ("ten", "17"),
        ):
            body, answer = await over_both(key, bad)
            assert answer.status_code >= 400
            assert body == answer.content, key
    # The other way round, and the key of one caller is not another's.
    while (now := await first(game))[0] != other:
        assert (await game.send(*now)).status_code == 200
    done = await game.send(*now, idempotency_key='"one"')
    assert "idempotency-replayed" not in done.headers
    async with either.socket(game, other) as theirs:
        await theirs.send({"key": "one", "command": now[1]})
        assert body_of(await theirs.raw("answer")) == done.content


@pytest.mark.asyncio
async def test_events_come_once_and_before_their_answer(either: Site) -> None:
    game = await either.game(sandbox={"seed": "5" * 64})
    play = Play(game, 2, seed=3)
    sockets = [either.socket(game, seat, "?after=0") for seat in (0, 1)]
    open_sockets = [await socket.__aenter__() for socket in sockets]
    seen = [0, 0]
    for n in range(40):
        seat = play.turn = (await game.view(0))["turn"]["seat"]
        command = play.chance.choice(await game.actions(seat))
        await open_sockets[seat].send({"key": f"{n}", "command": command})
        while (frame := await open_sockets[seat].frame())["type"] != "answer":
            if frame["type"] == "event":
                seen[seat] += 1
                assert frame["event"]["seq"] == seen[seat]
        assert frame["status"] == 200
        assert seen[seat] == frame["body"]["version"]
        assert frame["body"]["events"][-1]["seq"] == seen[seat]
    for socket in sockets:
        await socket.__aexit__(None, None, None)


@pytest.mark.asyncio
async def test_conditions_dry_runs_and_repeats(either: Site) -> None:
    game = await either.game()
    seat, command = await first(game)
    version = (await game.view(0))["version"]
    async with either.socket(game, seat) as socket:
        dry = await socket.ask("a", command, dry_run=True)
        assert (dry["status"], dry["body"]) == (200, {"version": version, "ok": True})
        stale = await socket.ask("a", command, if_version=version - 1)
        assert (stale["status"], stale["body"]["code"]) == (412, "version.stale")
        done = await socket.ask("a", command, if_version=version)
        assert done["status"] == 200
        again = await socket.ask("a", command, if_version=version)  # the key is looked up first
        assert again == done
        assert (await socket.ask("a", PASS))["body"]["code"] == "idempotency.mismatch"
    async with either.socket(game, seat) as socket:
        assert await socket.ask("a", command) == done
    assert (await game.view(0))["version"] == done["body"]["version"]


BAD = (
    "", "not json", "[]", "null", "17", '"text"', "{", '{"key":"k"}', '{"command":{"type":"pass"}}',
    '{"key":"","command":{"type":"pass"}}', '{"key":null,"command":{"type":"pass"}}',
    '{"key":1,"command":{"type":"pass"}}', '{"key":"k","command":{"type":"pass"},"more":1}',
    '{"key":"k\\n","command":{"type":"pass"}}', '{"key":"\\u0000","command":{"type":"pass"}}',
    f'{{"key":"{"k" * 201}","command":{{"type":"pass"}}}}',
    '{"key":"k","command":{"type":"pass"},"if_version":-1}',
    '{"key":"k","command":{"type":"pass"},"if_version":"1"}',
    '{"key":"k","command":{"type":"pass"},"if_version":1.5}',
    '{"key":"k","command":{"type":"pass"},"dry_run":1}', '{"key":"k","command":{"type":"start","fill":"x"}}',
    '{"key":"k","command":' + "[" * 20_000 + "]" * 20_000 + "}",
    "[" * 60_000, '{"key":"\\ud800","command":{"type":"pass"}}', '{"auth":"again"}',
    b'{"key":"k","command":{"type":"\xff"}}', b"\xff",
)  # fmt: skip


@pytest.mark.asyncio
async def test_bad_frames_are_answered_and_harm_nothing(site: Site) -> None:
    game = await site.game()
    view = await game.view(0)
    seat, command = await first(game)
    async with site.socket(game, seat) as socket:
        for frame in BAD:
            await socket.send(frame)
            answer = await socket.next("answer")
            assert answer.keys() == {"type", "key", "status", "body"}
            assert answer["status"] == 400, frame
            assert answer["body"]["code"] in ("request.invalid", "request.malformed")
        await socket.send('{"key":"mine","command":{"type":"pass"},"more":1}')
        answer = await socket.next("answer")
        assert (answer["key"], answer["body"]["errors"][0]["detail"]) == ("mine", answer["body"]["detail"])
        assert (await game.view(0)) == view
        assert (await socket.ask("good", command))["status"] == 200
        await socket.send(json.dumps({"key": "bytes", "command": {"type": "pass"}}).encode())
        assert (await socket.next("answer"))["key"] == "bytes"


@pytest.mark.asyncio
async def test_a_frame_that_is_too_large_closes(site: Site) -> None:
    game = await site.game()
    for token in (True, False):
        async with site.socket(game, 0, token=token) as socket:
            await socket.send("x" * (64 * 1024 + 1))
            assert await socket.closed() == 1009
    assert (await game.get()).status_code == 200


@pytest.mark.asyncio
async def test_many_frames_at_once_are_answered_in_order(site: Site) -> None:
    game = await site.game()
    async with site.socket(game, 0, "?after=0") as socket:
        for n in range(300):
            await socket.send({"key": f"{n}", "command": {"type": "pass"}})
        assert [(await socket.next("answer"))["key"] for _ in range(300)] == [f"{n}" for n in range(300)]


@pytest.mark.asyncio
async def test_pings_and_presence(tmp_path: Path) -> None:
    async with served(sqlite_url(tmp_path), ping=0.05) as site:
        game = await site.game()
        version = (await game.view())["version"]
        async with site.socket(game, 0) as socket:
            ping = await socket.next("ping")
            assert ping.keys() == {"type", "now", "version"}
            assert ping["version"] == version
            async with site.socket(game, 1):
                assert await socket.next("presence") == {"type": "presence", "seat": 1, "connected": True}
            assert await socket.next("presence") == {"type": "presence", "seat": 1, "connected": False}


@pytest.mark.asyncio
async def test_a_game_that_is_over_closes_its_sockets(either: Site) -> None:
    game = await either.game()
    async with either.socket(game, 0) as one, either.socket(game, 1) as two:
        answer = await one.ask("bye", {"type": "resign"})
        assert answer["status"] == 200
        assert await one.closed() == 1000
        last = None
        async for frame in two.link:
            event = json.loads(frame)
            last = event["event"]["type"] if event["type"] == "event" else last
        assert last == "seed_revealed"
        assert two.link.close_code == 1000
    version = answer["body"]["version"]
    async with either.socket(game, 1, f"?after={version}") as socket:
        assert await socket.closed() == 1000


@pytest.mark.asyncio
async def test_who_gives_up_the_seat_loses_the_socket(site: Site) -> None:
    game = await site.game(start="manual")
    async with site.socket(game, 1) as socket:
        assert (await socket.ask("bye", {"type": "resign"}))["status"] == 200
        assert await refused(socket) == (401, "auth.unknown_token")


# ------------------------------------------------------------------------- races

CALLABLE = {
    "deal": 1, "dealer": 3, "wild_indicator": "6H",
    "hands": [["QS", "4C", "3D"], ["2H", "5D", "8C"], ["4H", "8D", "AC"], ["3H", "9D", "JC"]],
    "discard": ["5H"],
    "melds": [{"owner": 2, "cards": ["9S", "TS", "JS"]}, {"owner": 3, "cards": ["KC", "KD", "KH"]}],
    "turn": {"seat": 0, "phase": "play"},
}  # fmt: skip


@pytest.mark.asyncio
@pytest.mark.parametrize("conditional", [True, False])
async def test_of_two_calls_at_one_instant_the_first_counts(either: Site, conditional: bool) -> None:
    """FK-12: two sockets call rummy; one has the card, the other is told so."""
    for _ in range(5):
        game = await either.game(
            variant="rummy-5000", seats=HUMANS, sandbox={"position": CALLABLE}, options={"rummy_window": 30}
        )
        assert (await game.send(0, {"type": "discard", "card": "QS"})).status_code == 200
        version = (await game.view(0))["version"]
        more = {"if_version": version} if conditional else {}
        async with either.socket(game, 2) as two, either.socket(game, 3) as three:
            answers = await asyncio.gather(
                two.ask("call", {"type": "call_rummy", "meld": 1, "discard": "8D"}, **more),
                three.ask("call", {"type": "call_rummy", "meld": 1, "discard": "9D"}, **more),
            )
            won = [answer for answer in answers if answer["status"] == 200]
            (lost,) = [answer for answer in answers if answer["status"] != 200]
            assert len(won) == 1
            assert won[0]["body"]["events"][0]["type"] == "rummy_called"
            assert lost["body"]["code"] == ("version.stale" if conditional else "rummy.does_not_fit")
            assert lost["body"]["detail"].endswith(".")
        events = (await game.get("/events", 1, params={"after": version})).json()["items"]
        assert [event["type"] for event in events].count("rummy_called") == 1


@pytest.mark.asyncio
async def test_a_handshake_where_there_is_no_socket_is_answered_as_any_request(either: Site) -> None:
    game = await either.game()
    for path in (f"{game.path}/view", f"{game.path}/nosuch"):
        with pytest.raises(InvalidStatus) as refused:
            await connect(either.server.address.replace("http", "ws") + path, proxy=None)
        answer = refused.value.response
        assert answer.status_code == 404
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.headers["request-id"]
        assert json.loads(bytes(answer.body or b""))["code"] == "not_found"
    plain = await either.http.get(f"{game.path}/socket")
    assert (plain.status_code, plain.headers["allow"]) == (405, "OPTIONS")


@pytest.mark.asyncio
async def test_who_has_no_seat_any_more_has_no_socket(either: Site) -> None:
    """The host who leaves the seat keeps the token, and sees the game as a spectator."""
    game = await either.game(seats=[{"kind": "human"}, {"kind": "open"}], host_seat=0, start="manual")
    async with either.socket(game, 0) as socket, either.stream(game, 0) as stream:
        assert (await socket.ask("k", {"type": "resign"}))["status"] == 200
        assert await socket.closed() == 4403
        assert all(message.json["type"] == "seat_left" for message in await stream.rest())
    assert not either.presence.connected(game.id, 0)
    assert (await game.get("/view", 0)).json()["you"] is None
