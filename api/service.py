"""The one way in: load a game, decide, append, tell everyone.  People, bots and clocks all pass here.

Each process carries out one game's commands one after another.  A command on a game that is in memory
costs one round trip: an acceptance is proved by its append, which is refused where another was faster or
where the idempotency key is bound already.  Only then, and before a refusal, is anything read:

- a refusal (and every read) from memory is proved by reading the game's head, unless no other process can
  write (``store.exclusive``); a refusal decided on an old head is decided again;
- a refusal with a key looks whether the key is bound: then the first answer is given again;
- a lost race reads the rest of the log and decides again.  With ``If-Match`` the version then differs.

The order in which a command is judged stays that of the contract: authority, key, If-Match, rules.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, cast

import msgspec
from msgspec import UNSET, Struct, UnsetType

from domain import events as ev
from domain.commands import Actor, GameCommand, Rejected, Return
from domain.decide import Decision, execute
from domain.evolve import NEW
from domain.rules import RULES_VERSION
from domain.state import Match
from persistence.store import (
    Append,
    Commit,
    EventStore,
    GameRow,
    Outcome,
    Remember,
    SeatRow,
    StoreUnavailable,
    TokenRow,
    Wakeup,
)

from .auth import Caller, Role
from .clock import Clock, now
from .codec import decode_events, encode_events
from .memory import Memory
from .notifier import MemoryNotifier, Notifier
from .presence import Presence
from .problems import Problem, of_rejection
from .render import summary
from .table import Table, listed_status

log = logging.getLogger("rummy")

#: Events after which the game's row is written anew; every other changes nothing that a list shows.
_LISTED = (
    ev.GameCreated, ev.SeatTaken, ev.SeatLeft, ev.SeatReturned, ev.GameStarted, ev.GamePaused,
    ev.GameResumed, ev.MatchEnded, ev.GameCancelled,
)  # fmt: skip


class Beside(Struct, frozen=True):
    """Rows that follow from a commit, beside its events."""

    seats: tuple[SeatRow, ...] = ()
    tokens: tuple[TokenRow, ...] = ()
    revoke: tuple[str, ...] = ()


NOTHING = Beside()
#: Seconds that appends under way may take once the server goes down.
_SETTLING = 3.0

#: Given the game and who sends it: the command, and the rows that follow from it.
Make = Callable[[Table, Role], tuple[Any, Beside]]


def _plain(command: Any) -> Make:
    return lambda _table, _role: (command, NOTHING)


def _version_for(table: Table, role: Role) -> int:
    """The version that a refusal may tell: of a delayed game it is the one that spectators see."""
    return table.version_for(role)


class Key(Struct, frozen=True):
    """An idempotency key and the hash of the request that it stands for."""

    key: str
    body_hash: bytes

    def of(self, caller: Caller) -> Key:
        """As it is stored: one caller's keys are never another's, not even of the next on the same seat."""
        if caller.hash is not None:
            return Key(f"{caller.hash.hex()[:16]}:{self.key}", self.body_hash)
        return Key(f"{caller.scope}:{self.key}", self.body_hash) if caller.operator else self


class Committed(Struct, frozen=True):
    """What ``on_commit`` is told of every commit of this process, in order within a game."""

    table: Table
    commit: Commit
    events: list[Any]
    before: Match
    state: Match


class Accepted(Struct, frozen=True):
    """A command's commit: just made, or found again by its key."""

    table: Table
    role: Role
    commit_no: int
    events: list[Any]
    state: Match
    replayed: bool = False


def _not_resigned(table: Table, role: Role, command: Any) -> None:
    """A bot plays on for a seat that resigned; its token plays no more."""
    seat = role.actor.seat
    if isinstance(command, GameCommand) and seat is not None and table.state.seats[seat].resigned:
        raise Rejected("game.not_playing", "You have resigned: a bot plays on for this seat.")


class Superseded(Exception):
    """The game is not at the commit any more that the server's own command was meant for."""


class Service(Memory):
    """Games of one store. Knows nothing of HTTP but its problems."""

    def __init__(
        self, store: EventStore, clock: Clock = now, cache: int = 10_000, notifier: Notifier | None = None
    ) -> None:
        super().__init__(store, cache)
        #: tells every process that a game has moved; those who wait for a game subscribe to it
        self.notifier: Notifier = notifier or MemoryNotifier()
        self.clock = clock
        self.presence = Presence()
        #: called with every commit of this process, right after it; must not block or raise
        self.on_commit: list[Callable[[Committed], None]] = []
        #: what the server has to do next in a game (bots, clocks): goes into the same transaction
        self.wakeup_for: Callable[[Table, Decision], Wakeup | UnsetType | None] = lambda _t, _d: UNSET
        self._tasks: set[asyncio.Task[Any]] = set()

    # Commands

    async def submit(
        self,
        game_id: str,
        command: Any,
        by: Caller | Actor,
        *,
        key: Key | None = None,
        if_version: int | None = None,
        expected_commit: int | None = None,
        dry_run: bool = False,
        guest: bool = False,
    ) -> Accepted:
        """Carry out one command: a domain command, or a function that makes one (see ``Make``).

        ``by`` is a caller whose rights are looked up in the game, or, for what the server sends itself, an
        ``Actor``.  ``expected_commit``: `Superseded` is raised unless the game's last commit is this one.
        Raises `Problem` with every code that the contract knows, and `StoreUnavailable`.
        """
        make = cast(Make, command) if callable(command) else _plain(command)
        if key is not None and isinstance(by, Caller):
            key = key.of(by)
        while True:
            table, proved = await self._warm(game_id, by)
            async with table.lock:
                # While it waited its turn, an outcome may have become unknown: then memory says nothing.
                if not table.gone:
                    return await self._decide(
                        table, proved, make, by, key, if_version, expected_commit, dry_run, guest
                    )

    async def _decide(
        self,
        table: Table,
        proved: bool,
        make: Make,
        by: Caller | Actor,
        key: Key | None,
        if_version: int | None,
        expected_commit: int | None,
        dry_run: bool,
        guest: bool,
    ) -> Accepted:
        """Judge and append, anew whenever what was known turns out to be old. ``proved``: it is not."""
        asked = if_version
        while True:
            try:
                role = await self._judge_caller(table, by, guest)
                if expected_commit is not None and expected_commit != table.state.commit:
                    raise Superseded
                if asked is not None and asked != table.version_for(role):
                    raise Rejected("version.stale", "The game is not at the version that If-Match names.")
                if isinstance(by, Caller) and not dry_run and await self._is_back(table, role):
                    asked = None  # what the server itself has added does not count
                    continue
                made, beside = make(table, role)
                if isinstance(by, Caller):
                    _not_resigned(table, role, made)
                decision = execute(table.state, made, role.actor, self.clock(), dry_run)
            except (Rejected, Problem, Superseded) as refusal:
                if not proved:
                    proved = True
                    if await self._catch_up(table):
                        continue
                if isinstance(refusal, Superseded):
                    raise
                return await self._refuse(table, by, guest, key, refusal)
            if dry_run:
                if not proved:
                    proved = True
                    if await self._catch_up(table):
                        continue
                return Accepted(table, role, table.state.commit, [], table.state)
            if await self._append(table, role, decision, key, beside):
                return Accepted(table, role, decision.state.commit, decision.events, decision.state)
            # Somebody was faster, or the key is bound: see what there is, and judge again.
            proved, asked = True, if_version
            await self._read_tail(table)
            if key is not None and (again := await self._again(table, role, key)):
                return again

    async def _is_back(self, table: Table, role: Role) -> bool:
        """Whether the owner of an absent seat has just come back: a commit of its own (TC-9)."""
        seat = role.actor.seat
        if seat is None or table.state.status not in ("playing", "paused"):
            return False
        absent = table.state.seats[seat]
        if absent.kind != "human" or absent.resigned or absent.played_by is None:
            return False
        decision = execute(table.state, Return(seat), role.actor, self.clock())
        if not await self._append(table, role, decision, None, NOTHING):
            await self._read_tail(table)
        return True

    async def _judge_caller(self, table: Table, by: Caller | Actor, guest: bool) -> Role:
        if isinstance(by, Actor):
            return Role(f"seat:{by.seat}" if by.seat is not None else "server", by)
        if guest:
            return await self.guest(table, by)
        role = await self.role(table, by)
        if not role.known:
            raise Problem("auth.required")
        return role

    async def _refuse(
        self, table: Table, by: Caller | Actor, guest: bool, key: Key | None, refusal: Rejected | Problem
    ) -> Accepted:
        """Raise the refusal, unless the key says that the request was accepted before."""
        if key is not None:
            role = table.left.get(by.hash) if isinstance(by, Caller) and by.hash is not None else None
            if role is None and not (isinstance(refusal, Problem) and refusal.status in (401, 403)):
                role = await self._judge_caller(table, by, guest)
            if role is not None and (again := await self._again(table, role, key)):
                return again
        if isinstance(refusal, Problem):
            raise refusal
        role = await self._judge_caller(table, by, guest)
        raise of_rejection(refusal, _version_for(table, role)) from None

    async def _again(self, table: Table, role: Role, key: Key) -> Accepted | None:
        """The commit that the key is bound to. Raises ``idempotency.mismatch``."""
        commit = await self.store.by_key(table.game_id, role.name, key.key)
        if commit is None:
            return None
        if commit.body_hash != key.body_hash:
            raise Problem("idempotency.mismatch", version=_version_for(table, role))
        if commit.commit_no > table.state.commit:
            await self._read_tail(table)
        state = await self.state_at(table, commit.last_seq)
        return Accepted(table, role, commit.commit_no, decode_events(commit.events), state, replayed=True)

    async def _append(
        self, table: Table, role: Role, decision: Decision, key: Key | None, beside: Beside
    ) -> bool:
        events, state = decision.events, decision.state
        commit = Commit(
            table.game_id, state.commit, events[0].seq, state.version, state.at, role.name,
            None if key is None else key.key, None if key is None else key.body_hash,
            RULES_VERSION, encode_events(events),
        )  # fmt: skip
        listed = any(isinstance(event, _LISTED) for event in events)
        append = Append(
            commit, self.row(table, state) if listed else None, beside.seats, beside.tokens, beside.revoke,
            self.wakeup_for(table, decision),
        )  # fmt: skip
        return await self._settle(self._store_and_apply(table, append, decision, beside))

    async def _settle(self, work: Coroutine[Any, Any, bool]) -> bool:
        """Let an append come to its end even if nobody waits for it any more."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        return await asyncio.shield(task)

    async def _store_and_apply(self, table: Table, append: Append, decision: Decision, beside: Beside) -> bool:
        try:
            (outcome,) = await self.store.append([append])
        except StoreUnavailable:
            # It may be stored or not: what memory says of the game is worth nothing now.
            self.forget(table.game_id)
            raise
        if outcome is not Outcome.COMMITTED:
            return False
        before = table.state
        table.apply(append.commit, decision.state, decision.events)
        if beside is not NOTHING:
            table.seat_rows(beside.seats)
            self._take_tokens(table, beside)
        self._tell(Committed(table, append.commit, decision.events, before, decision.state))
        return True

    def _take_tokens(self, table: Table, beside: Beside) -> None:
        kept = {role: row for role, row in table.tokens.items() if role not in beside.revoke}
        kept |= {row.role: row for row in beside.tokens}
        table.token_rows(kept.values())

    async def create(
        self, table: Table, role: Role, decision: Decision, beside: Beside, remember: Remember | None
    ) -> bool:
        """Store a new game. False if its key or its room code is taken."""
        events, state = decision.events, decision.state
        commit = Commit(
            table.game_id, 1, 1, state.version, state.at, role.name, None, None, RULES_VERSION,
            encode_events(events),
        )  # fmt: skip
        append = Append(
            commit, self.row(table, state), beside.seats, beside.tokens, (),
            self.wakeup_for(table, decision), remember,
        )  # fmt: skip
        table.state = NEW
        made = await self._settle(self._store_and_apply(table, append, decision, beside))
        if made:
            self.remember(table)
        return made

    def row(self, table: Table, state: Match) -> GameRow:
        """The game's row after a commit."""
        assert state.rules is not None
        return GameRow(
            game_id=table.game_id, variant=state.rules.variant, status=listed_status(state),
            visibility=state.visibility, spectators=msgspec.json.encode(state.spectators).decode(),
            sandbox=state.sandbox, room_code=table.room_code, created_at=state.created_at,
            started_at=state.started_at, ended_at=state.ended_at, host_seat=state.host_seat,
            external_id=table.external_id, rematch_of=table.rematch_of, rematch=table.rematch,
            summary=summary(table, state), last_seq=state.version,
        )  # fmt: skip

    # Telling

    def _tell(self, committed: Committed) -> None:
        for told in self.on_commit:
            try:
                told(committed)
            except Exception:
                log.exception("a listener to commits failed")
        self.notifier.publish(committed.table.game_id, committed.state.version)

    @property
    def busy(self) -> bool:
        """Whether an append is under way."""
        return bool(self._tasks)

    async def settle(self) -> None:
        """Let appends under way come to their end, if the store answers soon."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_SETTLING)
