"""The composition root: settings in, an application out. Nothing happens at import."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from litestar import Litestar
from litestar.datastructures import State
from litestar.exceptions import HTTPException

from persistence import store_for
from persistence.store import EventStore

from . import events, games, play, variants
from .clock import Clock, now
from .edge import Edge
from .errors import answer_error
from .server import Server
from .service import Service
from .settings import Settings, server_secret

HANDLERS = (*variants.HANDLERS, *games.HANDLERS, *play.HANDLERS, *events.HANDLERS)


def create_app(settings: Settings, store: EventStore | None = None, clock: Clock | None = None) -> Litestar:
    """The application. Its store is opened when it starts up and closed when it shuts down.

    ``store`` and ``clock`` stand in for those that the settings name.
    """
    chosen = store if store is not None else store_for(settings.database_url)
    service = Service(chosen, clock or now, settings.cache)
    server = Server(settings, service, server_secret(settings))

    @asynccontextmanager
    async def running(_: Litestar) -> AsyncIterator[None]:
        await chosen.open()
        try:
            yield
        finally:
            server.drain.set()
            service.wake_all()
            await service.settle()
            await chosen.close()

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
