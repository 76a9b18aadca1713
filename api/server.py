"""What the composition root puts together, for the routes to find."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Coroutine
from functools import cache
from typing import Any, TypeVar

from .problems import Problem
from .processes import Broken, OtherProcess
from .service import Service
from .settings import Settings
from .wakeups import Wakeups

T = TypeVar("T")


class Limiter:
    """Counts what goes wrong by client, and refuses more once it is too much.

    So many faults in so many seconds; the counts live in memory, of so many clients at most.
    """

    def __init__(self, most: int, seconds: float, clients: int = 10_000) -> None:
        self._most, self._seconds, self._clients = most, seconds, clients
        self._faults: OrderedDict[str, deque[float]] = OrderedDict()
        self.time: Callable[[], float] = time.monotonic

    def check(self, client: str) -> None:
        """Raises ``rate_limited`` with the seconds to wait."""
        faults = self._faults.get(client)
        if faults is None:
            return
        now = self.time()
        while faults and faults[0] <= now - self._seconds:
            faults.popleft()
        if len(faults) >= self._most:
            wait = int(faults[0] + self._seconds - now) + 1
            raise Problem("rate_limited", headers={"Retry-After": str(wait)})

    def fault(self, client: str) -> None:
        """One more."""
        self._faults.setdefault(client, deque(maxlen=self._most)).append(self.time())
        self._faults.move_to_end(client)
        while len(self._faults) > self._clients:
            self._faults.popitem(last=False)


class Server:
    """The parts of a running server."""

    def __init__(
        self, settings: Settings, service: Service, wakeups: Wakeups, secret: bytes, document: Callable[[], bytes]
    ) -> None:
        self.settings = settings
        self.service = service
        self.wakeups = wakeups
        self.secret = secret
        #: the OpenAPI document
        self.document = cache(document)
        self.keys = settings.api_key_hashes
        #: wrong room codes: a code must not be found by trying
        self.codes = Limiter(10, 60)
        #: why it could not start
        self.failure: Exception | None = None
        #: set when the server goes down: streams and long polls end
        self.drain = asyncio.Event()
        self._process = OtherProcess()

    async def unless_draining(self, waiting: Coroutine[Any, Any, Any]) -> None:
        """Wait for something, but no longer than the server stays up."""
        tasks = [asyncio.create_task(waiting), asyncio.create_task(self.drain.wait())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def elsewhere(self, work: Callable[..., T], *args: Any) -> T:
        """Do what would hold the loop for long in another process. Both must be importable there."""
        try:
            return await self._process.do(work, *args)
        except Broken:
            raise Problem("unavailable", "The work was broken off; try again.") from None

    async def close(self) -> None:
        """Let go of the process."""
        await self._process.close()
