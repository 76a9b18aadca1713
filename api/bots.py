"""Bots at a table: what they are shown, and the process in which they think.

A bot gets what a person in its seat gets: the view, the list of actions, the events of the deal as that
seat may see them, the public rules, and entropy of its own.  The same of each gives the same move, so a
server that starts again makes the move that it would have made before.
"""

from __future__ import annotations

import hmac
import logging
from functools import lru_cache
from typing import Any

import msgspec

from domain.actions import actions
from domain.bots import choose
from domain.commands import CallRummy, Command
from domain.events import DealStarted, Event
from domain.rules import RuleSet
from domain.state import Match
from domain.views import View, redact

from . import render
from .processes import Broken, OtherProcess
from .service import Committed, Service
from .table import Table

log = logging.getLogger("rummy")

_encode = msgspec.json.Encoder().encode
_views = msgspec.json.Decoder(View)
_commands = msgspec.json.Decoder(list[Command])
_events = msgspec.json.Decoder(list[Event])
#: Deals whose events are kept in memory for bots; others are read from the store again.
_KEPT = 5_000


def think(level: str, view: bytes, listed: bytes, entropy: bytes, rules: bytes, history: bytes) -> bytes:
    """In the bots' own process: the command that a bot sends, or ``null``."""
    found = choose(
        level, _views.decode(view), _commands.decode(listed), entropy, _rules(rules), _events.decode(history)
    )
    return _encode(found)


@lru_cache(maxsize=64)
def _rules(text: bytes) -> RuleSet:
    return msgspec.json.decode(text, type=RuleSet)


def level_of(state: Match, seat: int) -> str | None:
    """The level of the bot that plays a seat, or None where its owner does."""
    found = state.seats[seat]
    return found.level if found.kind == "bot" else found.played_by


class Thinkers:
    """Bots of every game of this process."""

    def __init__(self, service: Service, secret: bytes) -> None:
        self._service = service
        self._secret = secret
        self._process = OtherProcess()
        #: game → the events of its deal so far
        self._deals: dict[str, list[Any]] = {}

    def note(self, committed: Committed) -> None:
        """Keep what happens in a deal where a bot may want to remember it."""
        game_id = committed.table.game_id
        for event in committed.events:
            if isinstance(event, DealStarted) and _remembers(committed.state):
                self._deals[game_id] = []
            if (kept := self._deals.get(game_id)) is not None:
                kept.append(event)
        if committed.state.status in ("finished", "cancelled"):
            self._deals.pop(game_id, None)
        elif len(self._deals) > _KEPT:
            del self._deals[next(iter(self._deals))]

    async def choice(self, table: Table, state: Match, seat: int, *, calls_only: bool = False) -> Any:
        """The command that the bot in a seat sends now, or None (out of turn it may call rummy or not)."""
        level = level_of(state, seat)
        listed = [c for c in actions(state, seat)[0] if not calls_only or isinstance(c, CallRummy)]
        if level is None or not listed:
            return None
        history = await self._history(table, state, seat) if level == "hard" else b"[]"
        message = f"bot|{table.game_id}|{seat}|{state.version}".encode()
        try:
            answer = await self._think(
                level, render.view_bytes(table, state, seat), _encode(listed),
                hmac.digest(self._secret, message, "sha256"), _encode(state.rules), history,
            )  # fmt: skip
        except Exception:
            log.exception("a bot could not think; it makes the first lawful move")
            return None if calls_only else listed[0]
        return msgspec.json.decode(answer, type=Command | None)

    async def _history(self, table: Table, state: Match, seat: int) -> bytes:
        kept = self._deals.get(table.game_id)
        if kept is None or not kept or kept[-1].seq != state.version:
            kept = await self._read(table, state)
        return _encode([redact(event, seat) for event in kept])

    async def _read(self, table: Table, state: Match) -> list[Any]:
        """The events since the deal began, from the store."""
        events = await self._service.events(table, 0, state.version)
        starts = [i for i, event in enumerate(events) if isinstance(event, DealStarted)]
        found = events[starts[-1] :] if starts else []
        self._deals[table.game_id] = list(found)
        return found

    async def _think(self, *call: Any) -> bytes:
        try:
            return await self._process.do(think, *call)
        except Broken:
            return await self._process.do(think, *call)

    def warm(self) -> None:
        """Have the process ready before the first bot is on turn."""
        self._process.warm()

    async def close(self) -> None:
        """Let go of the process."""
        await self._process.close()


def _remembers(state: Match) -> bool:
    """Whether a hard bot sits at the table: only those look back."""
    return any(level_of(state, i) == "hard" for i in range(len(state.seats)))
