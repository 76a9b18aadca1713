"""Whether the server lives, and whether it can serve."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from .operations import Answer, Operation, operation
from .problems import Problem
from .replies import Reply, json_reply
from .requests import Call, server_of


class Health(Struct, frozen=True):
    """All is well."""

    status: Literal["ok"] = "ok"


_HEADERS = {"Cache-Control": "no-store"}


@operation("GET", "/health/live", Operation(
    "live", "Whether the process lives", "service", (Answer(200, Health, "It does."),), token="none",
))  # fmt: skip
async def live(request: Call) -> Reply:
    """The process answers."""
    del request
    return json_reply(Health(), headers=_HEADERS)


@operation("GET", "/health/ready", Operation(
    "ready", "Whether the server can serve", "service", (Answer(200, Health, "It can."),), token="none",
))  # fmt: skip
async def ready(request: Call) -> Reply:
    """The database answers, and the server is not on its way down."""
    server = server_of(request)
    if server.drain.is_set():
        raise Problem("unavailable", "The server is going down.")
    await server.service.store.health()
    return json_reply(Health(), headers=_HEADERS)


HANDLERS = (live, ready)
