"""Servers to be measured: the application as it is really run, and a PostgreSQL that really writes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Generator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
from msgspec import Struct

from tests import postgres as finder
from tests.postgres import die_with_parent, free_port

from .load import Target


@contextlib.contextmanager
def directory() -> Generator[Path]:
    """A place for databases, on a disk: below BENCH_DIR, or where temporary files lie."""
    path = Path(tempfile.mkdtemp(prefix="rummy-bench-", dir=os.environ.get("BENCH_DIR")))
    path.chmod(0o755)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def _process(arguments: list[str], environment: dict[str, str]) -> Generator[tuple[int, int]]:
    """A server that prints where it listens; gives its port and its process."""
    process = subprocess.Popen(
        arguments, stdout=subprocess.PIPE, env={**os.environ, **environment}, text=True,
        preexec_fn=lambda: die_with_parent(signal.SIGKILL),
    )  # fmt: skip
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://[^/ ]*:(\d+)", line)
        if found is None:
            raise RuntimeError(f"the server did not start: {line!r}")
        yield int(found[1]), process.pid
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextlib.contextmanager
def application(database_url: str, database_pid: int | None = None, **settings: str) -> Generator[Target]:
    """`rummy serve`, one worker."""
    environment = {
        "RUMMY_HOST": "127.0.0.1",
        "RUMMY_PORT": "0",
        "RUMMY_DATABASE_URL": database_url,
        "RUMMY_SECRET": "benchmarks need a secret of 32 characters",
        "RUMMY_SANDBOX": "on",
        **settings,
    }
    with _process([sys.executable, "-m", "api.cli", "serve"], environment) as (port, pid):
        yield Target(port, pid, database_pid)


@contextlib.contextmanager
def bare_handler() -> Generator[Target]:
    """The framework with nothing behind it, under the same server."""
    with _process([sys.executable, "-m", "benchmarks.bare"], {}) as (port, pid):
        yield Target(port, pid)


class Postgres(Struct, frozen=True):
    """``url`` is ``postgresql://…`` of the maintenance database; ``pid`` where the server is ours."""

    url: str
    pid: int | None

    @contextlib.contextmanager
    def database(self) -> Generator[str]:
        """``postgresql://…`` of an empty database."""
        name = f"rummy_bench_{uuid.uuid4().hex[:12]}"
        asyncio.run(_execute(self.url, f"CREATE DATABASE {name}"))
        try:
            yield urlunsplit(urlsplit(self.url)._replace(path=f"/{name}"))
        finally:
            asyncio.run(_execute(self.url, f"DROP DATABASE {name} WITH (FORCE)"))


async def _execute(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


@contextlib.contextmanager
def postgres() -> Generator[Postgres]:
    """The server of BENCH_DATABASE_URL, or one of our own with the settings it comes with: fsync on."""
    if given := os.environ.get("BENCH_DATABASE_URL"):
        yield Postgres(urlunsplit(urlsplit(given)._replace(scheme="postgresql")), None)
        return
    programs = finder.binaries()
    rights = finder._unprivileged()
    with directory() as home:
        if rights:
            os.chown(home, rights["user"], rights["group"])
            programs = finder._runnable(programs, home, rights)
        data, log = home / "data", home / "log"
        subprocess.run(
            [programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale"],
            check=True, capture_output=True, cwd=home, **rights,
        )  # fmt: skip
        port = free_port()
        with log.open("wb") as output:
            process = subprocess.Popen(
                [
                    *[programs / "postgres", "-D", data, "-p", str(port), "-k", home],
                    *["-c", "listen_addresses=127.0.0.1"],
                ],
                stdout=output, stderr=output, cwd=home,
                preexec_fn=lambda: die_with_parent(signal.SIGQUIT), **rights,
            )  # fmt: skip
        try:
            finder._wait_until_ready(process, data, log)
            yield Postgres(f"postgresql://postgres@127.0.0.1:{port}/postgres", process.pid)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait()
