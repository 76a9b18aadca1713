"""Following a game: its events as the caller may see them, and the scores that they brought."""

from __future__ import annotations

import time
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from domain.events import DealEnded, Event
from domain.shapes import DealResult

from . import render
from .notifier import POLL
from .operations import Answer, Operation, operation
from .play import sight
from .replies import Reply
from .requests import Call, PageQuery, caller_of, check_after, page_of, read_query, server_of

_PRIVATE = {"Cache-Control": "private, no-cache", "Vary": "Authorization"}


class EventsQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which events."""

    after: Annotated[int, Meta(ge=0, le=2**31 - 1, description="The last seq that is known already.")] = 0
    limit: Annotated[int, Meta(ge=1, le=500)] = 100
    wait: Annotated[float, Meta(ge=0, le=30, description="Seconds to wait for the next event.")] = 0


class EventList(Struct, frozen=True):
    """Events in order. `next` goes back as `after`; `more` says whether to ask at once."""

    items: list[Event]
    next: int
    more: bool


@operation("GET", "/v1/games/{game_id:str}/events", Operation(
    "listEvents", "What has happened", "play",
    (Answer(200, EventList, "Events after `after`, none if there were none in time."),),
    ("auth.required", "auth.not_your_game", "not_found"), query=EventsQuery,
))  # fmt: skip
async def list_events(request: Call) -> Reply:
    """Events as the caller may see them; with ``wait`` the answer waits for the next one."""
    server, caller = server_of(request), caller_of(request)
    query = read_query(request, EventsQuery)
    game_id = request.path_params["game_id"]
    service = server.service
    table = await service.table(game_id, caller)
    seen = await sight(server, table, caller)
    check_after(query.after, seen.version)
    if query.wait and seen.version <= query.after:
        until = time.monotonic() + query.wait
        async with service.notifier.subscribe(game_id, table.state.version) as news:
            while True:
                # Looked at once more: what was committed before the subscription is no news to it.
                table = await service.table(game_id)
                seen = await sight(server, table, caller)
                left = until - time.monotonic()
                over = table.state.status in ("finished", "cancelled")
                if seen.version > query.after or left <= 0 or over or server.drain.is_set():
                    break
                await server.unless_draining(news.changed(min(left, POLL)))
    number = min(query.limit, seen.version - query.after)
    events = await service.events(table, query.after, number) if number else []
    last = query.after + len(events)
    body = b'{"items":%b,"next":%d,"more":%b}' % (
        render.events_bytes(events, seen.seat), last, b"true" if last < seen.version else b"false",
    )  # fmt: skip
    return Reply(body, 200, _PRIVATE)


class ScoreList(Struct, frozen=True):
    """Every deal so far, oldest first."""

    items: list[DealResult]
    next: str | None


@operation("GET", "/v1/games/{game_id:str}/scores", Operation(
    "explainScores", "Every deal so far, line by line", "play",
    (Answer(200, ScoreList, "The results of the deals that have ended."),),
    ("auth.required", "auth.not_your_game", "not_found"), query=PageQuery,
))  # fmt: skip
async def explain_scores(request: Call) -> Reply:
    """Every DealResult so far, with the lines that explain it."""
    server, caller = server_of(request), caller_of(request)
    query = read_query(request, PageQuery)
    table = await server.service.table(request.path_params["game_id"], caller)
    seen = await sight(server, table, caller)
    body = table.cache.get(("scores", seen.version)) if query == PageQuery() else None
    if body is None:
        events = await server.service.events(table, 0, seen.version)
        results = [e.result for e in events if isinstance(e, DealEnded)]
        found, after = page_of(results, query, lambda result: str(result.number))
        body = msgspec.json.encode(ScoreList([*found], after))
        if query == PageQuery():
            table.cache["scores", seen.version] = body
    return Reply(body, 200, _PRIVATE)


HANDLERS = (list_events, explain_scores)
