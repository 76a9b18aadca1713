"""``rummy serve``: the server, which drains when it is told to stop.

uvicorn alone waits for open streams for ever; here they are told first, and end by themselves.
"""

from __future__ import annotations

import argparse
import asyncio
import errno
import logging
import sys
from types import FrameType
from typing import Any

import uvicorn
from litestar import Litestar

from .app import create_app
from .connection import BoundedProtocol
from .demo import open_demo
from .operations import MOST_BYTES
from .server import Server
from .settings import Settings, SettingsError, from_environment, mistyped

#: Seconds that requests under way may take once the server was told to stop.
_GRACE = 5


class _Joined:
    """A transport that sends what one turn of the loop has written in one piece.

    An answer is written as its head and its body; two packets would cost two calls of the kernel here and
    two wake-ups at the client.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._kept: list[bytes] = []

    def write(self, data: bytes) -> None:
        """Keep it until this turn of the loop is over."""
        if not self._kept:
            self._loop.call_soon(self._flush)
        self._kept.append(data)

    def _flush(self) -> None:
        if self._kept:
            data, self._kept = b"".join(self._kept), []
            if not self._transport.is_closing():
                self._transport.write(data)

    def close(self) -> None:
        """Close once everything is written."""
        self._flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class _Protocol(BoundedProtocol):
    """uvicorn's with bounds, on such a transport."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has connected."""
        super().connection_made(transport)
        self.transport = _Joined(transport, self.loop)  # type: ignore[assignment]


class DrainingServer(uvicorn.Server):
    """Tells streams and long polls to end as soon as the signal comes, and what to say once it listens."""

    def __init__(self, config: uvicorn.Config, app: Litestar, demo: bool = False) -> None:
        super().__init__(config)
        self._app = app
        self._demo = demo
        self.address = ""
        #: why there is no listening where it should
        self.failure: str | None = None

    @property
    def parts(self) -> Server:
        """The server's parts."""
        return self._app.state["server"]

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal to stop."""
        self.drain()
        super().handle_exit(sig, frame)

    def drain(self) -> None:
        """Let streams and long polls go."""
        self.parts.drain.set()

    async def startup(self, sockets: Any = None) -> None:
        """Listen, and say where."""
        try:
            await super().startup(sockets)
        except SystemExit as ended:
            if isinstance(ended.__context__, OSError):  # uvicorn has written it to the log and given up
                self.failure = _cannot_listen(self.config, ended.__context__)
            raise
        if not self.servers:
            return
        port = self.servers[0].sockets[0].getsockname()[1]
        host = self.config.host if self.config.host not in ("0.0.0.0", "::", "") else "127.0.0.1"
        self.address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        say(f"Listening on {self.address} (documentation: {self.address}/docs)")
        if self._demo:
            say(await open_demo(self.parts, self.address))


def _cannot_listen(config: uvicorn.Config, error: OSError) -> str:
    where = f"{f'[{config.host}]' if ':' in config.host else config.host}:{config.port}"
    if error.errno == errno.EADDRINUSE:
        return f"the address {where} is in use; RUMMY_PORT chooses another port"
    if error.errno == errno.EACCES:
        return f"the address {where} is not open to this user; RUMMY_PORT chooses another port"
    return f"this machine cannot listen on {where}; RUMMY_HOST and RUMMY_PORT choose another address"


def say(text: str) -> None:
    """A line for whoever started the server, at once even into a pipe."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def configuration(app: Litestar, settings: Settings) -> uvicorn.Config:
    """How uvicorn is to run."""
    return uvicorn.Config(
        app, http=_Protocol, proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=list(settings.trusted_proxies), host=settings.host, port=settings.port,
        timeout_graceful_shutdown=_GRACE, log_level="warning",
        access_log=False, lifespan="on", server_header=False, ws="websockets-sansio", ws_max_size=MOST_BYTES,
        # Frames are small, and a compressor for each client is not.
        ws_per_message_deflate=False,
    )  # fmt: skip


def serve(settings: Settings, demo: bool = False) -> int:
    """Run until a signal comes. Returns the exit status."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    logging.getLogger("rummy").setLevel(logging.INFO)
    # While the database is away its pool would tell of every try, with a traceback; the store says it in a line.
    logging.getLogger("asyncpg.pool").setLevel(logging.CRITICAL)
    try:
        app = create_app(settings)
    except (SettingsError, ValueError) as error:
        sys.stderr.write(f"rummy: {error}\n")
        return 2
    server = DrainingServer(configuration(app, settings), app, demo)
    parts = server.parts

    def useful(record: logging.LogRecord) -> bool:
        """Why it could not start is said in one sentence, below; what uvicorn makes of it is no help to anybody."""
        return parts.failure is None and not isinstance(record.msg, OSError)

    logging.getLogger("uvicorn.error").addFilter(useful)
    try:
        server.run()
    except SystemExit as ended:
        if parts.failure is None and server.failure is None:
            return int(ended.code or 0)
    if failure := parts.failure or server.failure:
        sys.stderr.write(f"rummy: {failure}\n")
        return 1
    return 0 if server.started else 1


def run(arguments: argparse.Namespace) -> int:
    """The subcommand."""
    for sentence in mistyped():
        sys.stderr.write(f"rummy: {sentence}\n")
    try:
        settings = from_environment()
    except SettingsError as error:
        sys.stderr.write(f"rummy: {error}\n")
        return 2
    return serve(settings, arguments.demo)


def add_command(subparsers: Any) -> None:
    """``rummy serve``."""
    parser = subparsers.add_parser("serve", help="run the server; settings come from RUMMY_* variables")
    parser.add_argument("--demo", action="store_true", help="create a game to look at, and print how to play it")
    parser.set_defaults(run=run)


