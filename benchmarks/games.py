"""Games whose commands are all known beforehand.

A sandbox game with a given seed and given entropy is the same game on every server, so it can be played to
its end here first, with the domain alone; what the load then sends is legal, in order, and costs nothing to
find.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from api.random_play import Choice, any_command, keen_command, legal
from domain.commands import Actor
from domain.decide import NewGame, NewSeat, create, execute
from domain.record import later

_START = "2026-01-01T12:00:00.000Z"


class Script(Struct, frozen=True):
    """What createGame gets, and every command with the seat that sends it."""

    creation: bytes
    commands: list[tuple[int, bytes]]


def script(
    number: int,
    variant: str = "wild-rummy",
    options: dict[str, Any] | None = None,
    most: int = 1_000_000,
    choose: Choice = keen_command,
) -> Script:
    """A match between two people, to its end or for `most` commands; another for each number."""
    seed = hashlib.sha256(f"{variant} {number}".encode()).hexdigest()
    entropy = [f"seat {i} of {number}" for i in range(2)]
    creation = {
        "variant": variant,
        "options": options or {},
        "seats": [{"kind": "human", "entropy": text} for text in entropy],
        "sandbox": {"seed": seed},
    }
    game = NewGame(
        variant, seed, options or {}, tuple(NewSeat("human", entropy=text) for text in entropy),
        sandbox={"seed": seed},
    )  # fmt: skip
    rng = random.Random(number)
    state = create(game, _START).state
    commands: list[tuple[int, bytes]] = []
    while state.status == "playing" and len(commands) < most:
        seat, command = choose(state, legal(state), rng)
        commands.append((seat, msgspec.json.encode(command)))
        state = execute(state, command, Actor(seat), later(state.at, 1)).state
    return Script(msgspec.json.encode(creation), commands)


def matches(count: int) -> list[Script]:
    """Whole matches of Wild Rummy, played as people who want to win do: some 600 commands each."""
    return [script(number) for number in range(count)]


def long_matches(count: int, commands: int) -> list[Script]:
    """Matches that go on for so many commands: Two-Player Rummy over 52 rounds."""
    found = [
        script(number, "two-player-rummy", {"rounds": 52}, commands, any_command) for number in range(count)
    ]
    if any(len(each.commands) < commands for each in found):
        raise RuntimeError(f"a match ended before {commands} commands")
    return found


def waiting(count: int) -> Sequence[bytes]:
    """Bodies of createGame for tables that wait for a second player."""
    body = {"variant": "wild-rummy", "seats": [{"kind": "human", "name": "Ada"}, {"kind": "open"}]}
    return [msgspec.json.encode(body)] * count
