"""Every benchmark, or those that are named, and one table with the bars.

    python -m benchmarks                      # all of them; the bots take the longest
    python -m benchmarks http replay          # these
    python -m benchmarks http --seconds 10    # one, with its own options

Exit status 1 where a bar is missed.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

from .report import Row, machine, table

#: the quick ones first
_FIRST = ("arrange", "replay", "http")


def names() -> list[str]:
    """All there are."""
    found = {path.stem.removeprefix("bench_") for path in Path(__file__).parent.glob("bench_*.py")}
    return [*(n for n in _FIRST if n in found), *sorted(found - set(_FIRST))]


def measure(name: str) -> list[Row]:
    """The rows of a benchmark; one that prints for itself does so, and says only whether its bars hold."""
    module: Any = importlib.import_module(f"benchmarks.bench_{name}")
    if hasattr(module, "rows"):
        found: list[Row] = module.rows()
        return found
    print(f"{name}:", flush=True)
    status = _alone(module, name, [])
    return [Row(f"{name}, above", "" if status is None else f"exit {status}", holds=status in (None, 0))]


def _alone(module: Any, name: str, options: list[str]) -> int | None:
    before, sys.argv = sys.argv, [f"benchmarks {name}", *options]
    try:
        status: int | None = module.main()
        return status
    finally:
        sys.argv = before


def main(arguments: list[str]) -> int:
    """Measure and print; the exit status."""
    if arguments in (["-h"], ["--help"]):
        print(f"{__doc__}\nNames: {', '.join(names())}")
        return 0
    chosen = arguments or names()
    if len(chosen) > 1 and chosen[1].startswith("-"):
        name, *options = chosen
        return _alone(importlib.import_module(f"benchmarks.bench_{name}"), name, options) or 0
    unknown = [name for name in chosen if name not in names()]
    if unknown:
        sys.stderr.write(f"no benchmark {', '.join(unknown)}; there are {', '.join(names())}\n")
        return 2
    print(machine(), flush=True)
    found: list[Row] = []
    for name in chosen:
        some = measure(name)
        print(table(some), flush=True)
        found += some
    missed = [row for row in found if row.holds is False]
    if len(chosen) > 1:
        print(f"\nAll together:\n{table(found)}")
    print(f"\n{len(missed)} of {sum(row.holds is not None for row in found)} bars missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
