"""Perft: how many sequences of legal commands lead on from a position, as chess programs count them.

Counted are the commands of action lists, of every seat, calls out of turn too, without the
management commands.  A sequence ends with its deal: the command that ends it counts at its own depth
and nothing is counted below it.  The numbers of fixed positions are pinned: whoever changes a rule,
or what a list shows, changes a number.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from domain.actions import actions
from domain.commands import Actor, Rejected
from domain.decide import NewGame, NewSeat, create, execute
from domain.events import DealEnded
from domain.positions import Position
from domain.state import Match
from domain.variants import VARIANTS

#: Commands carry no time of their own here: clocks and call windows stand still.
AT = "2026-01-01T00:00:00.000Z"


class PerftCase(msgspec.Struct, frozen=True):
    """One position of a perft file: a scenario's members, and the counts from depth 1 on."""

    name: str
    variant: str
    sandbox: dict[str, Any]
    counts: list[int] = []
    options: dict[str, Any] = {}
    seats: int | None = None


def start(case: PerftCase) -> Match:
    """The case's table: all seats human, the game begun.  ``Rejected`` if it cannot be set up."""
    if case.variant not in VARIANTS:
        raise Rejected("request.invalid", f"There is no game {case.variant!r}.")
    number = case.seats or VARIANTS[case.variant].seats.default
    setup = dict(case.sandbox)
    if setup.get("position") is not None:
        setup["position"] = msgspec.to_builtins(msgspec.convert(setup["position"], Position))
    seats = tuple(NewSeat("human") for _ in range(number))
    seed = setup.get("seed") or "0" * 64
    return create(NewGame(case.variant, seed, case.options, seats, sandbox=setup), AT).state


def steps(state: Match) -> Iterator[tuple[int, Any, Match | None]]:
    """(seat, command, state after it) of every legal command; None where it ended the deal."""
    for seat in range(len(state.seats)):
        for command in actions(state, seat, limit=1_000_000)[0]:
            events, after = execute(state, command, Actor(seat), AT)
            yield seat, command, None if any(type(e) is DealEnded for e in events) else after


def perft(state: Match | None, depth: int) -> list[int]:
    """How many sequences of 1, 2 … ``depth`` commands there are; none from an ended deal (None)."""
    counts = [0] * depth
    if state is not None and depth:
        _count(state, counts, 0)
    return counts


def _count(state: Match, counts: list[int], level: int) -> None:
    if level + 1 == len(counts):
        counts[level] += sum(len(actions(state, s, limit=1_000_000)[0]) for s in range(len(state.seats)))
        return
    for _, _, after in steps(state):
        counts[level] += 1
        if after is not None:
            _count(after, counts, level + 1)


def divide(state: Match, depth: int) -> list[tuple[int, Any, int]]:
    """(seat, first command, sequences of ``depth`` commands that begin with it)."""
    if depth < 1:
        return []
    return [
        (seat, command, 1 if depth == 1 else perft(after, depth - 1)[-1])
        for seat, command, after in steps(state)
    ]
