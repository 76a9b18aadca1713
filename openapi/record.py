"""Records the examples of the OpenAPI document: real answers of a real server, one journey through the API.

``python -m openapi.record`` writes ``api/static/examples/<operationId>.json``, from where the server takes
them into its document; ``make openapi`` then writes the document anew. Run it after a change of a shape.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any

import httpx

from api.app import create_app
from api.settings import Settings

TARGET = Path(__file__).parent.parent / "api" / "static" / "examples"
KEY = "operator-key-for-the-examples"


class Recorder:
    """Sends requests and keeps what came of them, by operation and name."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http
        self.found: dict[str, dict[str, Any]] = {}

    async def call(
        self, operation: str, name: str, method: str, path: str, body: Any = None, token: str | None = None,
        **headers: str,
    ) -> Any:  # fmt: skip
        sent = {k.replace("_", "-"): v for k, v in headers.items()}
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        more = {"content": body} if isinstance(body, bytes) else {"json": body}
        answer = await self._http.request(method, path, headers=sent, **more)
        plain = answer.headers.get("content-type", "").endswith(("/json", "+json"))
        kept: dict[str, Any] = {}
        if body is not None and not isinstance(body, bytes):
            kept["request"] = body
        if answer.content:
            kept[str(answer.status_code)] = answer.json() if plain else answer.text
        self.found.setdefault(operation, {})[name] = kept
        return answer.json() if plain else answer.content


async def journey(call: Any) -> None:
    """One walk past every resource."""
    await call("listVariants", "all", "GET", "/v1/variants")
    await call("getVariant", "wild_rummy", "GET", "/v1/variants/wild-rummy")
    await call("getVariant", "unknown", "GET", "/v1/variants/poker")
    made = await call("createGame", "one_seat_open", "POST", "/v1/games", {
        "variant": "wild-rummy", "options": {"first_starter": 0},
        "seats": [{"kind": "human", "name": "Ada"}, {"kind": "open"}], "host_seat": 0,
    })  # fmt: skip
    game, ada = f"/v1/games/{made['game']['game_id']}", made["tokens"]["0"]
    await call("createGame", "bad_options", "POST", "/v1/games",
               {"variant": "wild-rummy", "options": {"first_starter": 7, "jokers": True}})  # fmt: skip
    await call("listGames", "lobby", "GET", "/v1/games?status=waiting")
    private = await call("createGame", "private", "POST", "/v1/games", {
        "variant": "two-player-rummy", "visibility": "private", "spectators": {"delayed": 3},
        "seats": [{"kind": "human", "name": "Ada"}, {"kind": "open"}],
    })  # fmt: skip
    await call("findRoom", "found", "GET", f"/v1/rooms/{private['room_code']}")
    await call("findRoom", "unknown", "GET", "/v1/rooms/AAAAAA")
    bob = (await call("takeSeat", "bob", "POST", f"{game}/seats", {"name": "Bob"}))["token"]
    await call("takeSeat", "full", "POST", f"{game}/seats", {"name": "Eve"})
    await call("getGame", "playing", "GET", game)
    await call("getView", "own_turn", "GET", f"{game}/view", token=ada)
    await call("getView", "spectator", "GET", f"{game}/view")
    await call("getView", "unknown_token", "GET", f"{game}/view", token="nobody's")
    listed = await call("listActions", "first_turn", "GET", f"{game}/actions", token=ada)
    await call("sendCommand", "not_your_turn", "POST", f"{game}/commands", {"type": "draw", "source": "stock"}, bob)
    await call("sendCommand", "dry_run", "POST", f"{game}/commands?dry_run=true", listed["actions"][-1], ada)
    await call("sendCommand", "discard", "POST", f"{game}/commands", listed["actions"][-1], ada)
    await call("sendCommand", "stale", "POST", f"{game}/commands", {"type": "draw", "source": "stock"}, bob,
               If_Match='"1"')  # fmt: skip
    await call("sendCommand", "draw", "POST", f"{game}/commands?view=false", {"type": "draw", "source": "stock"}, bob)
    await call("listEvents", "as_the_other_seat", "GET", f"{game}/events?after=5", token=ada)

    board = await call("createGame", "sandbox", "POST", "/v1/games", {
        "variant": "wild-rummy", "seats": [{"kind": "human"}, {"kind": "human"}],
        "sandbox": {"position": {
            "deal": 13, "hands": [["2D", "3D", "4D", "KC", "5H"], ["KS", "9D"]], "discard": ["QD"],
            "turn": {"seat": 0, "phase": "play"},
        }},
    })  # fmt: skip
    board, seat = f"/v1/games/{board['game']['game_id']}", board["tokens"]["0"]
    await call("sendCommand", "ambiguous", "POST", f"{board}/commands",
               {"type": "meld", "cards": ["2D", "3D", "4D", "KC"]}, seat)  # fmt: skip
    await call("sendCommand", "meld", "POST", f"{board}/commands?view=false",
               {"type": "meld", "cards": ["2D", "3D", "4D", "KC=5D"]}, seat)  # fmt: skip
    await call("exportLog", "too_early", "GET", f"{board}/log")
    await call("sendCommand", "going_out", "POST", f"{board}/commands", {"type": "discard", "card": "5H"}, seat)
    await call("explainScores", "a_deal", "GET", f"{board}/scores")
    log = await call("exportLog", "whole", "GET", f"{board}/log")
    await call("verifyLog", "trusted", "POST", "/v1/replays", log, Content_Type="application/x-ndjson")
    await call("arrangeHand", "best", "POST", "/v1/arrangements", {
        "variant": "thirteen-card-rummy", "wild": "4C",
        "hand": ["2H", "3H", "4H", "5H", "7C", "8C", "JK", "9D", "9S", "9H", "KD", "QD", "2S"],
    })  # fmt: skip
    await call("live", "alive", "GET", "/health/live")
    await call("ready", "ready", "GET", "/health/ready")
    await call("getProblem", "ambiguous", "GET", "/problems/meld.ambiguous")


async def main() -> None:
    """Write the examples."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite+aiosqlite:///{folder}/examples.sqlite"
        app = create_app(Settings(database_url=url, api_keys=(KEY,), bot_delay=60))
        transport = httpx.ASGITransport(app=app)  # type: ignore[arg-type]
        async with app.lifespan(), httpx.AsyncClient(transport=transport, base_url="http://rummy") as http:
            recorder = Recorder(http)
            await journey(recorder.call)
    TARGET.mkdir(exist_ok=True)
    for operation, examples in recorder.found.items():
        text = json.dumps(examples, indent=1, ensure_ascii=False) + "\n"
        (TARGET / f"{operation}.json").write_text(text, "utf-8")


if __name__ == "__main__":
    asyncio.run(main())
