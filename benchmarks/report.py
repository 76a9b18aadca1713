"""One table for everything that is measured, with the bars beside it."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence

from msgspec import Struct


class Row(Struct, frozen=True):
    """One thing measured. ``bar``: what it must be, as text; ``holds``: whether it is (None: no bar)."""

    what: str
    value: str
    bar: str = ""
    holds: bool | None = None
    note: str = ""


def at_least(what: str, value: float, bar: float, unit: str, note: str = "") -> Row:
    """A row that must not be less than its bar."""
    return Row(what, f"{number(value)} {unit}", f"≥ {number(bar)}", value >= bar, note)


def at_most(what: str, value: float, bar: float, unit: str, note: str = "") -> Row:
    """A row that must not be more than its bar."""
    return Row(what, f"{number(value)} {unit}", f"≤ {number(bar)}", value <= bar, note)


def number(value: float) -> str:
    """Three digits or more, with commas."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def table(rows: Sequence[Row]) -> str:
    """The rows under one another."""
    widths = [max(len(cell) for cell in column) for column in zip(*map(_cells, rows), strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(_cells(row), widths, strict=True)).rstrip()
        for row in rows
    )


def _cells(row: Row) -> tuple[str, ...]:
    verdict = {None: "", True: "holds", False: "MISSED"}[row.holds]
    return row.what, row.value, row.bar, verdict, row.note


def machine() -> str:
    """What the numbers were taken on, and how busy it was."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    return (
        f"{platform.python_implementation()} {platform.python_version()}, {platform.system()} "
        f"{platform.machine()}, {os.cpu_count()} CPUs, load before {load:.1f}"
    )
