"""A game over a WebSocket: the events of a stream, and commands with their answers.

Theory
------
One task reads frames and carries them out one after another, one task sends.  An answer is put aside until
every event that was there when it was made has been sent: so a client sees what its command caused, exactly
once, before the answer to it.  At most `WAITING` answers are put aside; then no more frames are read, and
the network holds the client back.

An answer's body is the body that HTTP would have given, byte by byte: the same functions make it, and the
same store knows the keys.  A frame that is no command is answered too (``key`` null where it cannot be read)
and harms nothing.

A socket that may not be is accepted first, so that a browser can learn why: it gets the problem as an
answer without a key, and is closed with 4000 + the status.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from typing import Annotated, Any, cast

import msgspec
from litestar import WebSocket, websocket
from litestar.exceptions import WebSocketDisconnect
from msgspec import Meta, Struct

from domain import commands as cmd
from domain.commands import Command

from .auth import Caller, read_authorization
from .errors import problem_of
from .follow import Follower, TooSlow, cut_off, farewell
from .operations import MOST_BYTES
from .play import answer, as_seen, freeing, sight
from .problems import Problem
from .requests import Call, check_after, decode, header, idempotent, read_query, server_of
from .server import Server
from .shapes import DryRun
from .streams import StreamQuery

log = logging.getLogger("rummy")

#: Seconds that a client has to say who it is.
AUTH_SECONDS = 5.0
#: Answers that wait for the client to take what was sent before.
WAITING = 32

#: Close codes beside 4000 + the status of a problem.
OVER, TOO_LARGE, GOING_DOWN = 1000, 1009, 1012


class AuthFrame(Struct, frozen=True, forbid_unknown_fields=True):
    """The first frame of a client that cannot send headers."""

    auth: str


class CommandFrame(Struct, frozen=True, forbid_unknown_fields=True):
    """A command. ``key`` names it in the answer, and is its idempotency key."""

    key: Annotated[str, Meta(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+\Z")]
    command: msgspec.Raw
    if_version: Annotated[int, Meta(ge=0, le=2**53)] | None = None
    dry_run: bool = False


class _Keyed(Struct, frozen=True):
    key: str | None = None


_auth = msgspec.json.Decoder(AuthFrame)
_frame = msgspec.json.Decoder(CommandFrame)
_keyed = msgspec.json.Decoder(_Keyed)
_command: msgspec.json.Decoder[Command] = msgspec.json.Decoder(Command)
_encode = msgspec.json.Encoder().encode


class _Gone(Exception):
    """The client has closed, or is no more."""


class _TooLarge(Exception):
    """A frame is larger than a command can be."""


#: What sending and receiving raise once the client is gone.
_GONE = (_Gone, OSError, WebSocketDisconnect)


@websocket("/v1/games/{game_id:str}/socket")
async def follow_and_play(socket: WebSocket[Any, Any, Any]) -> None:
    """The events of a game, and a seat's commands."""
    await Socket(socket).run()


def answer_frame(key: str | None, status: int, body: bytes) -> bytes:
    """What was to be said to a frame."""
    return b'{"type":"answer","key":%b,"status":%d,"body":%b}' % (_encode(key), status, body)


class Socket:
    """One client."""

    def __init__(self, socket: WebSocket[Any, Any, Any]) -> None:
        # Queries and headers are read alike.
        self._request = cast(Call, socket)
        self._scope: Any = socket.scope
        self._receive: Any = socket.receive
        self._out: Any = socket.send
        self._server: Server = server_of(self._request)
        self._game_id: str = socket.path_params["game_id"]
        self._caller = Caller()
        self._answers: deque[bytes] = deque()
        self._room = asyncio.Event()
        self._room.set()
        #: whether a command is being carried out
        self._busy = False
        self._accepted = False

    async def run(self) -> None:
        """From the handshake to the end."""
        with contextlib.suppress(*_GONE):
            await self._receive()
            try:
                follower = await self._enter()
                async with follower.following():
                    # A client that is let in has missed nothing since: "from now on" is before this.
                    await self._accept()
                    await self._play(follower)
            except _GONE:
                raise
            except _TooLarge:
                await self._close(TOO_LARGE, "The frame is too large.")
            except Exception as error:
                await self._refuse(error)

    async def _accept(self) -> None:
        if not self._accepted:
            self._accepted = True
            await self._send({"type": "websocket.accept", "subprotocol": None, "headers": []})

    async def _send(self, message: dict[str, Any]) -> None:
        """Raises `_Gone` where the server under this one has closed already, over a frame that was none."""
        try:
            await self._out(message)
        except RuntimeError:
            raise _Gone from None

    # Who it is

    async def _enter(self) -> Follower:
        """Raises `Problem` where the caller or the address will not do."""
        query = read_query(self._request, StreamQuery)
        given = header(self._request, b"authorization")
        if given is None:
            await self._accept()
            given = f"Bearer {await self._token()}"
        self._caller = read_authorization(given, self._server.keys)
        table = await self._server.service.table(self._game_id, self._caller)
        seen = await sight(self._server, table, self._caller)
        if seen.seat is None:
            raise Problem("auth.not_your_game", "Only a seat has a socket; this token is none's.")
        after = seen.version if query.after is None else query.after
        check_after(after, seen.version)
        return Follower(self._server, table, self._caller, seen.seat, after)

    async def _token(self) -> str:
        try:
            async with asyncio.timeout(AUTH_SECONDS):
                frame = await self._next()
        except TimeoutError:
            raise Problem("auth.required", "No token came: send it within 5 seconds.") from None
        try:
            return _auth.decode(frame).auth
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            raise Problem("auth.required", 'The first frame is {"auth": token}.') from None

    # Frames in

    async def _next(self) -> bytes:
        """The next frame. Raises `_Gone` and `_TooLarge`."""
        message = await self._receive()
        if message["type"] == "websocket.disconnect":
            raise _Gone
        text: str | None = message.get("text")
        frame: bytes = message.get("bytes") or b"" if text is None else text.encode()
        if len(frame) > MOST_BYTES:
            raise _TooLarge
        return frame

    async def _read(self, follower: Follower) -> None:
        try:
            while True:
                frame = await self._next()
                await self._room.wait()
                self._busy = True
                self._answers.append(await self._carry_out(frame))
                self._busy = False
                if len(self._answers) >= WAITING:
                    self._room.clear()
                follower.nudge()
        except _GONE:
            follower.end("gone")
        except _TooLarge:
            follower.end("too large")

    async def _carry_out(self, frame: bytes) -> bytes:
        """The answer to a frame, as HTTP would have given it. Never raises."""
        key = None
        try:
            try:
                sent = decode(frame, _frame)
            except Problem:
                key = _key_of(frame)
                raise
            key = sent.key
            body = await self._command(sent)
        except Exception as error:
            problem = problem_of(error)
            if problem.code == "internal":
                log.exception("a frame failed in game %s", self._game_id)
            return answer_frame(key, problem.status, problem.body())
        return answer_frame(key, 200, body)

    async def _command(self, sent: CommandFrame) -> bytes:
        command = decode(bytes(sent.command), _command)
        key = None if sent.dry_run else idempotent("sendCommand", command, sent.key)
        done = await self._server.service.submit(
            self._game_id, freeing if type(command) is cmd.Resign else command, self._caller,
            key=key, if_version=sent.if_version, dry_run=sent.dry_run,
        )  # fmt: skip
        if sent.dry_run:
            return _encode(DryRun(done.table.version_for(done.role)))
        return answer(await as_seen(self._server, done), with_view=True)

    # Frames out

    async def _play(self, follower: Follower) -> None:
        reading = asyncio.create_task(self._read(follower))
        try:
            refused = await self._follow(follower)
            if refused is not None:
                await self._refuse(refused)
            elif follower.ended == "drain":
                await follower.deliver(self._close(GOING_DOWN, "The server goes down; come back."))
                await farewell(self._scope)
            elif follower.ended == "too large":
                await follower.deliver(self._close(TOO_LARGE, "The frame is too large."))
            elif follower.ended is None:
                await follower.deliver(self._close(OVER, "The game is over."))
        except TooSlow:
            log.info("a socket of game %s was cut off: its client does not read", self._game_id)
            cut_off(self._scope)
        finally:
            reading.cancel()

    async def _follow(self, follower: Follower) -> Exception | None:
        """Send until the end. Returns what has ended it, if that was not to be expected."""
        while True:
            # Before the page: its events are those of these answers at least.
            ready = len(self._answers)
            refused = None
            try:
                for _, event in await follower.page():
                    await self._say(follower, b'{"type":"event","event":%b}' % event)
            except (TooSlow, *_GONE):
                raise
            except Exception as error:
                refused = error
            if refused is None and follower.behind:
                continue
            for _ in range(ready):
                await self._say(follower, self._answers.popleft())
            if len(self._answers) < WAITING:
                self._room.set()
            if follower.ended == "gone":
                return None
            if refused is None:
                await self._tell(follower)
            # What is being carried out is answered, even where it is the reason for the end.
            if not self._busy and not self._answers and (refused or follower.over or follower.ended):
                return refused
            if not self._answers:
                try:
                    await follower.wait()
                except Exception as error:
                    return error

    async def _tell(self, follower: Follower) -> None:
        for seat, connected in follower.presence().items():
            told = b"true" if connected else b"false"
            await self._say(follower, b'{"type":"presence","seat":%d,"connected":%b}' % (seat, told))
        if ping := follower.ping():
            await self._say(follower, b'{"type":"ping",%b}' % ping)

    async def _say(self, follower: Follower, frame: bytes) -> None:
        await follower.deliver(self._send({"type": "websocket.send", "text": frame.decode(), "bytes": None}))

    async def _refuse(self, error: Exception) -> None:
        """Say what is wrong, and close."""
        problem = problem_of(error)
        if problem.code == "internal":
            log.error("a socket of game %s failed", self._game_id, exc_info=error)
        frame = answer_frame(None, problem.status, problem.body())
        await self._accept()
        try:
            async with asyncio.timeout(self._server.settings.patience):
                await self._send({"type": "websocket.send", "text": frame.decode(), "bytes": None})
                await self._close(4000 + problem.status, problem.title)
        except TimeoutError:
            cut_off(self._scope)

    async def _close(self, code: int, reason: str) -> None:
        await self._send({"type": "websocket.close", "code": code, "reason": reason})


def _key_of(frame: bytes) -> str | None:
    """The key of a frame that is no command, if it has one."""
    try:
        return _keyed.decode(frame).key
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


HANDLERS = (follow_and_play,)
