"""What a viewer gets to see, as bytes: views, lists of actions, events, the Game object.

A view depends on the version and the viewer alone, so it is rendered once and kept with the game.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from domain.actions import actions
from domain.rules import RuleSet
from domain.state import Match
from domain.views import redact, view

from .presence import Presence
from .shapes import Game, GameSeat
from .table import Table

_encode = msgspec.json.Encoder().encode


def view_bytes(table: Table, state: Match, viewer: int | None) -> bytes:
    """The view of a seat (or a spectator) at a state."""
    if state is not table.state:
        return _encode(view(state, viewer, table.game_id, table.names_at(state)))
    found = table.cache.get(("view", viewer))
    if found is None:
        found = _encode(view(state, viewer, table.game_id, table.names_at(state)))
        table.cache["view", viewer] = found
    return found


def actions_bytes(table: Table, seat: int) -> bytes:
    """Every legal command of a seat, ready to send."""
    found = table.cache.get(("actions", seat))
    if found is None:
        # A seat that resigned is a bot's; its owner may nothing more.
        listed, truncated = ([], False) if table.state.seats[seat].resigned else actions(table.state, seat)
        found = table.cache["actions", seat] = _encode(
            {"version": table.state.version, "actions": listed, "truncated": truncated}
        )
    return found


def events_bytes(events: Iterable[Any], viewer: int | None) -> bytes:
    """Events as a viewer may see them, as a JSON list."""
    return _encode([redact(event, viewer) for event in events])


def game(table: Table, state: Match, presence: Presence | None, operator: bool, late: bool = False) -> Game:
    """The Game object at a state. Without ``presence`` it has no persons: no names, no external ids.

    ``late``: for somebody who is not to know who is connected now.
    """
    rules: RuleSet | None = state.rules
    assert rules is not None
    seats = [
        GameSeat(
            i, seat.kind, seat.level,  # type: ignore[arg-type]
            table.name_at(state, i) if presence is not None else None,
            presence is not None and not late and presence.connected(table.game_id, i), seat.resigned,
            table.external_ids[i] if operator and seat.kind == "human" else None,
        )
        for i, seat in enumerate(state.seats)
    ]  # fmt: skip
    return Game(
        table.game_id, rules.variant, state.status, state.version,  # type: ignore[arg-type]
        state.visibility, state.spectators, rules.options, state.commitment, seats,  # type: ignore[arg-type]
        table.external_id if operator else None, state.sandbox, state.created_at, state.started_at,
        state.ended_at, state.match_result, table.rematch,
    )  # fmt: skip


def summary(table: Table, state: Match) -> bytes:
    """The Game object as the game's row keeps it: without persons."""
    return _encode(game(table, state, None, False))
