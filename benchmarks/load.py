"""The load: many keep-alive connections, each with one request on its way, from one process.

Everything is bytes before the clock starts. What is left in the measured part is a system call to wait, one
to read and one to write, and looking for the status and the length; no framework, no event loop. What it
costs is measured and reported: a generator that is dear measures itself.

The functions of this module run in a process of their own (`elsewhere`).
"""

from __future__ import annotations

import http.client
import json
import multiprocessing
import select
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from itertools import repeat
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from .games import Script

T = TypeVar("T")

_OK = b"HTTP/1.1 200"


class Measured(Struct, frozen=True):
    """What a run of the load gave. Times in µs."""

    requests: int
    seconds: float
    median: float
    p99: float
    #: CPU time a request of the load itself, of the server, and of the database's processes
    load_cpu: float
    server_cpu: float
    database_cpu: float

    @property
    def rate(self) -> float:
        """Requests a second."""
        return self.requests / self.seconds


class Target(Struct, frozen=True):
    """A server under load, and the processes whose CPU time counts for it."""

    port: int
    pid: int
    database_pid: int | None = None


def elsewhere(work: Callable[..., T], *args: Any) -> T:
    """Run a function of this module in a process of its own, started from nothing."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work, *args).result()


# ---------------------------------------------------------------- CPU and memory


def _threads(pid: int) -> int:
    """CPU time of all threads of a process, in ns (Linux; 0 elsewhere)."""
    total = 0
    for task in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        try:
            total += int(task.read_text().split()[0])
        except (OSError, IndexError, ValueError):
            continue
    return total


def _children(pid: int) -> list[int]:
    try:
        return [int(x) for x in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _cpu(pid: int | None) -> dict[int, int]:
    """The same by process, for a process and its children."""
    return {each: _threads(each) for each in (pid, *_children(pid))} if pid is not None else {}


def _spent(before: dict[int, int], after: dict[int, int]) -> int:
    return sum(max(0, ns - before.get(pid, 0)) for pid, ns in after.items())


def resident(pid: int) -> int:
    """Bytes of memory that a process holds (Linux)."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"no memory of process {pid}")


# ----------------------------------------------------------------------- requests


def post(path: str, body: bytes, token: str | None = None, key: str | None = None) -> bytes:
    """A whole request."""
    extra = f"Authorization: Bearer {token}\r\n" if token else ""
    extra += f"Idempotency-Key: {key}\r\n" if key else ""
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n{extra}"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def create(port: int, bodies: Sequence[bytes]) -> list[dict[str, Any]]:
    """Create games, several at once, and give back their ids and tokens."""

    def some(part: Sequence[bytes]) -> list[dict[str, Any]]:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        found: list[dict[str, Any]] = []
        for body in part:
            connection.request("POST", "/v1/games", body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            content = answer.read()
            if answer.status != 201:
                raise RuntimeError(f"createGame: {answer.status} {content!r}")
            made = json.loads(content)
            found.append({"id": made["game"]["game_id"], "tokens": made["tokens"]})
        connection.close()
        return found

    size = max(1, -(-len(bodies) // 16))
    with ThreadPoolExecutor(16) as pool:
        parts = pool.map(some, (bodies[i : i + size] for i in range(0, len(bodies), size)))
        return [game for part in parts for game in part]


def requests(game: dict[str, Any], script: Script, keys: bool = False) -> list[bytes]:
    """The commands of a script, for a game that was created from it."""
    path = f"/v1/games/{game['id']}/commands"
    return [
        post(path, body, game["tokens"][str(seat)], f"{game['id']}-{i}" if keys else None)
        for i, (seat, body) in enumerate(script.commands)
    ]


# ------------------------------------------------------------------------ the load


class _Connection:
    __slots__ = ("got", "left", "sent", "socket")

    def __init__(self, port: int, left: Iterator[bytes]) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.left = left
        self.got = b""
        self.sent = 0


def _whole(data: bytes) -> bool:
    """Whether an answer is all there. Raises for any status but 200."""
    end = data.find(b"\r\n\r\n")
    if end < 0:
        return False
    start = data.find(b"content-length: ", 0, end)
    whole = len(data) >= end + 4 + int(data[start + 16 : data.find(b"\r", start)])
    if whole and not data.startswith(_OK):
        raise RuntimeError(f"the load was refused: {data!r}")
    return whole


def run(
    port: int, streams: Sequence[Iterator[bytes]], until: float | None = None
) -> tuple[list[int], float]:
    """Send the streams, a connection each, until one of them (without `until`: every one) is at its end or
    the time is over. Gives the nanoseconds of each answer and the seconds that it all took.
    """
    clock = time.perf_counter_ns
    connections = {c.socket.fileno(): c for c in (_Connection(port, stream) for stream in streams)}
    poll = select.epoll()
    times: list[int] = []
    for number, c in connections.items():
        poll.register(number, select.EPOLLIN)
        c.sent = clock()
        c.socket.sendall(next(c.left))
    began = clock()
    end = None if until is None else began + int(until * 1e9)
    open_ones = len(connections)
    running, took = True, 0
    while open_ones:
        for number, _ in poll.poll():
            c = connections[number]
            data = c.socket.recv(262_144)
            if not data:
                raise RuntimeError("the server closed a connection")
            if c.got:
                data = c.got + data
            if not _whole(data):
                c.got = data
                continue
            c.got = b""
            now = clock()
            if running:
                times.append(now - c.sent)
                request = next(c.left, None) if end is None or now < end else None
                if request is not None:
                    c.sent = now
                    c.socket.send(request)
                    continue
                if end is not None:
                    running = False
                    took = now - began
            open_ones -= 1
    if end is None:
        took = clock() - began
    poll.close()
    for c in connections.values():
        c.socket.close()
    return times, took / 1e9


def _measure(target: Target, streams: Sequence[Iterator[bytes]], seconds: float, warm: float) -> Measured:
    run(target.port, streams, warm)
    server, database = _cpu(target.pid), _cpu(target.database_pid)
    own = time.process_time_ns()
    times, took = run(target.port, streams, seconds)
    own = time.process_time_ns() - own
    server_cpu = _spent(server, _cpu(target.pid))
    database_cpu = _spent(database, _cpu(target.database_pid))
    count = len(times)
    times.sort()
    return Measured(
        count, took, times[count // 2] / 1e3, times[count * 99 // 100] / 1e3,
        own / count / 1e3, server_cpu / count / 1e3, database_cpu / count / 1e3,
    )  # fmt: skip


def play(
    target: Target, scripts: Sequence[Script], games: int, each: int, seconds: float, keys: bool = False
) -> Measured:
    """Play on `games` tables at once, `each` matches one after another on every one of them."""
    chosen = [[scripts[(table + i * games) % len(scripts)] for i in range(each)] for table in range(games)]
    streams: list[Iterator[bytes]] = []
    for row in chosen:
        made = create(target.port, [script.creation for script in row])
        sent = [r for game, script in zip(made, row, strict=True) for r in requests(game, script, keys)]
        streams.append(iter(sent))
    return _measure(target, streams, seconds, warm=min(1.0, seconds / 4))


def same(target: Target, path: str, body: bytes, connections: int, seconds: float) -> Measured:
    """The same request over and over."""
    request = post(path, body)
    streams = [repeat(request) for _ in range(connections)]
    return _measure(target, streams, seconds, warm=min(1.0, seconds / 4))


class Window(Struct, frozen=True):
    """What commands cost while a game is young, and when it is old; µs."""

    young_cpu: float
    old_cpu: float
    young: float
    old: float


def grow(target: Target, scripts: Sequence[Script], young: int, old: int, width: int) -> Window:
    """The cost of the `width` commands about the `young`th and about the `old`th, turn and turn about.

    Every game is played twice over, so that at the moment of measuring one of the two is young.
    """
    half = width // 2
    pairs = [
        [requests(game, script) for game in create(target.port, [script.creation] * 2)] for script in scripts
    ]
    run(target.port, [iter(ahead[: old - half]) for ahead, _ in pairs])
    run(target.port, [iter(behind[: young - half]) for _, behind in pairs])
    spent = {"young": [0, 0, 0], "old": [0, 0, 0]}  # commands, CPU, time
    for ahead, behind in pairs:
        for i in range(0, width, 50):
            for name, commands, middle in (("old", ahead, old), ("young", behind, young)):
                part = commands[middle - half + i : middle - half + min(i + 50, width)]
                before = _cpu(target.pid)
                times, _ = run(target.port, [iter(part)])
                total = spent[name]
                total[0] += len(times)
                total[1] += _spent(before, _cpu(target.pid))
                total[2] += sum(times)
    (yn, yc, yt), (on, oc, ot) = spent["young"], spent["old"]
    return Window(yc / yn / 1e3, oc / on / 1e3, yt / yn / 1e3, ot / on / 1e3)


class Memory(Struct, frozen=True):
    """Bytes: the server before, the server with all the games that wait, and one game in play."""

    empty: int
    waiting: int
    warm: float


def fill(
    target: Target, waiting: Sequence[bytes], scripts: Sequence[Script], warm: int, moves: int
) -> Memory:
    """Create games in play in which so many commands were sent, then games that wait."""

    def begin(count: int) -> None:
        bodies = [scripts[i % len(scripts)] for i in range(count)]
        made = create(target.port, [script.creation for script in bodies])
        sent = [iter(requests(game, script)[:moves]) for game, script in zip(made, bodies, strict=True)]
        for i in range(0, count, 50):
            run(target.port, sent[i : i + 50])

    begin(50)  # code paths, pools and caches that the first games fill
    empty = resident(target.pid)
    begin(warm)
    after_warm = resident(target.pid)
    create(target.port, waiting)
    return Memory(empty, resident(target.pid), (after_warm - empty) / warm)
