"""What notifiers over a network have in common: batches out, batches in, and connections that come back.

Theory
------
`publish` wakes the readers of its own process and puts the hint into a dictionary, so that the latest of a
game wins; a sender takes all there are in one message, waits a few milliseconds, and looks again.  So the
network's load does not grow with the number of commands, and a hint on a quiet server leaves at once.

Two tasks, a sender and a listener, each with its own connection, each trying again with growing pauses.
What could not be sent stays in the dictionary.  It is bounded: beyond that the sender forgets the games and
says "look" to everyone.  A listener that was cut off says the same to the readers of its process as soon
as it hears again.

A message is text: the sender's name, then ``game=version`` for each game, ``*`` for "look", or what was
announced, behind an ``@``.  A process does not listen to itself.  What cannot be read is passed over:
others may write on a channel.
"""

from __future__ import annotations

import abc
import asyncio
import contextlib
import logging
import random
import secrets
from collections.abc import Callable, Iterable, Sequence

from .hub import MOST, Hub

log = logging.getLogger("rummy.notifier")

#: Seconds between two messages of one process.
BETWEEN = 0.005
#: Seconds of the first and the longest pause before a connection is tried again.
PAUSES = (0.05, 2.0)
#: Seconds that a connection may be silent before it has to prove that it lives, and that it has for that.
HEARTBEAT = 15.0
#: Seconds for connecting, for sending, and for sending the rest when the server stops.
PATIENCE = 5.0
FAREWELL = 1.0

EVERYTHING = "*"
SAID = "@"


def write(sender: str, hints: Iterable[tuple[str, int]], room: int) -> list[str]:
    """Messages of at most `room` bytes each that carry these hints."""
    return pack(sender, (f"{game_id}={version}" for game_id, version in hints), room)


def pack(sender: str, what: Iterable[str], room: int) -> list[str]:
    """Messages of at most `room` bytes each that carry these parts."""
    messages: list[str] = []
    parts, left = [sender], room - len(sender)
    for part in what:
        if len(part) + 1 > left and len(parts) > 1:
            messages.append(" ".join(parts))
            parts, left = [sender], room - len(sender)
        parts.append(part)
        left -= len(part) + 1
    return [*messages, " ".join(parts)] if len(parts) > 1 else messages


def read(message: str) -> tuple[str, list[tuple[str, int]], bool]:
    """Who sent it, the hints, and whether it says "look"."""
    sender, *parts = message.split(" ")
    hints: list[tuple[str, int]] = []
    for part in parts:
        game_id, _, version = part.rpartition("=")
        if game_id and version.isascii() and version.isdigit() and len(version) < 16:
            hints.append((game_id, int(version)))
    return sender, hints, EVERYTHING in parts


class Relay(Hub, abc.ABC):
    """A hub whose hints reach other processes. Subclasses know the network."""

    #: bytes that one message can hold
    room: int

    #: what a broken or absent connection raises
    broken: tuple[type[Exception], ...]

    def __init__(self) -> None:
        super().__init__()
        self._name = secrets.token_hex(6)
        self._waiting: dict[str, int] = {}
        self._said: dict[str, str] = {}
        self._overflow = False
        self._something = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._hears = False
        self._tried = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    # What a network must be able to do

    @abc.abstractmethod
    async def _send(self, messages: Sequence[str]) -> None:
        """Send these messages over the sender's connection, which is made if there is none."""

    @abc.abstractmethod
    async def _listen(self, ready: Callable[[], None]) -> None:
        """Connect, subscribe, call `ready`, then hand every message to `_receive` until the end."""

    @abc.abstractmethod
    async def _hang_up(self) -> None:
        """Let go of the sender's connection. Never raises."""

    # The notifier

    @property
    def linked(self) -> bool:
        """See `Notifier`."""
        return self._hears

    async def start(self) -> None:
        """See `Notifier`."""
        self._tasks = [
            asyncio.create_task(self._keep_sending(), name="notifier sends"),
            asyncio.create_task(self._keep_listening(), name="notifier listens"),
        ]
        await self._tried.wait()

    async def stop(self) -> None:
        """See `Notifier`."""
        if not self._tasks:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FAREWELL):
                await self._idle.wait()
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._hang_up()
        self._hears = False
        self.gap()

    def publish(self, game_id: str, version: int) -> None:
        """See `Notifier`."""
        self.tell(game_id, version)
        self._keep(game_id, version)

    def announce(self, about: str, what: str) -> None:
        """See `Notifier`. What is too much is lost."""
        if len(self._said) < MOST:
            self._said[about] = what
            self._something.set()
            self._idle.clear()

    # Out

    def _keep(self, game_id: str, version: int) -> None:
        if self._overflow:
            return
        if version > self._waiting.get(game_id, 0):
            self._waiting[game_id] = version
        if len(self._waiting) > MOST:
            self._overflow = True
            self._waiting = {}
        self._something.set()
        self._idle.clear()

    def _keep_again(self, hints: dict[str, int], overflow: bool) -> None:
        """What was not sent waits again, unless there is newer."""
        self._overflow = self._overflow or overflow
        if self._overflow:
            self._waiting = {}
            self._something.set()
        for game_id, version in hints.items():
            self._keep(game_id, version)

    async def _keep_sending(self) -> None:
        pauses = _Pauses()
        while True:
            await self._something.wait()
            self._something.clear()
            hints, self._waiting = self._waiting, {}
            overflow, self._overflow = self._overflow, False
            messages = [f"{self._name} {EVERYTHING}"] if overflow else []
            messages += write(self._name, hints.items(), self.room)
            said, self._said = self._said, {}
            messages += pack(self._name, (f"{SAID}{about}{what}" for about, what in said.items()), self.room)
            try:
                async with asyncio.timeout(PATIENCE):
                    await self._send(messages)
            except self.broken as error:
                self._keep_again(hints, overflow)
                self._said = said | self._said
                self._something.set()
                pauses.note("hints cannot be sent for now", error)
                await self._hang_up()
                await pauses.rest()
                continue
            except Exception:
                log.exception("hints that cannot be sent are dropped")
            pauses.over("hints are sent again")
            if not self._something.is_set():
                self._idle.set()
            await asyncio.sleep(BETWEEN)

    # In

    def _receive(self, message: str) -> None:
        sender, hints, look = read(message)
        if sender == self._name:
            return
        for game_id, version in hints:
            self.tell(game_id, version, local=False)
        if self.heard is not None:
            for part in message.split(" ")[1:]:
                if part.startswith(SAID) and len(part) > 1:
                    self.heard(sender, part[1:-1], part[-1])
        if look:
            self.gap()

    async def _keep_listening(self) -> None:
        pauses = _Pauses()

        def ready() -> None:
            pauses.over("hints of other servers are heard again")
            self._hears = True
            self.gap()  # what others said before, or while there was no connection, was not heard
            self._tried.set()

        while True:
            try:
                await self._listen(ready)
            except self.broken as error:
                pauses.note("hints of other servers cannot be heard for now", error)
            except Exception:
                log.exception("hints of other servers cannot be heard for now")
            self._hears = False
            self._tried.set()
            await pauses.rest()


class _Pauses:
    """Between attempts: doubling up to the longest, each shortened by chance so that servers do not come
    back in step. A trouble is logged when it begins and when it is over."""

    def __init__(self) -> None:
        self._failed = 0

    def note(self, what: str, error: Exception) -> None:
        if not self._failed:
            log.warning("%s: %s", what, type(error).__name__)

    def over(self, what: str) -> None:
        if self._failed:
            log.warning("%s", what)
        self._failed = 0

    async def rest(self) -> None:
        shortest, longest = PAUSES
        pause = min(longest, shortest * 2 ** min(self._failed, 16))
        self._failed += 1
        await asyncio.sleep(pause * random.uniform(0.5, 1.0))
