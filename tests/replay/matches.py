"""Random matches with everything that can happen to one: seats that come and go, pauses, clocks, calls."""

from __future__ import annotations

from random import Random
from typing import Any

from api.random_play import START, Choice, any_command, step
from domain import commands as cmd
from domain.commands import Actor, Rejected
from domain.decide import Decision, NewGame, NewSeat, create, execute, resolve
from domain.record import later
from domain.rules import CLOCK_SCHEMA, Option
from domain.state import Match
from domain.variants import VARIANTS

HOST = Actor(host=True)
SERVER = Actor(server=True)


def _value(option: Option, seats: int, rng: Random) -> Any:
    schema = option.schema
    if schema is CLOCK_SCHEMA:
        return rng.choice([None, {"turn": 30}, {"draw": 15, "discard": 22}])
    if "enum" in schema:
        return rng.choice(schema["enum"])
    if schema["type"] == "boolean":
        return rng.random() < 0.5
    low, high = schema["minimum"], schema["maximum"]
    if option.name.startswith("first_"):
        high = seats - 1
    elif option.name == "target":
        high = 1500
    return rng.randint(low, min(high, low + 3) if high <= 100 else high)


def random_game(variant: str, rng: Random) -> NewGame:
    """A game of this variant with any number of seats and any options; every seat human."""
    found = VARIANTS[variant]
    seats = rng.randint(found.seats.min, found.seats.max)
    options = {o.name: _value(o, seats, rng) for o in found.options if rng.random() < 0.5}
    resolve(variant, options, seats)
    entropy = [rng.choice(["", "a", "Zufall ♣", "x" * 64]) for _ in range(seats)]
    return NewGame(
        variant, rng.randbytes(32).hex(), options, tuple(NewSeat("human", entropy=e) for e in entropy),
        host_seat=rng.choice([None, 0]), visibility=rng.choice(["public", "private"]),
        spectators=rng.choice(["public", "none", {"delayed": 2}]),
    )  # fmt: skip


def with_open_seats(game: NewGame, rng: Random) -> NewGame:
    """The same game, some of its seats still open or a bot's, started by hand or by itself."""
    kinds = [NewSeat("open"), NewSeat("bot", "hard")]
    seats = tuple(rng.choice([seat, seat, *kinds]) for seat in game.seats)
    return NewGame(
        game.variant, game.seed, game.options, seats, None, rng.choice(["auto", "manual"]),
        game.visibility, game.spectators, game.sandbox,
    )  # fmt: skip


def eventful(
    game: NewGame, rng: Random, most: int, choose: Choice = any_command, lively: float = 0.03
) -> tuple[list[Any], Match]:
    """The events of a match of at most ``most`` commands and its state; ``lively``: how often something
    else than play happens."""
    decision = create(game, START)
    events, state = list(decision.events), decision.state
    for _ in range(most):
        if state.status in ("finished", "cancelled"):
            break
        try:
            decision = _something(state, rng, choose, lively)
        except Rejected:
            continue
        events += decision.events
        state = decision.state
    return events, state


def _something(state: Match, rng: Random, choose: Choice, lively: float) -> Decision:
    at = later(state.at, rng.choice([0, 0.25, 1, 7]))
    if state.status == "waiting":
        return execute(state, *_waiting(state, rng), at)
    if state.status == "paused":
        return execute(state, cmd.Resume(), HOST, at)
    turn = state.deal.turn if state.deal is not None else None
    if turn is not None and turn.deadline is not None and rng.random() < lively * 2:
        return execute(state, cmd.TimeOut(), SERVER, max(at, turn.deadline))
    if rng.random() < lively:
        return execute(state, *_aside(state, rng), at)
    return step(state, rng, choose)


def _waiting(state: Match, rng: Random) -> tuple[Any, Actor]:
    seat = rng.randrange(len(state.seats))
    kind = state.seats[seat].kind
    if rng.random() < 0.05:
        return rng.choice([(cmd.Cancel(), HOST), (cmd.Expire(), SERVER)])
    if kind == "human" and rng.random() < 0.2:
        return cmd.Resign(), Actor(seat)
    if kind == "open" and rng.random() < 0.7:
        return cmd.TakeSeat(seat, f"entropy {rng.random()}"), SERVER
    return cmd.Start(rng.choice([None, "easy", "medium"])), HOST  # type: ignore[arg-type]


def _aside(state: Match, rng: Random) -> tuple[Any, Actor]:
    seat = rng.choice([i for i, x in enumerate(state.seats) if x.kind == "human"] or [0])
    human = state.seats[seat].kind == "human"
    return rng.choice(
        [
            (cmd.Pause(), HOST),
            (cmd.Pause(), Actor(seat)),
            (cmd.Absent(seat, "medium"), SERVER),
            (cmd.Return(seat), SERVER),
            *([(cmd.Resign(), Actor(seat))] if human and rng.random() < 0.3 else []),
            *([(cmd.Cancel(), Actor(operator=True))] if rng.random() < 0.02 else []),
        ]
    )
