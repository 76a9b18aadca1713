# ruff: noqa: ARG005, E501, PERF401
"""Garbage in every form that a network can bring: coded refusals, nothing recorded, and a healthy server after it."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import logging
import random
import re
import struct
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from api import connection
from tests.api.harness import Game, sqlite_url
from tests.streams.harness import Site, served

from .harness import amounts

JSON = {"Content-Type": "application/json"}
POSTS = ("/v1/games", "/v1/arrangements", "/v1/replays", "/v1/scoresheets", "{game}/commands", "{game}/seats", "{game}/rematch")
GETS = (
    "/v1/games", "/v1/variants/{x}", "/v1/rooms/{x}", "/v1/games/{x}", "{game}/view", "{game}/events", "{game}/actions",
    "{game}/stream", "{game}/scores", "{game}/log", "/problems/{x}", "/docs/{x}", "/v1/scoresheets/{x}", "/{x}",
)  # fmt: skip
VALID: tuple[Any, ...] = (
    {"type": "draw", "source": "stock", "count": 1},
    {"type": "meld", "cards": ["7H", "8H", "JK=9H"], "kind": "run"},
    {"type": "declare", "groups": [["7H", "8H", "9H"], ["2C", "2D", "2S"]], "discard": "KH"},
    {"variant": "wild-rummy", "seats": [{"kind": "human", "name": "Ada"}], "options": {"first_starter": 0},
     "sandbox": {"seed": "0" * 64, "position": {"hands": [["7H"], ["8H"]], "turn": {"seat": 0, "phase": "draw"}}}},
    {"variant": "single-deck-rummy", "hand": ["3H", "4H", "JK"], "wild": "KD"},
    {"columns": ["a", "b"], "target": 100},
)  # fmt: skip


@pytest_asyncio.fixture
async def site(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> AsyncIterator[Site]:
    caplog.set_level(logging.INFO)
    async with served(sqlite_url(tmp_path), patience=2.0) as site:
        yield site


@contextlib.asynccontextmanager
async def harmless(site: Site, caplog: pytest.LogCaptureFixture) -> AsyncIterator[Game]:
    """What happens in the block records nothing, breaks nothing and leaves nothing behind."""
    game = await site.game()
    view = await game.view(0)
    store = site.server.parts.service.store
    recorded = store.counters.commits
    yield game
    assert store.counters.commits == recorded
    assert await game.view(0) == view
    assert (await site.http.get("/health/ready")).status_code == 200
    listed = await game.actions(view["turn"]["seat"])
    assert (await game.send(view["turn"]["seat"], listed[0])).status_code == 200
    errors = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
    # What is no UTF-8 is told to the client by uvicorn itself, which also says so here.
    assert {error for error in errors if not error.startswith("Invalid UTF-8")} == set()


def noise(chance: random.Random, most: int = 300) -> bytes:
    """Bytes: any, or only such as look like something."""
    number = chance.randrange(most)
    if chance.random() < 0.5:
        return chance.randbytes(number)
    return bytes(chance.choice(b'{}[]",:0123456789.eE-+\\u"tfn \r\n%&=/?') for _ in range(number))


def spoiled(chance: random.Random) -> bytes:
    """JSON of a request in which something is wrong, mostly."""
    body = json.loads(json.dumps(chance.choice(VALID)))

    def spoil(value: Any) -> Any:
        if chance.random() < 0.1:
            return chance.choice([None, True, -1, 2**70, 1.5, "", "\ud800" if chance.random() < 0.3 else "x", [], {}, [[]],
                                  "A" * 5000, "7H\u0000", 10**300, {"a": {}}])  # fmt: skip
        if isinstance(value, dict):
            return {(k if chance.random() > 0.05 else k + "x"): spoil(v) for k, v in value.items()}
        if isinstance(value, list):
            return [spoil(v) for v in value] * chance.choice((1, 1, 1, 1, 50))
        return value

    text = bytearray(json.dumps(spoil(body)).encode())
    if chance.random() < 0.4 and text:
        for _ in range(chance.randrange(1, 5)):
            text[chance.randrange(len(text))] = chance.randrange(256)
    if chance.random() < 0.2:
        del text[chance.randrange(len(text)) :]
    if chance.random() < 0.05:
        text[:] = b'{"a":' * chance.choice((50, 5_000, 12_000)) + bytes(text)
    return bytes(text)


def headers_of(chance: random.Random, game: Game) -> list[tuple[bytes, bytes]]:
    """Headers that nobody should send."""
    made = [
        (b"Content-Type", b"application/json") if chance.random() < 0.8 else (b"Content-Type", printable(chance)),
        (b"Authorization", f"Bearer {game.tokens[0]}".encode()),
    ]
    names = (b"If-Match", b"If-None-Match", b"Idempotency-Key", b"Last-Event-ID", b"Authorization", b"Content-Type",
             b"Accept", b"Origin", b"Range", b"Cookie", b"X-Forwarded-For", b"Expect", b"Accept-Encoding")  # fmt: skip
    for _ in range(chance.randrange(4)):
        made.append((chance.choice(names), printable(chance)))
    return made


def printable(chance: random.Random) -> bytes:
    number = chance.choice((0, 1, 5, 30, 300, 3_000))
    return bytes(chance.choice(range(33, 256)) for _ in range(number)).replace(b"\x7f", b"?")


def path_of(chance: random.Random, template: str, game: Game) -> str:
    odd = "".join(chance.choice(("%00", "%ff", "%2e%2e", "%2f", "%", "a", "..", "%c3%28", "-", "%ed%a0%80", "0")) for _ in range(4))
    path = template.replace("{game}", game.path).replace("{x}", odd)
    if chance.random() < 0.5:
        names = ("after", "limit", "wait", "at", "dry_run", "view", "status", "variant", "x", "%00", "")
        values = ("-1", "0", "1", "x", "", "null", "1e9", "9" * 30, "%ff", "true", "1.5", "%00", "NaN", "%2b1", "١")
        # No wish to wait: that would only take time.
        query = "&".join(f"{n}={v if n != 'wait' else 'x'}" for n, v in
                         ((chance.choice(names), chance.choice(values)) for _ in range(chance.randrange(1, 4))))  # fmt: skip
        path += "?" + query.encode().decode("latin-1")
    return path


@contextlib.asynccontextmanager
async def connected(site: Site) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    host, port = site.server.address.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        yield reader, writer
    finally:
        writer.transport.abort()


async def raw(site: Site, data: bytes, *, silent: float | None = None) -> bytes:
    """Send bytes; what comes back until the server closes, or has been silent for so long where it may be."""
    found = b""
    async with connected(site) as (reader, writer):
        with contextlib.suppress(ConnectionError):
            sending = asyncio.create_task(deliver(writer, data))
            with contextlib.suppress(ConnectionError):
                await asyncio.wait_for(asyncio.shield(sending), 10)
            if silent is not None:
                writer.write_eof()
            while True:
                try:
                    chunk = await asyncio.wait_for(reader.read(65536), 10 if silent is None else silent)
                except TimeoutError:
                    assert silent is not None, ("the server does not end it", data[:300], found[:300])
                    break
                found += chunk
                if not chunk:
                    break
    return found


async def deliver(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(data)
    await writer.drain()


async def socket(site: Site, hello: bytes, frames: bytes) -> bytes:
    """A handshake, then bytes; what comes back until the server closes or is silent."""
    async with connected(site) as (reader, writer):
        found = b""
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, TimeoutError):
            async with asyncio.timeout(5):
                await deliver(writer, hello)
                found = await reader.readuntil(b"\r\n\r\n")
                await deliver(writer, frames)
            while chunk := await asyncio.wait_for(reader.read(65536), 0.1):
                found += chunk
        return found


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def request(method: str, path: str, headers: list[tuple[bytes, bytes]], body: bytes) -> bytes:
    lines = [f"{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {len(body)}\r\n".encode("latin-1")]
    lines += [name + b": " + value + b"\r\n" for name, value in headers]
    return b"".join(lines) + b"\r\n" + body


def answers(data: bytes) -> list[bytes]:
    """What came back, answer by answer: what is no request is answered behind what was one."""
    found: list[bytes] = []
    while data:
        head, _, rest = data.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
        size = int(length[1]) if length else 0
        found.append(head + b"\r\n\r\n" + rest[:size])
        data = rest[size:]
    return found


def refusal(answer: bytes, what: Any) -> None:
    """No server error; and where there is a body of ours, it is a problem."""
    assert 200 <= status(answer) < 500, (what, answer[:500])
    head, _, body = answer.partition(b"\r\n\r\n")
    if body and status(answer) >= 400 and b"application/problem+json" in head:
        problem = json.loads(body)
        assert problem["status"] == status(answer)
        assert problem["code"] != "internal"


@amounts(250, 10_000)
@pytest.mark.asyncio
async def test_spoiled_requests(site: Site, caplog: pytest.LogCaptureFixture, amount: int) -> None:
    chance = random.Random(amount)
    async with harmless(site, caplog) as game:
        for _ in range(amount):
            method = chance.choice(("GET", "POST", "POST", "POST", "PUT", "HEAD", "OPTIONS"))
            template = chance.choice(POSTS if method == "POST" else GETS)
            body = b"" if method != "POST" else chance.choice((noise, spoiled))(chance)
            headers = headers_of(chance, game)
            if template in POSTS[:4:3]:  # what can be created by luck is nobody's business here
                body = body[:-1]
            if template == "{game}/stream" and method == "GET":
                continue
            data = request(method, path_of(chance, template, game), headers, body)
            answer = await raw(site, data)
            assert answer, data
            refusal(answer, data[:3000])


@amounts(150, 3_000)
@pytest.mark.asyncio
async def test_bytes_that_are_no_request(site: Site, caplog: pytest.LogCaptureFixture, amount: int) -> None:
    chance = random.Random(amount)
    async with harmless(site, caplog) as game:
        whole = request("POST", f"{game.path}/commands", [(b"Content-Type", b"application/json")], spoiled(chance))
        for _ in range(amount):
            data = bytearray(whole if chance.random() < 0.7 else noise(chance, 2_000))
            kind = chance.randrange(4)
            if kind == 0 and data:
                del data[chance.randrange(len(data)) :]
            elif kind == 1:
                for _ in range(3):
                    data.insert(chance.randrange(len(data) + 1), chance.randrange(256))
            elif kind == 2:
                data = data.replace(b"Content-Length: ", chance.choice((
                    b"Content-Length: 9", b"Content-Length: -", b"Transfer-Encoding: chunked\r\nX: ",
                    b"Transfer-Encoding: gzip, chunked\r\nContent-Length: 3\r\nX: ", b"Content-Length: 5\r\nContent-Length: ",
                )))  # fmt: skip
            answer = await raw(site, bytes(data), silent=0.3)
            for part in answers(answer):
                refusal(part, bytes(data[:300]))


@pytest.mark.asyncio
async def test_bodies_and_heads_without_end(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    async with harmless(site, caplog) as game:
        for path in ("/v1/games", f"{game.path}/commands", "/v1/arrangements", "/v1/scoresheets"):
            for head in (b"Content-Length: 999999999999\r\n", b"Transfer-Encoding: chunked\r\n"):
                start = f"POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n".encode() + head + b"\r\n"
                chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
                answer = await raw(site, start + chunk * 20)
                assert (status(answer), b"request.too_large" in answer) == (413, True), answer[:300]
        # A head has an end too: the server does not gather it for ever. Who still sends may miss the answer.
        for head in (b"GET / HTTP/1.1\r\nX-Long: " + b"a" * 4_000_000, b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 500_000,
                     b"GET /" + b"a" * 4_000_000):  # fmt: skip
            answer = await raw(site, head)
            assert not answer or status(answer) in (400, 413), answer[:300]
        answer = await raw(site, b"GET / HTTP/1.1\r\nX-Long: " + b"a" * 70_000)
        assert (status(answer), b"request.too_large" in answer) == (413, True), answer[:300]


@amounts(30, 500)
@pytest.mark.asyncio
async def test_requests_that_never_end_are_ended(
    site: Site, caplog: pytest.LogCaptureFixture, amount: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "REQUEST_SECONDS", 0.5)
    async with harmless(site, caplog) as game:
        starts = [
            b"", b"P", b"POST ", b"POST /v1/games HTTP/1.1\r\nHost: x\r\n",
            f"POST {game.path}/commands HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{{".encode(),
            b"POST /v1/games HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
            b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\nGET",
        ]  # fmt: skip

        async def drip(start: bytes) -> None:
            host, port = site.server.address.removeprefix("http://").split(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            try:
                writer.write(start)
                ended = asyncio.create_task(reader.read(-1))
                async with asyncio.timeout(15):
                    while not ended.done():
                        await asyncio.sleep(0.1)
                        writer.write(b"X" if b"\r\n" not in start else b" ")
                with contextlib.suppress(OSError):
                    await ended
            finally:
                writer.transport.abort()

        await asyncio.gather(*(drip(starts[n % len(starts)]) for n in range(amount)))
        assert (await site.http.get("/v1/variants")).status_code == 200


def frame(opcode: int, data: bytes, *, fin: bool = True, mask: bool = True, length: int | None = None) -> bytes:
    size = len(data) if length is None else length
    head = bytes([(0x80 if fin else 0) | opcode])
    bit = 0x80 if mask else 0
    if size < 126:
        head += bytes([bit | size])
    elif size < 65536:
        head += bytes([bit | 126]) + struct.pack("!H", size)
    else:
        head += bytes([bit | 127]) + struct.pack("!Q", size)
    return head + (b"\0\0\0\0" if mask else b"") + data


def handshake(chance: random.Random, path: str, token: str | None, **changes: bytes) -> bytes:
    headers = {
        "Upgrade": b"websocket", "Connection": b"Upgrade", "Sec-WebSocket-Version": b"13",
        "Sec-WebSocket-Key": base64.b64encode(chance.randbytes(16)),
        **{name.replace("_", "-"): value for name, value in changes.items()},
    }  # fmt: skip
    if token is not None:
        headers["Authorization"] = f"Bearer {token}".encode()
    lines = [f"GET {path} HTTP/1.1\r\nHost: x\r\n".encode(), *(n.encode() + b": " + v + b"\r\n" for n, v in headers.items())]
    return b"".join(lines) + b"\r\n"


Make = Callable[[random.Random], bytes]
FRAMES: tuple[Make, ...] = (
    lambda c: c.randbytes(c.randrange(1, 200)),
    lambda c: frame(1, noise(c)),
    lambda c: frame(1, spoiled(c)[:60_000]),
    lambda c: frame(1, json.dumps({"key": "k", "command": c.choice(VALID), "dry_run": True}).encode()[: c.randrange(9, 200)]),
    lambda c: frame(2, noise(c)),
    lambda c: frame(2, b'{"key":"k","command":{"type":"fly"}}'),
    lambda c: frame(1, b"{}", mask=False),
    lambda c: frame(1, b"{" * 100, fin=False) + frame(0, b"}" * 100) + frame(0, b"x"),
    lambda c: frame(1, b"x", length=2**62),
    lambda c: frame(1, b"[" * 60_000),
    lambda c: frame(1, b" " * 70_000),
    lambda c: frame(8, b"\x00"),
    lambda c: frame(8, struct.pack("!H", c.randrange(65536)) + noise(c, 120)),
    lambda c: frame(9, b"p" * 125) * 50,
    lambda c: frame(9, b"p" * 200),
    lambda c: frame(c.choice((3, 7, 11, 15)), b"x"),
    lambda c: frame(1, b"\xff\xfe"),
)  # fmt: skip


@amounts(120, 3_000)
@pytest.mark.asyncio
async def test_sockets_full_of_garbage(site: Site, caplog: pytest.LogCaptureFixture, amount: int) -> None:
    chance = random.Random(amount)
    async with harmless(site, caplog) as game:
        path = f"{game.path}/socket"
        for number in range(amount):
            hello = handshake(chance, path, game.tokens[0] if chance.random() < 0.8 else None)
            data = b"".join(FRAMES[number % len(FRAMES)](chance) for _ in range(chance.randrange(1, 4)))
            answer = await socket(site, hello, data)
            assert answer.startswith(b"HTTP/1.1 101"), (data, answer[:300])
            assert b'"internal"' not in answer
        odd = [
            handshake(chance, path, None, Sec_WebSocket_Key=b"x"), handshake(chance, path, None, Sec_WebSocket_Version=b"9"),
            handshake(chance, path + "?after=x", game.tokens[0]), handshake(chance, "/v1/games/%ff/socket", None),
            handshake(chance, "/v1/games", None), handshake(chance, f"{game.path}/view", game.tokens[0]),
            handshake(chance, path, "nonsense"), handshake(chance, path, None, Upgrade=b"h2c"),
            handshake(chance, path, None, Authorization=b"\xff\xfe"), handshake(chance, "/%00/%ff?%ff", None),
            handshake(chance, path, game.tokens[0]).replace(b"GET", b"POST"),
        ]  # fmt: skip
        for data in odd:
            answer = await socket(site, data, frame(1, b"{}"))
            assert not answer or status(answer) < 500, (data, answer[:300])
        await settled(lambda: not site.presence.connected(game.id, 0))
    assert not site.server.parts.service.notifier._readers  # type: ignore[attr-defined]


async def settled(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not true():  # noqa: ASYNC110
            await asyncio.sleep(0.02)
