"""What the composition root puts together, for the routes to find."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Executor

from .problems import Problem
from .service import Service
from .settings import Settings


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

    def __init__(self, settings: Settings, service: Service, secret: bytes) -> None:
        self.settings = settings
        self.service = service
        self.secret = secret
        self.keys = settings.api_key_hashes
        #: wrong room codes: a code must not be found by trying
        self.codes = Limiter(10, 60)
        #: set when the server goes down: streams and long polls end
        self.drain = asyncio.Event()
        #: for work that would hold the loop
        self.pool: Executor | None = None
