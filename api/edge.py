"""The outermost layer: what every answer has, the router's own errors included.

A Request-Id, the headers that let pages of any origin call, the answer to a browser's preflight, and HEAD
wherever there is GET.
"""

from __future__ import annotations

import logging
import random
from typing import Any

from .problems import MEDIA_TYPE, Problem

log = logging.getLogger("rummy")

EXPOSED = (
    "ETag, Location, Retry-After, Idempotency-Replayed, Request-Id, Allow, Deprecation, Sunset, "
    "WWW-Authenticate"
)
#: A Request-Id is a name and no secret: chance of the quick kind will do.
_chance = random.Random()
_CORS = (
    (b"access-control-allow-origin", b"*"),
    (b"access-control-expose-headers", EXPOSED.encode()),
)
_PREFLIGHT = (
    (b"access-control-allow-methods", b"GET, HEAD, POST, PUT, DELETE, OPTIONS"),
    (b"access-control-allow-headers",
     b"Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID"),
    (b"access-control-max-age", b"86400"),
    (b"content-length", b"0"),
)  # fmt: skip


def every_answer() -> tuple[tuple[bytes, bytes], ...]:
    """The headers of one answer, whatever it is; its new Request-Id stands last."""
    return (*_CORS, (b"request-id", b"%016x" % _chance.getrandbits(64)))


def _handshake(send: Any) -> Any:
    """How the handshake of a socket is answered. Those of the API are accepted, whatever there is to say: what is
    closed before that has asked for an address where there is no socket."""
    request_id = every_answer()[-1]
    accepted = False

    async def sent(message: Any) -> None:
        nonlocal accepted
        if message["type"] == "websocket.accept":
            accepted = True
            message = {**message, "headers": [*message.get("headers", ()), request_id]}
        elif message["type"] == "websocket.close" and not accepted:
            problem = Problem("not_found", "There is no socket at this address.")
            headers = [(b"content-type", MEDIA_TYPE.encode()), *_CORS, request_id]
            await send({"type": "websocket.http.response.start", "status": problem.status, "headers": headers})
            await send({"type": "websocket.http.response.body", "body": problem.body()})
            # uvicorn takes a handshake that was answered like this for one without an answer.
            server: Any = getattr(send, "__self__", None)
            if hasattr(server, "handshake_complete"):
                server.handshake_complete = True
            return
        await send(message)

    return sent


class Edge:
    """Wraps the application, after its own error handling and before the server."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        # Where the server is uvicorn: what cuts off a reader who does not read (see `api.follow`).
        scope["rummy.transport"] = getattr(getattr(send, "__self__", None), "transport", None)
        if scope["type"] == "websocket":
            await self._app(scope, receive, _handshake(send))
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        extra = every_answer()
        scope["request_id"] = extra[-1][1].decode()
        method = scope["method"]
        if method == "OPTIONS" and any(k == b"access-control-request-method" for k, _ in scope["headers"]):
            await send({"type": "http.response.start", "status": 204, "headers": [*_PREFLIGHT, *extra]})
            await send({"type": "http.response.body", "body": b""})
            return
        scope["rummy.bodiless"] = method == "HEAD"
        # Of a copy: whoever serves counts the bytes of an answer by the method in its own scope.
        if method == "HEAD":
            scope = {**scope, "method": "GET"}
        elif method == "OPTIONS":
            # No address takes this method, so the router tells which ones it takes.
            scope = {**scope, "method": "-"}
        silent = method == "HEAD"

        async def sent(message: Any) -> None:
            nonlocal silent
            if message["type"] == "http.response.start":
                headers = [*message["headers"], *extra]
                if method == "OPTIONS" and message["status"] == 405:
                    silent = True
                    headers = [(k, v) for k, v in headers if k not in (b"content-type", b"content-length")]
                    message = {**message, "status": 204}
                message = {**message, "headers": headers}
            elif silent:
                if message.get("more_body"):
                    return
                message = {"type": "http.response.body", "body": b""}
            await send(message)

        await self._app(scope, receive, sent)
