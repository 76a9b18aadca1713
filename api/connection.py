"""A client's connection, with an end to what it may send and to the time that it may take.

uvicorn gathers the head of a request for as long and as large as it comes, and waits for ever for the rest of
one that has begun.
"""

from __future__ import annotations

import asyncio
from typing import cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from .edge import every_answer
from .problems import MEDIA_TYPE, Problem

#: Seconds for a request to come in, and bytes for each of which there is a little more time.
REQUEST_SECONDS = 30.0
BYTES_A_SECOND = 16 * 1024
#: Bytes of a head, and of a request with everything (the largest body is that of a log).
MOST_HEAD = 64 * 1024
MOST_REQUEST = 48 * 1024 * 1024


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's, with these bounds. What the server itself holds up is not counted."""

    #: when the request that is coming in has begun (a connection begins with one)
    _since: float | None = None
    _received = 0
    _in_head = True
    _watch: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has connected."""
        super().connection_made(transport)
        self._since = self.loop.time()
        self._watch = self.loop.call_later(REQUEST_SECONDS, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        self._stop_watching()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self) -> None:
        """From here on sockets look after themselves."""
        self._stop_watching()
        super().handle_websocket_upgrade()

    def data_received(self, data: bytes) -> None:
        """The next bytes."""
        self._received += len(data)
        super().data_received(data)
        if self.transport.is_closing():
            return
        if self._since is None and not self._answering:
            self._since = self.loop.time()  # something came that begins no request
        if self._received > MOST_REQUEST:
            self.transport.abort()
        elif self._in_head and self._received > MOST_HEAD:
            self._refuse(Problem("request.too_large", "The head of the request is too large."))

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._since, self._in_head = self.loop.time(), True

    def on_headers_complete(self) -> None:
        """The head is whole."""
        self._in_head = False
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The request is whole."""
        self._since, self._received = None, 0
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """What is no HTTP at all is a problem like any other."""
        self._refuse(Problem("request.malformed", msg))

    @property
    def _answering(self) -> bool:
        cycle = cast(RequestResponseCycle | None, self.cycle)
        return cycle is not None and not cycle.response_complete

    def _refuse(self, problem: Problem) -> None:
        if self._answering:
            self.transport.abort()  # an answer is under way: another one cannot be put into it
            return
        body = problem.body()
        headers: tuple[tuple[bytes, bytes], ...] = (
            (b"content-type", MEDIA_TYPE.encode()), (b"content-length", b"%d" % len(body)), (b"connection", b"close"),
            *every_answer(),
        )  # fmt: skip
        status = {400: b"400 Bad Request", 413: b"413 Content Too Large"}[problem.status]
        self.transport.write(
            b"\r\n".join([b"HTTP/1.1 " + status, *(b"%b: %b" % header for header in headers), b"", body])
        )
        self.transport.close()

    def _look(self) -> None:
        now = self.loop.time()
        if self.flow.read_paused:
            self._since = now if self._since is not None else None
        wait = REQUEST_SECONDS
        if self._since is not None:
            wait = self._since + REQUEST_SECONDS + self._received / BYTES_A_SECOND - now
            if wait <= 0:
                self.transport.abort()
                return
        self._watch = self.loop.call_later(wait, self._look)

    def _stop_watching(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None
