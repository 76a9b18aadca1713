"""Every rule of the ledger is proved by something: a scenario that names it, or a test named after it."""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path

from domain.variants import texts
from tests.scenario_files import scenarios

TESTS = Path(__file__).parents[1]
_NAMED = re.compile(r"^(?:async )?def (test_\w+)", re.MULTILINE)
_NUMBER = re.compile(r"_(k|wr|tp|tc|fk|ge|sd|ss)_(\d+)(?=_|$)")


def ledger() -> set[str]:
    """Every rule number of every text."""
    modules = [
        importlib.import_module(f"{texts.__name__}.{m.name}") for m in pkgutil.iter_modules(texts.__path__)
    ]
    return {rule.number for module in modules for rule in module.RULES}


def proved_by_scenarios() -> set[str]:
    return {number for _, scenario in scenarios() for number in scenario["rules"]}


def proved_by_tests() -> set[str]:
    """Numbers in the names of test functions: ``test_wr_12_fifth_card`` proves WR-12."""
    found: set[str] = set()
    for path in TESTS.rglob("test_*.py"):
        for name in _NAMED.findall(path.read_text()):
            found |= {f"{letters.upper()}-{digits}" for letters, digits in _NUMBER.findall(name)}
    return found


def test_the_ledger_is_whole() -> None:
    """No number is left out, from 1 on."""
    numbers = ledger()
    for letters, last in (
        ("K", 15),
        ("WR", 18),
        ("TP", 15),
        ("TC", 15),
        ("FK", 24),
        ("GE", 3),
        ("SD", 10),
        ("SS", 1),
    ):
        assert {f"{letters}-{n}" for n in range(1, last + 1)} == {
            n for n in numbers if n.startswith(letters + "-")
        }


def test_every_rule_has_a_test_or_a_scenario() -> None:
    missing = ledger() - proved_by_scenarios() - proved_by_tests()
    assert not missing, f"nothing proves {sorted(missing)}"


def test_nothing_is_said_to_prove_a_rule_that_there_is_not() -> None:
    assert proved_by_scenarios() | proved_by_tests() <= ledger()
