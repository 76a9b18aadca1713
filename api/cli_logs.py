"""Commands about logs and positions: ``rummy verify``, ``replay``, ``simulate`` and ``perft``.

All of them work on files alone, without a server.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Set as AbstractSet
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from api.log_text import sentence, table
from api.random_play import any_command, keen_command, play
from domain.commands import Rejected
from domain.decide import NewGame, NewSeat, resolve
from domain.evolve import NEW
from domain.intact import Damaged, walk
from domain.perft import PerftCase, divide, perft, start
from domain.replay import export
from domain.variants import VARIANTS
from domain.verify import Verification, examine


def add_commands(subparsers: Any) -> None:
    """Add this module's commands to a parser's ``add_subparsers()``; each sets ``run``, which exits with
    what it returns."""
    verify_logs = subparsers.add_parser("verify", help="verify exported logs: intact, fair, lawful")
    add = verify_logs.add_argument
    add("files", nargs="+", metavar="FILE", help="a log, NDJSON; - for standard input")
    add("--json", action="store_true", help="one JSON object a file")
    verify_logs.set_defaults(run=_verify)

    replay = subparsers.add_parser("replay", help="step through an exported log")
    add = replay.add_argument
    add("file", metavar="FILE", help="a log, NDJSON; - for standard input")
    add("--at", type=int, metavar="SEQ", help="only the table after this event")
    add("--step", action="store_true", help="the table after every commit; Enter goes on")
    replay.set_defaults(run=_replay)

    simulate = subparsers.add_parser("simulate", help="play random matches; --out writes their logs")
    add = simulate.add_argument
    add("variant", choices=list(VARIANTS))
    add("--seats", type=int, help="how many seats (default: the game's own number)")
    add("--games", type=int, default=1, help="how many matches")
    add("--seed", type=int, default=0, help="the first match's number; the same one plays alike")
    add("--option", action="append", default=[], metavar="NAME=JSON", help="an option of the game")
    add("--keen", action="store_true", help="melds before discards, so that deals end sooner")
    add("--out", type=Path, metavar="FILE", help="write the log here (several: FILE-1 …); else none is written")
    simulate.set_defaults(run=_simulate)

    counted = subparsers.add_parser("perft", help="count legal command sequences from positions")
    add = counted.add_argument
    add("files", nargs="+", metavar="FILE", help="positions with their counts, JSON")
    add("--divide", action="store_true", help="split the last count by first command")
    add("--depth", type=int, help="count this deep, not as deep as the file")
    counted.set_defaults(run=_perft)


def _say(text: str) -> None:
    try:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
    except BrokenPipeError:  # `| head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(1) from None


def _complain(text: str) -> int:
    """Say what went wrong; the exit status that stands for it."""
    sys.stderr.write(text + "\n")
    return 1


def _read(name: str) -> bytes:
    return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()


# ------------------------------------------------------------------------- verify


def _verify(args: argparse.Namespace) -> int:
    """0 if every log is in order, 1 if one is not or could not be read."""
    status = 0
    for name in args.files:
        try:
            found, unchecked = examine(_read(name))
        except (OSError, Rejected) as error:
            status = _complain(f"{name}: {_why(error)}")
            continue
        status |= not found.ok
        _say(msgspec.json.encode(found).decode() if args.json else f"{name}: {_verdict(found, unchecked)}")
    return status


def _why(error: Exception) -> str:
    return error.detail if isinstance(error, Rejected) else str(error)


def _verdict(v: Verification, unchecked: AbstractSet[str]) -> str:
    shuffles = _counted(len(v.shuffles), "shuffle")
    said = [
        "in order" if v.ok else "NOT IN ORDER",
        "complete" if v.complete else "unfinished",
        _counted(v.events, "event"),
        "intact" if v.intact else "NOT INTACT",
        "fair: not checked" if "fair" in unchecked else f"fair ({shuffles})" if v.fair else "NOT FAIR",
        "lawful: not checked" if "lawful" in unchecked else "lawful" if v.lawful else "NOT LAWFUL",
    ]
    if v.divergence is not None:
        where = "" if v.divergence.seq is None else f" at event {v.divergence.seq}"
        said.append(f"{v.divergence.code}{where}: {v.divergence.detail}")
    return ", ".join(said)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


# ------------------------------------------------------------------------- replay


def _replay(args: argparse.Namespace) -> int:
    """Tell a log event by event, as far as it is intact.  1 if that is not to its end."""
    shown = args.at is None
    commit, state = 0, NEW
    try:
        for event, after in walk(_read(args.file)):
            if args.step and event.commit != commit and commit:
                _pause(table(state))
            commit, state = event.commit, after
            if args.at in (None, event.seq):
                _say(f"{event.seq:5} {event.at}  {sentence(event)}")
            if event.seq == args.at:
                _say("\n".join(table(state)))
                shown = True
    except (OSError, Rejected) as error:
        return _complain(f"{args.file}: {_why(error)}")
    except Damaged as damage:
        if args.at is None:
            _say("\n".join(table(state)))
        # The header is the first line of a file.
        where = "" if damage.seq is None else f" at event {damage.seq} (line {damage.seq + 1})"
        return _complain(f"{args.file}: the log is damaged{where}: {damage.detail}")
    if not shown:
        return _complain(f"{args.file}: there is no event {args.at}")
    if args.at is None:
        _say("\n".join(table(state)))
    return 0


def _pause(lines: list[str]) -> None:
    _say("\n".join(lines))
    if sys.stdin.isatty():
        try:
            input()
        except EOFError:
            raise KeyboardInterrupt from None  # Ctrl-D is enough, too


# ----------------------------------------------------------------------- simulate


def _simulate(args: argparse.Namespace) -> int:
    """Random matches, each the same for the same seed."""
    seats = VARIANTS[args.variant].seats
    number = args.seats or seats.default
    if not seats.min <= number <= seats.max:
        return _complain(f"{args.variant} takes {seats.min} to {seats.max} seats")
    try:
        options = {name: msgspec.json.decode(value) for name, value in map(_option, args.option)}
        resolve(args.variant, options, number)
    except (Rejected, ValueError) as error:
        return _complain(_why(error))
    for i in range(args.games):
        seed = args.seed + i
        game = NewGame(
            args.variant, f"{seed:064x}", options,
            tuple(NewSeat("human", entropy=f"seat {n}") for n in range(number)),
            game_id=f"00000000-0000-7000-8000-{seed:012x}",
        )  # fmt: skip
        events, state = play(game, Random(seed), keen_command if args.keen else any_command)
        result = state.match_result
        scores = ", ".join(map(str, result.scores)) if result is not None else "unfinished"
        _say(f"seed {seed}: {len(events)} events, {state.deal.number if state.deal else 0} deals, {scores}")
        if args.out is not None:
            path: Path = args.out if args.games == 1 else args.out.with_stem(f"{args.out.stem}-{i + 1}")
            path.write_bytes(b"".join(export(game.game_id, events)))
    return 0


def _option(text: str) -> tuple[str, str]:
    name, found, value = text.partition("=")
    if not found:
        raise ValueError(f"an option is NAME=JSON, not {text!r}")
    return name, value


# -------------------------------------------------------------------------- perft


def _perft(args: argparse.Namespace) -> int:
    """A line a position; 1 where a count differs from the file's, or a position cannot be."""
    status = 0
    for name in args.files:
        try:
            cases = msgspec.json.decode(_read(name), type=list[PerftCase])
        except (OSError, msgspec.MsgspecError) as error:
            status = _complain(f"{name}: {error}")
            continue
        for case in cases:
            try:
                status |= _count(case, args.depth, args.divide)
            except (Rejected, msgspec.MsgspecError) as error:
                status = _complain(f"{case.variant}, {case.name}: {_why(error)}")
    return status


def _count(case: PerftCase, depth: int | None, split: bool) -> int:
    state = start(case)
    deep = len(case.counts) if depth is None else depth
    counts = perft(state, deep)
    expected = case.counts[:deep]
    differs = counts[: len(expected)] != expected
    note = f"  DIFFERS, expected {' '.join(map(str, expected))}" if differs else ""
    _say(f"{case.variant}, {case.name}: {' '.join(map(str, counts))}{note}")
    if split:
        for seat, command, number in divide(state, deep):
            _say(f"  {number:10}  seat {seat} {msgspec.json.encode(command).decode()}")
    return int(differs)
