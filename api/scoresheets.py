"""Score sheets (SS-1): a pad for people who play with real cards."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from domain import score_sheet as ss
from domain.score_sheet import BOUND, MOST_COLUMNS, ColumnNo, Scoresheet

from .operations import Answer, Operation, operation
from .replies import Reply, json_reply
from .requests import (
    Call,
    caller_of,
    idempotency_key,
    if_match,
    none_match,
    operator_only,
    read_json,
    server_of,
)  # fmt: skip
from .shapes import Name
from .sheet_service import Found, Sheets

Bounded = Annotated[int, Meta(ge=-BOUND, le=BOUND)]


class CreateScoresheet(Struct, frozen=True, forbid_unknown_fields=True):
    """A sheet to be opened: a name for each column, and the total that is played for, if there is one."""

    columns: Annotated[list[Name], Meta(min_length=1, max_length=MOST_COLUMNS)]
    target: Bounded | None = None


class JoinScoresheet(Struct, frozen=True, forbid_unknown_fields=True):
    """One more column."""

    name: Name


class EnterScore(Struct, frozen=True, forbid_unknown_fields=True):
    """The number of one column in one round: a whole number, below zero too."""

    value: Bounded


class EndScoresheet(Struct, frozen=True, forbid_unknown_fields=True):
    """Nothing needs to be said."""


class ScoresheetCreated(Struct, frozen=True):
    """The new sheet, the host's token, and the token of each column by its number."""

    scoresheet: Scoresheet
    host_token: str
    tokens: dict[str, str]


class ColumnGiven(Struct, frozen=True):
    """The new column and its token, shown this once."""

    column: ColumnNo
    token: str


_create = msgspec.json.Decoder(CreateScoresheet)
_join = msgspec.json.Decoder(JoinScoresheet)
_enter = msgspec.json.Decoder(EnterScore)
_end = msgspec.json.Decoder(EndScoresheet)

_READ = {"Cache-Control": "private, no-cache", "Vary": "Authorization"}
_REPLAYED = {"Idempotency-Replayed": "true"}
_WRITING = ("auth.required", "auth.not_your_game", "not_found", "game.not_playing", "version.stale")


def sheets_of(request: Call) -> Sheets:
    """The application's score sheets, put together when they are first asked for."""
    state = request.app.state
    found: Sheets | None = state.get("sheets")
    if found is None:
        server = server_of(request)
        found = state["sheets"] = Sheets(server.service.store, server.service.clock, server.secret)
    return found


def _sheet_reply(found: Found, replayed: bool = False) -> Reply:
    return json_reply(found.shown(), headers={"ETag": found.etag, **_READ, **(_REPLAYED if replayed else {})})


@operation("POST", "/v1/scoresheets", Operation(
    "createScoresheet", "Open a score sheet", "scoresheets",
    (Answer(201, ScoresheetCreated, "The sheet, and the tokens of the host and of every column.",
            ("Location", "ETag", "Idempotency-Replayed")),),
    ("auth.required", "auth.operator_only", "idempotency.mismatch"),
    body=CreateScoresheet, headers=("Idempotency-Key",),
    description="The host's token writes in every column, a column's token in its own. Tokens are shown this "
    "once; with an Idempotency-Key the same request gives the same answer for 24 hours. Where a server wants "
    "an API key for new games, it wants one for new sheets too.",
))  # fmt: skip
async def create_scoresheet(request: Call) -> Reply:
    """Open a sheet."""
    server, sheets, caller = server_of(request), sheets_of(request), caller_of(request)
    await sheets.prove(caller)
    body = await read_json(request, _create)
    if server.settings.create == "operator":
        operator_only(caller)
    key = idempotency_key(request, "createScoresheet", body, caller, secret=True)
    opened = await sheets.create(body.columns, body.target, caller, key)
    headers = {
        "Location": f"/v1/scoresheets/{opened.found.sheet_id}",
        "ETag": opened.found.etag,
        "Cache-Control": "no-store",
        **(_REPLAYED if opened.replayed else {}),
    }
    return json_reply(
        ScoresheetCreated(opened.found.shown(), opened.host_token, opened.tokens), 201, headers
    )


@operation("GET", "/v1/scoresheets/{scoresheet_id:str}", Operation(
    "getScoresheet", "A score sheet", "scoresheets",
    (Answer(200, Scoresheet, "The sheet. Its ETag is the version.", ("ETag",)),
     Answer(304, None, "Not changed since If-None-Match.", ("ETag",))),
    ("not_found",), headers=("If-None-Match",),
    description="For anyone who has the id; the same for all.",
))  # fmt: skip
async def get_scoresheet(request: Call) -> Reply:
    """The sheet, for anyone who has its id."""
    sheets, caller = sheets_of(request), caller_of(request)
    found = await sheets.find(request.path_params["scoresheet_id"], caller)
    await sheets.prove(caller)
    if none_match(request, found.etag):
        return Reply(b"", 304, {"ETag": found.etag, **_READ})
    return _sheet_reply(found)


@operation("POST", "/v1/scoresheets/{scoresheet_id:str}/columns", Operation(
    "joinScoresheet", "Add a column", "scoresheets",
    (Answer(201, ColumnGiven, "The column and its token, shown this once.", ("Idempotency-Replayed",)),),
    (*_WRITING, "game.full", "idempotency.mismatch"),
    body=JoinScoresheet, headers=("Idempotency-Key", "If-Match"), token="token",
    description="With any token of the sheet, the host's or a column's: those who are on it let others in. "
    "At any time before its end; a sheet has at most 16 columns.",
))  # fmt: skip
async def join_scoresheet(request: Call) -> Reply:
    """One more column."""
    caller, body = caller_of(request), await read_json(request, _join)
    key = idempotency_key(request, "joinScoresheet", body, caller)
    joined = await sheets_of(request).join(
        request.path_params["scoresheet_id"], body.name, caller, key, if_match(request)
    )
    headers = {"Cache-Control": "no-store", **(_REPLAYED if joined.replayed else {})}
    return json_reply(ColumnGiven(joined.column, joined.token), 201, headers)


@operation("PUT", "/v1/scoresheets/{scoresheet_id:str}/rounds/{n:int}/columns/{c:int}", Operation(
    "enterScore", "Enter or correct a number", "scoresheets",
    (Answer(200, Scoresheet, "The sheet after it.", ("ETag",)),),
    (*_WRITING, "auth.host_only"), body=EnterScore, headers=("If-Match",), token="token",
    description="Rounds are numbered from 1, columns from 0. A number goes into any round that has one "
    "already, or into the round after the last of them, 1,000 at most; any other is `not_found`. A column's "
    "token writes in that column (else `auth.host_only`), the host's in all. Writing the number that stands "
    "there already changes nothing, so the request can be repeated without a key.",
))  # fmt: skip
async def enter_score(request: Call) -> Reply:
    """A number entered or corrected."""
    caller, body, where = caller_of(request), await read_json(request, _enter), request.path_params
    command = ss.Enter(round=where["n"], column=where["c"], value=body.value)
    written = await sheets_of(request).write(where["scoresheet_id"], command, caller, None, if_match(request))
    return _sheet_reply(written.found)


@operation("POST", "/v1/scoresheets/{scoresheet_id:str}/end", Operation(
    "endScoresheet", "End a score sheet", "scoresheets",
    (Answer(200, Scoresheet, "The sheet with its result.", ("ETag", "Idempotency-Replayed")),),
    (*_WRITING, "idempotency.mismatch"),
    body=EndScoresheet, body_required=False, headers=("Idempotency-Key", "If-Match"), token="token",
    description="With any token of the sheet. The standing is kept as `result`, highest total first, equal "
    "totals sharing a place; afterwards everything but reading is refused.",
))  # fmt: skip
async def end_scoresheet(request: Call) -> Reply:
    """The sheet is over."""
    caller, body = caller_of(request), await read_json(request, _end, empty=b"{}")
    key = idempotency_key(request, "endScoresheet", body, caller)
    written = await sheets_of(request).write(
        request.path_params["scoresheet_id"], ss.End(), caller, key, if_match(request)
    )
    return _sheet_reply(written.found, written.replayed)


HANDLERS = (create_scoresheet, get_scoresheet, join_scoresheet, enter_score, end_scoresheet)
