"""What every store promises, in terms of rows and bytes. What the bytes mean is no business of this room.

The log is the only truth. One command is one *commit*, one row, keyed ``(game_id, commit_no)``, whose
events are opaque bytes. An `Append` is one commit together with the rows that follow from it: all of it
becomes durable at once or nothing does. A writer that was overtaken learns it from the outcome `CONFLICT`,
never from an exception, and nothing of its append is stored.

An append conflicts when

- a commit with its ``(game_id, commit_no)`` or its ``(game_id, actor, key)`` is there already,
- its predecessor is not: commit ``n`` needs commit ``n - 1``, ending at ``first_seq - 1`` (so a log has no
  holes),
- its ``remember`` key is taken by an answer that has not expired at the commit's time,
- it is commit 1, which claims the game's room code, and another game has that code,
- it is commit 1 of a rematch (``rematch_of``), and the earlier game has one already, or
- an earlier append to the same game in the same batch conflicted (it was decided on that one).

Times are RFC 3339 in UTC with milliseconds and ``Z``, and come back exactly as they were given. Identifiers
are UUIDs in their canonical lower-case text; looking up anything else finds nothing.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from msgspec import UNSET, Struct, UnsetType


class Outcome(enum.Enum):
    COMMITTED = "committed"
    CONFLICT = "conflict"


class Commit(Struct, frozen=True):
    """One accepted command: events ``first_seq … last_seq`` of a game, as bytes that only the codec reads."""

    game_id: str
    commit_no: int  # 1, 2, 3 …
    first_seq: int
    last_seq: int
    at: str
    actor: str  # "seat:0", "host", "operator", "server", "anyone"
    key: str | None  # the idempotency key, bound to the actor
    body_hash: bytes | None
    rules_version: int
    events: bytes


class GameRow(Struct, frozen=True):
    """What lists and look-ups need of a game without folding it. Could be rebuilt from the log."""

    game_id: str
    variant: str
    status: str
    visibility: str
    spectators: str  # JSON
    sandbox: bool
    room_code: str | None
    created_at: str
    started_at: str | None
    ended_at: str | None
    host_seat: int | None
    external_id: str | None
    rematch_of: str | None
    rematch: str | None
    summary: bytes  # JSON of the API's Game object, without persons
    last_seq: int


class SeatRow(Struct, frozen=True):
    """The person on a seat. Not part of the log, so that it can be erased."""

    game_id: str
    seat: int
    name: str | None
    external_id: str | None


class TokenRow(Struct, frozen=True):
    game_id: str
    role: str  # "seat:0", "host"
    hash: bytes


class Wakeup(Struct, frozen=True):
    """One row a game: what the server itself has to do there next, and when."""

    game_id: str
    kind: str
    due_at: str
    expected_commit: int
    payload: bytes = b""


class Remember(Struct, frozen=True):
    """The answer to a request whose key has no commit of an existing game to live in (createGame)."""

    scope: str
    key: str
    body_hash: bytes
    answer: bytes
    expires_at: str


class Append(Struct, frozen=True):
    """One commit and the rows that follow from it. Every row given here belongs to the commit's game."""

    commit: Commit
    game: GameRow | None = None  # replaces the game's row
    seats: tuple[SeatRow, ...] = ()  # each replaces its seat's row
    tokens: tuple[TokenRow, ...] = ()  # each replaces its role's token
    revoke: tuple[str, ...] = ()  # roles that lose their token
    wakeup: Wakeup | UnsetType | None = UNSET  # None removes the game's wake-up, UNSET leaves it
    remember: Remember | None = None


class StoreUnavailable(Exception):
    """The database cannot be reached, or did not answer.

    `unknown_outcome` says whether what was asked may have been stored all the same. The caller then forgets
    what it holds of the game and reads it again.
    """

    def __init__(self, why: str, *, unknown_outcome: bool = False) -> None:
        super().__init__(why)
        self.unknown_outcome = unknown_outcome


class StoreInUse(Exception):
    """Another server holds this SQLite file; two of them would answer from stale caches."""


@dataclass(slots=True)
class Counters:
    """What the store did since it was opened, for tests and metrics."""

    commits: int = 0  # appends that were committed
    conflicts: int = 0  # appends that were not
    batches: int = 0  # transactions that appends were gathered in
    round_trips: int = 0  # statements sent for appends (a SQLite transaction counts as one)
    reads: int = 0

    def count(self, outcomes: Sequence[Outcome]) -> None:
        won = outcomes.count(Outcome.COMMITTED)
        self.commits += won
        self.conflicts += len(outcomes) - won


class EventStore(Protocol):
    """Every method but `close` raises `StoreUnavailable` when the database is away."""

    @property
    def exclusive(self) -> bool:
        """True if no other process can write, so that what this process cached cannot be stale."""
        ...

    @property
    def counters(self) -> Counters: ...

    async def open(self, *, migrate: bool = True) -> None:
        """Bring the schema up to date, under a lock. Raises `StoreInUse` on SQLite's second server."""
        ...

    async def close(self) -> None:
        """Finish what is under way, then let go of everything. May be called twice."""
        ...

    async def health(self) -> None:
        """Return if a statement can be run."""
        ...

    async def append(self, batch: Sequence[Append]) -> list[Outcome]:
        """Store each append of the batch, all or nothing; the outcomes stand in the order of the batch.

        Appends to one game are carried out in the order they were asked for, whoever waits for them: a
        cancelled caller does not stop its append. Losers do not hurt winners. Raises `ValueError` for
        what no store could hold (then nothing of the batch is stored) and `StoreUnavailable`.
        """
        ...

    async def head(self, game_id: str) -> int | None:
        """The number of the last commit: one indexed read."""
        ...

    async def commits(self, game_id: str, after: int = 0, limit: int | None = None) -> list[Commit]:
        """The commits after number `after`, in order."""
        ...

    async def commits_covering(self, game_id: str, after_seq: int, limit_events: int) -> list[Commit]:
        """The commits, in order, that hold events ``after_seq + 1 … after_seq + limit_events``.

        Both ends come whole: the first commit may begin at or before `after_seq`, and the last may end later.
        """
        ...

    async def commit_at(self, game_id: str, seq: int) -> Commit | None:
        """The commit that event `seq` belongs to."""
        ...

    async def by_key(self, game_id: str, actor: str, key: str) -> Commit | None: ...

    async def game(self, game_id: str) -> GameRow | None: ...

    async def games(
        self,
        status: str | None = None,
        variant: str | None = None,
        after: str | None = None,
        limit: int = 50,
    ) -> list[GameRow]:
        """The lobby: public games that are no sandboxes, newest first; `after` is the last game seen."""
        ...

    async def by_room_code(self, code: str) -> GameRow | None: ...

    async def seats(self, game_id: str) -> list[SeatRow]: ...

    async def tokens(self, game_id: str) -> list[TokenRow]: ...

    async def due(self, now: str, limit: int) -> list[Wakeup]:
        """Wake-ups due at or before `now`, leased or not, earliest first."""
        ...

    async def claim(self, now: str, lease_until: str, limit: int) -> list[Wakeup]:
        """The same, but only those without a running lease, each leased to the caller until `lease_until`.

        A lease only saves double work: the commit that follows a wake-up is what decides who was first.
        """
        ...

    async def next_due(self) -> str | None:
        """When the earliest wake-up is due, past or future."""
        ...

    async def remember(self, row: Remember, now: str) -> Outcome:
        """Keep an answer. `CONFLICT` if the key is taken by a row that has not expired by `now`."""
        ...

    async def recall(self, scope: str, key: str, now: str) -> Remember | None:
        """The answer kept for a key, unless it has expired by `now`."""
        ...

    async def forget(self, now: str) -> None:
        """Remove the answers that have expired by `now`."""
        ...
