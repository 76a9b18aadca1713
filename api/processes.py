"""Processes for what would hold the event loop for long."""

from __future__ import annotations

import multiprocessing
import os
import threading
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.connection import wait

__all__ = ["one_process"]


def one_process() -> ProcessPoolExecutor:
    """A process that works off what it is given. It ends with the server, however that ends."""
    # Forked from a process without threads: the server has some.
    return ProcessPoolExecutor(1, multiprocessing.get_context("forkserver"), _end_with_server)


def _end_with_server() -> None:
    """A server that was killed cannot tell its processes to stop, and they would wait for work for ever."""
    server = multiprocessing.parent_process()
    assert server is not None

    def watch() -> None:
        wait([server.sentinel])
        os._exit(0)

    threading.Thread(target=watch, name="end with the server", daemon=True).start()
