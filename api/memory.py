"""Games in memory: read from the store when they are asked for, kept while they are in use.

What is held may be old wherever another process may write; ``table`` reads the game's head to prove that
it is not, ``_warm`` leaves the proof to the caller (a command is proved by its append).
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

from domain import events as ev
from domain.commands import Actor
from domain.evolve import NEW, evolve
from domain.state import Match
from persistence.store import Commit, EventStore

from . import auth
from .auth import Caller, Role
from .codec import decode_events
from .problems import Problem
from .table import Table

#: Events that come with rows beside the log.
_PERSONS = (ev.SeatTaken, ev.SeatLeft)
#: Folding goes on in slices of so many commits, so that other requests get their turn.
_SLICE = 200


class Memory:
    """Games of one store, as many as there is room for."""

    def __init__(self, store: EventStore, cache: int) -> None:
        self.store = store
        self._size = cache
        self._tables: OrderedDict[str, Table] = OrderedDict()
        self._loading: dict[str, asyncio.Task[Table | None]] = {}

    # Games in memory

    async def table(self, game_id: str, caller: Caller = auth.ANYONE) -> Table:
        """The game as it is now. Raises ``not_found``, and ``auth.unknown_token`` where the caller's is nobody's."""
        found, now = self._tables.get(game_id), False
        if found is None:
            found, now = await self._load(game_id, caller)
        else:
            self._tables.move_to_end(game_id)
        if not (now or self.store.exclusive):
            await self._catch_up(found)
        return found

    async def _warm(self, game_id: str, by: Caller | Actor) -> tuple[Table, bool]:
        """The game as this process last saw it, and whether that was this very moment."""
        found = self._tables.get(game_id)
        if found is None:
            table, now = await self._load(game_id, by if isinstance(by, Caller) else auth.ANYONE)
            return table, now or self.store.exclusive
        self._tables.move_to_end(game_id)
        return found, self.store.exclusive

    async def _load(self, game_id: str, caller: Caller) -> tuple[Table, bool]:
        """The game, and whether it was read from now on: who comes while it is being read shares that reading,
        which may have missed what was committed since it began."""
        task = self._loading.get(game_id)
        now = task is None
        if task is None:
            task = self._loading[game_id] = asyncio.create_task(self._read(game_id))
            task.add_done_callback(lambda _: self._loading.pop(game_id, None))
        table = await asyncio.shield(task)
        if table is None and not now:
            return await self._load(game_id, caller)
        if table is None:
            await self.prove(caller)
            raise Problem("not_found", "There is no such game.")
        return table, now

    async def _read(self, game_id: str) -> Table | None:
        commits = await self.store.commits(game_id)
        # A score sheet has commits too, but no game's row.
        if not commits or await self.store.game(game_id) is None:
            return None
        events = decode_events(commits[0].events)
        state = NEW
        for event in events:
            state = evolve(state, event)
        # The first commit tells how many seats there are and whether spectators lag behind.
        table = Table(game_id, state)
        table.state = NEW
        table.apply(commits[0], state, events)
        for i in range(1, len(commits), _SLICE):
            table.replay(commits[i : i + _SLICE])
            await asyncio.sleep(0)
        # Read after the log: rows newer than it do no harm, older ones would.
        await self._read_beside(table)
        self.remember(table)
        return table

    async def _read_beside(self, table: Table) -> None:
        row, seats, tokens = await asyncio.gather(
            self.store.game(table.game_id), self.store.seats(table.game_id), self.store.tokens(table.game_id)
        )
        table.game_row(row)
        table.seat_rows(seats)
        table.token_rows(tokens)

    def remember(self, table: Table) -> None:
        """Hold a game in memory; the ones not asked for the longest make room."""
        self._tables[table.game_id] = table
        if len(self._tables) > self._size:
            for game_id, old in self._tables.items():
                # A game in use stays: two tables of one game would not know of each other.
                if not old.lock.locked() and old is not table:
                    self.forget(game_id)
                    break

    def forget(self, game_id: str) -> None:
        """Read the game anew when it is next asked for (its rows were changed, or an outcome is unknown)."""
        table = self._tables.pop(game_id, None)
        if table is not None:
            table.gone = True

    async def _catch_up(self, table: Table) -> bool:
        """Read what others have appended. Returns whether there was anything."""
        head = await self.store.head(table.game_id)
        if head is None or head <= table.state.commit:
            return False
        await self._read_tail(table)
        return True

    async def _read_tail(self, table: Table) -> None:
        events = table.replay(await self.store.commits(table.game_id, after=table.state.commit))
        if any(isinstance(event, _PERSONS) for event in events):
            await self._read_beside(table)

    # Who is calling

    async def role(self, table: Table, caller: Caller) -> Role:
        """What a caller is in this game.

        Raises ``auth.unknown_token``, or ``auth.not_your_game`` for another game's token.
        """
        if caller.hash is None:
            return auth.OPERATOR if caller.operator else auth.NOBODY
        role = table.actors.get(caller.hash)  # a rematch knows the tokens of the match before it
        if role is None and caller.game_id != table.game_id:
            await self.prove(caller)
            raise Problem("auth.not_your_game")
        if role is None and not self.store.exclusive:
            # Another process may have given it: tokens can change without a commit.
            table.token_rows(await self.store.tokens(table.game_id))
            role = table.actors.get(caller.hash)
        if role is None:
            raise auth.unknown_token()
        return role

    async def prove(self, caller: Caller) -> None:
        """Raises ``auth.unknown_token`` unless the token is somebody's, in whatever game."""
        if caller.hash is None or caller.game_id is None:
            return
        if caller.hash not in auth.roles(await self.store.tokens(caller.game_id)):
            raise auth.unknown_token()

    async def guest(self, table: Table, caller: Caller) -> Role:
        """The same for what anyone may do: another game's token is as good as none."""
        if caller.game_id not in (None, table.game_id) and caller.hash not in table.actors:
            await self.prove(caller)
            return auth.NOBODY
        return await self.role(table, caller)

    # The past

    async def state_at(self, table: Table, version: int) -> Match:
        """The state as it was at a version. Raises ``not_found`` for a version that never was."""
        if version == table.state.version:
            return table.state
        if not 1 <= version < table.state.version:
            raise Problem("not_found", "The game has no such version.", version=table.state.version)
        state = table.before(version) or NEW
        if state.version == version:
            return state
        for i, event in enumerate(await self.events(table, state.version, version - state.version)):
            state = evolve(state, event)
            if i % (_SLICE * 2) == _SLICE * 2 - 1:
                await asyncio.sleep(0)
        table.keep(state)
        return state

    async def events(self, table: Table, after: int, limit: int) -> list[Any]:
        """Events ``after + 1 … after + limit``, from memory where they are recent."""
        until = min(after + limit, table.state.version)
        if until <= after:
            return []
        tail: Iterable[Commit] = table.tail
        if not (table.tail and table.tail[0].first_seq <= after + 1):
            tail = await self.store.commits_covering(table.game_id, after, until - after)
        found: list[Any] = []
        for i, commit in enumerate(list(tail)):
            if commit.last_seq > after and commit.first_seq <= until:
                found += decode_events(commit.events)
            if i % _SLICE == _SLICE - 1:
                await asyncio.sleep(0)
        return [event for event in found if after < event.seq <= until]
