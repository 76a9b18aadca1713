"""Rows for the tests, with everything filled in that a test does not care about."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from typing import Any

from persistence.store import Append, Commit, GameRow, Remember, SeatRow, TokenRow, Wakeup

AT = "2026-03-01T12:00:00.123Z"
LATER = "2026-03-02T12:00:00.000Z"


def new_id() -> str:
    return str(uuid.uuid4())


def ids(count: int) -> list[str]:
    """Identifiers in ascending order, as UUIDv7 made one after another are."""
    return [f"0190{number:04x}-0000-7000-8000-{uuid.uuid4().hex[:12]}" for number in range(count)]


def commit(game_id: str, number: int = 1, **changes: Any) -> Commit:
    """Each commit has two events: 1–2, 3–4, 5–6 …"""
    values: dict[str, Any] = {
        "game_id": game_id,
        "commit_no": number,
        "first_seq": 2 * number - 1,
        "last_seq": 2 * number,
        "at": AT,
        "actor": "seat:0",
        "key": None,
        "body_hash": None,
        "rules_version": 1,
        "events": b"events of %d" % number,
    }
    return Commit(**(values | changes))


def append(game_id: str, number: int = 1, **changes: Any) -> Append:
    return Append(commit(game_id, number, **changes))


def game(game_id: str, **changes: Any) -> GameRow:
    values: dict[str, Any] = {
        "game_id": game_id,
        "variant": "wild-rummy",
        "status": "waiting",
        "visibility": "public",
        "spectators": '{"delayed":4}',
        "sandbox": False,
        "room_code": None,
        "created_at": AT,
        "started_at": None,
        "ended_at": None,
        "host_seat": None,
        "external_id": None,
        "rematch_of": None,
        "rematch": None,
        "summary": b"{}",
        "last_seq": 2,
    }
    return GameRow(**(values | changes))


def everything(game_id: str, number: int = 1, mark: str = "a", **changes: Any) -> Append:
    """An append with a row in every table that needs no name of its own, all of them marked."""
    return Append(
        commit(game_id, number, events=mark.encode()),
        **{
            "game": game(game_id, external_id=mark),
            "seats": (SeatRow(game_id, 0, f"Zoë {mark}", None), SeatRow(game_id, 1, None, mark)),
            "tokens": (TokenRow(game_id, "host", mark.encode()), TokenRow(game_id, "seat:0", mark.encode())),
            "wakeup": Wakeup(game_id, "bot", AT, number, mark.encode()),
            **changes,
        },
    )


def answer(scope: str, key: str, **changes: Any) -> Remember:
    values: dict[str, Any] = {"body_hash": b"hash", "answer": b"answer", "expires_at": LATER}
    return Remember(scope, key, **(values | changes))


async def until(true: Callable[[], Awaitable[bool]], seconds: float = 30) -> None:
    """Wait for something that another process does; fails when it never happens."""
    async with asyncio.timeout(seconds):
        while not await true():  # noqa: ASYNC110 - another process sets no event here
            await asyncio.sleep(0.005)
