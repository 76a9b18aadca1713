"""A client's connection, with an end to what it may send and to the time that it may take.

uvicorn gathers the head of a request for as long and as large as it comes, and waits for ever for the rest of
one that has begun.
"""

from __future__ import annotations

import asyncio
import re
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
#: A header's line that offers anything but a WebSocket.
_OTHER_UPGRADE = re.compile(rb"upgrade:(?!.*websocket)", re.IGNORECASE)
_UPGRADE = re.compile(rb"\nupgrade:", re.IGNORECASE)


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's, with these bounds. What the server itself holds up is not counted.

    The parser does not tell where in the bytes that it was given a head or a body has ended.  So it is given
    pieces that end where one can: a head whole or line by line, a body as long as its length says.
    """

    #: when the request that is coming in has begun (a connection begins with one)
    _since: float | None = None
    _received = 0
    #: bytes of this head so far; None in a body
    _head: int | None = 0
    #: whether the next piece of the head begins a line
    _fresh = True
    #: bytes of this body that are yet to come; None where it comes in chunks
    _body: int | None = None
    #: what is said once the answers under way are given; no more requests are read
    _last: Problem | None = None
    _upgraded = False
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
        self._upgraded = True
        self._stop_watching()
        super().handle_websocket_upgrade()

    def data_received(self, data: bytes) -> None:
        """The next bytes."""
        start, most = 0, len(data)
        while start < most and self._last is None and not self._upgraded and not self.transport.is_closing():
            end = self._end_of_piece(data, start)
            if end == start:
                self._refuse(Problem("request.too_large", "The head of the request is too large."))
                return
            self._feed(data[start:end] if end - start < most else data)
            start = end

    def _end_of_piece(self, data: bytes, start: int) -> int:
        if self._head is None and self._body:
            return min(len(data), start + self._body)
        if self._head == 0:
            last = data.find(b"\r\n\r\n", start, start + MOST_HEAD)  # the whole head at once, where it is there
            if last >= 0 and _UPGRADE.search(data, start, last) is None:
                return last + 4
        end = data.find(b"\n", start) + 1 or len(data)
        return end if self._head is None else min(end, start + MOST_HEAD - self._head)

    def _feed(self, piece: bytes) -> None:
        self._received += len(piece)
        if self._head is not None:
            whole, self._fresh = self._fresh and self._head > 0, piece.endswith(b"\n")
            self._head += len(piece)
            if whole and self._fresh and _OTHER_UPGRADE.match(piece):
                return  # of HTTP/2, say, which is not taken; the parser would take the body for it
        elif self._body is not None:
            self._body -= len(piece)
        super().data_received(piece)
        if self.transport.is_closing() or self._upgraded:
            return
        if self._since is None and not self._answering:
            self._since = self.loop.time()  # something came that begins no request
        if self._received > MOST_REQUEST:
            self.transport.abort()

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._since = self.loop.time()

    def on_headers_complete(self) -> None:
        """The head is whole."""
        self._head, self._body = None, None
        for name, value in self.headers:
            if name == b"content-length":
                self._body = int(value)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The request is whole."""
        self._since, self._received, self._head = None, 0, 0
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """An answer is given."""
        super().on_response_complete()
        if self._last is not None and not self.transport.is_closing() and not self._answering:
            self._refuse(self._last)

    def send_400_response(self, msg: str) -> None:
        """What is no HTTP at all is a problem like any other."""
        self._refuse(Problem("request.malformed", msg))

    @property
    def _answering(self) -> bool:
        cycle = cast(RequestResponseCycle | None, self.cycle)
        return cycle is not None and not cycle.response_complete

    def _refuse(self, problem: Problem) -> None:
        self._last = problem
        if self._answering:
            if self._head is None:
                self.transport.abort()  # it waits for the rest of the very request that is not one
            return  # else this comes behind it
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
