"""Durable commands a second over HTTP, on both stores, beside what framework and disk can do alone.

    python -m benchmarks.bench_http [--seconds 5] [--stores sqlite,postgres] [--only rate,growth,memory]

Real matches of Wild Rummy are played against `rummy serve` (one worker), every answer with the events and
the player's view, as clients ask for by default. The references are taken in the same run, on the same disk
and from the same load: a bare Litestar handler that reads and writes a small struct, and one durable row.
CPU times are those of the kernel's scheduler; on a busy machine they say more than the rates.
"""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Generator, Sequence
from pathlib import Path

from . import bare, games, load
from .load import Measured, Target, elsewhere
from .report import Row, at_least, at_most, machine, number, table
from .servers import Postgres, application, bare_handler, directory, postgres

BAR = 2_000
AIM = 3_700
GROWTH = 1.2
WARM_KB = 60
WAITING_MB = 600
LOAD_US = 60

#: for the bare handler
BODY = b'{"type":"draw","source":"stock"}'
#: matches that are prepared; each may be played at several tables
MATCHES = 16
#: requests that are at hand for a second of one table, and of sixteen
SUPPLY = {1: 2_500, 16: 6_000}


@contextlib.contextmanager
def _store(name: str, server: Postgres | None) -> Generator[tuple[str, int | None]]:
    """The URL of an empty database, and the process of its server."""
    if name == "sqlite":
        with directory() as place:
            yield f"sqlite+aiosqlite:///{place / 'games.sqlite'}", None
        return
    assert server is not None
    with server.database() as url:
        yield url.replace("postgresql:", "postgresql+asyncpg:"), server.pid


def _cost(measured: Measured) -> str:
    parts = [f"server {measured.server_cpu:.0f} µs"]
    if measured.database_cpu:
        parts.append(f"database {measured.database_cpu:.0f} µs")
    parts.append(f"load {measured.load_cpu:.0f} µs")
    return (
        f"CPU each: {', '.join(parts)}; answer in {measured.median / 1e3:.2f} ms median, "
        f"{measured.p99 / 1e3:.2f} ms p99"
    )


def _references(seconds: float, disk: Path, server: Postgres | None, into: list[Row]) -> dict[str, float]:
    found: dict[str, float] = {}
    with bare_handler() as target:
        for connections in (1, 16):
            got = elsewhere(load.same, target, "/bare", BODY, connections, seconds)
            found[f"bare {connections}"] = got.rate
            into.append(Row(f"bare handler, {connections} at once", f"{number(got.rate)}/s", note=_cost(got)))
            share = got.load_cpu / (1e6 / got.rate)
            if connections == 16:
                into.append(at_most("the load itself, a request", got.load_cpu, LOAD_US, "µs CPU",
                                    f"{share:.0%} of one CPU at {number(got.rate)}/s"))  # fmt: skip
    found["sqlite"] = bare.sqlite_rows(disk, seconds)
    into.append(Row("one row in SQLite, one writer", f"{number(found['sqlite'])}/s"))
    if server is not None:
        with server.database() as url:
            for writers in (1, 16):
                found[f"postgres {writers}"] = rate = bare.postgres_rows(url, seconds, writers)
                into.append(Row(f"one row in PostgreSQL, {writers} at once", f"{number(rate)}/s"))
    return found


def _rates(
    name: str, target: Target, seconds: float, references: dict[str, float], into: list[Row]
) -> None:
    scripts = games.matches(MATCHES)
    length = min(len(script.commands) for script in scripts)
    for tables, keys in ((1, False), (16, False), (16, True)):
        each = int(SUPPLY[tables] * seconds * 1.25 / tables / length) + 1
        got = elsewhere(load.play, target, scripts, tables, each, seconds, keys)
        row = references[name] if name == "sqlite" else references[f"postgres {tables}"]
        handler = references[f"bare {tables}"]
        ratios = f"{got.rate / handler:.2f} × bare handler, {got.rate / row:.2f} × bare row"
        what = f"{name}, {tables} game{'s' if tables > 1 else ''}{', with keys' if keys else ''}"
        note = f"{ratios}; {_cost(got)}"
        if tables == 1:
            into.append(Row(what, f"{number(got.rate)} commands/s", note=note))
        else:
            note = f"aim {number(AIM)} {'holds' if got.rate >= AIM else 'missed'}; {note}"
            into.append(at_least(what, got.rate, BAR, "commands/s", note))


def _growth(name: str, target: Target, into: list[Row]) -> None:
    scripts = games.long_matches(6, 3_200)
    got = elsewhere(load.grow, target, scripts, 200, 3_000, 300)
    into.append(at_most(
        f"{name}, the 3,000th command against the 100th", got.old_cpu / got.young_cpu, GROWTH, "× CPU",
        f"server CPU {got.young_cpu:.0f} → {got.old_cpu:.0f} µs, answer {got.young:.0f} → {got.old:.0f} µs",
    ))  # fmt: skip


def _memory(name: str, target: Target, into: list[Row]) -> None:
    got = elsewhere(load.fill, target, games.waiting(10_000), games.matches(MATCHES), 1_000, 40)
    mb = 1024 * 1024
    into.append(at_most(
        f"{name}, a warm game", got.warm / 1024, WARM_KB, "kB", "1,000 games with 40 commands each"
    ))  # fmt: skip
    into.append(at_most(
        f"{name}, the server with 10,000 waiting games", got.waiting / mb, WAITING_MB, "MB",
        f"{got.empty / mb:.0f} MB before them",
    ))  # fmt: skip


def rows(
    seconds: float = 5.0, stores: Sequence[str] = ("sqlite", "postgres"),
    only: Sequence[str] = ("rate", "growth", "memory"),
) -> list[Row]:  # fmt: skip
    """Measure, and give the rows of the table."""
    found: list[Row] = []
    with contextlib.ExitStack() as stack:
        disk = stack.enter_context(directory())
        server = stack.enter_context(postgres()) if "postgres" in stores else None
        references = _references(seconds, disk, server, found) if "rate" in only else {}
        for name in stores:
            with _store(name, server) as (url, pid), application(url, pid) as target:
                if "rate" in only:
                    _rates(name, target, seconds, references, found)
                if "growth" in only:
                    _growth(name, target, found)
            if "memory" in only and name == "sqlite":
                with _store(name, server) as (url, pid), application(url, pid) as target:
                    _memory(name, target, found)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--stores", default="sqlite,postgres")
    parser.add_argument("--only", default="rate,growth,memory")
    asked = parser.parse_args()
    print(machine())
    print(table(rows(asked.seconds, asked.stores.split(","), asked.only.split(","))))


if __name__ == "__main__":
    main()
