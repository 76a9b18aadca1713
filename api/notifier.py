"""Hints that a game has moved, for every process: a game's id and its version, never content.

Theory
------
Readers (streams, long polls, wake-ups) fetch what they show from the store; a hint only tells them when to
look.  So a hint may be lost, doubled or late without harm, and everything that makes messaging hard can be
left out: no order, no acknowledgement, no replay, no lock held while a commit is written.  Three things
follow for whoever uses this:

- publish after the commit, never inside its transaction;
- subscribe first and read the store afterwards, then wait: what is committed in between is a hint that is
  already there;
- give every wait a time-out and look at the store when it is over.  This slow poll is the net: what a lost
  hint costs is latency.  `POLL` is a good interval.

Within a process a hint arrives at once, whatever the state of the network.  Other processes get it over
Redis or PostgreSQL; after a connection was lost, everyone is told to look, since hints may have been lost
with it (`Moved.gap`).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from .notifiers.hub import Everything, Hub, Moved, Subscription

__all__ = ["POLL", "Everything", "MemoryNotifier", "Moved", "Notifier", "Subscription", "make_notifier"]

#: Seconds after which a reader looks at the store though no hint came.
POLL = 5.0


class Notifier(Protocol):
    """Belongs to one event loop; no method but `start` and `stop` ever waits for the network."""

    #: Called with what other processes announce: the process, about what, and what (see `announce`).
    heard: Callable[[str, str, str], None] | None

    @property
    def linked(self) -> bool:
        """Whether hints of other processes get through now, as far as one can know."""
        ...

    async def start(self) -> None:
        """Begin to carry hints. Returns after the first attempt to connect, whatever came of it."""
        ...

    async def stop(self) -> None:
        """Send what is still to be sent, let go of everything, and wake every subscriber once more."""
        ...

    def publish(self, game_id: str, version: int) -> None:
        """Say that a game has reached a version. Of hints that wait to be sent the latest of a game wins."""
        ...

    def announce(self, about: str, what: str) -> None:
        """Say something to every other process. May be lost, like any hint; the latest about a thing wins.

        ``about`` has no spaces and no ``=``; ``what`` is one character.
        """
        ...

    def subscribe(self, game_id: str, seen: int = 0) -> AbstractAsyncContextManager[Subscription]:
        """Follow one game, whose version `seen` is known already."""
        ...

    def subscribe_all(self, *, local: bool = True) -> AbstractAsyncContextManager[Everything]:
        """Follow all games; with ``local=False`` only what other processes say."""
        ...


class MemoryNotifier(Hub):
    """For a server that is alone: nothing leaves the process."""

    @property
    def linked(self) -> bool:
        return True

    async def start(self) -> None:
        pass

    async def stop(self) -> None:
        self.gap()

    def publish(self, game_id: str, version: int) -> None:
        self.tell(game_id, version)


def make_notifier(name: str, database_url: str) -> Notifier:
    """The notifier that a setting names: ``memory``, ``postgres`` (in the games' own database) or a URL
    ``redis://…``, ``rediss://…``. Not started yet. Raises `ValueError` for anything else.
    """
    if name == "memory":
        return MemoryNotifier()
    if name.startswith(("redis://", "rediss://")):
        from .notifiers.redis import RedisNotifier

        return RedisNotifier(name)
    if name == "postgres":
        try:
            parsed = make_url(database_url)
        except ArgumentError:
            raise ValueError("the database's URL is none") from None
        if parsed.get_backend_name() != "postgresql":
            raise ValueError("the notifier postgres needs games that are kept in PostgreSQL")
        from .notifiers.postgres import PostgresNotifier

        return PostgresNotifier(parsed.set(drivername="postgresql").render_as_string(hide_password=False))
    raise ValueError("a notifier is memory, postgres or redis://…")
