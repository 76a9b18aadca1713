"""Score sheets (SS-1): a second, tiny decider, for people who play with real cards.

A sheet is an event-sourced thing of its own beside the matches: ``decide(sheet, command, actor, at)``
gives events or raises ``Rejected``, ``evolve(sheet, event)`` the next state, ``view`` what everyone who
has the id may see.  A sheet has no secrets, so there is one view for all.

- Columns are numbered from 0 and never go away; rounds are numbered from 1.  A round exists as soon as one
  number stands in it, and a number may be written into any round that exists or into the next one, so a
  sheet has no empty rounds.  A column that has no number in a round keeps its total.
- A column's own token writes in that column, the host's in all.  Any token of the sheet adds a column or
  ends the sheet; the sheet's tokens are the invitation, since its id alone only lets one read.
- Highest total first: the target is reached at or above, equal totals share a place.
- To write what stands there already is no news: no event, so a repeated request changes nothing.
- A column's name is a person's and stands in no event.  The caller keeps the names beside the log, where
  they can be erased, and gives them to ``view``, null for one that was.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from domain.commands import Actor, Rejected
from domain.shapes import Fault, Time

#: Revision of this decider, recorded with every commit.
REVISION: Final = 1
MOST_COLUMNS: Final = 16
MOST_ROUNDS: Final = 1_000
#: Bound of a number and of a target, on both sides of zero.
BOUND: Final = 1_000_000

ColumnNo = Annotated[int, Meta(extra_json_schema={"minimum": 0, "maximum": MOST_COLUMNS - 1})]


# ---------------------------------------------------------------------- commands


class Create(Struct, frozen=True):
    """A new sheet with this many columns."""

    columns: int
    target: int | None = None


class Join(Struct, frozen=True):
    """One more column, to the right of the others."""


class Enter(Struct, frozen=True):
    """Write a number, or correct the one that is there."""

    round: int
    column: int
    value: int


class End(Struct, frozen=True):
    """Close the sheet and keep the standing."""


SheetCommand = Create | Join | Enter | End


# ------------------------------------------------------------------------ events


class SheetResult(Struct, frozen=True):
    """The standing of a sheet that has ended.

    ``places`` are column numbers, the highest total first, equal totals in one place; ``totals`` are the
    columns' totals in the order of the columns.
    """

    places: list[list[ColumnNo]]
    totals: list[int]


class _Event(Struct, frozen=True):
    seq: int
    commit: int
    at: Time


class SheetCreated(_Event, frozen=True, tag="sheet_created"):
    """A sheet with this many columns."""

    columns: int
    target: int | None


class ColumnJoined(_Event, frozen=True, tag="column_joined"):
    """One more column; ``by`` is the column whose token added it, null for the host."""

    column: ColumnNo
    by: ColumnNo | None


class ScoreEntered(_Event, frozen=True, tag="score_entered"):
    """A number, and the one that it replaces: null where there was none."""

    round: int
    column: ColumnNo
    value: int
    before: int | None
    by: ColumnNo | None


class SheetEnded(_Event, frozen=True, tag="sheet_ended"):
    """The standing as it is kept."""

    result: SheetResult
    by: ColumnNo | None


SheetEvent = SheetCreated | ColumnJoined | ScoreEntered | SheetEnded


# ------------------------------------------------------------------------- state


class Sheet(Struct, frozen=True):
    """The state.  ``rounds`` has one number or None a column in each round; ``version`` counts events."""

    version: int = 0
    commit: int = 0
    at: str = ""
    created_at: str = ""
    ended_at: str | None = None
    target: int | None = None
    columns: int = 0
    rounds: tuple[tuple[int | None, ...], ...] = ()
    result: SheetResult | None = None


NEW: Final = Sheet()


def evolve(sheet: Sheet, event: SheetEvent) -> Sheet:
    """The state after one more event.  Nothing is decided here."""
    now = replace(sheet, version=event.seq, commit=event.commit, at=event.at)
    match event:
        case SheetCreated():
            return replace(now, created_at=event.at, columns=event.columns, target=event.target)
        case ColumnJoined():
            return replace(
                now, columns=event.column + 1, rounds=tuple((*row, None) for row in sheet.rounds)
            )
        case ScoreEntered():
            at, rows = event.round - 1, sheet.rounds
            row = rows[at] if at < len(rows) else (None,) * sheet.columns
            row = (*row[: event.column], event.value, *row[event.column + 1 :])
            return replace(now, rounds=(*rows[:at], row, *rows[at + 1 :]))
        case SheetEnded():
            return replace(now, ended_at=event.at, result=event.result)


def fold(events: Iterable[SheetEvent], sheet: Sheet = NEW) -> Sheet:
    """The state after all of these events."""
    for event in events:
        sheet = evolve(sheet, event)
    return sheet


# ---------------------------------------------------------------------- deciding


def decide(sheet: Sheet, command: SheetCommand, actor: Actor, at: str) -> list[SheetEvent]:
    """The events that a command causes: one, or none when it would change nothing.

    ``actor.seat`` is the column that the caller's token belongs to.  ``at`` is the clock; time never runs
    backwards in a sheet.  Raises ``Rejected`` in this order: shape (``request.invalid``), authority
    (``auth.required``; ``not_found`` for a column that is not there, ``auth.host_only`` for another's),
    an ended sheet (``game.not_playing``), a round beyond the next (``not_found``) or no room for a column
    (``game.full``).
    """
    stamp = (sheet.version + 1, sheet.commit + 1, max(at, sheet.at))
    if isinstance(command, Create):
        faults: list[Fault] = []
        if not 1 <= command.columns <= MOST_COLUMNS:
            faults.append(_fault("#/columns", f"A sheet has 1 to {MOST_COLUMNS} columns."))
        if command.target is not None and abs(command.target) > BOUND:
            faults.append(_fault("#/target", _bounds("A target")))
        _refuse_faults(faults)
        return [SheetCreated(*stamp, command.columns, command.target)]

    by = actor.seat
    if isinstance(command, Enter) and abs(command.value) > BOUND:
        _refuse_faults([_fault("#/value", _bounds("A number"))])
    if by is None and not actor.host:
        raise Rejected("auth.required", "This needs one of the sheet's own tokens.", "SS-1")
    if isinstance(command, Enter):
        if not 0 <= command.column < sheet.columns:
            raise Rejected("not_found", "The sheet has no such column.", "SS-1")
        if not actor.host and by != command.column:
            raise Rejected("auth.host_only", "Only the host writes in the columns of others.", "SS-1")
    if sheet.result is not None:
        raise Rejected("game.not_playing", "The sheet has ended.", "SS-1")

    if isinstance(command, Join):
        if sheet.columns >= MOST_COLUMNS:
            raise Rejected("game.full", f"A sheet has at most {MOST_COLUMNS} columns.", "SS-1")
        return [ColumnJoined(*stamp, sheet.columns, by)]
    if isinstance(command, Enter):
        if not 1 <= command.round <= min(len(sheet.rounds) + 1, MOST_ROUNDS):
            raise Rejected("not_found", _next_round(sheet), "SS-1")
        before = _number(sheet, command.round, command.column)
        if before == command.value:
            return []
        return [ScoreEntered(*stamp, command.round, command.column, command.value, before, by)]
    return [SheetEnded(*stamp, standing(sheet), by)]


def _number(sheet: Sheet, round_no: int, column: int) -> int | None:
    return sheet.rounds[round_no - 1][column] if round_no <= len(sheet.rounds) else None


def _next_round(sheet: Sheet) -> str:
    if len(sheet.rounds) >= MOST_ROUNDS:
        return f"The sheet's rounds are 1 to {MOST_ROUNDS}: it is full."
    return f"The next round of the sheet is {len(sheet.rounds) + 1}."


def _bounds(what: str) -> str:
    return f"{what} is a whole number from {-BOUND} to {BOUND}."


def _fault(pointer: str, detail: str) -> Fault:
    return Fault(pointer, "request.invalid", detail, "SS-1")


def _refuse_faults(faults: list[Fault]) -> None:
    if faults:
        raise Rejected("request.invalid", " ".join(dict.fromkeys(f.detail for f in faults)), errors=faults)


# ------------------------------------------------------------------------ reading


def running_totals(sheet: Sheet) -> list[list[int]]:
    """For each round every column's total after it."""
    totals: list[list[int]] = []
    last = [0] * sheet.columns
    for row in sheet.rounds:
        last = [total + (number or 0) for total, number in zip(last, row, strict=True)]
        totals.append(last)
    return totals


def standing(sheet: Sheet) -> SheetResult:
    """Places and totals as of now."""
    totals = (running_totals(sheet) or [[0] * sheet.columns])[-1]
    places = [
        [column for column, total in enumerate(totals) if total == height]
        for height in sorted(set(totals), reverse=True)
    ]
    return SheetResult(places, totals)


class SheetColumn(Struct, frozen=True):
    """A column: its number, its person's name (null once erased), its total so far."""

    column: ColumnNo
    name: str | None
    total: int


class Scoresheet(Struct, frozen=True):
    """A score sheet (SS-1), the same for everyone who has its id.

    ``rounds`` has one list a round with one number a column, null where none is entered; ``totals`` the
    running totals in the same arrangement, a column without a number keeping its total.  ``reached`` are
    the columns with a number whose total is at or above ``target``, the highest first.  ``result`` is
    null until the sheet has ended.  ``version`` counts what has happened to the sheet.
    """

    scoresheet_id: Annotated[str, Meta(extra_json_schema={"format": "uuid"})]
    status: Literal["open", "ended"]
    version: int
    columns: list[SheetColumn]
    rounds: list[list[int | None]]
    totals: list[list[int]]
    target: int | None
    reached: list[ColumnNo]
    result: SheetResult | None
    created_at: Time
    ended_at: Time | None


def view(sheet: Sheet, scoresheet_id: str, names: Sequence[str | None]) -> Scoresheet:
    """The sheet as its readers get it; ``names`` are the columns' names, in order."""
    totals = running_totals(sheet)
    last = totals[-1] if totals else [0] * sheet.columns
    target = sheet.target
    written = [any(row[column] is not None for row in sheet.rounds) for column in range(sheet.columns)]
    return Scoresheet(
        scoresheet_id=scoresheet_id,
        status="open" if sheet.result is None else "ended",
        version=sheet.version,
        columns=[SheetColumn(c, names[c], last[c]) for c in range(sheet.columns)],
        rounds=[list(row) for row in sheet.rounds],
        totals=totals,
        target=target,
        reached=sorted(
            (c for c in range(sheet.columns) if target is not None and written[c] and last[c] >= target),
            key=lambda c: -last[c],
        ),
        result=sheet.result,
        created_at=sheet.created_at,
        ended_at=sheet.ended_at,
    )
