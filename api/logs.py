"""Logs: the whole truth of a game that is over, and whether a log can be trusted."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Annotated

import msgspec
from litestar.response.base import ASGIResponse
from msgspec import Meta, Struct

from domain.commands import Rejected
from domain.replay import FORMAT, Header
from domain.state import Match
from domain.verify import Verification, verify
from persistence.store import Commit, EventStore

from .operations import Answer, Operation, operation
from .problems import Problem, invalid
from .replies import Reply, StreamReply
from .requests import Call, caller_of, check_media_type, public_caller, read_body, read_query, server_of

NDJSON = "application/x-ndjson"
#: Commits that are read at once.
_SLICE = 100
#: The longest log that can be verified, in bytes: some forty matches of thirteen deals.
_MOST_LOG = 32 * 1024 * 1024

#: A log's commits, from the first on.
Commits = Callable[[], AsyncIterator[Commit]]


@operation("GET", "/v1/games/{game_id:str}/log", Operation(
    "exportLog", "The whole log", "logs",
    (Answer(200, str, "A header, then every event, one JSON object a line, secrets included.",
            media_type=NDJSON),),
    ("auth.required", "auth.not_your_game", "not_found", "game.not_finished"),
    description="Open to anyone with the id once the game is over; of a private game to its seats and host.",
))  # fmt: skip
async def export_log(request: Call) -> ASGIResponse:
    """The whole log, secrets included, once the game is over."""
    server, caller = server_of(request), caller_of(request)
    table = await server.service.table(request.path_params["game_id"], caller)
    role = await server.service.guest(table, caller)
    state = table.state
    closed = state.visibility == "private" or state.spectators == "none"
    if not role.known and closed:
        who = "auth.required" if caller.hash is None else "auth.not_your_game"
        raise Problem(who, "This log is open to those who played.")
    if not role.actor.operator and state.status not in ("finished", "cancelled"):
        raise Problem("game.not_finished", version=table.version_for(role))
    name = f'attachment; filename="{table.game_id}.ndjson"'
    headers = {"Content-Disposition": name, "Cache-Control": "private, no-cache", "Vary": "Authorization"}
    # The header and the lines are of one moment: an operator may read a game that goes on meanwhile.
    commits = partial(_commits, server.service.store, table.game_id, state.commit)
    return StreamReply(_lines(commits, await _header(commits, table.game_id, state)), NDJSON.encode(), headers)


async def _commits(store: EventStore, game_id: str, last: int) -> AsyncIterator[Commit]:
    number = 0
    while number < last:
        found = await store.commits(game_id, after=number, limit=min(_SLICE, last - number))
        if not found:
            return
        for commit in found:
            yield commit
        number = found[-1].commit_no


async def _header(commits: Commits, game_id: str, state: Match) -> bytes:
    """The header needs the hash of all that follows it, so the log is read twice and held never."""
    assert state.rules is not None
    chain = hashlib.sha256()
    async for commit in commits():
        chain.update(commit.events)
    header = Header(
        FORMAT, game_id, state.rules.variant, state.rules_version, state.commitment, state.sandbox,  # type: ignore[arg-type]
        state.version, chain.hexdigest(),
    )  # fmt: skip
    return msgspec.json.encode(header) + b"\n"


async def _lines(commits: Commits, header: bytes) -> AsyncIterator[bytes]:
    chunk = header
    async for commit in commits():
        chunk += commit.events
        if len(chunk) > 64 * 1024:
            yield chunk
            chunk = b""
    yield chunk


class ReplayQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Whether to show a position."""

    at: Annotated[int, Meta(ge=1, le=2**31 - 1, description="A seq: the position after it, every card.")] | None = None


@operation("POST", "/v1/replays", Operation(
    "verifyLog", "Verify a log", "logs",
    (Answer(200, Verification, "Whether the log is intact, fair and lawful."),),
    ("log.invalid",), query=ReplayQuery, body=str, body_media_type=NDJSON,
), max_bytes=_MOST_LOG)  # fmt: skip
async def verify_log(request: Call) -> Reply:
    """Verify an exported log: intact, fair, lawful."""
    server = server_of(request)
    await public_caller(request)
    query = read_query(request, ReplayQuery)
    check_media_type(request, NDJSON, "application/ndjson", "application/jsonl", "text/plain")
    found = await server.elsewhere(verified, await read_body(request), query.at)
    if isinstance(found, bytes):
        return Reply(found)
    code, detail = found
    raise invalid("?at", detail) if code == "request.invalid" else Problem(code, detail)


def verified(log: bytes, at: int | None) -> bytes | tuple[str, str]:
    """The verification as JSON, or the code and sentence of a refusal. Runs in another process."""
    try:
        return msgspec.json.encode(verify(log, at))
    except Rejected as refusal:
        return refusal.code, refusal.detail


HANDLERS = (export_log, verify_log)
