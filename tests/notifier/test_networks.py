"""Two notifiers over a real Redis and a real PostgreSQL."""

from __future__ import annotations

import asyncio
import uuid

import asyncpg
import pytest

from api.notifier import Notifier, Subscription
from api.notifiers.postgres import PostgresNotifier
from tests.persistence.proxy import Proxy

from .conftest import Pair, notifier

SOON = 20.0


def game() -> str:
    return str(uuid.uuid4())


async def linked(notifier: Notifier, sub: Subscription) -> None:
    """Wait until others are heard; a subscriber is woken then."""
    async with asyncio.timeout(SOON):
        while not notifier.linked:
            await sub.changed()


@pytest.mark.asyncio
async def test_each_hears_the_other(pair: Pair) -> None:
    here, there = pair
    assert here.linked
    assert there.linked
    a, b = game(), game()
    async with there.subscribe(a) as one, there.subscribe(a) as two, here.subscribe(b) as three:
        here.publish(a, 3)
        there.publish(b, 4)
        assert await one.changed(SOON)
        assert await two.changed(SOON)
        assert await three.changed(SOON)
        assert (one.seen, two.seen, three.seen) == (3, 3, 4)


@pytest.mark.asyncio
async def test_a_burst_arrives_whole_and_the_last_version_wins(pair: Pair) -> None:
    """More games than one payload of PostgreSQL holds, and versions that overtake each other."""
    here, there = pair
    games = [game() for _ in range(500)]
    got: dict[str, int] = {}
    async with there.subscribe_all(local=False) as everything:
        for version in (1, 2, 3):
            for each in games:
                here.publish(each, version)
        async with asyncio.timeout(SOON):
            while len(got) < len(games):
                moved = await everything.moved()
                assert not moved.gap
                got |= {each: version for each, version in moved.games.items() if each in games}
    assert got == dict.fromkeys(games, 3)


@pytest.mark.asyncio
async def test_nobody_hears_himself_twice(pair: Pair) -> None:
    here, there = pair
    a = game()
    async with here.subscribe_all() as everything, here.subscribe(a) as sub:
        here.publish(a, 1)
        assert await sub.changed(0)
        assert a in (await everything.moved(0)).games
        there.publish(a, 2)  # behind the own message on the same channel
        assert await sub.changed(SOON)
        assert (await everything.moved(SOON)).games.get(a) == 2


@pytest.mark.asyncio
async def test_a_network_that_comes_back(cuttable: Pair, proxy: Proxy) -> None:
    here, there = cuttable
    a, b = game(), game()
    async with here.subscribe(a) as sub, there.subscribe(b) as far:
        await proxy.stop()
        there.publish(a, 1)  # nobody hears it
        here.publish(b, 1)  # cannot be sent
        here.publish(a, 2)
        assert await sub.changed(0)  # what happens here needs no network
        await proxy.start()
        assert await sub.changed(SOON)  # connected again: what was said meanwhile is lost, so look
        assert await far.changed(SOON)  # kept until it could be sent
        assert far.seen == 1
        there.publish(a, 3)
        async with asyncio.timeout(SOON):
            while sub.seen < 3:
                await sub.changed()
        assert here.linked


@pytest.mark.asyncio
async def test_a_server_that_is_not_there_yet(network: str, proxy: Proxy) -> None:
    port = proxy.url.rsplit(":", 1)[1].split("/")[0]
    await proxy.stop()
    near = network.replace(f":{network.rsplit(':', 1)[1].split('/')[0]}", f":{port}")
    late, there = notifier(near), notifier(network)
    await there.start()
    await asyncio.wait_for(late.start(), SOON)
    assert not late.linked
    a = game()
    async with there.subscribe(a) as far, late.subscribe(a) as sub:
        late.publish(a, 1)
        assert await sub.changed(0)
        await proxy.start()
        assert await far.changed(SOON)
        await linked(late, sub)
        there.publish(a, 2)
        async with asyncio.timeout(SOON):
            while sub.seen < 2:
                await sub.changed()
    await late.stop()
    await there.stop()


@pytest.mark.asyncio
async def test_postgres_ends_the_sessions(postgres_url: str) -> None:
    """As a restart of the server or an operator does."""
    here, there = notifier(postgres_url), notifier(postgres_url)
    assert isinstance(there, PostgresNotifier)
    await here.start()
    await there.start()
    a = game()
    async with there.subscribe(a) as sub:
        here.publish(a, 1)
        assert await sub.changed(SOON)
        admin = await asyncpg.connect(there.dsn)
        ended = await admin.fetch(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND application_name = 'rummy notifier'"
        )
        await admin.close()
        assert len(ended) == 3  # two that listen, one that has sent
        assert await sub.changed(SOON)  # hears again, and looks
        here.publish(a, 2)
        async with asyncio.timeout(SOON):
            while sub.seen < 2:
                await sub.changed()
    await here.stop()
    await there.stop()


@pytest.mark.asyncio
async def test_a_silent_connection_is_asked_whether_it_lives(
    network: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Heartbeats go by without ending a connection that answers."""
    kind = "redis" if network.startswith("redis") else "postgres"
    monkeypatch.setattr(f"api.notifiers.{kind}.HEARTBEAT", 0.01)
    here, there = notifier(network), notifier(network)
    await here.start()
    await there.start()
    a = game()
    async with there.subscribe(a) as sub:
        for version in range(1, 6):
            await asyncio.sleep(0.05)
            here.publish(a, version)
            assert await sub.changed(SOON)
            assert sub.seen == version  # a hint, no gap
    await here.stop()
    await there.stop()
