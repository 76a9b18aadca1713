"""The document is taken at its word: whatever it allows or forbids is sent to a server on a real port."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import schemathesis
import uvicorn
from hypothesis import HealthCheck, settings
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import negative_data_rejection

from api.app import HANDLERS, create_app
from api.openapi import document
from api.server import Limiter

from .harness import OPERATOR_KEY, TWO, bearer, settings_for, sqlite_url

#: Well formed, and yet refused: for a reason that no schema can say (the rules, the state of the game).
REFUSED_OR_NOT = ["2xx", "304", "400", "401", "403", "404", "409", "412", "422", "429"]

FEW = settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server in a thread of its own."""
    app = create_app(settings_for(sqlite_url(tmp_path_factory.mktemp("schemathesis")), bot_delay=60))
    app.state["server"].codes = Limiter(10**9, 1)
    config = uvicorn.Config(app, port=0, log_level="error", lifespan="on", ws="websockets-sansio")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()))
    thread.start()
    while not server.started:
        assert thread.is_alive()
        thread.join(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


@pytest.fixture(scope="module")
def game(address: str) -> dict[str, Any]:
    answer = httpx.post(f"{address}/v1/games", json={"variant": "wild-rummy", "seats": TWO})
    return answer.json()



@schemathesis.serializer("application/x-ndjson")
def ndjson(ctx: Any, value: Any) -> bytes:
    """A log that is to be verified: any text."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


schema = schemathesis.openapi.from_dict(
    document(HANDLERS),
    config=SchemathesisConfig.from_dict({
        "seed": 1,
        "generation": {"database": "none"},
        "checks": {"positive_data_acceptance": {"expected-statuses": REFUSED_OR_NOT}},
    }),
).exclude(operation_id="streamEvents")  # fmt: skip


@schema.parametrize()
@FEW
def test_everyone_may_send_anything(case: Any, address: str) -> None:
    _patient(case)
    case.call_and_validate(base_url=address)


@schema.include(path_regex="game_id").parametrize()
@FEW
def test_a_seat_may_send_anything_to_its_game(case: Any, address: str, game: dict[str, Any]) -> None:
    _patient(case)
    case.path_parameters = {**(case.path_parameters or {}), "game_id": game["game"]["game_id"]}
    # Which game is meant is set right here, so that a request that was meant to be wrong may be right.
    case.call_and_validate(
        base_url=address, headers=bearer(game["tokens"]["0"]), excluded_checks=[negative_data_rejection]
    )


@schema.parametrize()
@FEW
def test_an_operator_may_send_anything(case: Any, address: str) -> None:
    _patient(case)
    case.call_and_validate(base_url=address, headers=bearer(OPERATOR_KEY))


def test_one_thing_after_another(address: str) -> None:
    """Games are created, and what their answers link to is called."""

    class Journey(schema.as_state_machine()):  # type: ignore[misc]
        def before_call(self, case: Any) -> None:
            _patient(case)

        def get_call_kwargs(self, case: Any) -> dict[str, Any]:
            return {"base_url": address}

    Journey.run(settings=settings(FEW, stateful_step_count=8))


def _patient(case: Any) -> None:
    """Nobody waits for the next event."""
    if case.query and "wait" in case.query:
        case.query["wait"] = min(case.query["wait"], 0) if isinstance(case.query["wait"], int | float) else "x"
