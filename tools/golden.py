"""Golden logs: one whole match a game, kept so that every later release must fold and verify it.

    python -m tools.golden --write    make tests/golden/*.ndjson and results.json anew
    python -m tools.golden --check    are they what would be made today?  (exit status 1 if they are not)

They are written anew only while the format may still change, or beside the old ones when a type of event
gets a new version.  A change of the rules is no reason: an old log stays as it was.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec

from api.random_play import any_command, keen_command
from domain.decide import NewGame, NewSeat
from domain.replay import export
from domain.state import Match
from tests.replay.matches import eventful

GOLDEN = Path(__file__).resolve().parent.parent / "tests" / "golden"


class Spec(NamedTuple):
    """How a golden match is played."""

    seats: int
    options: dict[str, Any]
    seed: int
    keen: bool = True


SPECS = {
    "wild-rummy": Spec(3, {"clock": {"turn": 30}}, 9),
    "two-player-rummy": Spec(2, {"rounds": 5, "may_return_taken": False}, 5),
    "thirteen-card-rummy": Spec(4, {"deals": 2}, 17),
    "rummy-5000": Spec(
        5, {"target": 1500, "permanent_wilds": "jokers", "max_wilds_per_meld": 2, "rummy_window": 5}, 15,
        keen=False,
    ),
    "george": Spec(4, {"target": 1500, "crossing": "out_first"}, 9, keen=False),
    "single-deck-rummy": Spec(3, {"deals": 4, "clock": {"draw": 10, "discard": 20}}, 12),
}


def played(variant: str, spec: Spec, game_id: str) -> tuple[list[Any], Match]:
    """A match to its end: seats taken one by one, now and then a pause, a clock run out, a seat left."""
    rng = Random(spec.seed)
    seats = (NewSeat("human", entropy="golden"), *(NewSeat("open") for _ in range(spec.seats - 1)))
    game = NewGame(variant, f"{spec.seed:064x}", spec.options, seats, host_seat=0, game_id=game_id)
    return eventful(game, rng, 100_000, keen_command if spec.keen else any_command, lively=0.01)


def made() -> dict[str, bytes]:
    """File name → content.  Where the rules have changed so that a seed's match is no longer played to its
    end, look for another seed."""
    files: dict[str, bytes] = {}
    results: dict[str, Any] = {}
    for number, (variant, spec) in enumerate(SPECS.items(), 1):
        game_id = f"00000000-0000-7000-8000-{number:012x}"
        events, state = played(variant, spec, game_id)
        if state.match_result is None or state.match_result.reason != "completed":
            raise SystemExit(f"{variant}: seed {spec.seed} plays no whole match")
        files[f"{variant}.ndjson"] = b"".join(export(game_id, events))
        results[variant] = {"events": len(events), "match": state.match_result, "deal": state.result}
    raw = msgspec.json.encode(results, order="deterministic")
    files["results.json"] = msgspec.json.format(raw, indent=1) + b"\n"
    return files


def main() -> int:
    """Write or check; the exit status."""
    parser = argparse.ArgumentParser()
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--write", action="store_true")
    what.add_argument("--check", action="store_true")
    args = parser.parse_args()
    differs = 0
    for name, content in made().items():
        path = GOLDEN / name
        if args.write:
            path.write_bytes(content)
        elif not path.exists() or path.read_bytes() != content:
            sys.stderr.write(f"{path.name} differs\n")
            differs = 1
    return differs


if __name__ == "__main__":
    sys.exit(main())
