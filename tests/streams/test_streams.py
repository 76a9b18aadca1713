"""Server-sent events: positions, redaction, pings, presence, and how a stream ends."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.api.harness import OPERATOR_KEY, bearer, code, sqlite_url

from .harness import HUMANS, SOON, Play, Site, at, grow, served, until


@pytest.mark.asyncio
async def test_a_stream_shows_what_list_events_shows(either: Site) -> None:
    game = await either.game(sandbox={"seed": "5" * 64})
    await game.play(20)
    for who in (0, 1, None):
        listed = (await game.get("/events", who, params={"limit": 500})).json()["items"]
        async with either.stream(game, who, after=0) as stream:
            answer = stream.answer
            assert answer.status_code == 200
            assert answer.headers["content-type"] == "text/event-stream"
            assert answer.headers["cache-control"] == "no-store"
            assert answer.headers["request-id"]
            assert answer.headers["access-control-allow-origin"] == "*"
            got = await stream.events(len(listed))
        assert [message.json for message in got] == listed
        assert [message.id for message in got] == [event["seq"] for event in listed]


@pytest.mark.asyncio
async def test_without_a_position_it_starts_now(site: Site) -> None:
    game = await site.game()
    version = (await game.view(0))["version"]
    async with site.stream(game, 0) as stream:
        await game.play(1)
        (first,) = await stream.events(1)
    assert first.id == version + 1


@pytest.mark.asyncio
async def test_the_last_event_id_wins(site: Site) -> None:
    game = await site.game()
    async with site.stream(game, last=2, after=0) as stream:
        (first,) = await stream.events(1)
        assert first.id == 3
    async with site.stream(game, last=0, after=3) as stream:
        (first,) = await stream.events(1)
        assert first.id == 1


@pytest.mark.asyncio
async def test_what_is_wrong_is_said_before_the_stream_starts(site: Site) -> None:
    game = await site.game()
    other = await site.game(spectators="none")
    for query in ("after=-1", "after=x", "after=1.5", "after=1&after=2", "token=x", "after=99999999999"):
        assert code(await game.get(f"/stream?{query}")) == "request.invalid", query
    for last in ("x", "-1", "1.0", "9" * 11, "2147483648", "²"):
        headers = {"Last-Event-ID": last.encode()}
        assert code(await game.get("/stream", headers=headers)) == "request.invalid", last
    assert code(await game.get("/stream", f"{game.id}.seat0.unknown")) == "auth.unknown_token"
    assert code(await game.get("/stream", other.tokens[0])) == "auth.not_your_game"
    assert code(await other.get("/stream")) == "auth.required"
    assert code(await site.client.call("GET", f"/v1/games/{game.id[:-4]}0000/stream")) == "not_found"
    assert code(await game.post("/stream", 0)) == "method_not_allowed"


@pytest.mark.asyncio
async def test_a_head_request_ends(site: Site) -> None:
    game = await site.game()
    answer = await site.client.call("HEAD", f"{game.path}/stream")
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-type"] == "text/event-stream"
    assert not site.presence.connected(game.id, 0)


@pytest.mark.asyncio
async def test_pings_have_no_id(tmp_path: Path) -> None:
    async with served(sqlite_url(tmp_path), ping=0.05) as site:
        game = await site.game()
        version = (await game.view())["version"]
        async with site.stream(game) as stream:
            for _ in range(2):
                ping = await stream.named("ping")
                assert ping.id is None
                assert ping.json.keys() == {"now", "version"}
                assert ping.json["version"] == version
                assert ping.json["now"].endswith("Z")
            await game.play(1)
            await stream.events(1)
            while (await stream.named("ping")).json["version"] == version:
                pass


@pytest.mark.asyncio
async def test_who_comes_and_goes_is_told_and_shown(either: Site) -> None:
    game = await either.game()

    async def connected() -> list[bool]:
        return [seat["connected"] for seat in (await game.get()).json()["seats"]]

    async with either.stream(game) as spectator, either.stream(game, 0) as first:
        assert (await spectator.named("presence")).json == {"seat": 0, "connected": True}
        assert await connected() == [True, False]
        async with either.stream(game, 1):
            for stream in (spectator, first):
                assert (await stream.named("presence")).json == {"seat": 1, "connected": True}
            assert await connected() == [True, True]
        for stream in (spectator, first):
            message = await stream.named("presence")
            assert message.json == {"seat": 1, "connected": False}
            assert message.id is None
        assert await connected() == [True, False]
        async with either.socket(game, 1) as second:
            assert (await spectator.named("presence")).json == {"seat": 1, "connected": True}
            async with either.stream(game, 0):
                pass  # seat 0 was there already, and stays
            async with either.stream(game):
                pass  # a spectator is nobody
            await game.play(1)
            assert (await second.frame())["type"] == "event"
    events = (await game.get("/events", 0, params={"limit": 500})).json()["items"]
    assert not [event for event in events if "presence" in event["type"]]


@pytest.mark.asyncio
async def test_a_game_that_is_over_ends_its_streams(either: Site) -> None:
    game = await either.game()
    readers = [either.stream(game, who, after=0) for who in (0, 1, None)]
    streams = [await reader.__aenter__() for reader in readers]
    answer = await game.send(0, {"type": "resign"})
    version = answer.json()["version"]
    for stream in streams:
        events = await stream.rest()
        assert [message.id for message in events] == list(range(1, version + 1))
        assert events[-1].json["type"] == "seed_revealed"
    for reader in readers:
        await reader.__aexit__(None, None, None)
    async with either.stream(game, 1, last=version - 2) as stream:
        assert [message.id for message in await stream.rest()] == [version - 1, version]
    for where in ({"headers": {"Last-Event-ID": str(version)}}, {"params": {"after": version}}, {}):
        answer = await game.get("/stream", 0, **where)
        assert (answer.status_code, answer.content) == (204, b"")


@pytest.mark.asyncio
async def test_a_token_that_was_taken_back_ends_its_stream(site: Site) -> None:
    game = await site.game(start="manual")
    async with site.stream(game, 1) as mine, site.stream(game, 0) as other:
        assert (await game.send(1, {"type": "resign"})).status_code == 200
        assert await mine.rest() == []
        assert (await other.events(1))[0].json["type"] == "seat_left"
    assert code(await game.get("/stream", 1)) == "auth.unknown_token"


@pytest.mark.asyncio
async def test_nothing_runs_ahead_of_a_delay(tmp_path: Path) -> None:
    async with served(sqlite_url(tmp_path), ping=0.05) as site:
        game = await site.game(spectators={"delayed": 2}, sandbox={"seed": "6" * 64})
        play = Play(game, 2, seed=1)
        seen = 0
        async with site.stream(game, after=0) as stream, site.stream(game, 0, after=0) as seat:
            # Nor is it said who is connected now: a seat's stream hears of it, a spectator's does not.
            async with site.stream(game, 0) as other, site.stream(game, 1):
                assert (await other.named("presence")).json == {"seat": 1, "connected": True}
                assert not any(s["connected"] for s in (await game.get()).json()["seats"])
                assert [s["connected"] for s in (await game.get("", 0)).json()["seats"]] == [True, True]
            for _ in range(25):
                await play.step()
                visible = (await game.view())["version"]
                for message in await stream.events(visible - seen):
                    seen += 1
                    assert message.id == seen
                while (told := (await stream.named("ping")).json["version"]) != visible:
                    assert told < visible
            version = (await game.view(0))["version"]
            assert 0 < seen < version
            assert len(await seat.events(version)) == version
            while (await seat.named("ping")).json["version"] != version:
                pass
            assert "presence" not in stream.names
            # Once it is over nothing is held back.
            await game.send(0, {"type": "resign"})
            rest = [message.id for message in await stream.rest()]
            assert rest == list(range(seen + 1, (await game.view())["version"] + 1))


@pytest.mark.asyncio
async def test_a_server_that_goes_down_lets_its_readers_go(either: Site) -> None:
    game = await either.game()
    async with (
        either.stream(game, 0, after=0) as one, either.stream(game, after=0) as two, either.socket(game, 1) as three
    ):  # fmt: skip
        version = (await game.view(0))["version"]
        await one.events(version)
        await two.events(version)
        either.server.drain()
        assert [await one.rest(), await two.rest()] == [[], []]
        assert await three.closed() == 1012
    await until(lambda: either.server.parts.service.notifier.followed == 0)  # type: ignore[attr-defined]
    assert not either.presence.connected(game.id, 0)


@pytest.mark.asyncio
async def test_a_reader_goes_on_at_a_server_that_was_started_again(database_url: str) -> None:
    async with served(database_url) as site:
        game = await site.game(sandbox={"seed": "5" * 64})
        async with site.stream(game, 0, after=0) as stream:
            await game.play(10)
            before = await stream.events(8)
    async with served(database_url) as site:
        game = at(site, game)
        version = (await game.view(0))["version"]
        async with site.stream(game, 0, last=before[-1].id) as stream:
            after = await stream.events(version - 8)
            await game.play(1)
            after += await stream.events(1)
        listed = (await game.get("/events", 0, params={"limit": 500})).json()["items"]
        assert [message.json for message in before + after] == listed[: version + 1]


def narrow(port: int | None = None) -> socket.socket:
    """A socket whose ends hold little: one that listens, or one that is connected."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    if port is None:
        made.bind(("127.0.0.1", 0))
        made.listen()
    else:
        made.connect(("127.0.0.1", port))
    return made


HANDSHAKE = {
    "stream": "",
    "socket": "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
}


@pytest.mark.asyncio
@pytest.mark.parametrize("what", ["stream", "socket"])
async def test_a_reader_who_does_not_read_is_cut_off(what: str, tmp_path: Path) -> None:
    listen = narrow()
    port = listen.getsockname()[1]
    async with served(sqlite_url(tmp_path), listen, patience=0.3) as site:
        game = await site.game(variant="rummy-5000", seats=HUMANS, sandbox={"seed": "7" * 64})
        await grow(site, game, 400)
        whole = len((await game.get("/events", 0, params={"limit": 500})).content)
        assert whole > 100_000
        link = narrow(port)
        head = f"GET {game.path}/{what}?after=0 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {game.tokens[0]}\r\n"
        link.sendall(f"{head}{HANDSHAKE[what]}\r\n".encode())
        await until(lambda: site.presence.connected(game.id, 0))
        await until(lambda: not site.presence.connected(game.id, 0))
        # Who reads gets everything meanwhile, and nothing waits at the server for who does not.
        async with site.stream(game, 1, after=0) as stream:
            assert len(await stream.events(350)) == 350
        await until(lambda: len(site.server.server_state.connections) <= 2)
        link.settimeout(SOON)
        got = 0
        with link:
            try:
                while data := await asyncio.to_thread(link.recv, 65536):
                    got += len(data)
                    assert not data.endswith(b"0\r\n\r\n")
            except ConnectionResetError:
                pass
        assert got < whole


@pytest.mark.asyncio
@pytest.mark.parametrize("what", ["stream", "socket"])
async def test_a_server_goes_down_though_a_reader_does_not_read(what: str, tmp_path: Path) -> None:
    listen = narrow()
    port = listen.getsockname()[1]
    async with served(sqlite_url(tmp_path), listen, patience=3600) as site:
        game = await site.game(variant="rummy-5000", seats=HUMANS, sandbox={"seed": "7" * 64})
        await grow(site, game, 400)
        link = narrow(port)
        head = f"GET {game.path}/{what}?after=0 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {game.tokens[0]}\r\n"
        link.sendall(f"{head}{HANDSHAKE[what]}\r\n".encode())
        await until(lambda: site.presence.connected(game.id, 0))
    link.close()
    assert not site.presence.connected(game.id, 0)


@pytest.mark.asyncio
async def test_an_operator_follows_as_a_spectator(site: Site) -> None:
    game: Any = await site.game(sandbox={"seed": "8" * 64})
    async with site.http.stream(
        "GET", f"{game.path}/stream?after=0", headers=bearer(OPERATOR_KEY)
    ) as answer:
        assert answer.status_code == 200
        async for line in answer.aiter_lines():
            if '"deal_started"' in line:
                assert '"hands":[null,null]' in line
                break
