"""A rematch: the same people, seats and options once more, the next one first to deal.

It is a game of its own.  The tokens of the match before act in it too, and each match has one rematch at
most: the link is claimed together with the new game's first commit.
"""

from __future__ import annotations

import secrets

import msgspec
from msgspec import Struct

from domain.decide import NewGame, NewSeat, create
from persistence.store import SeatRow, TokenRow

from . import render
from .auth import Caller, Role
from .clock import uuid7
from .games import game_for
from .operations import Answer, Operation, operation
from .problems import Problem
from .repeats import recalled, remembered
from .replies import Reply, json_reply
from .requests import Call, caller_of, idempotency_key, read_json, server_of
from .server import Server
from .service import Beside, Key
from .shapes import Game
from .table import Table

_PRIVATE = {"Cache-Control": "private, no-cache", "Vary": "Authorization"}


class Rematch(Struct, frozen=True, forbid_unknown_fields=True):
    """Nothing needs to be said."""


_body = msgspec.json.Decoder(Rematch)


@operation("POST", "/v1/games/{game_id:str}/rematch", Operation(
    "rematch", "Play the same match once more", "games",
    (Answer(201, Game, "The new game, which has started.", ("Location", "Idempotency-Replayed")),
     Answer(200, Game, "The rematch that there is already.", ("Location",))),
    ("auth.required", "auth.not_your_game", "not_found", "game.not_finished", "idempotency.mismatch"),
    body=Rematch, body_required=False, headers=("Idempotency-Key",), token="token",
    description="Same variant, options and seats; the old tokens act in it. The seat left of the last "
    "match's first dealer or starter is first. With an Idempotency-Key whoever made the new game gets the first "
    "answer again for 24 hours.",
))  # fmt: skip
async def rematch(request: Call) -> Reply:
    """The rematch of a game that is over."""
    server, caller = server_of(request), caller_of(request)
    body = await read_json(request, _body, empty=b"{}")
    table = await server.service.table(request.path_params["game_id"], caller)
    role = await server.service.role(table, caller)
    if role.actor.seat is None and not role.actor.host:
        who = "auth.not_your_game" if role.known else "auth.required"
        raise Problem(who, "A rematch is asked for by a seat or the host.")
    key = idempotency_key(request, "rematch", body, caller)
    scope = f"rematch:{table.game_id}:{caller.scope}"
    if key is not None and (again := await _made_before(server, caller, scope, key)):
        return again
    state = table.state
    if state.status not in ("finished", "cancelled") or state.deal is None:
        never = "The game ended before its first deal: there is nothing to play once more."
        raise Problem(
            "game.not_finished", never if state.status == "cancelled" else None, version=table.version_for(role)
        )
    found, made = await _found(server, table), False
    while found is None:
        found, made = await _open(server, table, role, scope, key), True
        if found is None:  # somebody else asked at the same moment, or the same once more
            if key is not None and (again := await _made_before(server, caller, scope, key)):
                return again
            found, made = await _found(server, table), False
    return _reply(await game_for(server, found, caller), 201 if made else 200)


def _reply(game: Game, status: int, **more: str) -> Reply:
    headers = {name.replace("_", "-"): value for name, value in more.items()}
    return json_reply(game, status, {"Location": f"/v1/games/{game.game_id}", **_PRIVATE, **headers})


async def _made_before(server: Server, caller: Caller, scope: str, key: Key) -> Reply | None:
    """The first answer again, made of the new game's log as it was then."""
    service = server.service
    found = await recalled(service.store, scope, key, service.clock())
    if found is None:
        return None
    game_id, version = found
    table = await service.table(game_id)
    state = await service.state_at(table, version)
    # Nobody was connected when it was opened.
    game = render.game(table, state, service.presence, caller.operator, late=True)
    return _reply(game, 201, Idempotency_Replayed="true")


async def _found(server: Server, table: Table) -> Table | None:
    """The rematch that there is, as the game's row knows it."""
    if table.rematch is None:
        table.game_row(await server.service.store.game(table.game_id))
    return None if table.rematch is None else await server.service.table(table.rematch)


async def _open(server: Server, old: Table, role: Role, scope: str, key: Key | None) -> Table | None:
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
    remember = remembered(scope, key, decision.state.at, new.game_id, decision.state.version)
    if not await service.create(new, role, decision, Beside(persons, tokens), remember):
        return None
    old.rematch = new.game_id
    old.cache.clear()
    return new


HANDLERS = (rematch,)

