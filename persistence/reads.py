"""Everything that only reads, the same for every store. A store says how one statement is run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from . import rows
from .sql import NO_LIMIT, Query, Statements
from .store import Commit, Counters, GameRow, Remember, SeatRow, TokenRow, Wakeup
from .values import from_ms, is_id, is_text, to_ms


def _number(value: int) -> int:
    """A caller's number, brought into what a column can hold; beyond that there are no rows anyway."""
    return min(max(value, 0), NO_LIMIT)


class Reads(ABC):
    """Needs `_sql` and `counters` from the store that inherits it."""

    _sql: Statements
    counters: Counters

    @abstractmethod
    async def _fetch(self, query: Query, **values: Any) -> Sequence[Sequence[Any]]:
        """Run a statement that changes nothing, outside every transaction. Raises `StoreUnavailable`."""

    async def _of_game(self, query: Query, game_id: str, **values: Any) -> Sequence[Sequence[Any]]:
        if not is_id(game_id):
            return ()
        return await self._fetch(query, game_id=game_id, **values)

    async def health(self) -> None:
        await self._fetch(self._sql.health, limit=1)

    async def head(self, game_id: str) -> int | None:
        found = await self._of_game(self._sql.head, game_id)
        return found[0][0] if found else None

    async def commits(self, game_id: str, after: int = 0, limit: int | None = None) -> list[Commit]:
        most = NO_LIMIT if limit is None else _number(limit)
        found = await self._of_game(self._sql.commits, game_id, after=_number(after), limit=most)
        return [rows.to_commit(row) for row in found]

    async def commits_covering(self, game_id: str, after_seq: int, limit_events: int) -> list[Commit]:
        after, most = _number(after_seq), _number(limit_events)
        until = _number(after + most)
        # A commit has at least one event, so that many events lie in at most that many commits.
        found = await self._of_game(self._sql.covering, game_id, after=after, until=until, limit=most)
        return [rows.to_commit(row) for row in found]

    async def commit_at(self, game_id: str, seq: int) -> Commit | None:
        if seq < 1:
            return None
        found = await self._of_game(self._sql.commit_at, game_id, seq=_number(seq), limit=1)
        return rows.to_commit(found[0]) if found else None

    async def by_key(self, game_id: str, actor: str, key: str) -> Commit | None:
        if not (is_text(actor) and is_text(key)):
            return None
        found = await self._of_game(self._sql.by_key, game_id, actor=actor, key=key)
        return rows.to_commit(found[0]) if found else None

    async def game(self, game_id: str) -> GameRow | None:
        found = await self._of_game(self._sql.game, game_id)
        return rows.to_game(found[0]) if found else None

    async def games(
        self,
        status: str | None = None,
        variant: str | None = None,
        after: str | None = None,
        limit: int = 50,
    ) -> list[GameRow]:
        if not is_text(f"{status}{variant}") or (after is not None and not is_id(after)):
            return []
        asked = {"status": status, "variant": variant, "after": after}
        values = {name: value for name, value in asked.items() if value is not None}
        query = self._sql.lobby(**{name: value is not None for name, value in asked.items()})
        found = await self._fetch(query, **values, limit=_number(limit))
        return [rows.to_game(row) for row in found]

    async def by_room_code(self, code: str) -> GameRow | None:
        found = await self._fetch(self._sql.by_room_code, code=code) if is_text(code) else ()
        return rows.to_game(found[0]) if found else None

    async def seats(self, game_id: str) -> list[SeatRow]:
        return [rows.to_seat(row) for row in await self._of_game(self._sql.seats, game_id)]

    async def tokens(self, game_id: str) -> list[TokenRow]:
        return [rows.to_token(row) for row in await self._of_game(self._sql.tokens, game_id)]

    async def due(self, now: str, limit: int) -> list[Wakeup]:
        found = await self._fetch(self._sql.due, now=to_ms(now), limit=_number(limit))
        return [rows.to_wakeup(row) for row in found]

    async def next_due(self) -> str | None:
        found = await self._fetch(self._sql.next_due)
        return None if found[0][0] is None else from_ms(found[0][0])

    async def recall(self, scope: str, key: str, now: str) -> Remember | None:
        if not (is_text(scope) and is_text(key)):
            return None
        found = await self._fetch(self._sql.recall, scope=scope, key=key, now=to_ms(now))
        return rows.to_remember(found[0]) if found else None
