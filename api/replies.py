"""Answers as bytes. What is encoded already needs no more of the framework than to be sent."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import msgspec
from litestar.response.base import ASGIResponse

_encode = msgspec.json.Encoder().encode

JSON = b"application/json"
_LENGTH, _TYPE = b"content-length", b"content-type"


class Reply(ASGIResponse):
    """A finished answer. ``headers`` come on top of its type and length."""

    __slots__ = ("_headers", "_raw", "_status")

    def __init__(
        self,
        body: bytes,
        status: int = 200,
        headers: dict[str, str] | None = None,
        media_type: bytes = JSON,
    ) -> None:
        self._raw = body
        self._status = status
        self._headers = [(_LENGTH, b"%d" % len(body)), (_TYPE, media_type)] if status not in (204, 304) else []
        if headers:
            self._headers += [(k.lower().encode("latin-1"), v.encode("latin-1")) for k, v in headers.items()]

    def to_asgi_response(self, *_: Any, **__: Any) -> Reply:
        """What the framework asks of an exception handler's answer."""
        return self

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        del scope, receive
        await send({"type": "http.response.start", "status": self._status, "headers": self._headers})
        await send({"type": "http.response.body", "body": self._raw})


class StreamReply(ASGIResponse):
    """An answer that is made while it is sent."""

    __slots__ = ("_chunks", "_headers")

    def __init__(self, chunks: AsyncIterator[bytes], media_type: bytes, headers: dict[str, str]) -> None:
        self._chunks = chunks
        self._headers = [(_TYPE, media_type)]
        self._headers += [(k.lower().encode("latin-1"), v.encode("latin-1")) for k, v in headers.items()]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        del scope, receive
        await send({"type": "http.response.start", "status": 200, "headers": self._headers})
        async for chunk in self._chunks:
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


def json_reply(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Reply:
    """An answer made of anything that msgspec writes."""
    return Reply(_encode(value), status, headers)
