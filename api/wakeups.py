"""What the server itself has to do in a game, and when: bots, clocks, call windows, absence, expiry.

``next_step`` says it from the state alone.  It is stored as the game's one wake-up, in the transaction of
the commit that it follows from, with that commit as its expected version: whoever acts on it sends an
ordinary command that is dropped if the game has moved meanwhile.  So a move is made once, however many
servers there are, and a server that was killed loses nothing.

The process that made a commit keeps the time itself.  What it leaves behind (it was stopped, or killed)
is found in the store by the others, or by itself when it starts again; leases only spare them double work.
"""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

from msgspec import UNSET, Struct, UnsetType

from domain import commands as cmd
from domain.actions import may
from domain.commands import Actor
from domain.decide import Decision
from domain.record import format_time, later, parse_time
from domain.state import Match, Turn
from domain.turns.table_melds import has_melded
from persistence.store import StoreUnavailable, Wakeup

from .bots import Thinkers, level_of
from .problems import Problem
from .service import Committed, Service, Superseded
from .table import Table

log = logging.getLogger("rummy")

#: A waiting game that nobody sat down at for so long is cancelled.
IDLE_SECONDS = 24 * 3600
#: Turns in a row that a seat's clock may run out before a bot plays for it, and which.
ABSENT_AFTER = 3
ABSENT_LEVEL = "medium"
#: How long overdue a wake-up is, in seconds, that nobody seems to keep; how long one who claims it has.
GRACE = 1.0
LEASE = 8.0
#: A waiting game's end that is farther away is not kept in memory: the store has it.
_HORIZON = 600.0
#: Wake-ups that are taken over at once from the server that was here before.
_ADOPTED = 10_000
_RETRY = 1.0
#: Seconds that what is under way may take once the server goes down.
_STOPPING = 3.0
#: Games that are claimed at once.
_CLAIM = 100
#: Entries of the heap that may be void before they are thrown away.
_VOID = 100

_SERVER = Actor(server=True)
#: Steps that are a bot's to think of.
_THOUGHT = ("call", "bot")
T = TypeVar("T")


class Step(Struct, frozen=True):
    """What is to be done, and when (RFC 3339)."""

    kind: str
    due_at: str


class Pace(Struct, frozen=True):
    """Seconds: before a bot's move; before its draw while a person could call rummy (FK-12); between two
    looks at the store for what other servers left undone."""

    bot: float = 1.0
    call: float = 2.0
    poll: float = 2.0


def next_step(state: Match, pace: Pace, asked: bool = False) -> Step | None:
    """What the server has to do next in a game, if anything.

    ``asked``: the bots that are not on turn have been asked already whether they call.
    """
    if state.status == "waiting":
        return Step("expire", later(state.at, IDLE_SECONDS))
    if state.status != "playing" or state.deal is None or state.deal.turn is None:
        return None
    if _absent(state) is not None:
        return Step("absent", state.at)
    turn = state.deal.turn
    steps: list[Step] = []
    if turn.window is not None:
        steps.append(Step("window", turn.window))
    if turn.deadline is not None:
        steps.append(Step("clock", turn.deadline))
    if not asked and callers(state, bots=True):
        steps.append(Step("call", later(state.at, pace.bot)))
    if level_of(state, turn.seat) is not None and turn.window is None:
        steps.append(Step("bot", later(state.at, _pause(state, turn, pace))))
    # At one moment bots come first: a call before the draw that would end it, a move before the clock.
    return min(steps, key=lambda s: (s.due_at, _FIRST.index(s.kind)), default=None)


_FIRST = ("call", "bot", "window", "clock")


def _pause(state: Match, turn: Turn, pace: Pace) -> float:
    waits = turn.phase == "draw" and callers(state, bots=False)
    return max(pace.bot, pace.call) if waits else pace.bot


def callers(state: Match, bots: bool) -> list[int]:
    """The seats not on turn, of bots or of people, that may call the top discard now (FK-12)."""
    deal, rules = state.deal, state.rules
    if deal is None or deal.turn is None or rules is None or not rules.calls:
        return []
    turn = deal.turn
    if turn.discarder is None or turn.phase != "draw":
        return []
    seats = [
        i for i in range(len(state.seats))
        if i not in (turn.seat, turn.discarder) and (level_of(state, i) is not None) == bots
        and has_melded(rules, deal, i)
    ]  # fmt: skip
    return [i for i in seats if "call_rummy" in may(state, i)]


def _absent(state: Match) -> int | None:
    for i, seat in enumerate(state.seats):
        if seat.kind == "human" and seat.timeouts >= ABSENT_AFTER and seat.played_by is None:
            return i
    return None


class Wakeups:
    """Keeps the time for the games of one process, and looks after those that nobody keeps."""

    def __init__(self, service: Service, thinkers: Thinkers, pace: Pace) -> None:
        self._service = service
        self._thinkers = thinkers
        self._pace = pace
        self._heap: list[tuple[float, int, str, bool]] = []
        #: game → the commit that its wake-up waits for
        self._kept: dict[str, int] = {}
        self._changed = asyncio.Event()
        #: game → commit, kind of step, and the command that a bot is thinking of
        self.thoughts: dict[str, tuple[int, str, asyncio.Task[tuple[Any, Actor]]]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._loops: list[asyncio.Task[None]] = []

    # In the transaction of a commit

    def row_for(self, table: Table, decision: Decision) -> Wakeup | UnsetType | None:
        """The game's wake-up after a commit; nothing is written where there was none and is none."""
        step = next_step(decision.state, self._pace)
        if step is None:
            return UNSET if next_step(table.state, self._pace) is None else None
        return Wakeup(table.game_id, step.kind, step.due_at, decision.state.commit)

    # In this process

    def committed(self, told: Committed) -> None:
        """A game has moved: what was kept for it is void."""
        self._thinkers.note(told)
        self._plan(told.table, told.state, asked=False)

    def _plan(self, table: Table, state: Match, asked: bool) -> None:
        game_id = table.game_id
        step = next_step(state, self._pace, asked)
        if step is None:
            self._kept.pop(game_id, None)
            self.thoughts.pop(game_id, None)
            return
        wait = (parse_time(step.due_at) - parse_time(self._service.clock())).total_seconds()
        if wait > _HORIZON and step.kind == "expire":
            self._kept.pop(game_id, None)
            return
        self._kept[game_id] = state.commit
        if wait > 0 and step.kind in _THOUGHT:
            # Thought of now and sent when it is due: how long a bot thinks shows in nothing.
            task = self._task(self._command(table, state, step))
            self.thoughts[game_id] = (state.commit, step.kind, task)
        self._push(game_id, state.commit, max(0.0, wait), asked)

    def _push(self, game_id: str, commit: int, wait: float, asked: bool = False) -> None:
        due = asyncio.get_running_loop().time() + wait
        heapq.heappush(self._heap, (due, commit, game_id, asked))
        if len(self._heap) > 2 * len(self._kept) + _VOID:
            # A move makes the clock before it void, long before that is due.
            self._heap = [entry for entry in self._heap if self._kept.get(entry[2]) == entry[1]]
            heapq.heapify(self._heap)
        self._changed.set()

    async def start(self) -> None:
        """Begin to keep the time."""
        self._thinkers.warm()
        self._loops = [asyncio.create_task(self._keep()), asyncio.create_task(self._look())]

    async def stop(self) -> None:
        """Stop; what is under way comes to its end."""
        for task in self._loops:
            task.cancel()
        await asyncio.gather(*self._loops, return_exceptions=True)
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_STOPPING)
        for task in self._tasks:
            task.cancel()  # a store that does not answer holds nobody up: what is due stands there
        await self._thinkers.close()

    async def _keep(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            self._changed.clear()
            now = loop.time()
            while self._heap and self._heap[0][0] <= now:
                _, commit, game_id, asked = heapq.heappop(self._heap)
                if self._kept.get(game_id) == commit:
                    self._begin(game_id, commit, asked)
            wait = self._heap[0][0] - now if self._heap else None
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), wait)

    async def _look(self) -> None:
        """Claim what is due in the store and kept by nobody."""
        grace = 0.0  # at the start nobody of this process keeps anything
        while True:
            try:
                while await self._claimed(grace):
                    pass
                if self._service.store.exclusive:
                    await self._adopt()
                grace = GRACE
            except StoreUnavailable as gone:
                log.warning("wake-ups: %s", gone)
            except Exception:
                log.exception("wake-ups could not be looked at")
            await asyncio.sleep(self._pace.poll)

    async def _claimed(self, grace: float) -> bool:
        """Claim what is overdue, and act on it. Whether there may be more: then this much is done already."""
        now = self._service.clock()
        overdue = format_time(parse_time(later(now, -grace)))
        rows = await self._service.store.claim(overdue, later(now, LEASE), _CLAIM)
        begun: list[asyncio.Task[None]] = []
        for row in rows:
            # Even what this process keeps: its own timer is late then, after a jump of the clock.
            self._kept[row.game_id] = row.expected_commit
            begun.append(self._begin(row.game_id, row.expected_commit, asked=False))
        if len(rows) < _CLAIM:
            return False
        await asyncio.wait(begun)
        return True

    async def _adopt(self) -> None:
        """Keep the time of what is due before the next look: no other server does, if this one does not."""
        now = self._service.clock()
        for row in await self._service.store.due(later(now, self._pace.poll + GRACE), _ADOPTED):
            if self._kept.get(row.game_id, 0) < row.expected_commit:
                self._kept[row.game_id] = row.expected_commit
                wait = (parse_time(row.due_at) - parse_time(now)).total_seconds()
                self._push(row.game_id, row.expected_commit, max(0.0, wait))

    # Acting

    def _begin(self, game_id: str, commit: int, asked: bool) -> asyncio.Task[None]:
        return self._task(self._act(game_id, commit, asked))

    def _task(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _act(self, game_id: str, commit: int, asked: bool) -> None:
        try:
            await self._do(game_id, commit, asked)
        except Superseded:
            pass
        except StoreUnavailable:
            self._push(game_id, commit, _RETRY, asked)
        except Problem as problem:
            if problem.code != "not_found":
                log.error("wake-up of %s at commit %d: %s", game_id, commit, problem.code)
        except Exception:
            log.exception("wake-up of %s at commit %d", game_id, commit)
            self._push(game_id, commit, LEASE, asked)

    async def _do(self, game_id: str, commit: int, asked: bool) -> None:
        table = await self._service.table(game_id)
        state = table.state
        if state.commit != commit:
            if game_id not in self._kept or self._kept[game_id] <= commit:
                self._plan(table, state, asked=False)
            return
        step = next_step(state, self._pace, asked)
        if step is None:
            self._kept.pop(game_id, None)
            return
        if step.due_at > self._service.clock():
            self._plan(table, state, asked)
            return
        commit_thought, kind, thought = self.thoughts.pop(game_id, (0, "", None))
        if thought is None or (commit_thought, kind) != (commit, step.kind):
            thought = self._command(table, state, step)
        command, actor = await thought
        if command is None:
            self._plan(table, state, asked=True)
            return
        await self._service.submit(game_id, command, actor, expected_commit=commit)

    async def _command(self, table: Table, state: Match, step: Step) -> tuple[Any, Actor]:
        assert step.kind == "expire" or (state.deal is not None and state.deal.turn is not None)
        if step.kind == "call":
            for seat in callers(state, bots=True):
                call = await self._thinkers.choice(table, state, seat, calls_only=True)
                if call is not None:
                    return call, Actor(seat=seat, server=True)
            return None, _SERVER
        if step.kind == "bot":
            assert state.deal is not None
            assert state.deal.turn is not None
            seat = state.deal.turn.seat
            return await self._thinkers.choice(table, state, seat), Actor(seat=seat, server=True)
        if step.kind == "absent":
            absent = _absent(state)
            assert absent is not None
            return cmd.Absent(absent, ABSENT_LEVEL), _SERVER
        plain = {"expire": cmd.Expire(), "clock": cmd.TimeOut(), "window": cmd.CloseWindow()}
        return plain[step.kind], _SERVER
