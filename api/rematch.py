"""A rematch: the same people, seats and options once more, the next one first to deal.

It is a game of its own.  The tokens of the match before act in it too, and each match has one rematch at
most: the link is claimed together with the new game's first commit.
"""

from __future__ import annotations

import secrets

from domain.decide import NewGame, NewSeat, create
from persistence.store import SeatRow, TokenRow

from . import render
from .auth import Caller, Role
from .clock import uuid7
from .operations import Answer, Operation, operation
from .problems import Problem
from .replies import Reply, json_reply
from .requests import Call, caller_of, server_of
from .server import Server
from .service import Beside
from .shapes import Game
from .table import Table

_PRIVATE = {"Cache-Control": "private, no-cache", "Vary": "Authorization"}


@operation("POST", "/v1/games/{game_id:str}/rematch", Operation(
    "rematch", "Play the same match once more", "games",
    (Answer(201, Game, "The new game, which has started.", ("Location",)),
     Answer(200, Game, "The rematch that there is already.", ("Location",))),
    ("auth.required", "auth.not_your_game", "not_found", "game.not_finished"), token="token",
    description="Same variant, options and seats; the old tokens act in it. The seat left of the last "
    "match's first dealer or starter is first.",
))  # fmt: skip
async def rematch(request: Call) -> Reply:
    """The rematch of a game that is over."""
    server, caller = server_of(request), caller_of(request)
    table = await server.service.table(request.path_params["game_id"])
    role = await server.service.role(table, caller)
    if not role.known or (role.actor.seat is None and not role.actor.host):
        raise Problem("auth.required", "A rematch is asked for by a seat or the host.")
    if table.state.status not in ("finished", "cancelled") or table.state.deal is None:
        raise Problem("game.not_finished", version=table.state.version)
    found, made = await _found(server, table), False
    while found is None:
        found, made = await _open(server, table, role), True
        if found is None:  # somebody else asked at the same moment
            found, made = await _found(server, table), False
    return _reply(server, found, caller, 201 if made else 200)


def _reply(server: Server, table: Table, caller: Caller, status: int) -> Reply:
    game = render.game(table, table.state, server.service.presence, caller.operator)
    return json_reply(game, status, {"Location": f"/v1/games/{table.game_id}", **_PRIVATE})


async def _found(server: Server, table: Table) -> Table | None:
    """The rematch that there is, as the game's row knows it."""
    if table.rematch is None:
        table.game_row(await server.service.store.game(table.game_id))
    return None if table.rematch is None else await server.service.table(table.rematch)


async def _open(server: Server, old: Table, role: Role) -> Table | None:
    service, before = server.service, old.state
    assert before.rules is not None
    seats = tuple(NewSeat(x.kind, x.level, x.entropy) for x in before.seats)
    game = NewGame(
        before.rules.variant, secrets.token_hex(32), before.rules.options, seats, before.host_seat, "auto",
        before.visibility, before.spectators, None, (before.first + 1) % len(seats),
        game_id=uuid7(),
    )  # fmt: skip
    decision = create(game, service.clock())
    new = Table(game.game_id, decision.state)
    new.external_id, new.rematch_of = old.external_id, old.game_id
    persons = tuple(
        SeatRow(new.game_id, i, old.names[i], old.external_ids[i])
        for i, seat in enumerate(seats)
        if seat.kind == "human"
    )
    rows = await service.store.tokens(old.game_id)
    tokens = tuple(TokenRow(new.game_id, row.role, row.hash) for row in rows)
    if not await service.create(new, role, decision, Beside(persons, tokens), None):
        return None
    old.rematch = new.game_id
    old.cache.clear()
    return new


HANDLERS = (rematch,)

