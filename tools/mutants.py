"""Mutation run: take out each check of the rules, one at a time, and see that a test notices.

    python -m tools.mutants [FILE…] [--jobs N] [--list]

Mutants of ``domain/turns`` and ``domain/variants`` (or of the files named):

* a refusal's condition made false, so that the check is gone;
* a comparison turned (``<`` to ``<=``, ``==`` to ``!=``), ``and`` to ``or``;
* a constant of a rule set changed: a flag flipped, a number or a table's entry one higher.

Each runs the scenarios and the rules' tests in a copy of the project.  Survivors are printed with
their lines; the exit code is 1 if there are any that ``KNOWN`` does not explain.
"""

from __future__ import annotations

import argparse
import ast
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
TESTS = ["tests/test_scenarios_domain.py", "tests/test_perft.py", "tests/rules"]

#: Mutants that change nothing that can be seen, with the reason: (file, line text) → why.
KNOWN: dict[tuple[str, str], str] = {
    ("domain/turns/calls.py", 'raise refuse(rules, "card.not_in_hand", card=c.discard or "")'):
        "the discard is named here; the empty text is for the type checker",
    ("domain/turns/deals.py", "window = window_for(rec, discarded, seat) if calls and discarded is not None else None"):
        "without calls there is no window option, and window_for says none",
    ("domain/turns/deals.py", "if len(cards) < more:"):
        "with nothing left over, the pile or the stock lacks its card and the deal fails all the same",
    ("domain/turns/deals.py", "if len(crossed) > 1 and ending.winner in crossed:"):
        "a seat that crosses alone has the highest total",
    ("domain/turns/timeouts.py", "shown = best(deal.hands[turn.seat], deal.wild, values, rules.lives, rules.cap or 0)"):
        "the cap is no matter for what is left outside the groups",
}


class Mutant(NamedTuple):
    """One change: the file, where, and what stands there instead."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    what: str


_TURNED = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "=="}


def _refuses(body: list[ast.stmt]) -> bool:
    last = body[-1]
    if isinstance(last, ast.Raise):
        return True
    return (
        isinstance(last, ast.Return) and isinstance(last.value, ast.Constant)
        and isinstance(last.value.value, str) and "." in last.value.value
    )  # fmt: skip


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Every mutant of one file."""
    source = path.read_text()
    name = str(path.relative_to(ROOT))

    def at(node: ast.expr, text: str, what: str) -> Mutant:
        return Mutant(
            name, node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0, text, what
        )

    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.If) and _refuses(node.body) and not isinstance(node.test, ast.NamedExpr):
            yield at(node.test, "False", "check taken out")
        elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _TURNED:
            left = ast.get_source_segment(source, node.left)
            right = ast.get_source_segment(source, node.comparators[0])
            yield at(node, f"({left} {_TURNED[type(node.ops[0])]} {right})", "comparison turned")
        elif isinstance(node, ast.BoolOp):
            parts = [ast.get_source_segment(source, v) or "" for v in node.values]
            word = " or " if isinstance(node.op, ast.And) else " and "
            yield at(node, "(" + word.join(f"({p})" for p in parts) + ")", "and and or exchanged")
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "RuleSet":
            yield from _rule_set(node, at)


def _rule_set(call: ast.Call, at: object) -> Iterator[Mutant]:
    for keyword in call.keywords:
        value = keyword.value
        if not isinstance(value, ast.Constant) or keyword.arg in ("variant", "family", "wins"):
            continue
        if isinstance(value.value, bool):
            yield at(value, str(not value.value), f"{keyword.arg} flipped")  # type: ignore[operator]
        elif isinstance(value.value, int):
            yield at(value, str(value.value + 1), f"{keyword.arg} one higher")  # type: ignore[operator]


def apply(mutant: Mutant, source: str) -> str:
    """The source with the mutant in it."""
    lines = source.splitlines(keepends=True)
    first, last = mutant.line - 1, mutant.end_line - 1
    before = lines[first].encode()[: mutant.column].decode()
    after = lines[last].encode()[mutant.end_column :].decode()
    return "".join([*lines[:first], before + mutant.text + after, *lines[last + 1 :]])


def survives(mutant: Mutant, copy: Path) -> bool:
    """Whether no test fails with the mutant in the copy."""
    target = copy / mutant.path
    original = (ROOT / mutant.path).read_text()
    target.write_text(apply(mutant, original))
    try:
        run = subprocess.run(
            [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *TESTS],
            cwd=copy, capture_output=True, timeout=300, check=False,
        )  # fmt: skip
        return run.returncode == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        target.write_text(original)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    files = [f.resolve() for f in options.files] or sorted(
        [*(ROOT / "domain/turns").glob("*.py"), *(ROOT / "domain/variants").glob("*.py")]
    )
    mutants = [m for f in files for m in mutants_of(f)]
    if options.list:
        for m in mutants:
            print(f"{m.path}:{m.line} {m.what}: {m.text}")  # noqa: T201
        return 0
    copies: Queue[Path] = Queue()
    with tempfile.TemporaryDirectory() as folder:
        for i in range(options.jobs):
            copy = Path(folder) / str(i)
            for part in ("domain", "tests", "api", "persistence", "tools"):
                shutil.copytree(ROOT / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
            shutil.copy(ROOT / "pyproject.toml", copy)
            copies.put(copy)

        def run(mutant: Mutant) -> bool:
            copy = copies.get()
            try:
                return survives(mutant, copy)
            finally:
                copies.put(copy)

        with ThreadPoolExecutor(options.jobs) as pool:
            alive = [m for m, lives in zip(mutants, pool.map(run, mutants), strict=True) if lives]
    unexplained = 0
    for m in alive:
        text = (ROOT / m.path).read_text().splitlines()[m.line - 1].strip()
        why = KNOWN.get((m.path, text))
        unexplained += why is None
        print(f"{m.path}:{m.line} {m.what} → {m.text}\n    {text}\n    {why or 'SURVIVES'}")  # noqa: T201
    print(f"{len(mutants)} mutants, {len(mutants) - len(alive)} noticed, {unexplained} unexplained")  # noqa: T201
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
