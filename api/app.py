"""The composition root: settings in, an application out. Nothing happens at import."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from litestar import Litestar
from litestar.datastructures import State
from litestar.exceptions import HTTPException

from persistence import store_for
from persistence.store import EventStore

from . import arrangements, docs, events, games, health, logs, play, rematch, scoresheets, sockets, streams, variants
from .bots import Thinkers
from .clock import Clock, now
from .edge import Edge
from .errors import answer_error
from .notifier import make_notifier
from .openapi import text
from .server import Server
from .service import Service
from .settings import Settings, server_secret
from .wakeups import Pace, Wakeups

HANDLERS = (
    *variants.HANDLERS, *games.HANDLERS, *play.HANDLERS, *events.HANDLERS, *streams.HANDLERS,
    *sockets.HANDLERS, *logs.HANDLERS,
    *arrangements.HANDLERS, *rematch.HANDLERS, *health.HANDLERS, *docs.HANDLERS, *scoresheets.HANDLERS,
)  # fmt: skip


def create_app(settings: Settings, store: EventStore | None = None, clock: Clock | None = None) -> Litestar:
    """The application. Its store is opened when it starts up and closed when it shuts down.

    ``store`` and ``clock`` stand in for those that the settings name.
    """
    chosen = store if store is not None else store_for(settings.database_url)
    notifier = make_notifier(settings.notifier, settings.database_url)
    service = Service(chosen, clock or now, settings.cache, notifier)
    secret = server_secret(settings)
    wakeups = Wakeups(service, Thinkers(service, secret), Pace(settings.bot_delay, settings.call_pause, settings.poll))
    service.wakeup_for = wakeups.row_for
    service.on_commit.append(wakeups.committed)
    server = Server(settings, service, wakeups, secret, lambda: text(HANDLERS).encode())

    @asynccontextmanager
    async def running(_: Litestar) -> AsyncGenerator[None]:
        try:
            await chosen.open()
        except Exception as error:
            server.failure = error
            raise
        try:
            await notifier.start()
            await wakeups.start()
            async with service.presence.shared(notifier):
                yield
        finally:
            server.drain.set()
            await wakeups.stop()
            await service.settle()
            await notifier.stop()
            await chosen.close()
            await server.close()

    app = Litestar(
        route_handlers=list(HANDLERS),
        exception_handlers={HTTPException: answer_error, Exception: answer_error},
        lifespan=[running],
        openapi_config=None,
        state=State({"server": server}),
        logging_config=None,
    )
    app.asgi_handler = Edge(app.asgi_handler)
    return app
