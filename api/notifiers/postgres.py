"""Hints over PostgreSQL's NOTIFY, in the database that holds the games.

NOTIFY takes a lock of the whole cluster until its transaction has reached the disk, so it never stands in
the transaction of a commit: a message of many hints is a transaction of its own, on a connection of its
own. LISTEN needs a session: with a pooler in between, that one has to pool by session.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence

import asyncpg

from .relay import HEARTBEAT, PATIENCE, Relay

CHANNEL = "rummy_moved"


class PostgresNotifier(Relay):
    """See `Notifier`. `dsn` is ``postgresql://…``."""

    room = 7_900  # the server takes payloads of less than 8,000 bytes
    broken = (
        asyncpg.PostgresError,
        asyncpg.InterfaceError,
        asyncpg.InternalClientError,
        OSError,
        TimeoutError,
    )

    def __init__(self, dsn: str) -> None:
        super().__init__()
        self.dsn = dsn
        self._sender: asyncpg.Connection[asyncpg.Record] | None = None

    async def _connect(self) -> asyncpg.Connection[asyncpg.Record]:
        return await asyncpg.connect(
            self.dsn,
            timeout=PATIENCE,
            command_timeout=PATIENCE,
            # A hint that a crash of the database eats is no loss: no need to wait for the disk.
            server_settings={"application_name": "rummy notifier", "synchronous_commit": "off"},
        )

    async def _send(self, messages: Sequence[str]) -> None:
        if self._sender is None or self._sender.is_closed():
            self._sender = await self._connect()
        await self._sender.execute(
            "SELECT pg_notify($1, message) FROM unnest($2::text[]) AS message", CHANNEL, list(messages)
        )

    async def _hang_up(self) -> None:
        if self._sender is not None:
            self._sender.terminate()
            self._sender = None

    def _heard(self, _connection: object, _pid: int, _channel: str, payload: object) -> None:
        self._receive(str(payload))

    async def _listen(self, ready: Callable[[], None]) -> None:
        connection = await self._connect()
        ended = asyncio.Event()
        try:
            connection.add_termination_listener(lambda _: ended.set())
            await connection.add_listener(CHANNEL, self._heard)
            ready()
            while not ended.is_set():
                # A network that swallows everything says nothing either: ask now and then.
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(HEARTBEAT):
                        await ended.wait()
                if not ended.is_set():
                    await connection.execute("SELECT 1")
        finally:
            connection.terminate()
