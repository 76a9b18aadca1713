"""Imports run one way: api → persistence and domain, persistence and domain → nothing of ours.

An allow-list: what stands here may be imported, nothing else.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OURS = {"api", "domain", "persistence"}
STANDARD = set(sys.stdlib_module_names)

#: room → the top-level packages beside the standard library that it may import
ALLOWED = {
    "domain": {"domain", "msgspec"},
    "persistence": {"persistence", "msgspec", "sqlalchemy", "asyncpg", "alembic"},
    "api": {"api", "domain", "persistence", "msgspec", "litestar", "uvicorn", "sqlalchemy", "asyncpg", "redis"},
}
#: Who may name a store: the composition root.
CHOOSE_A_STORE = {"api/app.py"}
#: Chance, clocks and I/O have no place in the domain.
IMPURE = {
    "asyncio", "datetime.now", "io", "logging", "os", "pathlib", "random", "secrets", "socket", "sqlite3",
    "subprocess", "tempfile", "threading", "time", "urllib", "uuid",
}  # fmt: skip


def modules(room: str) -> list[Path]:
    return sorted((ROOT / room).rglob("*.py"))


def imports(path: Path) -> set[str]:
    """The modules that a file imports, by their full names."""
    found: set[str] = set()
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            found.add(".".join(part for part in (base, node.module or "") if part))
    return found


@pytest.mark.parametrize("room", sorted(ALLOWED))
def test_a_room_imports_what_it_may(room: str) -> None:
    for path in modules(room):
        for name in imports(path):
            top = name.split(".")[0]
            assert top in ALLOWED[room] or top in STANDARD, f"{path.relative_to(ROOT)} imports {name}"


def test_the_domain_is_pure() -> None:
    for path in modules("domain"):
        named = {name.split(".")[0] for name in imports(path)}
        assert not named & IMPURE, f"{path.relative_to(ROOT)} imports {sorted(named & IMPURE)}"
        assert ".now(" not in path.read_text(), f"{path.relative_to(ROOT)} asks the time"


def test_only_the_composition_root_chooses_a_store() -> None:
    for path in modules("api"):
        stores = {n for n in imports(path) if n.startswith("persistence") and n not in (
            "persistence.store", "persistence.values")}  # fmt: skip
        assert not stores or str(path.relative_to(ROOT)) in CHOOSE_A_STORE, f"{path.name} imports {stores}"


def test_nothing_outside_the_variants_asks_which_game_it_is() -> None:
    slugs = {p.stem.replace("_", "-") for p in (ROOT / "domain/variants").glob("*.py") if p.stem != "__init__"}
    assert len(slugs) == 6
    for room in sorted(OURS):
        for path in modules(room):
            if "variants" in path.parts or path.name in ("demo.py", "openapi.py"):
                continue
            text = path.read_text()
            for slug in slugs - {"george"}:
                assert f'"{slug}"' not in text, f"{path.relative_to(ROOT)} names {slug}"
