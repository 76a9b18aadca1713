"""PostgreSQL's append: a whole batch in one statement, so in one round trip and with one fsync.

The rows of a batch arrive as one array a column. ``won`` inserts the commits in the order of their games,
so that two servers with the same games in their batches wait for each other in one order and never in a
circle. A commit that is there already, or whose predecessor is not, is simply absent from ``won``; the
other tables take only the rows of games that are present. A statement sees one snapshot, so a batch holds
at most one append a game.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Table

from . import schema
from .rows import Packed, Row
from .sql import postgres_dialect


class Shape(enum.Enum):
    """How much of the statement a batch needs: every part costs something even when it has no rows."""

    PLAIN = "plain"  # commits alone
    WAKING = "waking"  # and wake-ups
    FULL = "full"  # and everything else


def shape(batch: Sequence[Packed]) -> Shape:
    if any(append.sides for append in batch):
        return Shape.FULL
    if any(append.wakeup or append.sleep for append in batch):
        return Shape.WAKING
    return Shape.PLAIN


class _Text:
    """Collects the statement and numbers its parameters."""

    def __init__(self) -> None:
        self._parameters = 0

    def array(self, type_name: str) -> str:
        self._parameters += 1
        return f"${self._parameters}::{type_name}[]"

    def rows(self, table: Table) -> str:
        dialect = postgres_dialect()
        arrays = ", ".join(self.array(column.type.compile(dialect)) for column in table.c)
        return f"unnest({arrays}) AS r({_names(table)})"

    def upsert(self, table: Table) -> str:
        keys = [column.name for column in table.primary_key]
        changes = ", ".join(f"{c.name} = excluded.{c.name}" for c in table.c if c.name not in keys)
        return (
            f"INSERT INTO {table.name} ({_names(table)}) SELECT * FROM {self.rows(table)} "
            f"WHERE r.game_id IN (SELECT game_id FROM won) "
            f"ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {changes}"
        )


def _names(table: Table) -> str:
    return ", ".join(column.name for column in table.c)


def statement(wanted: Shape) -> str:
    text = _Text()
    # CASE, and a scalar subquery rather than EXISTS: both keep the planner from reading the whole table once
    # instead of one index entry a row.
    won = (
        f"won AS (INSERT INTO commits ({_names(schema.commits)}) "
        f"SELECT * FROM {text.rows(schema.commits)} "
        "WHERE CASE WHEN r.commit_no = 1 THEN true ELSE r.first_seq - 1 = (SELECT p.last_seq FROM commits p "
        "WHERE p.game_id = r.game_id AND p.commit_no = r.commit_no - 1) END "
        "ORDER BY r.game_id ON CONFLICT DO NOTHING RETURNING game_id)"
    )
    parts = [won]
    if wanted is not Shape.PLAIN:
        parts.append(f"woken AS ({text.upsert(schema.wakeups)})")
        parts.append(
            f"asleep AS (DELETE FROM wakeups WHERE game_id = ANY({text.array('uuid')}) "
            "AND game_id IN (SELECT game_id FROM won))"
        )
    if wanted is Shape.FULL:
        replaced = (schema.games, schema.seats, schema.tokens)
        parts += [f"new_{table.name} AS ({text.upsert(table)})" for table in replaced]
        parts.append(
            f"revoked AS (DELETE FROM tokens t USING unnest({text.array('uuid')}, {text.array('text')}) "
            "AS r(game_id, role) WHERE t.game_id = r.game_id AND t.role = r.role "
            "AND r.game_id IN (SELECT game_id FROM won))"
        )
    return f"WITH {', '.join(parts)} SELECT game_id FROM won"


def arguments(batch: Sequence[Packed], wanted: Shape) -> list[Any]:
    values = _turned(schema.commits, [append.commit for append in batch])
    if wanted is not Shape.PLAIN:
        values += _turned(schema.wakeups, [append.wakeup for append in batch if append.wakeup])
        values.append([append.game_id for append in batch if append.sleep])
    if wanted is Shape.FULL:
        values += _turned(schema.games, [append.game for append in batch if append.game])
        values += _turned(schema.seats, [row for append in batch for row in append.seats])
        values += _turned(schema.tokens, [row for append in batch for row in append.tokens])
        revoked = [(append.game_id, role) for append in batch for role in append.revoke]
        values += [[game_id for game_id, _ in revoked], [role for _, role in revoked]]
    return values


def _turned(table: Table, rows: Sequence[Row]) -> list[Any]:
    """Rows to columns; no rows are as many empty columns."""
    return list(zip(*rows, strict=True)) if rows else [()] * len(table.c)
