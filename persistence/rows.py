"""From structs to rows and back. A row is a tuple in the order of its table's columns.

Drivers may give an identifier as text or as a UUID object.

`pack` is where an append is checked for what a database could not hold, before it meets the appends of
others: one bad append must not fail the batch that it is gathered in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from msgspec import UNSET

from .store import Append, Commit, GameRow, Remember, SeatRow, TokenRow, Wakeup
from .values import from_ms, is_id, is_text, optional_at, optional_ms, to_ms

Row = tuple[Any, ...]

_INTEGER_LIMIT = 2**31
_INDEXED_TEXT_LIMIT = 500  # PostgreSQL cannot index values of more than some 2,700 bytes


class Packed(NamedTuple):
    """An append, checked and taken apart into rows."""

    game_id: str
    commit_no: int
    commit: Row
    game: Row | None
    seats: tuple[Row, ...]
    tokens: tuple[Row, ...]
    revoke: tuple[str, ...]  # without the roles that get another token
    wakeup: Row | None
    sleep: bool  # the wake-up is removed
    remember: Row | None
    at: int
    room: Row | None  # the room code is claimed, which the first commit of a game does
    link: Row | None  # (this game, the game it is the rematch of), claimed by the first commit as well

    @property
    def claims(self) -> bool:
        """Whether something beside the commit itself can be lost to another."""
        return self.remember is not None or self.room is not None or self.link is not None

    @property
    def sides(self) -> bool:
        """Whether rows other than the wake-up follow."""
        return bool(self.game or self.seats or self.tokens or self.revoke)


def _check_text(texts: Sequence[str | None], limit: int | None = None) -> None:
    for text in texts:
        if text is None:
            continue
        if not is_text(text):
            raise ValueError("text with a NUL character or half a surrogate pair cannot be stored")
        if limit is not None and len(text) > limit:
            raise ValueError(f"indexed text is limited to {limit} characters")


def _check_integers(values: Sequence[int | None]) -> None:
    for value in values:
        if value is not None and not 0 <= value < _INTEGER_LIMIT:
            raise ValueError(f"integer out of range: {value}")


def pack(append: Append) -> Packed:
    """Raises `ValueError` for what no store could hold."""
    c = append.commit
    if not is_id(c.game_id):
        raise ValueError(f"not an identifier: {c.game_id!r}")
    if not 0 < c.first_seq <= c.last_seq or c.commit_no < 1:
        raise ValueError(f"not a commit: number {c.commit_no}, events {c.first_seq} to {c.last_seq}")
    _check_integers((c.commit_no, c.last_seq, c.rules_version))
    _check_text((c.actor, c.key), _INDEXED_TEXT_LIMIT)
    at = to_ms(c.at)
    commit = (
        *(c.game_id, c.commit_no, c.first_seq, c.last_seq, at),
        *(c.actor, c.key, c.body_hash, c.rules_version, c.events),
    )
    for row in (append.game, *append.seats, *append.tokens, append.wakeup):
        if row is not None and row is not UNSET and row.game_id != c.game_id:
            raise ValueError("a row of another game")
    wakeup = append.wakeup
    game = append.game
    room = (game.room_code, c.game_id) if game and game.room_code is not None and c.commit_no == 1 else None
    link = (c.game_id, game.rematch_of) if game and game.rematch_of is not None and c.commit_no == 1 else None
    if link is not None and not is_id(link[1]):
        raise ValueError(f"not an identifier: {link[1]!r}")
    replaced = {token.role for token in append.tokens}
    return Packed(
        game_id=c.game_id,
        commit_no=c.commit_no,
        commit=commit,
        game=game_row(game) if game else None,
        seats=tuple({row.seat: seat_row(row) for row in append.seats}.values()),
        tokens=tuple({row.role: token_row(row) for row in append.tokens}.values()),
        revoke=tuple(role for role in append.revoke if role not in replaced),
        wakeup=wakeup_row(wakeup) if isinstance(wakeup, Wakeup) else None,
        sleep=wakeup is None,
        remember=remember_row(append.remember) if append.remember else None,
        at=at,
        room=room,
        link=link,
    )


def game_row(g: GameRow) -> Row:
    _check_integers((g.host_seat, g.last_seq))
    _check_text((g.variant, g.status, g.room_code), _INDEXED_TEXT_LIMIT)
    _check_text((g.visibility, g.spectators, g.external_id, g.rematch_of, g.rematch))
    return (
        *(g.game_id, g.variant, g.status, g.visibility, g.spectators, g.sandbox, g.room_code),
        *(to_ms(g.created_at), optional_ms(g.started_at), optional_ms(g.ended_at)),
        *(g.host_seat, g.external_id, g.rematch_of, g.rematch, g.summary, g.last_seq),
    )


def seat_row(s: SeatRow) -> Row:
    _check_integers((s.seat,))
    _check_text((s.name, s.external_id))
    return (s.game_id, s.seat, s.name, s.external_id)


def token_row(t: TokenRow) -> Row:
    _check_text((t.role,), _INDEXED_TEXT_LIMIT)
    return (t.game_id, t.role, t.hash)


def wakeup_row(w: Wakeup) -> Row:
    """The last column is the lease: a new wake-up has none."""
    _check_integers((w.expected_commit,))
    _check_text((w.kind,))
    return (w.game_id, w.kind, to_ms(w.due_at), w.expected_commit, w.payload, None)


def remember_row(r: Remember) -> Row:
    _check_text((r.scope, r.key), _INDEXED_TEXT_LIMIT)
    return (r.scope, r.key, r.body_hash, r.answer, to_ms(r.expires_at))


def to_commit(row: Sequence[Any]) -> Commit:
    game_id, commit_no, first_seq, last_seq, at, actor, key, body_hash, rules_version, events = row
    return Commit(
        *(str(game_id), commit_no, first_seq, last_seq, from_ms(at)),
        *(actor, key, body_hash, rules_version, events),
    )


def to_game(row: Sequence[Any]) -> GameRow:
    game_id, variant, status, visibility, spectators, sandbox, room_code, created, started, ended, *rest = row
    return GameRow(
        *(str(game_id), variant, status, visibility, spectators, bool(sandbox), room_code),
        *(from_ms(created), optional_at(started), optional_at(ended), *rest),
    )


def to_seat(row: Sequence[Any]) -> SeatRow:
    game_id, *rest = row
    return SeatRow(str(game_id), *rest)


def to_token(row: Sequence[Any]) -> TokenRow:
    game_id, *rest = row
    return TokenRow(str(game_id), *rest)


def to_wakeup(row: Sequence[Any]) -> Wakeup:
    game_id, kind, due_at, expected_commit, payload, _ = row
    return Wakeup(str(game_id), kind, from_ms(due_at), expected_commit, payload)


def to_remember(row: Sequence[Any]) -> Remember:
    scope, key, body_hash, answer, expires_at = row
    return Remember(scope, key, body_hash, answer, from_ms(expires_at))
