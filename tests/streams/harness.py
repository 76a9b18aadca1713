"""Real servers in the test's own loop, and clients that follow games over real connections."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
from msgspec import Struct
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from api.app import create_app
from api.random_play import legal
from api.serve import DrainingServer, configuration
from domain.commands import Actor
from tests.api.harness import Client, Game, bearer, settings_for

#: Seconds after which something that should happen is taken to have failed.
SOON = 30.0


class Here(DrainingServer):
    """A server that leaves signals to pytest."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.up = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: Any = None) -> None:
        try:
            await super().startup(sockets)
        finally:
            self.up.set()


class Site:
    """A running server and a client of it."""

    def __init__(self, server: Here, http: httpx.AsyncClient) -> None:
        self.server = server
        self.http = http
        self.client = Client(http, server.parts)

    @property
    def presence(self) -> Any:
        return self.server.parts.service.presence

    async def game(self, **body: Any) -> Game:
        return await self.client.game(**body)

    @asynccontextmanager
    async def stream(self, game: Game, who: int | str | None = None, last: int | None = None,
                     **query: Any) -> AsyncIterator[Stream]:  # fmt: skip
        headers = bearer(game.token(who)) | ({} if last is None else {"Last-Event-ID": str(last)})
        async with self.http.stream("GET", f"{game.path}/stream", params=query, headers=headers) as answer:
            yield Stream(answer)

    @asynccontextmanager
    async def socket(self, game: Game, who: int | str | None = None, query: str = "",
                     token: bool = True) -> AsyncIterator[Socket]:  # fmt: skip
        address = f"{self.server.address.replace('http', 'ws')}{game.path}/socket{query}"
        headers = bearer(game.token(who)) if token else {}
        async with connect(address, additional_headers=headers, proxy=None, ping_interval=None,
                           open_timeout=SOON, close_timeout=SOON) as link:  # fmt: skip
            yield Socket(link)


class Message(Struct, frozen=True):
    """A server-sent message."""

    data: bytes
    id: int | None = None
    event: str | None = None

    @property
    def json(self) -> Any:
        return json.loads(self.data)


class Stream:
    """An open stream."""

    def __init__(self, answer: httpx.Response) -> None:
        self.answer = answer
        #: the names of the messages that came, None of those without
        self.names: set[str | None] = set()
        self._messages = self._read()

    async def _read(self) -> AsyncIterator[Message]:
        rest = b""
        async for chunk in self.answer.aiter_bytes():
            *blocks, rest = (rest + chunk).split(b"\n\n")
            for block in blocks:
                fields = dict(line.split(b": ", 1) for line in block.split(b"\n"))
                assert fields.keys() <= {b"id", b"data", b"event"}
                number = int(fields[b"id"]) if b"id" in fields else None
                event = fields[b"event"].decode() if b"event" in fields else None
                assert (number is None) == (event in ("ping", "presence")), fields
                self.names.add(event)
                yield Message(fields[b"data"], number, event)
        assert rest == b"", rest

    async def next(self) -> Message | None:
        """The next message; None at the end."""
        async with asyncio.timeout(SOON):
            return await anext(self._messages, None)

    async def named(self, name: str) -> Message:
        """The next message with this name; others are passed over."""
        while (message := await self.next()) is not None:
            if message.event == name:
                return message
        raise AssertionError(f"the stream ended before a {name} came")

    async def events(self, number: int) -> list[Message]:
        """The next events; named messages are passed over, and at the end there may be fewer."""
        found: list[Message] = []
        while len(found) < number and (message := await self.next()) is not None:
            found += [message] if message.event is None else []
        return found

    async def rest(self) -> list[Message]:
        """All events up to the end of the stream."""
        return await self.events(1_000_000)


class Socket:
    """An open WebSocket."""

    def __init__(self, link: ClientConnection) -> None:
        self.link = link

    async def frame(self) -> dict[str, Any]:
        async with asyncio.timeout(SOON):
            return json.loads(await self.link.recv())

    async def raw(self, kind: str) -> bytes:
        """The next frame of this kind, as it came; others are passed over."""
        async with asyncio.timeout(SOON):
            while True:
                frame = await self.link.recv(decode=False)
                if frame.startswith(b'{"type":"%b"' % kind.encode()):
                    return frame

    async def next(self, kind: str) -> dict[str, Any]:
        return json.loads(await self.raw(kind))

    async def send(self, frame: Any) -> None:
        await self.link.send(frame if isinstance(frame, str | bytes) else json.dumps(frame))

    async def ask(self, key: str, command: Any, **more: Any) -> dict[str, Any]:
        """Send a command and wait for its answer."""
        await self.send({"key": key, "command": command, **more})
        answer = await self.next("answer")
        assert answer["key"] == key
        return answer

    async def closed(self) -> int:
        """Wait until the server closes; the code. Frames are passed over."""
        async with asyncio.timeout(SOON):
            with contextlib.suppress(ConnectionClosed):
                async for _ in self.link:
                    pass
            await self.link.wait_closed()
        assert self.link.close_code is not None
        return self.link.close_code


def body_of(frame: bytes) -> bytes:
    """The bytes of an answer's body."""
    at = frame.index(b',"body":')
    return frame[at + len(b',"body":') : -1]


@asynccontextmanager
async def served(url: str, listen: socket.socket | None = None, **settings: Any) -> AsyncIterator[Site]:
    """A server on this database, on a port of its own."""
    chosen = settings_for(url, port=0, **settings)
    app = create_app(chosen)
    server = Here(configuration(app, chosen), app)
    task = asyncio.create_task(server.serve(None if listen is None else [listen]))
    await server.up.wait()
    if not server.started:
        await task
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=20)
    try:
        async with httpx.AsyncClient(
            base_url=server.address, limits=limits, timeout=SOON, trust_env=False
        ) as http:
            yield Site(server, http)
    finally:
        server.drain()
        server.should_exit = True
        async with asyncio.timeout(SOON):
            await task


async def until(true: Callable[[], bool]) -> None:
    """Wait for something that no client is told of."""
    async with asyncio.timeout(SOON):
        while not true():  # noqa: ASYNC110
            await asyncio.sleep(0.002)


class Play:
    """All seats of a game, played from their lists of actions by chance that is the same every time."""

    def __init__(self, game: Game, seats: int, seed: int) -> None:
        self.game = game
        self.seats = seats
        self.chance = random.Random(seed)
        self.turn = 0
        self.played = 0

    async def step(self, site: Site | None = None) -> bool:
        """One command of whoever's turn it is, at this server. False when there is nothing to do any more."""
        game = self.game if site is None else at(site, self.game)
        for _ in range(self.seats):
            listed = await game.actions(self.turn)
            if listed:
                answer = await game.send(self.turn, self.chance.choice(listed))
                assert answer.status_code == 200, answer.text
                self.played += 1
                view = answer.json()["view"]
                if view["turn"] is None:
                    return False
                self.turn = view["turn"]["seat"]
                return True
            self.turn = (self.turn + 1) % self.seats
        return False


async def grow(site: Site, game: Game, version: int, seed: int = 1) -> None:
    """Play on inside the server, past this version."""
    service, chance = site.server.parts.service, random.Random(seed)
    while (table := await service.table(game.id)).state.version < version:
        seat, command = chance.choice(legal(table.state))
        await service.submit(game.id, command, Actor(seat=seat))


def at(site: Site, game: Game) -> Game:
    """The same game, spoken to at another server."""
    return Game(site.client, game.created)


HUMANS: list[dict[str, Any]] = [{"kind": "human", "name": name} for name in ("Ada", "Bob", "Cid", "Dee")]
