"""A network between a store and its PostgreSQL that fails when it is told to."""

from __future__ import annotations

import asyncio
import contextlib
from urllib.parse import urlsplit, urlunsplit


class Proxy:
    """Forwards TCP. `lose_next_reply` drops what the server says next and cuts that connection."""

    def __init__(self, url: str) -> None:
        self._target = urlsplit(url)
        self._server: asyncio.Server | None = None
        self._port = 0
        self._open: set[asyncio.StreamWriter] = set()
        self._serving: set[asyncio.Task[None]] = set()
        self.lose_next_reply = False
        self.lost: list[bytes] = []

    @property
    def url(self) -> str:
        return urlunsplit(self._target._replace(netloc=f"{self._target.username}@127.0.0.1:{self._port}"))

    async def start(self) -> None:
        """Also after `stop`, on the same port."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """The network is down: every connection is cut and none is taken."""
        assert self._server is not None
        self._server.close()
        for writer in list(self._open):
            writer.transport.abort()
        await asyncio.gather(*self._serving, return_exceptions=True)
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert self._target.hostname is not None
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)
        server_reader, server_writer = await asyncio.open_connection(
            self._target.hostname, self._target.port or 5432
        )
        both = {writer, server_writer}
        self._open |= both
        try:
            with contextlib.suppress(OSError):
                await asyncio.gather(
                    self._forward(reader, server_writer, both, replies=False),
                    self._forward(server_reader, writer, both, replies=True),
                )
        finally:
            self._cut(both)
            self._open -= both

    async def _forward(
        self,
        source: asyncio.StreamReader,
        target: asyncio.StreamWriter,
        both: set[asyncio.StreamWriter],
        *,
        replies: bool,
    ) -> None:
        while data := await source.read(65536):
            if replies and self.lose_next_reply:
                self.lose_next_reply = False
                self.lost.append(data)
                break
            target.write(data)
            await target.drain()
        self._cut(both)

    def _cut(self, both: set[asyncio.StreamWriter]) -> None:
        for writer in both:
            writer.transport.abort()
