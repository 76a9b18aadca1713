"""The database away: a coded answer, and everything works again once it is back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.persistence.proxy import Proxy

from .harness import OPERATOR_KEY, Client, Game, code, running, sqlite_url


async def away(client: Client, game: Game) -> None:
    for method, path, body in (
        ("GET", game.path, None), ("GET", f"{game.path}/view", None), ("GET", "/v1/games", None),
        ("POST", "/v1/games", {"variant": "wild-rummy"}), ("GET", "/v1/rooms/QX7K2M", None),
        ("POST", f"{game.path}/commands", {"type": "resign"}), ("GET", "/health/ready", None),
    ):  # fmt: skip
        answer = await client.call(method, path, None if path.startswith("/health") else OPERATOR_KEY, json=body)
        assert (answer.status_code, code(answer)) == (503, "unavailable"), path
        assert int(answer.headers["retry-after"]) >= 1
    assert (await client.call("GET", "/health/live")).status_code == 200
    assert (await client.call("GET", "/v1/variants")).status_code == 200


@pytest.mark.asyncio
async def test_postgresql_goes_and_comes_back(postgres_url: str) -> None:
    proxy = Proxy(postgres_url)
    await proxy.start()
    async with running(proxy.url) as client:
        game = await client.game()
        await game.play(5)
        before = await game.view(0)
        await proxy.stop()
        await away(client, game)
        await proxy.start()
        assert (await client.call("GET", "/health/ready")).status_code == 200
        assert await game.view(0) == before
        await game.play(5)
        assert (await client.game()).id
    await proxy.stop()


@pytest.mark.asyncio
async def test_a_command_whose_outcome_is_unknown_is_found_out_by_its_key(postgres_url: str) -> None:
    proxy = Proxy(postgres_url)
    await proxy.start()
    async with running(proxy.url) as client:
        game = await client.game()
        await game.play(3)
        before = await game.view(0)
        seat = before["turn"]["seat"]
        command = (await game.actions(seat))[-1]
        proxy.lose_next_reply = True
        lost = await game.send(seat, command, idempotency_key="k", if_match=f'"{before["version"]}"')
        assert (lost.status_code, code(lost)) == (503, "unavailable")
        again = await game.send(seat, command, idempotency_key="k", if_match=f'"{before["version"]}"')
        assert again.status_code == 200
        after = await game.view(0)
        assert after["version"] == again.json()["version"]
        events = (await game.get("/events", 0, params={"after": before["version"]})).json()["items"]
        assert [e["seq"] for e in events] == list(range(before["version"] + 1, after["version"] + 1))
        await game.play(3)
    await proxy.stop()


@pytest.mark.asyncio
async def test_a_command_after_the_store_was_closed(tmp_path: Path) -> None:
    async with running(sqlite_url(tmp_path)) as client:
        game = await client.game()
        seat = (await game.view(0))["turn"]["seat"]
        command = (await game.actions(seat))[0]
        await client.server.service.store.close()
        answer = await game.send(seat, command)
        assert code(answer) == "unavailable"
        await client.server.service.store.open()
        assert (await game.send(seat, command)).status_code == 200
