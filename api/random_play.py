"""Random play: whole matches from nothing but the action lists, for simulations, tests and golden logs.

Chance is an argument here: the generator of random numbers that the caller gives.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from domain import commands as cmd
from domain.actions import actions
from domain.arrange import best
from domain.cards import FACE, ONE
from domain.commands import Actor
from domain.decide import Decision, NewGame, create, execute
from domain.record import later
from domain.scoring import value_table
from domain.state import Match

#: The first moment of every simulated match; a command a second follows.
START = "2026-01-01T12:00:00.000Z"

#: (state, every legal (seat, command) in the lists' order, random numbers) → the one to play
Choice = Callable[[Match, list[tuple[int, Any]], Random], tuple[int, Any]]


def legal(state: Match) -> list[tuple[int, Any]]:
    """(seat, command) of every action list: the seat to act first, then those who may call."""
    deal = state.deal
    if state.status != "playing" or deal is None or deal.turn is None:
        return []
    seats = len(state.seats)
    acting = deal.turn.seat
    calls = state.rules is not None and state.rules.calls and deal.turn.discarder is not None
    order = [(acting + i) % seats for i in range(seats)] if calls else [acting]
    return [(seat, command) for seat in order for command in actions(state, seat)[0]]


def any_command(state: Match, found: list[tuple[int, Any]], rng: Random) -> tuple[int, Any]:
    """Every command alike, but for a winning declaration, which is always taken."""
    del state
    for seat, command in found:
        if isinstance(command, cmd.Declare):
            return seat, command
    return rng.choice(found)


def keen_command(state: Match, found: list[tuple[int, Any]], rng: Random) -> tuple[int, Any]:
    """What brings deals to an end: plays before discards, discards that spoil least (TC, SD)."""
    rules, deal = state.rules, state.deal
    assert rules is not None
    assert deal is not None
    assert deal.turn is not None
    if rules.family == "declare":
        discards = [(seat, c) for seat, c in found if isinstance(c, cmd.Discard)]
        if len(discards) == len(found) and rng.random() < 0.9:
            values = value_table(rules, deal.wild)
            hand = deal.hands[deal.turn.seat]

            def left(face: int) -> int:
                return best(hand - ONE[face], deal.wild, values, rules.lives, 1000).raw

            return min(discards, key=lambda x: left(FACE[x[1].card]))
        return any_command(state, found, rng)
    plays = [x for x in found if not isinstance(x[1], (cmd.Discard, cmd.Draw, cmd.Pass, cmd.Split))]
    return rng.choice(plays if plays and rng.random() < 0.9 else found)


def play(
    game: NewGame, rng: Random, choose: Choice = any_command, most: int = 1_000_000
) -> tuple[list[Any], Match]:
    """The events of a match that the given rng plays to its end, or for ``most`` commands, and its state.

    All seats of ``game`` must be taken.  A window for calls (FK-12) is sometimes waited out.
    """
    decision = create(game, START)
    events, state = list(decision.events), decision.state
    for _ in range(most):
        if state.status != "playing":
            break
        decision = step(state, rng, choose)
        events += decision.events
        state = decision.state
    return events, state


def step(state: Match, rng: Random, choose: Choice) -> Decision:
    """One command of some seat; where the next draw waits for calls, perhaps the end of the window."""
    found = legal(state)
    at = later(state.at, 1)
    window = state.deal.turn.window if state.deal is not None and state.deal.turn is not None else None
    if window is not None and (not found or rng.random() < 0.5):
        return execute(state, cmd.CloseWindow(), Actor(server=True), max(window, at))
    seat, command = choose(state, found, rng)
    return execute(state, command, Actor(seat), at)
