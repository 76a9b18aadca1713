"""A server in the test's own loop, and a client that speaks to it over ASGI: bytes in, bytes out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
from litestar import Litestar

from api.app import create_app
from api.clock import Clock
from api.server import Server
from api.settings import Settings
from persistence.store import EventStore

OPERATOR_KEY = "operator-key-of-the-tests"
SECRET = "the secret of the tests, long enough"

TWO: list[dict[str, Any]] = [{"kind": "human", "name": "Ada"}, {"kind": "human", "name": "Bob"}]


def bearer(token: str | None) -> dict[str, str]:
    return {} if token is None else {"Authorization": f"Bearer {token}"}


class Client:
    """The contract's calls, by their names."""

    def __init__(self, http: httpx.AsyncClient, server: Server) -> None:
        self.http = http
        self.server = server

    async def call(
        self, method: str, path: str, token: str | None = None, *, headers: dict[str, str] | None = None,
        **more: Any,
    ) -> httpx.Response:  # fmt: skip
        return await self.http.request(method, path, headers={**bearer(token), **(headers or {})}, **more)

    async def create(self, token: str | None = None, headers: dict[str, str] | None = None,
                     **body: Any) -> httpx.Response:  # fmt: skip
        body = {"variant": "wild-rummy", **body}
        return await self.call("POST", "/v1/games", token, json=body, headers=headers)

    async def game(self, **body: Any) -> Game:
        """A new game; two humans unless said otherwise."""
        answer = await self.create(**{"seats": TWO, **body})
        assert answer.status_code == 201, answer.text
        return Game(self, answer.json())


class Game:
    """One game and its tokens."""

    def __init__(self, client: Client, created: dict[str, Any]) -> None:
        self.client = client
        self.created = created
        self.id: str = created["game"]["game_id"]
        self.path = f"/v1/games/{self.id}"
        self.tokens: dict[int, str] = {int(seat): token for seat, token in created["tokens"].items()}
        self.host: str = created["host_token"]

    def token(self, who: int | str | None) -> str | None:
        return self.tokens[who] if isinstance(who, int) else who

    async def get(self, what: str = "", who: int | str | None = None, **more: Any) -> httpx.Response:
        return await self.client.call("GET", f"{self.path}{what}", self.token(who), **more)

    async def post(self, what: str, who: int | str | None = None, **more: Any) -> httpx.Response:
        return await self.client.call("POST", f"{self.path}{what}", self.token(who), **more)

    async def send(self, who: int | str | None, command: Any, query: str = "", **headers: str) -> httpx.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.post(f"/commands{query}", who, json=command, headers=named)

    async def view(self, who: int | str | None = None) -> dict[str, Any]:
        answer = await self.get("/view", who)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def actions(self, who: int) -> list[dict[str, Any]]:
        answer = await self.get("/actions", who)
        assert answer.status_code == 200, answer.text
        return answer.json()["actions"]

    async def play(self, commands: int) -> None:
        """Play on: whoever's turn it is does the last thing on its list."""
        view = await self.view(0)
        for _ in range(commands):
            if view["turn"] is None:
                return
            seat = view["turn"]["seat"]
            answer = await self.send(seat, (await self.actions(seat))[-1])
            assert answer.status_code == 200, answer.text
            view = answer.json()["view"]


def code(answer: httpx.Response) -> str:
    """The problem's code; whatever is wrong with its shape fails here."""
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    problem = answer.json()
    assert set(problem) <= {"type", "title", "status", "detail", "code", "rule", "choices", "errors", "version"}
    assert problem["type"] == f"/problems/{problem['code']}"
    assert problem["status"] == answer.status_code
    assert problem["detail"].endswith((".", "…", "?"))
    assert answer.headers["request-id"]
    return problem["code"]


def settings_for(url: str, **more: Any) -> Settings:
    return Settings(database_url=url, secret=SECRET, api_keys=(OPERATOR_KEY,), **more)


def sqlite_url(folder: Path) -> str:
    return f"sqlite+aiosqlite:///{folder / 'rummy.sqlite'}"


@asynccontextmanager
async def running(
    url: str, store: EventStore | None = None, clock: Clock | None = None, **settings: Any
) -> AsyncIterator[Client]:
    """A server on this database, and a client of it."""
    app = create_app(settings_for(url, **settings), store, clock)
    async with lifespan(app):
        transport = httpx.ASGITransport(app=app)  # type: ignore[arg-type]
        async with httpx.AsyncClient(transport=transport, base_url="http://rummy.test") as http:
            yield Client(http, app.state["server"])


@asynccontextmanager
async def lifespan(app: Litestar) -> AsyncIterator[None]:
    """Up and down in one task, as a server does it: a fixture's two halves run in two."""
    up: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    down = asyncio.Event()

    async def live() -> None:
        try:
            async with app.lifespan():
                up.set_result(None)
                await down.wait()
        except BaseException as error:
            if up.done():
                raise
            up.set_exception(error)

    task = asyncio.create_task(live())
    await up
    try:
        yield
    finally:
        down.set()
        await task
