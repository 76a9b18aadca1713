"""A game as server-sent events: one message an event, its seq as the id, so that a reader can come back."""

from __future__ import annotations

import asyncio
import logging
from typing import Annotated, Any

from litestar.response.base import ASGIResponse
from msgspec import Meta, Struct

from .errors import problem_of
from .follow import Follower, TooSlow, cut_off, farewell, is_over
from .operations import Answer, Operation, operation
from .play import sight
from .problems import invalid
from .replies import Reply
from .requests import Call, caller_of, check_after, header, read_query, server_of

log = logging.getLogger("rummy")

MEDIA_TYPE = "text/event-stream"
_MOST = 2**31 - 1
_HEADERS = (
    (b"content-type", MEDIA_TYPE.encode()),
    (b"cache-control", b"no-store"),
    # For proxies that would collect what comes in drops.
    (b"x-accel-buffering", b"no"),
)


class StreamQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """From where on."""

    after: Annotated[
        int, Meta(ge=0, le=_MOST, description="The last seq that is known already; left out: from now on.")
    ] | None = None


@operation("GET", "/v1/games/{game_id:str}/stream", Operation(
    "streamEvents", "What happens, as it happens", "play",
    (Answer(200, str,
            "Server-sent events. A message without a name is an event: its seq in `id`, the Event in `data`. "
            "`event: ping` with `{\"now\", \"version\"}` comes now and then, `event: presence` with "
            "`{\"seat\", \"connected\"}` when somebody comes or goes; both have no `id`. The stream ends "
            "behind the last event of the game.", media_type=MEDIA_TYPE),
     Answer(204, None, "The game is over, and the caller has its last event already.")),
    ("auth.required", "auth.not_your_game", "not_found"), query=StreamQuery, headers=("Last-Event-ID",),
    description="Events as the caller may see them, after `after` (`Last-Event-ID` wins), else from now on. "
    "A reader that comes back with the last id it saw misses nothing and sees nothing twice. A reader that "
    "does not read is cut off.",
))  # fmt: skip
async def stream_events(request: Call) -> ASGIResponse:
    """Events as the caller may see them, as they come."""
    server, caller = server_of(request), caller_of(request)
    query = read_query(request, StreamQuery)
    last = last_event_id(request)
    after = query.after if last is None else last
    table = await server.service.table(request.path_params["game_id"], caller)
    seen = await sight(server, table, caller)
    if after is None:
        after = seen.version
    check_after(after, seen.version, "?after" if last is None else "Last-Event-ID")
    if is_over(table) and after >= seen.version:
        return Reply(b"", 204, {"Cache-Control": "no-store"})
    return EventStream(Follower(server, table, caller, seen.seat, after))


def last_event_id(request: Call) -> int | None:
    """The header with which a stream goes on. Raises ``request.invalid``."""
    given = header(request, b"last-event-id")
    if given is None or not given.strip():
        return None
    text = given.strip()
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and int(text) <= _MOST):
        raise invalid("Last-Event-ID", "Last-Event-ID is the id of a message of this stream, a number.")
    return int(text)


def _bool(value: bool) -> bytes:
    return b"true" if value else b"false"


class EventStream(ASGIResponse):
    """The answer, as long as it lasts."""

    __slots__ = ("_follower",)

    def __init__(self, follower: Follower) -> None:
        self._follower = follower

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        start = {"type": "http.response.start", "status": 200, "headers": list(_HEADERS)}
        if scope.get("rummy.bodiless"):
            await send(start)
            await send({"type": "http.response.body", "body": b""})
            return
        follower = self._follower
        async with follower.following():
            gone = asyncio.create_task(self._until_gone(receive))
            try:
                await send(start)
                await self._run(send)
                if follower.ended != "gone":
                    await follower.deliver(send({"type": "http.response.body", "body": b""}))
                if follower.ended == "drain":
                    await farewell(scope)
            except TooSlow:
                log.info("request %s: a reader that does not read was cut off", scope.get("request_id"))
                cut_off(scope)
                await asyncio.wait((gone,), timeout=1)
            finally:
                gone.cancel()

    async def _run(self, send: Any) -> None:
        follower = self._follower
        try:
            while follower.ended is None:
                messages = [b"id: %d\ndata: %b\n\n" % event for event in await follower.page()]
                messages += [
                    b'event: presence\ndata: {"seat":%d,"connected":%b}\n\n' % (seat, _bool(connected))
                    for seat, connected in follower.presence().items()
                ]
                if ping := follower.ping():
                    messages.append(b"event: ping\ndata: {%b}\n\n" % ping)
                if messages:
                    body: dict[str, Any] = {"body": b"".join(messages), "more_body": True}
                    await follower.deliver(send({"type": "http.response.body", **body}))
                if follower.over:
                    return
                if not follower.behind:
                    await follower.wait()
        except TooSlow:
            raise
        except Exception as error:
            # The reader comes back and is answered properly: a stream cannot say what is wrong.
            if problem_of(error).code == "internal":
                log.exception("a stream failed")

    async def _until_gone(self, receive: Any) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._follower.end("gone")


HANDLERS = (stream_events,)
