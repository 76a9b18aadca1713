"""Reading the conformance scenarios, and how their expectations compare with what was got."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

#: The scenarios that were handed with the contract, and those written since.
ROOTS = (Path(__file__).parent / "scenarios", Path(__file__).parent / "scenarios_own")


def scenarios() -> list[tuple[str, dict[str, Any]]]:
    """(id, scenario) of every scenario of every file."""
    return [
        (f"{'own/' if root.name.endswith('own') else ''}{path.parent.name}/{path.stem}/{i}", scenario)
        for root in ROOTS
        for path in sorted(root.glob("*/*.json"))
        for i, scenario in enumerate(json.loads(path.read_text()))
    ]


def _multiset(items: list[Any]) -> Counter[str]:
    return Counter(json.dumps(x, sort_keys=True) for x in items)


def mismatch(expected: Any, got: Any, path: str = "view", in_result: bool = False) -> str | None:
    """Where ``got`` does not match: objects member by member, lists item by item, hands as multisets."""
    if isinstance(expected, dict):
        if not isinstance(got, dict):
            return f"{path}: expected an object, got {got!r}"
        for key, want in expected.items():
            if key not in got:
                return f"{path}.{key}: missing"
            where = f"{path}.{key}"
            if isinstance(want, list) and (key in ("hand", "may")) and got[key] is not None:
                if _multiset(want) != _multiset(got[key]):
                    return f"{where}: expected {want}, got {got[key]}"
            elif found := mismatch(want, got[key], where):
                return found
        return None
    if isinstance(expected, list):
        if not isinstance(got, list) or len(got) != len(expected):
            return f"{path}: expected {expected}, got {got}"
        for i, want in enumerate(expected):
            if found := mismatch(want, got[i], f"{path}[{i}]"):
                return found
        return None
    return None if type(expected) is type(got) and expected == got else f"{path}: expected {expected!r}, got {got!r}"


def same_command(wanted: dict[str, Any], got: dict[str, Any]) -> bool:
    """Compared by the members that ``wanted`` names, ``cards`` in any order."""
    for key, value in wanted.items():
        if key == "cards":
            if Counter(got.get(key) or []) != Counter(value):
                return False
        elif got.get(key) != value:
            return False
    return True


def hidden_cards(view: dict[str, Any]) -> str:
    """The view without the places where public cards stand, as text to search for cards."""
    kept = {k: v for k, v in view.items() if k not in ("melds", "discard", "deal", "result")}
    return json.dumps(kept)
