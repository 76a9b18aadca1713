"""The statements, built once with SQLAlchemy Core and then run straight on the drivers.

Running a statement through SQLAlchemy costs several times what SQLite or asyncpg need for it, so each store
compiles these to text when it is made. Only PostgreSQL's batched append is not here: see `postgres_sql`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import (
    BigInteger,
    Dialect,
    Table,
    Text,
    bindparam,
    delete,
    exists,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql.asyncpg import dialect as asyncpg_dialect
from sqlalchemy.sql.base import Executable
from sqlalchemy.sql.elements import BindParameter, ClauseElement

from .schema import commits, games, in_lobby, remembered, rooms, seats, tokens, wakeups

# PostgreSQL takes NULL for "no limit", SQLite -1; this number both take.
NO_LIMIT = 2**31 - 1


class Query:
    """A statement's text, and the order in which it wants its parameters."""

    __slots__ = ("_constants", "names", "text")

    def __init__(self, statement: Executable, dialect: Dialect) -> None:
        assert isinstance(statement, ClauseElement)
        compiled: Any = statement.compile(dialect=dialect)
        self.text = str(compiled)
        self.names: tuple[str, ...] = tuple(compiled.positiontup)
        params: Mapping[str, Any] = compiled.params
        self._constants = {name: value for name, value in params.items() if value is not None}

    def args(self, **values: Any) -> tuple[Any, ...]:
        given = {**self._constants, **values}
        return tuple(given[name] for name in self.names)


def sqlite_dialect() -> Dialect:
    return sqlite.dialect(paramstyle="qmark")


def postgres_dialect() -> Dialect:
    return asyncpg_dialect()


def _columns(table: Table) -> list[BindParameter[Any]]:
    return [bindparam(column.name, type_=column.type) for column in table.c]


_GAME = bindparam("game_id", type_=commits.c.game_id.type)


class Statements:
    """All statements of one store. Those that write a whole row take the row's tuple as it is."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._insert: Any = sqlite.insert if dialect.name == "sqlite" else postgresql.insert
        q = self._query
        c = commits.c
        self.health = q(select(c.commit_no).limit(bindparam("limit")))
        self.head = q(select(func.max(c.commit_no)).where(c.game_id == _GAME))
        self.commits = q(
            select(commits)
            .where(c.game_id == _GAME, c.commit_no > bindparam("after"))
            .order_by(c.commit_no)
            .limit(bindparam("limit"))
        )
        self.covering = q(
            select(commits)
            .where(c.game_id == _GAME, c.last_seq > bindparam("after"), c.first_seq <= bindparam("until"))
            .order_by(c.last_seq)
            .limit(bindparam("limit"))
        )
        self.commit_at = q(
            select(commits)
            .where(c.game_id == _GAME, c.last_seq >= bindparam("seq"))
            .order_by(c.last_seq)
            .limit(bindparam("limit"))
        )
        self.by_key = q(
            select(commits).where(
                c.game_id == _GAME, c.actor == bindparam("actor"), c.key == bindparam("key")
            )
        )
        self.game = q(select(games).where(games.c.game_id == _GAME))
        self.by_room_code = q(
            select(games)
            .join(rooms, rooms.c.game_id == games.c.game_id)
            .where(rooms.c.code == bindparam("code"))
        )
        self.seats = q(select(seats).where(seats.c.game_id == _GAME).order_by(seats.c.seat))
        self.tokens = q(select(tokens).where(tokens.c.game_id == _GAME).order_by(tokens.c.role))
        self._lobby: dict[tuple[bool, bool, bool], Query] = {}
        self._wakeups(q)
        self._answers(q)
        self._rows(q)

    def _query(self, statement: Executable) -> Query:
        return Query(statement, self._dialect)

    def lobby(self, *, status: bool, variant: bool, after: bool) -> Query:
        """A statement that filters by exactly what is asked for, so that each has the plan it deserves."""
        wanted = (status, variant, after)
        if wanted not in self._lobby:
            statement = select(games).where(in_lobby)
            if status:
                statement = statement.where(games.c.status == bindparam("status"))
            if variant:
                statement = statement.where(games.c.variant == bindparam("variant"))
            if after:
                statement = statement.where(games.c.game_id < bindparam("after"))
            statement = statement.order_by(games.c.game_id.desc()).limit(bindparam("limit"))
            self._lobby[wanted] = self._query(statement)
        return self._lobby[wanted]

    def _wakeups(self, q: Any) -> None:
        w = wakeups.c
        now = bindparam("now", type_=BigInteger)
        due = select(wakeups).where(w.due_at <= now).order_by(w.due_at, w.game_id)
        self.due = q(due.limit(bindparam("limit")))
        free = (
            select(w.game_id)
            .where(w.due_at <= now, or_(w.leased_until.is_(None), w.leased_until <= now))
            .order_by(w.due_at, w.game_id)
            .limit(bindparam("limit"))
            .with_for_update(skip_locked=True)
        )
        self.claim = q(
            update(wakeups)
            .where(w.game_id.in_(free))
            .values(leased_until=bindparam("lease_until", type_=BigInteger))
            .returning(*w)
        )
        self.next_due = q(select(func.min(w.due_at)))
        self.put_wakeup = q(self._upsert(wakeups))
        self.drop_wakeup = q(delete(wakeups).where(w.game_id == _GAME))

    def _answers(self, q: Any) -> None:
        r = remembered.c
        now = bindparam("now", type_=BigInteger)
        self.recall = q(
            select(remembered).where(
                r.scope == bindparam("scope"), r.key == bindparam("key"), r.expires_at > now
            )
        )
        self.remember = q(self._upsert(remembered, where=r.expires_at <= now).returning(r.key))
        self.forget = q(delete(remembered).where(r.expires_at <= now))

    def _rows(self, q: Any) -> None:
        self.put_game = q(self._upsert(games))
        self.put_seat = q(self._upsert(seats))
        self.put_token = q(self._upsert(tokens))
        self.drop_token = q(
            delete(tokens).where(tokens.c.game_id == _GAME, tokens.c.role == bindparam("role", type_=Text))
        )
        self.claim_room = q(
            self._insert(rooms).values(_named(rooms)).on_conflict_do_nothing().returning(rooms.c.code)
        )
        self.claim_link = q(
            update(games)
            .values(rematch=bindparam("rematch", type_=Text))
            .where(games.c.game_id == _GAME, games.c.rematch.is_(None))
            .returning(games.c.game_id)
        )
        c = commits.c
        before = exists().where(
            c.game_id == _GAME,
            c.commit_no == bindparam("commit_no", type_=c.commit_no.type) - 1,
            c.last_seq == bindparam("first_seq", type_=c.first_seq.type) - 1,
        )
        first = bindparam("commit_no", type_=c.commit_no.type) == 1
        self.put_commit = q(
            self._insert(commits)
            .from_select([column.name for column in c], select(*_columns(commits)).where(or_(first, before)))
            .on_conflict_do_nothing()
        )

    def _upsert(self, table: Table, where: Any = None) -> Any:
        statement = self._insert(table).values(_named(table))
        keys = [column.name for column in table.primary_key]
        others = [column.name for column in table.c if column.name not in keys]
        return statement.on_conflict_do_update(
            index_elements=keys, set_={name: statement.excluded[name] for name in others}, where=where
        )


def _named(table: Table) -> dict[str, BindParameter[Any]]:
    return {column.name: bindparam(column.name, type_=column.type) for column in table.c}
