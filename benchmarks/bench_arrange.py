"""How long the best arrangement and the winning declaration take: ``python -m benchmarks.bench_arrange``.

Hands of 13 and 14 cards of both declare games, as dealt and meld-rich (two suits, five neighbouring
ranks or five ranks anywhere) with 0–2, 2–4 and 4–8 wilds.  CPU time of one thread, in milliseconds;
a cycle of the garbage collector counts where it falls.  Exit status 1 if a bar is missed: for
``best`` a median of 1 ms and a worst of 10 ms, for ``winning`` a median of 20 µs over hands as dealt.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable

from domain.arrange import best, winning
from domain.cards import JOKER, pack

VALUES = (*(10 if f % 13 in (0, 10, 11, 12) else f % 13 + 1 for f in range(52)), 0)
GAMES = (("thirteen-card", 2, 1), ("single-deck", 1, 2))
KINDS: tuple[tuple[str, tuple[int, int] | None], ...] = (
    ("as dealt", None), ("rich, 0-2 wilds", (0, 2)), ("rich, 2-4 wilds", (2, 4)), ("rich, 4-8 wilds", (4, 8)),
)  # fmt: skip


def wild_faces(decks: int, turned: int) -> int:
    """TC-3 (two decks: rank and colour) and SD-2."""
    rank = 0 if turned == JOKER else turned % 13
    suits = {0, 1, 2, 3}
    if decks == 2 and turned != JOKER:
        suits = {1, 2} if turned // 13 in (1, 2) else {0, 3}
    return 1 << JOKER | sum(1 << s * 13 + rank for s in suits)


def deal(rng: random.Random, decks: int, size: int, jokers: tuple[int, int] | None) -> tuple[int, int]:
    """A hand and its wild faces."""
    cards = [*range(52)] * decks + [JOKER, JOKER]
    rng.shuffle(cards)
    wild = wild_faces(decks, cards.pop())
    if jokers is None:
        return pack(cards[:size]), wild
    able = [f for f in cards if wild >> f & 1]
    plain = [f for f in cards if not wild >> f & 1]
    hand = able[: rng.randint(*jokers)]
    style = rng.randrange(3)
    if style == 0:
        suits = rng.sample(range(4), 2)
        plain = [f for f in plain if f // 13 in suits]
    elif style == 1:
        start = rng.randrange(13)
        plain = [f for f in plain if (f - start) % 13 < 5]
    else:
        ranks = rng.sample(range(13), 5)
        plain = [f for f in plain if f % 13 in ranks]
    return pack(hand + plain[: size - len(hand)]), wild


def measure(work: Callable[[int, int], object], hands: list[tuple[int, int]]) -> list[float]:
    """Milliseconds a hand, sorted."""
    times: list[float] = []
    for hand, wild in hands:
        start = time.thread_time_ns()
        work(hand, wild)
        times.append((time.thread_time_ns() - start) / 1e6)
    return sorted(times)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hands", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    missed = False
    print(
        f"{'':8} {'game':14} {'hands':16} {'cards':>5} {'median':>8} {'mean':>8} {'p99':>8} {'worst':>8}  ms"
    )
    for game, decks, lives in GAMES:
        for kind, jokers in KINDS:
            for size in (13, 14):
                rng = random.Random(f"{asked.seed} {game} {kind} {size}")
                hands = [deal(rng, decks, size, jokers) for _ in range(asked.hands)]
                works: list[tuple[str, Callable[[int, int], object]]] = [
                    ("best", lambda hand, wild, lives=lives: best(hand, wild, VALUES, lives)),
                ]
                if size == 14:
                    works.append(("winning", winning))
                for name, work in works:
                    times = measure(work, hands)
                    n = len(times)
                    median, worst = times[n // 2], times[-1]
                    if name == "best":
                        missed |= median > 1 or worst > 10
                    else:
                        missed |= jokers is None and median > 0.02
                    print(
                        f"{name:8} {game:14} {kind:16} {size:5} {median:8.3f} {sum(times) / n:8.3f} "
                        f"{times[n * 99 // 100]:8.3f} {worst:8.3f}"
                    )
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
