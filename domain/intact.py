"""Whether a log is intact: the chain of its header over the event lines, and the fold.

The log comes from anyone: nothing in it is believed, and whatever it makes go wrong is a finding.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import Struct

from domain.commands import Rejected
from domain.consistency import Inconsistent, check_after, check_before
from domain.events import Event
from domain.evolve import NEW, evolve
from domain.misfits import misfit
from domain.replay import Header, decode_event
from domain.state import Match

Code = Literal["chain", "fold", "commitment", "shuffle", "unlawful", "differs_from_current_rules"]


class Divergence(Struct, frozen=True):
    """The first thing that is wrong, and the event where it shows; null where no one event does."""

    seq: int | None
    code: Code
    detail: str


class Finding(NamedTuple):
    """Something that is wrong at an event."""

    seq: int
    code: Code
    detail: str


class Damaged(Exception):
    """A log is not intact.  ``seq``: the event where it shows; None where no one event does."""

    def __init__(self, seq: int | None, detail: str) -> None:
        super().__init__(detail)
        self.seq = seq
        self.detail = detail


def walk(data: bytes | Iterable[bytes]) -> Iterator[tuple[Any, Match]]:
    """Every event of a log with the state after it, as far as the log is intact.

    Raises ``Damaged`` at the first event that does not fit, and behind the last one where the lines are not
    those that the header tells of; ``Rejected`` where this is no log at all.
    """
    lines = lines_of(data)
    reader = Reader(header_of(next(lines, b"")))
    for line in lines:
        event = reader.read(line)
        if event is None:
            found = reader.findings[0]
            raise Damaged(found.seq, found.detail)
        yield event, reader.state
    if not reader.lines:
        raise invalid_log("The log has no events.")
    if damage := reader.damage():
        raise Damaged(damage.seq, damage.detail)


def lines_of(data: bytes | Iterable[bytes]) -> Iterator[bytes]:
    """The lines without their newlines."""
    if isinstance(data, (bytes, bytearray, memoryview)):
        split = bytes(data).split(b"\n")
        if not split[-1]:
            split.pop()
        yield from split
        return
    for line in data:
        yield line[:-1] if line.endswith(b"\n") else line


def header_of(line: bytes) -> Header:
    """The header. Raises ``log.invalid``."""
    try:
        return msgspec.json.decode(line, type=Header)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise invalid_log("The first line is not the header of a log.") from error


def invalid_log(detail: str) -> Rejected:
    """This is no log at all."""
    return Rejected("log.invalid", detail)


class Reader:
    """Reads a log line by line and finds whether it is intact."""

    def __init__(self, header: Header) -> None:
        self.header = header
        self.chain = hashlib.sha256()
        self.lines = 0
        self.state = NEW
        self.broken = False
        self.findings: list[Finding] = []

    def read(self, line: bytes) -> Any:
        """One event line: into the chain, and, unless an earlier one was broken, into the fold.

        Returns the event; None from the one on that does not fit.
        """
        self.chain.update(line)
        self.chain.update(b"\n")
        self.lines += 1
        if self.broken:
            return None
        try:
            event = decode_event(line)
            self.fold(event)
        except Exception as error:  # whatever a made-up log can bring about
            self.broken = True
            self.findings.append(Finding(self.lines, "fold", _why_not(error)))
            return None
        return event

    def fold(self, event: Any) -> None:
        """The state after an event that fits the one before it."""
        check_before(self.state, event)
        self.state = evolve(self.state, event)
        check_after(self.state, event)

    def damage(self) -> Divergence | None:
        """What is wrong with the chain, or with what the header says of the events; where the fold has a
        reason of its own, that as well."""
        first = min(self.findings, key=lambda f: f.seq, default=None)
        seq = None if first is None else first.seq
        more = "".join(f" Event {f.seq}: {f.detail}" for f in self.findings if f.code == "fold")
        if self.lines != self.header.events:
            missing = self.lines + 1 if self.lines < self.header.events else self.header.events + 1
            detail = f"The header tells of {self.header.events} events, and {self.lines} are here.{more}"
            return Divergence(missing if seq is None else min(seq, missing), "chain", detail)
        if self.chain.hexdigest() != self.header.chain:
            detail = f"The event lines are not those that the header's chain was made from.{more}"
            return Divergence(seq, "chain", detail)
        if self.state.rules is None:
            return None
        told = {"variant": self.state.rules.variant, "rules_version": self.state.rules_version,
                "sandbox": self.state.sandbox}  # fmt: skip
        for name, value in told.items():
            if getattr(self.header, name) != value:
                return Divergence(1, "chain", f"The header and the first event differ in {name!r}.")
        return None


def _why_not(error: Exception) -> str:
    """Why a line cannot be taken for an event, or not at this place."""
    if isinstance(error, Inconsistent):
        return str(error)
    if isinstance(error, msgspec.ValidationError):
        found = misfit(error, Event)
        where = f"{found.pointer}: " if found.pointer else ""
        return f"The line is no event: {where}{found.detail}"
    if isinstance(error, msgspec.MsgspecError | UnicodeError | RecursionError):
        return "The line is no JSON."
    if isinstance(error, KeyError) and error.args:
        return f"The event names what is not there: {error.args[0]}."
    return "The event names what is not there."
