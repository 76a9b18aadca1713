"""Logs: how events stand in one, how they are read back, and which command a commit stands for.

A log is NDJSON: a header, then one event a line.  A line is the event as its struct is written, with
``v``, the version of its type, in front; the order of members is that of the structs, so the same
event always gives the same bytes.  A line that an older release wrote is brought up to date when it is
read (``UPCASTERS``), so that every log folds for ever.

One command is one commit.  Its first event stands one-to-one for the command in its normal form, with
wilds written out and positions named; what follows in the commit are consequences.  ``command_of`` is
the way back: what it gives, decided again, must bring about the same events (``domain.verify``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from domain import commands as cmd
from domain import events as ev
from domain.commands import Actor
from domain.decide import NewGame, NewSeat
from domain.state import NEW, Match, evolve

FORMAT = 1

#: The version of an event type where it is no longer the first.  A type whose members change in a way
#: that old lines do not fit gets the next number here, and an upcaster from the last one below.
VERSIONS: dict[str, int] = {}

#: (type, version) → what makes the members of a line of that version those of the next one.
UPCASTERS: dict[tuple[str, int], Callable[[dict[str, Any]], dict[str, Any]]] = {}

_TAGS: dict[type, str] = {kind: kind.__struct_config__.tag for kind in ev.Event.__args__}
_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[ev.Event] = msgspec.json.Decoder(ev.Event)
_START = {kind: b'{"v":%d,' % VERSIONS.get(tag, 1) for kind, tag in _TAGS.items()}
#: How the lines of today begin, up to the comma after the type.
_TODAY = frozenset(
    b'{"v":%d,"type":"%s"' % (VERSIONS.get(tag, 1), tag.encode()) for tag in _TAGS.values()
)


# ------------------------------------------------------------------ lines of events


def encode_event(event: Any) -> bytes:
    """An event as a log holds it: one line, without its newline."""
    return _START[type(event)] + _encoder.encode(event)[1:]


def decode_event(line: bytes) -> Any:
    """The event of a line that this or an older release wrote.

    Raises ``msgspec.MsgspecError`` where the line is no event, or of a version that is yet to come.
    """
    if line[: line.find(b",", 8)] in _TODAY:
        return _decoder.decode(line)
    raw = msgspec.json.decode(line, type=dict[str, Any])
    tag, version = raw.get("type"), raw.pop("v", None)
    if not isinstance(tag, str) or tag not in _TAGS.values():
        raise msgspec.ValidationError(f"There is no event type {tag!r}.")
    newest = VERSIONS.get(tag, 1)
    if isinstance(version, bool) or not isinstance(version, int) or not 1 <= version <= newest:
        raise msgspec.ValidationError(f"There is no version {version!r} of {tag}.")
    for old in range(version, newest):
        raw = UPCASTERS[tag, old](raw)
    return msgspec.convert(raw, ev.Event)


def fold(events: Iterable[Any], state: Match = NEW) -> Match:
    """The state after these events."""
    for event in events:
        state = evolve(state, event)
    return state


# ---------------------------------------------------------------------- whole logs


class Header(Struct, frozen=True, forbid_unknown_fields=True, tag="log"):
    """The first line of a log.

    ``chain`` is the SHA-256 of all event lines as they stand below, each with its newline: it finds
    damage, it is no signature.
    """

    format: Literal[1]
    game_id: str
    variant: str
    rules_version: int
    commitment: str
    sandbox: bool
    events: int
    chain: str


def header(game_id: str, created: ev.GameCreated, lines: Iterable[bytes]) -> bytes:
    """The header line, with its newline, of a log with these event lines (given without newlines)."""
    chain = hashlib.sha256()
    number = 0
    for line in lines:
        chain.update(line)
        chain.update(b"\n")
        number += 1
    return _encoder.encode(
        Header(FORMAT, game_id, created.variant, created.rules_version, created.commitment, created.sandbox,
               number, chain.hexdigest())
    ) + b"\n"  # fmt: skip


def export(game_id: str, events: Sequence[Any]) -> Iterator[bytes]:
    """A game's log, line by line, each with its newline: the header, then every event."""
    lines = [encode_event(e) for e in events]
    yield header(game_id, events[0], lines)
    for line in lines:
        yield line + b"\n"


# ------------------------------------------------------------------ commits → commands

SERVER = Actor(server=True)


class NoCommand(Exception):
    """No command begins with such an event."""


def command_of(commit: Sequence[Any], state: Match) -> tuple[Any, Actor]:
    """The command, in its normal form, that a commit stands for, and who sent it.

    ``state`` is the match before the commit.  Raises ``NoCommand`` where no command begins like this.
    """
    first = commit[0]
    if type(first) is ev.CallWindowClosed and len(commit) > 1:
        first = commit[1]  # the first draw after the window closes it (FK-12)
    read = _COMMANDS.get(type(first))
    if read is None:
        raise NoCommand(f"No command begins with {_TAGS[type(first)]}.")
    return read(first, commit, state)


Read = tuple[Any, Actor]


def _new_game(e: ev.GameCreated, commit: Sequence[Any], state: Match) -> Read:
    """Creation: the entropies of seats created human stand in the commit's own ``seat_taken``."""
    del state
    entropy = {x.seat: x.entropy for x in commit if type(x) is ev.SeatTaken}
    seats = tuple(NewSeat(x.kind, x.level, entropy.get(i, "")) for i, x in enumerate(e.seats))
    return NewGame(
        e.variant, e.seed or "", e.rules.options, seats, e.host_seat, e.start, e.visibility, e.spectators,
        e.setup, e.first,
    ), SERVER  # fmt: skip


def _start(e: ev.GameStarted, commit: Sequence[Any], state: Match) -> Read:
    del commit
    filled = [k.level for k, seat in zip(e.seats, state.seats, strict=True) if seat.kind == "open"]
    return cmd.Start(filled[0] if filled else None), Actor(host=True)


def _seat_left(e: ev.SeatLeft, commit: Sequence[Any], state: Match) -> Read:
    del commit, state
    if e.reason == "absent":
        return cmd.Absent(e.seat, e.bot), SERVER  # type: ignore[arg-type]
    return cmd.Resign(), Actor(e.seat)


def _call(e: ev.RummyCalled, commit: Sequence[Any], state: Match) -> Read:
    del state
    thrown = commit[1] if len(commit) > 1 else None
    discard = thrown.card if type(thrown) is ev.CardDiscarded and thrown.seat == e.seat else None
    return cmd.CallRummy(e.meld, discard, e.position), Actor(e.seat)


def _by(e: ev.GamePaused | ev.GameResumed, state: Match) -> Actor:
    return Actor(e.by, host=e.by is None or e.by == state.host_seat)


def _cancel(e: ev.GameCancelled, commit: Sequence[Any], state: Match) -> Read:
    del commit, state
    if e.reason == "expired":
        return cmd.Expire(), SERVER
    return cmd.Cancel(), Actor(host=e.reason == "host", operator=e.reason == "operator")


_COMMANDS: dict[type, Callable[[Any, Sequence[Any], Match], Read]] = {
    ev.GameCreated: _new_game,
    ev.SeatTaken: lambda e, c, s: (cmd.TakeSeat(e.seat, e.entropy), SERVER),
    ev.SeatLeft: _seat_left,
    ev.SeatReturned: lambda e, c, s: (cmd.Return(e.seat), SERVER),
    ev.GameStarted: _start,
    ev.CardDrawn: lambda e, c, s: (cmd.Draw(e.source, e.count), Actor(e.seat)),
    ev.MeldLaid: lambda e, c, s: (cmd.Meld(e.cards, e.after.kind), Actor(e.seat)),
    ev.CardsLaidOff: lambda e, c, s: (cmd.LayOff(e.meld, e.cards, e.position), Actor(e.seat)),
    ev.WildSwapped: lambda e, c, s: (cmd.Swap(e.meld, e.card, e.wild), Actor(e.seat)),
    ev.MeldSplit: lambda e, c, s: (cmd.Split(e.meld, e.split_at), Actor(e.seat)),
    ev.CardDiscarded: lambda e, c, s: (cmd.Discard(e.card), Actor(e.seat)),
    ev.RummyCalled: _call,
    ev.CallWindowClosed: lambda e, c, s: (cmd.CloseWindow(), SERVER),
    ev.HandDeclared: lambda e, c, s: (cmd.Declare(e.groups, e.discard), Actor(e.seat)),
    ev.TurnPassed: lambda e, c, s: (cmd.Pass(), Actor(e.seat)),
    ev.TurnTimedOut: lambda e, c, s: (cmd.TimeOut(), SERVER),
    ev.GamePaused: lambda e, c, s: (cmd.Pause(), _by(e, s)),
    ev.GameResumed: lambda e, c, s: (cmd.Resume(), _by(e, s)),
    ev.GameCancelled: _cancel,
}
