"""The tables, once for both databases.

Every table of a game has a key that starts with ``game_id``, so that PostgreSQL can partition by its hash.
Rooms and remembered answers are found by other keys, and therefore have tables of their own. There are no
foreign keys: rows of one append are written together, and a score sheet has commits without a game.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    and_,
)
from sqlalchemy.dialects.postgresql import UUID
from sqlalchemy.types import TypeEngine

metadata = MetaData(
    naming_convention={"pk": "pk_%(table_name)s", "ix": "ix_%(table_name)s_%(column_0_N_name)s"},
)


def _id() -> TypeEngine[str]:
    return String(36).with_variant(UUID(as_uuid=False), "postgresql")


commits = Table(
    "commits",
    metadata,
    Column("game_id", _id(), nullable=False),
    Column("commit_no", Integer, nullable=False),
    Column("first_seq", Integer, nullable=False),
    Column("last_seq", Integer, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("actor", Text, nullable=False),
    Column("key", Text),
    Column("body_hash", LargeBinary),
    Column("rules_version", Integer, nullable=False),
    Column("events", LargeBinary, nullable=False),
    PrimaryKeyConstraint("game_id", "commit_no"),
)
Index("ix_commits_seq", commits.c.game_id, commits.c.last_seq, unique=True)
Index(
    "ix_commits_key",
    commits.c.game_id,
    commits.c.actor,
    commits.c.key,
    unique=True,
    postgresql_where=commits.c.key.is_not(None),
    sqlite_where=commits.c.key.is_not(None),
)

games = Table(
    "games",
    metadata,
    Column("game_id", _id(), nullable=False),
    Column("variant", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("visibility", Text, nullable=False),
    Column("spectators", Text, nullable=False),
    Column("sandbox", Boolean, nullable=False),
    Column("room_code", Text),
    Column("created_at", BigInteger, nullable=False),
    Column("started_at", BigInteger),
    Column("ended_at", BigInteger),
    Column("host_seat", Integer),
    Column("external_id", Text),
    Column("rematch_of", Text),
    Column("rematch", Text),
    Column("summary", LargeBinary, nullable=False),
    Column("last_seq", Integer, nullable=False),
    PrimaryKeyConstraint("game_id"),
)
in_lobby = and_(games.c.visibility == "public", games.c.sandbox.is_(False))
Index("ix_games_status", games.c.status, games.c.game_id)

rooms = Table(
    "rooms",
    metadata,
    Column("code", Text, nullable=False),
    Column("game_id", _id(), nullable=False),
    PrimaryKeyConstraint("code"),
)

seats = Table(
    "seats",
    metadata,
    Column("game_id", _id(), nullable=False),
    Column("seat", Integer, nullable=False),
    Column("name", Text),
    Column("external_id", Text),
    PrimaryKeyConstraint("game_id", "seat"),
)

tokens = Table(
    "tokens",
    metadata,
    Column("game_id", _id(), nullable=False),
    Column("role", Text, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    PrimaryKeyConstraint("game_id", "role"),
)

wakeups = Table(
    "wakeups",
    metadata,
    Column("game_id", _id(), nullable=False),
    Column("kind", Text, nullable=False),
    Column("due_at", BigInteger, nullable=False),
    Column("expected_commit", Integer, nullable=False),
    Column("payload", LargeBinary, nullable=False),
    Column("leased_until", BigInteger),
    PrimaryKeyConstraint("game_id"),
)
Index("ix_wakeups_due_at", wakeups.c.due_at)

remembered = Table(
    "remembered",
    metadata,
    Column("scope", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("body_hash", LargeBinary, nullable=False),
    Column("answer", LargeBinary, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    PrimaryKeyConstraint("scope", "key"),
)
Index("ix_remembered_expires_at", remembered.c.expires_at)
