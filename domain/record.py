"""What one command causes, event by event: the pen that every handler writes with.

A handler decides against ``rec.state`` and records facts; each fact is evolved at once, so that
consequences (the end of a deal, the next one, a reshuffle) are decided on what they follow from.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, cast

from domain.cards import NAMES, PLACED_NAME
from domain.evolve import evolve
from domain.melds import Meld
from domain.rules import Clock, RuleSet
from domain.shapes import Beside, MeldShape, StockShape, TurnShape
from domain.state import Deal, Match, Turn


class Recorder:
    """Events of one commit, and the state after them.

    ``rules``, ``deal`` and ``turn`` are the state's, at hand; there is no deal before the first and no
    turn once a deal is over.
    """

    __slots__ = ("at", "commit", "deal", "dry", "events", "rules", "state", "turn")

    rules: RuleSet
    deal: Deal
    turn: Turn

    def __init__(self, state: Match, at: str, dry: bool = False) -> None:
        self.dry = dry
        self.at = max(at, state.at)
        self.commit = state.commit + 1
        self.events: list[Any] = []
        self._take(state)

    def _take(self, state: Match) -> None:
        self.state = state
        self.rules = cast(RuleSet, state.rules)
        self.deal = deal = cast(Deal, state.deal)
        self.turn = cast(Turn, deal and deal.turn)

    def emit(self, kind: type, **members: Any) -> None:
        """Record one fact."""
        event = kind(seq=self.state.version + 1, commit=self.commit, at=self.at, **members)
        self._take(evolve(self.state, event))
        self.events.append(event)


# ------------------------------------------------------------------ state → wire


def write_turn(t: Turn | None) -> TurnShape | None:
    """A turn as events and views carry it."""
    if t is None:
        return None
    return TurnShape(
        t.seat, t.phase, None if t.taken is None else NAMES[t.taken],  # type: ignore[arg-type]
        [NAMES[c] for c in t.pending], t.floating, t.discarder, t.window, t.deadline, t.remaining,
    )  # fmt: skip


def write_meld(m: Meld) -> MeldShape:
    """A meld as events and views carry it."""
    return MeldShape(
        m.id, m.owner, m.kind, [PLACED_NAME[c] for c in m.cards], list(m.by),  # type: ignore[arg-type]
        [Beside(NAMES[card], by) for card, by in m.beside],
    )  # fmt: skip


def write_stock(d: Deal) -> StockShape:
    """The stock as everyone may see it."""
    return StockShape(len(d.stock), d.reshuffles, d.draws)




# ------------------------------------------------------------------------- times


def parse_time(text: str) -> datetime:
    """An RFC 3339 time in UTC."""
    return datetime.fromisoformat(text)


def format_time(when: datetime) -> str:
    """RFC 3339 in UTC with milliseconds and Z."""
    return when.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def later(text: str, seconds: float) -> str:
    """A time some seconds after another."""
    return format_time(parse_time(text) + timedelta(seconds=seconds))


def seconds_for(clock: Clock, phase: str) -> int:
    """The clock's seconds for a phase (TC-9)."""
    if clock.turn is not None:
        return clock.turn
    value = clock.draw if phase == "draw" else clock.discard
    assert value is not None
    return value
