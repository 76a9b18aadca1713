"""Another process for what would hold the event loop for long."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from typing import TypeVar

__all__ = ["Broken", "OtherProcess"]

T = TypeVar("T")

#: The process ended in the middle of the work.
Broken = BrokenProcessPool


class OtherProcess:
    """A process that works off what it is given. It ends with the server, however that ends.

    It is started by ``warm``, or else by the first work.
    """

    def __init__(self) -> None:
        self._starting: asyncio.Task[ProcessPoolExecutor] | None = None

    def warm(self) -> None:
        """Begin to start the process, so that the first work need not wait for it."""
        if self._starting is None:
            self._starting = asyncio.create_task(asyncio.to_thread(_started))

    async def do(self, work: Callable[..., T], *args: object) -> T:
        """The result of ``work``, which both must be importable there. Raises `Broken`, and what it raises."""
        self.warm()
        starting = self._starting
        assert starting is not None
        try:
            pool = await asyncio.shield(starting)
            return await asyncio.get_running_loop().run_in_executor(pool, work, *args)
        except BrokenProcessPool:
            if self._starting is starting:
                self._starting = None
            raise

    async def close(self) -> None:
        """Let go of the process, once it has done what it is at."""
        starting, self._starting = self._starting, None
        if starting is not None:
            await asyncio.wait((starting,))
            if starting.exception() is None:  # else there is none
                await asyncio.to_thread(starting.result().shutdown, wait=True, cancel_futures=True)


def _started() -> ProcessPoolExecutor:
    # Forked from a process without threads (the server has some) that has imported what it needs.
    multiprocessing.set_forkserver_preload(["api.bots", "api.logs"])
    resource_tracker.ensure_running()  # of itself it would let Ctrl-C through again
    # Ctrl-C reaches every process of a terminal: these wait for the server to end them.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        pool = ProcessPoolExecutor(1, multiprocessing.get_context("forkserver"), _end_with_server)
        pool.submit(os.getpid).result()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return pool


def _end_with_server() -> None:
    """A server that was killed cannot tell its processes to stop, and they would wait for work for ever."""
    server = multiprocessing.parent_process()
    assert server is not None

    def watch() -> None:
        wait([server.sentinel])
        os._exit(0)

    threading.Thread(target=watch, name="end with the server", daemon=True).start()
