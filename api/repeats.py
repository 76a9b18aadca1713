"""Repeats of what opens something new: a game, a rematch, a score sheet.

There is no log yet in which such a request could be found again, so what its key stands for is kept beside
the new thing's first commit: for a day, and as little as the first answer can be made of again.
"""

from __future__ import annotations

from datetime import timedelta

import msgspec

from domain.record import format_time, parse_time
from persistence.store import EventStore, Remember

from .problems import Problem
from .service import Key

#: How long a key is known.
REMEMBERED = timedelta(hours=24)

_made = msgspec.json.Decoder(tuple[str, int])


def remembered(scope: str, key: Key | None, at: str, new_id: str, number: int) -> Remember | None:
    """What is kept of a request with a key, made at ``at``: the new thing's id, and a number."""
    if key is None:
        return None
    expires = format_time(parse_time(at) + REMEMBERED)
    return Remember(scope, key.key, key.body_hash, msgspec.json.encode([new_id, number]), expires)


async def recalled(store: EventStore, scope: str, key: Key, now: str) -> tuple[str, int] | None:
    """The id and number that the key stands for. Raises ``idempotency.mismatch`` if it was another request."""
    kept = await store.recall(scope, key.key, now)
    if kept is None:
        return None
    if kept.body_hash != key.body_hash:
        raise Problem("idempotency.mismatch")
    return _made.decode(kept.answer)
