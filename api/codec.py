"""Commits as they are stored: the lines of their events, exactly as a log is exported (`domain.replay`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from domain.replay import decode_event, encode_event


def encode_events(events: Iterable[Any]) -> bytes:
    """The events of a commit, each line with its newline."""
    return b"".join([encode_event(event) + b"\n" for event in events])


def decode_events(stored: bytes) -> list[Any]:
    """The events of a stored commit, those of older releases brought up to date."""
    return [decode_event(line) for line in stored.split(b"\n") if line]
