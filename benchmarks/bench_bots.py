"""How strong and how fast the bots are.

    python -m benchmarks.bench_bots [--deals 1000] [--variants a,b] [--pairs hard-medium,…] [--jobs 2]

Every deal is played twice from the same shuffle with the two levels' seats exchanged, so that the
luck of the cards falls out of the difference.  Games for four are played by two seats of each
level, alternating.  Printed for each pairing: the margin a deal in points (positive: the first level
does better) and the share of deals that it won, each with its 95 % interval, how many deals had no
winner, and the processor time of a move.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from msgspec.structs import replace

from domain.actions import actions
from domain.bots import choose
from domain.commands import Actor
from domain.decide import NewGame, NewSeat, create, execute
from domain.record import Recorder
from domain.turns.deals import start_deal
from domain.views import redact, view

AT = "2026-01-01T00:00:00.000Z"
SEATS = {
    "wild-rummy": 2, "two-player-rummy": 2, "thirteen-card-rummy": 4, "rummy-5000": 4, "george": 4,
    "single-deck-rummy": 2,
}  # fmt: skip
#: the bars: milliseconds of a move, seconds of a match
MEDIAN, WORST, MATCH = 20, 200, 30
PAIRS = ("hard-medium", "medium-easy", "easy-random")


class Table:
    """A match played by bots, with the events that each seat may see."""

    def __init__(self, variant: str, levels: Sequence[str], seed: int, options: dict[str, Any] | None = None) -> None:
        self.levels = levels
        self.luck = random.Random(seed)
        seats = tuple(NewSeat("bot", "easy") for _ in levels)
        decision = create(NewGame(variant, f"{seed:064x}", options or {}, seats), AT)
        self.state = decision.state
        self.histories: list[list[Any]] = [[] for _ in levels]
        self.times: dict[str, list[float]] = {level: [] for level in levels}
        self.moves = 0
        self.ended: list[Any] = []
        self._note(decision.events)

    def deal(self, number: int, dealer: int) -> None:
        """Deal anew, as deal ``number``."""
        rec = Recorder(replace(self.state, result=None), AT)
        start_deal(rec, number, dealer)
        self.state = rec.state
        self.ended.clear()
        self._note(rec.events)

    def _note(self, events: Sequence[Any]) -> None:
        for seat, history in enumerate(self.histories):
            history.extend(redact(e, seat) for e in events)
        self.ended += [e.result for e in events if type(e).__name__ == "DealEnded"]

    def step(self) -> None:
        """One command: a call of rummy if a seat makes one, else the move of the seat to act."""
        deal = self.state.deal
        assert deal is not None
        assert deal.turn is not None
        turn = deal.turn
        seats = range(len(self.levels))
        if turn.discarder is not None:
            for seat in ((turn.seat + i) % len(seats) for i in range(1, len(seats))):
                if seat != turn.discarder and self._move(seat, calling=True):
                    return
        self._move(turn.seat, calling=False)

    def _move(self, seat: int, *, calling: bool) -> bool:
        possible, _ = actions(self.state, seat)
        if not possible:
            assert calling
            return False
        command = self._choose(seat, possible, calling)
        if command is None:
            assert calling
            return False
        decision = execute(self.state, command, Actor(seat=seat), AT)
        self.state = decision.state
        self.moves += 1
        self._note(decision.events)
        return True

    def _choose(self, seat: int, possible: list[Any], calling: bool) -> Any:
        level = self.levels[seat]
        entropy = self.luck.randbytes(16)
        if level == "random":
            choice = self.luck.randrange(len(possible) + calling)
            return possible[choice] if choice < len(possible) else None
        seen = view(self.state, seat, "bench", [None] * len(self.levels))
        rules = self.state.rules
        assert rules is not None
        start = time.process_time()
        command = choose(level, seen, possible, entropy, rules, self.histories[seat])
        self.times[level].append(time.process_time() - start)
        return command


def play_deal(variant: str, levels: Sequence[str], index: int) -> Table:
    """One deal, from the shuffle that ``index`` gives; the table is left as it ended."""
    table = Table(variant, levels, index + 1)
    rules = table.state.rules
    assert rules is not None
    table.deal(index % (rules.deals or 1) + 1 if rules.wild_by == "deal_number" else 1, index // 13 % len(levels))
    while not table.ended:
        table.step()
    return table


def margin(table: Table, first: str) -> tuple[float, float]:
    """The points by which the seats of ``first`` did better than the others, and their part of the win:
    the seat that declared, or else those with the best score of the deal."""
    result, rules = table.ended[0], table.state.rules
    assert rules is not None
    sign = 1 if rules.wins == "highest" else -1
    mine = [s.delta for s in result.seats if table.levels[s.seat] == first]
    theirs = [s.delta for s in result.seats if table.levels[s.seat] != first]
    best = [s.seat for s in result.seats if sign * s.delta == max(sign * x.delta for x in result.seats)]
    if rules.family == "declare" and result.winner is not None:
        best = [result.winner]
    won = sum(table.levels[seat] == first for seat in best) / len(best)
    return sign * (sum(mine) / len(mine) - sum(theirs) / len(theirs)), won


def measure(job: tuple[str, str, str, int, int]) -> tuple[list[float], list[float], dict[str, list[float]], int]:
    """Margins and wins of some deals, each played both ways."""
    variant, a, b, low, high = job
    seats = SEATS[variant]
    margins: list[float] = []
    wins: list[float] = []
    times: dict[str, list[float]] = {}
    undecided = 0
    for index in range(low, high):
        both = 0.0
        won: list[float] = []
        for levels in ([a, b] * (seats // 2), [b, a] * (seats // 2)):
            table = play_deal(variant, levels, index)
            points, win = margin(table, a)
            both += points / 2
            won.append(win)
            undecided += table.ended[0].winner is None
            for level, some in table.times.items():
                times.setdefault(level, []).extend(some)
        margins.append(both)
        wins.append(sum(won) / len(won))
    return margins, wins, times, undecided


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Mean and half the 95 % interval."""
    n = len(values)
    if n < 2:
        return (values[0] if values else math.nan), math.inf
    mean = sum(values) / n
    return mean, 1.96 * math.sqrt(sum((v - mean) ** 2 for v in values) / (n - 1) / n)


def whole_match(variant: str, level: str, seed: int = 1) -> tuple[float, int]:
    """A match between bots of one level, to its end: seconds, and commands."""
    start = time.process_time()
    table = Table(variant, [level] * SEATS[variant], seed)
    while table.state.status == "playing":
        table.step()
    return time.process_time() - start, table.moves


def main() -> int:
    """Measure and print; 1 where a bar is missed: a margin within the noise, a slow move or match."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="index of the first deal")
    parser.add_argument("--variants", default=",".join(SEATS))
    parser.add_argument("--pairs", default=",".join(PAIRS))
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    missed: list[str] = []
    print(f"{'variant':20} {'pairing':14} {'margin a deal':>18} {'deals won':>16}  no winner  ms a move: median, worst")
    with ProcessPoolExecutor(asked.jobs) as pool:
        for variant in asked.variants.split(","):
            for pair in asked.pairs.split(","):
                a, b = pair.split("-")
                edges = range(asked.first, asked.first + asked.deals, max(asked.deals // (4 * asked.jobs), 1))
                jobs = [(variant, a, b, low, min(low + edges.step, asked.first + asked.deals)) for low in edges]
                parts = list(pool.map(measure, jobs))
                points, spread = interval([m for p in parts for m in p[0]])
                wins, range_ = interval([w for p in parts for w in p[1]])
                times = sorted(t * 1e3 for p in parts for t in p[2].get(a, [])) or [0.0]
                middle, worst = times[len(times) // 2], times[-1]
                print(
                    f"{variant:20} {pair:14} {points:+9.2f} ± {spread:6.2f} {wins:8.1%} ± {range_:5.1%}"
                    f" {sum(p[3] for p in parts):9}   {a} {middle:.2f}, {worst:.1f}", flush=True,
                )  # fmt: skip
                if points <= spread or middle > MEDIAN or worst > WORST:
                    missed.append(f"{variant} {pair}")
    print(f"\n{'variant':20} a whole match of hard bots: seconds, commands")
    for variant in asked.variants.split(","):
        seconds, moves = whole_match(variant, "hard")
        print(f"{variant:20} {seconds:6.1f} {moves:6}", flush=True)
        if seconds > MATCH:
            missed.append(f"{variant} match")
    print(f"\nmissed: {', '.join(missed) or 'nothing'}")
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
