"""Hints over Redis (or Valkey): publish and subscribe on one channel."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, cast

from redis.asyncio import Redis
from redis.asyncio.client import PubSub
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from .relay import HEARTBEAT, PATIENCE, Relay

CHANNEL = "rummy_moved"


class RedisNotifier(Relay):
    """See `Notifier`. `url` is ``redis://…`` or ``rediss://…``.

    Channels of Redis know no database: deployments that share a server hear each other's hints, about games
    that they have not, and pass them over.
    """

    room = 60_000
    broken = (RedisError, OSError, TimeoutError)

    def __init__(self, url: str, channel: str = CHANNEL) -> None:
        super().__init__()
        self._url = url
        self._channel = channel
        self._sender = self._client()

    def _client(self) -> Redis:
        # Trying again is the relay's own business: it knows which hint is the latest by then.
        client: Redis = Redis.from_url(  # pyright: ignore[reportUnknownMemberType]
            self._url,
            decode_responses=True,
            socket_connect_timeout=PATIENCE,
            socket_keepalive=True,
            retry=Retry(NoBackoff(), 0),
        )
        return client

    async def _send(self, messages: Sequence[str]) -> None:
        for message in messages:
            await self._sender.publish(self._channel, message)  # pyright: ignore[reportUnknownMemberType]

    async def _hang_up(self) -> None:
        await self._sender.connection_pool.disconnect()

    async def _listen(self, ready: Callable[[], None]) -> None:
        client = self._client()
        try:
            async with client.pubsub() as channel:  # pyright: ignore[reportUnknownMemberType]
                async with asyncio.timeout(PATIENCE):
                    await channel.subscribe(self._channel)
                await self._hear(channel, ready)
        finally:
            await client.aclose()

    async def _hear(self, channel: PubSub, ready: Callable[[], None]) -> None:
        asked = False
        while True:
            message = cast("dict[str, Any] | None", await channel.get_message(timeout=HEARTBEAT))
            if message is None:
                if asked:
                    raise TimeoutError("the connection is dead")
                asked = True
                await channel.ping()  # pyright: ignore[reportUnknownMemberType]
                continue
            asked = False
            if message["type"] == "subscribe":
                ready()
            elif message["type"] == "message":
                self._receive(message["data"])
