"""Within one process: who is woken by what, and that nothing is left behind."""

from __future__ import annotations

import asyncio

import pytest

from api.notifier import MemoryNotifier, Moved, make_notifier
from api.notifiers.hub import MOST
from api.notifiers.postgres import PostgresNotifier
from api.notifiers.redis import RedisNotifier

SOON = 10.0  # a bound for what must happen
NOW = 0.0  # for what must not have happened


@pytest.mark.asyncio
async def test_wakes_whoever_waits_for_that_game() -> None:
    notifier = MemoryNotifier()
    await notifier.start()
    follow = notifier.subscribe
    async with follow("a") as one, follow("a") as two, follow("b") as other:
        waiting = [asyncio.create_task(sub.changed(SOON)) for sub in (one, two)]
        await asyncio.sleep(0)
        notifier.publish("a", 1)
        assert await asyncio.gather(*waiting) == [True, True]
        assert not await other.changed(NOW)
        assert (one.seen, two.seen, other.seen) == (1, 1, 0)


@pytest.mark.asyncio
async def test_a_hint_before_the_wait_is_not_lost_and_many_are_one() -> None:
    notifier = MemoryNotifier()
    async with notifier.subscribe("a") as sub:
        for version in range(1, 1001):
            notifier.publish("a", version)
        assert await sub.changed(NOW)
        assert sub.seen == 1000
        assert not await sub.changed(NOW)


@pytest.mark.asyncio
async def test_only_what_is_newer_than_seen_wakes() -> None:
    notifier = MemoryNotifier()
    async with notifier.subscribe("a", seen=7) as sub:
        notifier.publish("a", 7)
        assert not await sub.changed(NOW)
        notifier.publish("a", 9)
        sub.seen = 9  # read from the store meanwhile
        assert not await sub.changed(NOW)
        notifier.publish("a", 8)
        assert not await sub.changed(NOW)
        notifier.publish("a", 10)
        assert await sub.changed(NOW)


@pytest.mark.asyncio
async def test_a_gap_wakes_without_hiding_the_next_hint() -> None:
    notifier = MemoryNotifier()
    async with notifier.subscribe("a", seen=5) as sub, notifier.subscribe_all() as everything:
        notifier.gap()
        assert await sub.changed(NOW)
        assert sub.seen == 5
        assert await everything.moved(NOW) == Moved({}, gap=True)
        notifier.publish("a", 6)
        assert await sub.changed(NOW)


@pytest.mark.asyncio
async def test_the_last_to_leave_takes_the_key_along() -> None:
    notifier = MemoryNotifier()
    for _ in range(3):
        for game in range(100):
            async with notifier.subscribe(str(game)):
                async with notifier.subscribe(str(game)):
                    pass
                assert notifier.followed == 1
            notifier.publish(str(game), 1)
    assert notifier.followed == 0
    with pytest.raises(asyncio.CancelledError):
        async with notifier.subscribe("a") as sub:
            raise asyncio.CancelledError
    assert notifier.followed == 0
    notifier.publish("a", 3)
    assert sub.seen == 0


@pytest.mark.asyncio
async def test_everything_gathers_the_latest_of_each_game() -> None:
    notifier = MemoryNotifier()
    async with notifier.subscribe_all() as everything, notifier.subscribe_all(local=False) as elsewhere:
        assert not await everything.moved(NOW)
        notifier.publish("a", 2)
        notifier.publish("a", 1)
        notifier.publish("b", 4)
        assert await everything.moved(NOW) == Moved({"a": 2, "b": 4})
        assert not await everything.moved(NOW)
        assert not await elsewhere.moved(NOW)
        notifier.tell("a", 3, local=False)
        assert await elsewhere.moved(NOW) == Moved({"a": 3})


@pytest.mark.asyncio
async def test_nobody_who_does_not_ask_fills_the_memory() -> None:
    notifier = MemoryNotifier()
    async with notifier.subscribe_all() as everything:
        for game in range(MOST + 5):
            notifier.publish(str(game), 1)
        moved = await everything.moved(NOW)
        assert moved.gap
        assert len(moved.games) <= 5


@pytest.mark.asyncio
async def test_stopping_wakes_who_waits() -> None:
    notifier = MemoryNotifier()
    async with notifier.subscribe("a") as sub:
        waiting = asyncio.create_task(sub.changed(None))
        await asyncio.sleep(0)
        await notifier.stop()
        assert await asyncio.wait_for(waiting, SOON)


def test_choosing_one() -> None:
    sqlite, postgres = "sqlite+aiosqlite:///games.db", "postgresql+asyncpg://me:p%40ss@host/games"
    assert isinstance(make_notifier("memory", sqlite), MemoryNotifier)
    assert isinstance(make_notifier("redis://host/0", sqlite), RedisNotifier)
    assert isinstance(make_notifier("rediss://host/0", sqlite), RedisNotifier)
    chosen = make_notifier("postgres", postgres)
    assert isinstance(chosen, PostgresNotifier)
    assert chosen.dsn == "postgresql://me:p%40ss@host/games"
    for name, url in [("postgres", sqlite), ("kafka", postgres), ("", sqlite), ("postgres", "nonsense")]:
        with pytest.raises(ValueError, match=r"notifier|URL"):
            make_notifier(name, url)
