"""The tables of the first release. A migration is history: it does not import the schema of today."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import UUID
from sqlalchemy.types import TypeEngine

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def _id() -> TypeEngine[str]:
    return sa.String(36).with_variant(UUID(as_uuid=False), "postgresql")


def upgrade() -> None:
    op.create_table(
        "commits",
        sa.Column("game_id", _id(), nullable=False),
        sa.Column("commit_no", sa.Integer, nullable=False),
        sa.Column("first_seq", sa.Integer, nullable=False),
        sa.Column("last_seq", sa.Integer, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("key", sa.Text),
        sa.Column("body_hash", sa.LargeBinary),
        sa.Column("rules_version", sa.Integer, nullable=False),
        sa.Column("events", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("game_id", "commit_no", name="pk_commits"),
    )
    op.create_index("ix_commits_seq", "commits", ["game_id", "last_seq"], unique=True)
    op.create_index(
        "ix_commits_key",
        "commits",
        ["game_id", "actor", "key"],
        unique=True,
        postgresql_where=sa.text("key IS NOT NULL"),
        sqlite_where=sa.text("key IS NOT NULL"),
    )
    op.create_table(
        "games",
        sa.Column("game_id", _id(), nullable=False),
        sa.Column("variant", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("visibility", sa.Text, nullable=False),
        sa.Column("spectators", sa.Text, nullable=False),
        sa.Column("sandbox", sa.Boolean, nullable=False),
        sa.Column("room_code", sa.Text),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("started_at", sa.BigInteger),
        sa.Column("ended_at", sa.BigInteger),
        sa.Column("host_seat", sa.Integer),
        sa.Column("external_id", sa.Text),
        sa.Column("rematch_of", sa.Text),
        sa.Column("rematch", sa.Text),
        sa.Column("summary", sa.LargeBinary, nullable=False),
        sa.Column("last_seq", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("game_id", name="pk_games"),
    )
    op.create_index("ix_games_status", "games", ["status", "game_id"])
    op.create_table(
        "rooms",
        sa.Column("code", sa.Text, nullable=False),
        sa.Column("game_id", _id(), nullable=False),
        sa.PrimaryKeyConstraint("code", name="pk_rooms"),
    )
    op.create_table(
        "seats",
        sa.Column("game_id", _id(), nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("name", sa.Text),
        sa.Column("external_id", sa.Text),
        sa.PrimaryKeyConstraint("game_id", "seat", name="pk_seats"),
    )
    op.create_table(
        "tokens",
        sa.Column("game_id", _id(), nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("game_id", "role", name="pk_tokens"),
    )
    op.create_table(
        "wakeups",
        sa.Column("game_id", _id(), nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("due_at", sa.BigInteger, nullable=False),
        sa.Column("expected_commit", sa.Integer, nullable=False),
        sa.Column("payload", sa.LargeBinary, nullable=False),
        sa.Column("leased_until", sa.BigInteger),
        sa.PrimaryKeyConstraint("game_id", name="pk_wakeups"),
    )
    op.create_index("ix_wakeups_due_at", "wakeups", ["due_at"])
    op.create_table(
        "remembered",
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("body_hash", sa.LargeBinary, nullable=False),
        sa.Column("answer", sa.LargeBinary, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("scope", "key", name="pk_remembered"),
    )
    op.create_index("ix_remembered_expires_at", "remembered", ["expires_at"])
