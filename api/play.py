"""Playing: what a seat sees, what it may do, and doing it."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct, structs

from domain import commands as cmd
from domain.commands import Command
from domain.decide import check_variant
from domain.events import Event
from domain.views import View
from persistence.store import SeatRow, TokenRow

from . import render
from .auth import Caller, Role
from .operations import Answer, Operation, operation
from .problems import Problem
from .replies import Reply, json_reply
from .requests import (
    Call,
    caller_of,
    idempotency_key,
    if_match,
    none_match,
    read_json,
    read_query,
    server_of,
)  # fmt: skip
from .server import Server
from .service import NOTHING, Accepted, Beside
from .shapes import DryRun
from .table import Table

_command: msgspec.json.Decoder[Command] = msgspec.json.Decoder(Command)
_VIEW = {"Cache-Control": "private, no-cache", "Vary": "Authorization"}


# ----------------------------------------------------------------------- viewing


class Sight(Struct, frozen=True):
    """Whom something is shown to, and up to which version."""

    role: Role
    seat: int | None
    version: int


async def sight(server: Server, table: Table, caller: Caller) -> Sight:
    """Who follows the game: a seat, or a spectator where the game has them, perhaps some turns late."""
    role = await server.service.role(table, caller)
    if role.known:
        return Sight(role, role.actor.seat, table.version_for(role))
    if table.state.spectators == "none":
        raise Problem("auth.required", "This game has no spectators: send the token of a seat.")
    return Sight(role, None, table.visible)


class ViewQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which view."""

    at: Annotated[int, Meta(ge=1, le=2**31 - 1, description="A version: the game as it was then.")] | None = None


@operation("GET", "/v1/games/{game_id:str}/view", Operation(
    "getView", "The game as the caller may see it", "play",
    (Answer(200, View, "The view. Its ETag is the version.", ("ETag",)),
     Answer(304, None, "Not changed since If-None-Match.", ("ETag",))),
    ("auth.required", "auth.not_your_game", "not_found"), query=ViewQuery, headers=("If-None-Match",),
    description="With a seat's token as that seat, else as a spectator.",
))  # fmt: skip
async def get_view(request: Call) -> Reply:
    """The game as the caller's seat may see it; without a token, as a spectator."""
    server, caller = server_of(request), caller_of(request)
    query = read_query(request, ViewQuery)
    table = await server.service.table(request.path_params["game_id"], caller)
    seen = await sight(server, table, caller)
    version = seen.version if query.at is None else query.at
    if version > seen.version:
        raise Problem("not_found", "The game has no such version.", version=seen.version)
    headers = {"ETag": table.etag_at(version), **_VIEW}
    if none_match(request, headers["ETag"]):
        return Reply(b"", 304, headers)
    state = await server.service.state_at(table, version)
    return Reply(render.view_bytes(table, state, seen.seat), 200, headers)


class Actions(Struct, frozen=True):
    """Every legal command of a seat, ready to send; `truncated` when there were more than 500."""

    version: int
    actions: list[Command]
    truncated: bool


@operation("GET", "/v1/games/{game_id:str}/actions", Operation(
    "listActions", "Every legal command of the caller", "play",
    (Answer(200, Actions, "Commands ready to send, none when there is none.", ("ETag",)),),
    ("auth.required", "auth.not_your_game", "not_found"), token="seat",
))  # fmt: skip
async def list_actions(request: Call) -> Reply:
    """Every legal game command of the caller, ready to send."""
    server, caller = server_of(request), caller_of(request)
    table = await server.service.table(request.path_params["game_id"], caller)
    role = await server.service.role(table, caller)
    if not role.known:
        raise Problem("auth.required")
    if role.actor.seat is None:
        raise Problem("auth.not_your_game", "Only a seat has actions; this token is none's.")
    return Reply(render.actions_bytes(table, role.actor.seat), 200, {"ETag": table.etag, **_VIEW})


# ---------------------------------------------------------------------- commands


class CommandQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """How to carry out a command."""

    dry_run: Annotated[bool, Meta(description="Check only; nothing is recorded.")] = False
    view: Annotated[bool, Meta(description="Whether the answer has the view.")] = True


class CommandAnswer(Struct, frozen=True):
    """What the command caused, as the caller may see it, and the view after it."""

    version: int
    events: list[Event]
    view: View | None


@operation("POST", "/v1/games/{game_id:str}/commands", Operation(
    "sendCommand", "Do something", "play",
    (Answer(200, (CommandAnswer, DryRun), "Done: the events of this command and the view after it. With "
            "`dry_run`: legal, nothing was recorded.", ("ETag", "Idempotency-Replayed")),),
    ("auth.required", "auth.not_your_game", "auth.host_only", "auth.operator_only", "not_found", "version.stale",
     "idempotency.mismatch", "409", "rules"),
    query=CommandQuery, body=Command, headers=("If-Match", "Idempotency-Key"), token="token",
    description="One command of a seat, the host or (`cancel`) an operator. A refusal changes nothing.",
))  # fmt: skip
async def send_command(request: Call) -> Reply:
    """Carry out one command."""
    server, caller = server_of(request), caller_of(request)
    query = read_query(request, CommandQuery)
    command = await read_json(request, _command)
    key = None if query.dry_run else idempotency_key(request, "sendCommand", command, caller)
    game_id = request.path_params["game_id"]
    try:
        done = await server.service.submit(
            game_id, freeing if type(command) is cmd.Resign else command, caller,
            key=key, if_version=if_match(request), dry_run=query.dry_run,
        )  # fmt: skip
    except Problem as refusal:
        if refusal.code in ("auth.required", "auth.not_your_game"):
            # What the variant does not have is said before who may have it.
            table = await server.service.table(game_id)
            assert table.state.rules is not None
            check_variant(table.state.rules, command)
        raise
    if query.dry_run:
        version = done.table.version_for(done.role)
        return json_reply(DryRun(version), headers={"ETag": done.table.etag_at(version), **_VIEW})
    done = await as_seen(server, done)
    return Reply(answer(done, query.view), 200, answer_headers(done))


async def as_seen(server: Server, done: Accepted) -> Accepted:
    """A command as whoever sent it gets to see it: a host or an operator late where spectators are."""
    table = done.table
    if not table.late(done.role, done.state):
        return done
    version = table.visible_at(done.state)
    state = await server.service.state_at(table, version)
    events = [event for event in done.events if event.seq <= version]
    return structs.replace(done, state=state, events=events)


def answer(done: Accepted, with_view: bool) -> bytes:
    """The body of an accepted command, over HTTP and over sockets."""
    seat = done.role.actor.seat
    shown = render.view_bytes(done.table, done.state, seat) if with_view else b"null"
    events = render.events_bytes(done.events, seat)
    return b'{"version":%d,"events":%b,"view":%b}' % (done.state.version, events, shown)


def answer_headers(done: Accepted) -> dict[str, str]:
    """The headers of an accepted command."""
    headers = {"ETag": done.table.etag_at(done.state.version), **_VIEW}
    if done.replayed:
        headers["Idempotency-Replayed"] = "true"
    return headers


def freeing(table: Table, role: Role) -> tuple[Any, Beside]:
    """Resigning: while the game waits it frees the seat and ends its token."""
    seat = role.actor.seat
    if table.state.status != "waiting" or seat is None:
        return cmd.Resign(), NOTHING
    # The token is kept as that of somebody who has left, so that a repeat is answered (see ``auth.left``).
    was = TokenRow(table.game_id, f"left:{seat}", table.tokens[f"seat:{seat}"].hash)
    return cmd.Resign(), Beside((SeatRow(table.game_id, seat, None, None),), (was,), (f"seat:{seat}",))


HANDLERS = (get_view, list_actions, send_command)
