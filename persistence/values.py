"""How values look in a row: times as milliseconds since 1970, identifiers as canonical UUID text."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)
_SURROGATE = re.compile("[\ud800-\udfff]")
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.ASCII)


def to_ms(at: str) -> int:
    """Raises `ValueError` for any other form of time, since it would not come back as it was."""
    if not _TIME.fullmatch(at):
        raise ValueError(f"not a time in UTC with milliseconds: {at!r}")
    return (datetime.fromisoformat(at) - _EPOCH) // _MILLISECOND


def from_ms(ms: int) -> str:
    at = _EPOCH + timedelta(milliseconds=ms)
    return at.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def optional_ms(at: str | None) -> int | None:
    return None if at is None else to_ms(at)


def optional_at(ms: int | None) -> str | None:
    return None if ms is None else from_ms(ms)


def is_text(text: str) -> bool:
    """Whether a database can hold it: no NUL character, no half of a surrogate pair."""
    return "\0" not in text and (text.isascii() or not _SURROGATE.search(text))


@lru_cache(maxsize=10_000)
def is_id(text: str) -> bool:
    return _ID.fullmatch(text) is not None
