"""Replay and random play, one core, in seconds of that core.

    python -m benchmarks.bench_replay [--seconds 4] [--profile variant|replay]

*Replay*: exported lines decoded and folded, one after another, nothing kept.  *Random play*: a step
lists every action of every seat that has any, chooses one, decides it and folds it; matches follow one
another as in real play.  ``--profile`` prints where the time goes instead.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import time
from collections.abc import Callable
from random import Random
from typing import Any

from api.random_play import any_command, legal, play
from benchmarks.report import Row, at_least, machine, table
from domain.commands import Actor
from domain.decide import NewGame, NewSeat, create, execute
from domain.evolve import NEW, evolve
from domain.replay import decode_event, encode_event
from domain.variants import VARIANTS

AT = "2026-01-01T00:00:00.000Z"
REPLAY_BAR, PLAY_BAR = 200_000, 17_000
SECONDS = 4.0


def game(variant: str, seed: int) -> NewGame:
    """A match for the game's usual number of seats."""
    seats = tuple(NewSeat("human") for _ in range(VARIANTS[variant].seats.default))
    return NewGame(variant, f"{seed:064x}", {}, seats)


def replayed(lines: list[bytes]) -> None:
    """Decode and fold one match."""
    state = NEW
    for line in lines:
        state = evolve(state, decode_event(line))


def replay_rate(variant: str, seconds: float) -> float:
    """Events a second from exported lines."""
    logs = [
        [encode_event(e) for e in play(game(variant, seed), Random(seed), any_command, 2000)[0]]
        for seed in range(3)
    ]  # fmt: skip
    events, spent = 0, 0.0
    while spent < seconds:
        for lines in logs:
            start = time.process_time()
            replayed(lines)
            spent += time.process_time() - start
            events += len(lines)
    return events / spent


def play_rate(variant: str, seconds: float) -> float:
    """Steps a second with every action listed."""
    rng = Random(1)
    steps, seed = 0, 0
    start = time.process_time()
    while time.process_time() - start < seconds:
        seed += 1
        steps += played(variant, seed, rng, start + seconds)
    return steps / (time.process_time() - start)


def played(variant: str, seed: int, rng: Random, until: float) -> int:
    """One match, or as much of it as there is time for; the number of its commands."""
    state = create(game(variant, seed), AT).state
    steps = 0
    while state.status == "playing" and (steps & 63 or time.process_time() < until):
        seat, command = any_command(state, legal(state), rng)
        state = execute(state, command, Actor(seat), AT).state
        steps += 1
    return steps


def _together(rates: list[float]) -> float:
    """The rate over as many events or steps of each game."""
    return len(rates) / sum(1 / r for r in rates)


def rows(seconds: float = SECONDS) -> list[Row]:
    """What was measured, beside its bars."""
    found: list[Row] = []
    measures: list[tuple[str, Callable[[str, float], float], float, str]] = [
        ("replay", replay_rate, REPLAY_BAR, "events/s"),
        ("random play", play_rate, PLAY_BAR, "steps/s"),
    ]
    for what, measure, bar, unit in measures:
        rates = {variant: measure(variant, seconds) for variant in VARIANTS}
        found += [at_least(f"{what}, {variant}", rate, bar, unit) for variant, rate in rates.items()]
        found.append(at_least(f"{what}, all games alike", _together(list(rates.values())), bar, unit))
    return found


def _profile(what: str, seconds: float) -> None:
    profile = cProfile.Profile()
    call: Any = replay_rate if what == "replay" else play_rate
    profile.runcall(call, "wild-rummy" if what == "replay" else what, seconds)
    pstats.Stats(profile).sort_stats("tottime").print_stats(30)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long each is measured")
    parser.add_argument("--profile", choices=["replay", *VARIANTS])
    args = parser.parse_args()
    if args.profile:
        _profile(args.profile, args.seconds)
        return
    print(machine())
    print(table(rows(args.seconds)))


if __name__ == "__main__":
    main()
