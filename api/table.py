"""A game as this process holds it in memory: its folded state, who sits there, and what was shown of it.

All of it can be forgotten at any time and read again.  What is made for a viewer (views, lists of actions)
is kept as bytes until the version changes, so that many readers of one position cost one rendering.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, cast

from domain.events import SeatLeft, SeatTaken
from domain.evolve import evolve
from domain.state import Match
from persistence.store import Commit, GameRow, SeatRow, TokenRow

from . import auth
from .auth import Role
from .codec import decode_events

#: Commits whose bytes stay at hand for readers who are nearly up to date.
_TAIL = 12
#: Beginnings of deals, and other earlier states, that stay at hand for those who look back.
_DEALS = 16
_PAST = 3


class Table:
    """One game in memory."""

    __slots__ = (
        "__weakref__", "actors", "cache", "deals", "erased", "external_id", "external_ids", "game_id",
        "gone", "left", "lock", "names", "past", "rematch", "rematch_of", "room_code", "since", "state", "stays",
        "tail", "tokens", "turn_ends",
    )  # fmt: skip

    def __init__(self, game_id: str, state: Match) -> None:
        self.game_id = game_id
        self.state = state
        self.lock = asyncio.Lock()
        self.names: list[str | None] = [None] * len(state.seats)
        self.external_ids: list[str | None] = [None] * len(state.seats)
        self.tokens: dict[str, TokenRow] = {}
        self.actors: dict[bytes, Role] = {}
        self.left: dict[bytes, Role] = {}
        self.room_code: str | None = None
        self.external_id: str | None = None
        self.rematch: str | None = None
        self.rematch_of: str | None = None
        #: seat by seat: the seq with which its person came; of those who left again, the seqs between which
        #: they sat there (their names are not kept)
        self.since = [1] * len(state.seats)
        self.stays: list[tuple[int, int, int]] = []
        #: how often names were erased: part of the ETag, since views change without a new version
        self.erased = 0
        #: the last commits as stored, oldest first
        self.tail: deque[Commit] = deque(maxlen=_TAIL)
        #: for delayed spectators: the last seq of every commit that ended a turn, and of the start
        self.turn_ends: list[int] | None = [] if delay_of(state) is not None else None
        #: rendered for viewers at this version
        self.cache: dict[Any, bytes] = {}
        #: states in which deals began, and a few others that were asked for, by version
        self.deals: dict[int, Match] = {}
        self.past: dict[int, Match] = {}
        #: what it holds is not to be trusted any more
        self.gone = False

    @property
    def etag(self) -> str:
        """The version as views carry it, in quotes."""
        return self.etag_at(self.state.version)

    def etag_at(self, version: int) -> str:
        """The tag of a view at some version."""
        gone = self.erased + sum(since <= version < until for _, since, until in self.stays)
        return f'"{version}.{gone}"' if gone else f'"{version}"'

    # What was committed

    def apply(self, commit: Commit, state: Match, events: Sequence[Any]) -> None:
        """The state after a commit takes the place of the one before it."""
        if commit.commit_no <= self.state.commit:
            return
        if self.turn_ends is not None:
            self._note_turns(commit, events)
        if state.deal is not None and (self.state.deal is None or self.state.deal.number != state.deal.number):
            _keep(self.deals, state, _DEALS)
        for event in events:
            if isinstance(event, SeatTaken):
                self.since[event.seat] = event.seq if event.commit > 1 else 1
            elif isinstance(event, SeatLeft) and event.reason == "left":
                self.stays.append((event.seat, self.since[event.seat], event.seq))
        self.state = state
        self.tail.append(commit)
        self.cache.clear()

    def replay(self, commits: Sequence[Commit]) -> list[Any]:
        """Fold commits read from the store; returns their events."""
        found: list[Any] = []
        for commit in commits:
            if commit.commit_no != self.state.commit + 1:
                continue
            state, events = self.state, decode_events(commit.events)
            for event in events:
                state = evolve(state, event)
            self.apply(commit, state, events)
            found += events
        return found

    def before(self, version: int) -> Match | None:
        """The latest earlier state at hand from which a version can be folded: a deal away at most, as a rule."""
        near = [v for v in (*self.past, *self.deals) if v <= version]
        return None if not near else self.past.get(max(near)) or self.deals[max(near)]

    def keep(self, state: Match) -> None:
        """Keep an earlier state at hand."""
        _keep(self.past, state, _PAST)

    def _note_turns(self, commit: Commit, events: Iterable[Any]) -> None:
        assert self.turn_ends is not None
        state, ended = self.state, 0
        for event in events:
            before, state = state, evolve(state, event)
            if before.status == "waiting" and state.status == "playing":
                ended += 1  # the start counts as the end of turn 0
            elif before.deal is not None and state.deal is not None:
                same = before.deal.number == state.deal.number
                ended += same and state.deal.turns > before.deal.turns
        self.turn_ends += [commit.last_seq] * ended

    # Who may see what

    @property
    def visible(self) -> int:
        """The version that a spectator without a token may see: now, or some turns ago.

        Once the game is over nothing is held back any more: its log is open too.
        """
        return self.visible_at(self.state)

    def visible_at(self, state: Match) -> int:
        """The same, when the game was at this state."""
        delay = delay_of(state)
        if delay is None or self.turn_ends is None or state.status in ("finished", "cancelled"):
            return state.version
        ended = bisect_right(self.turn_ends, state.version)
        return self.turn_ends[max(0, ended - 1 - delay)] if ended else state.version  # nobody has cards yet

    def version_for(self, role: Role, state: Match | None = None) -> int:
        """The version that a caller may see, now or at ``state``: a seat sees the present, all others see what
        spectators see."""
        state = state or self.state
        return state.version if role.actor.seat is not None else self.visible_at(state)

    def late(self, role: Role, state: Match | None = None) -> bool:
        """Whether a caller is not to know of the present at all, of who is connected neither."""
        state = state or self.state
        on = state.status in ("playing", "paused")
        return role.actor.seat is None and on and delay_of(state) is not None

    # What lives beside the log

    def seat_rows(self, rows: Iterable[SeatRow]) -> None:
        """Take over the persons of these seats."""
        for row in rows:
            if row.seat < len(self.names):
                self.names[row.seat] = row.name
                self.external_ids[row.seat] = row.external_id
        self.cache.clear()

    def token_rows(self, rows: Iterable[TokenRow]) -> None:
        """Take over all tokens of the game."""
        rows = list(rows)
        self.tokens = {row.role: row for row in rows}
        self.actors, self.left = auth.roles(rows), auth.left(rows)

    def game_row(self, row: GameRow | None) -> None:
        """Take over what the game's row knows and the log does not."""
        if row is not None:
            self.room_code, self.external_id = row.room_code, row.external_id
            self.rematch, self.rematch_of = row.rematch, row.rematch_of

    def name_at(self, state: Match, seat: int) -> str | None:
        """The name of whoever sits there then; an open seat has none, nor has one whose person left again."""
        here = state.seats[seat].kind == "human" and state.version >= self.since[seat]
        return self.names[seat] if here else None

    def names_at(self, state: Match) -> list[str | None]:
        """The names of all seats."""
        return [self.name_at(state, seat) for seat in range(len(state.seats))]


def _keep(states: dict[int, Match], state: Match, most: int) -> None:
    while len(states) >= most:
        del states[next(iter(states))]
    states[state.version] = state


def listed_status(state: Match) -> str:
    """The status that the lobby finds a game by: that a game was paused, spectators who lag behind never see."""
    return "playing" if state.status == "paused" and delay_of(state) is not None else state.status


def delay_of(state: Match) -> int | None:
    """How many turns spectators lag behind, if they do."""
    spectators: Any = state.spectators
    return cast(dict[str, int], spectators)["delayed"] if isinstance(spectators, dict) else None
