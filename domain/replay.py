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
from typing import Any, Literal, get_args

import msgspec
from msgspec import Struct

from domain import commands as cmd
from domain import events as ev
from domain.commands import Actor
from domain.decide import NewGame, NewSeat
from domain.evolve import NEW, evolve
from domain.shapes import Level
from domain.state import Match

FORMAT = 1

#: The version of an event type where it is no longer the first.  A type whose members change in a way
#: that old lines do not fit gets the next number here, and an upcaster from the last one below.
VERSIONS: dict[str, int] = {}

#: (type, version) → what makes the members of a line of that version those of the next one.
UPCASTERS: dict[tuple[str, int], Callable[[dict[str, Any]], dict[str, Any]]] = {}

_TAGS: dict[type, str] = {kind: str(kind.__struct_config__.tag) for kind in get_args(ev.Event)}
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
        missing = "The member type is missing."
        raise msgspec.ValidationError(f"There is no event type {_json(tag)}." if "type" in raw else missing)
    newest = VERSIONS.get(tag, 1)
    if isinstance(version, bool) or not isinstance(version, int) or not 1 <= version <= newest:
        raise msgspec.ValidationError(f"There is no version {_json(version)} of {tag}.")
    for old in range(version, newest):
        raw = UPCASTERS[tag, old](raw)
    return msgspec.convert(raw, ev.Event)


def _json(value: Any) -> str:
    return _encoder.encode(value).decode()


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
    first: ev.Event = commit[0]
    second: ev.Event | None = commit[1] if len(commit) > 1 else None
    if isinstance(first, ev.CallWindowClosed) and second is not None:
        first = second  # the first draw after the window closes it (FK-12)
    match first:
        case ev.GameCreated():
            return _new_game(first, commit), SERVER
        case ev.SeatTaken():
            return cmd.TakeSeat(first.seat, first.entropy), SERVER
        case ev.SeatLeft(reason="absent", bot=bot) if bot is not None:
            return cmd.Absent(first.seat, bot), SERVER
        case ev.SeatLeft():
            return cmd.Resign(), Actor(first.seat)
        case ev.SeatReturned():
            return cmd.Return(first.seat), SERVER
        case ev.GameStarted():
            seats = zip(first.seats, state.seats, strict=True)
            fill: Level | None = next((k.level for k, seat in seats if seat.kind == "open"), None)
            return cmd.Start(fill), Actor(host=True)
        case ev.GamePaused():
            return cmd.Pause(), _by(first, state)
        case ev.GameResumed():
            return cmd.Resume(), _by(first, state)
        case ev.GameCancelled(reason="expired"):
            return cmd.Expire(), SERVER
        case ev.GameCancelled():
            return cmd.Cancel(), Actor(host=first.reason == "host", operator=first.reason == "operator")
        case ev.TurnTimedOut():
            return cmd.TimeOut(), SERVER
        case ev.CallWindowClosed():
            return cmd.CloseWindow(), SERVER
        case ev.RummyCalled():
            thrown = second.card if isinstance(second, ev.CardDiscarded) else None
            return cmd.CallRummy(first.meld, thrown, first.position), Actor(first.seat)
        case _:
            return _play(first)


def _play(e: ev.Event) -> tuple[Any, Actor]:
    """What the seat to act did."""
    match e:
        case ev.CardDrawn():
            command = cmd.Draw(e.source, e.count)
        case ev.MeldLaid():
            command = cmd.Meld(e.cards, e.after.kind)
        case ev.CardsLaidOff():
            command = cmd.LayOff(e.meld, e.cards, e.position)
        case ev.WildSwapped():
            command = cmd.Swap(e.meld, e.card, e.wild)
        case ev.MeldSplit():
            command = cmd.Split(e.meld, e.split_at)
        case ev.CardDiscarded():
            command = cmd.Discard(e.card)
        case ev.HandDeclared():
            command = cmd.Declare(e.groups, e.discard)
        case ev.TurnPassed():
            command = cmd.Pass()
        case _:
            raise NoCommand(f"No command begins with {_TAGS[type(e)]}.")
    return command, Actor(e.seat)


def _new_game(e: ev.GameCreated, commit: Sequence[Any]) -> NewGame:
    """Creation: the entropies of seats created human stand in the commit's own ``seat_taken``."""
    entropy = {x.seat: x.entropy for x in commit if isinstance(x, ev.SeatTaken)}
    seats = tuple(NewSeat(x.kind, x.level, entropy.get(i, "")) for i, x in enumerate(e.seats))
    return NewGame(
        e.variant, e.seed or "", e.rules.options, seats, e.host_seat, e.start, e.visibility, e.spectators,
        e.setup, e.first, game_id=e.game_id,
    )  # fmt: skip


def _by(e: ev.GamePaused | ev.GameResumed, state: Match) -> Actor:
    """The seat that paused or resumed, or the host (who may be both)."""
    return Actor(e.by, host=e.by is None or e.by == state.host_seat)
