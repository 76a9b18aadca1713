"""What only a server across a network can do to a store, and two servers to one database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest
import pytest_asyncio

from persistence import store_for
from persistence.store import Append, EventStore, Outcome, StoreUnavailable, Wakeup

from .build import AT, LATER, answer, append, commit, everything, ids, new_id, until
from .proxy import Proxy

pytestmark = pytest.mark.asyncio

WON, LOST = Outcome.COMMITTED, Outcome.CONFLICT


@pytest_asyncio.fixture
async def store(postgres_url: str) -> AsyncIterator[EventStore]:
    opened = store_for(postgres_url)
    await opened.open()
    yield opened
    await opened.close()


@pytest_asyncio.fixture
async def other(postgres_url: str) -> AsyncIterator[EventStore]:
    opened = store_for(postgres_url)
    await opened.open()
    yield opened
    await opened.close()


@pytest_asyncio.fixture
async def admin(postgres_url: str) -> AsyncIterator[asyncpg.Connection[asyncpg.Record]]:
    connection = await asyncpg.connect(postgres_url.replace("+asyncpg", ""))
    yield connection
    await connection.close()


@pytest_asyncio.fixture
async def network(postgres_url: str) -> AsyncIterator[Proxy]:
    proxy = Proxy(postgres_url)
    await proxy.start()
    yield proxy
    await proxy.stop()


@pytest_asyncio.fixture
async def far(network: Proxy) -> AsyncIterator[EventStore]:
    """A store behind the network that can fail."""
    opened = store_for(network.url)
    await opened.open()
    yield opened
    await opened.close()


async def test_two_servers_never_answer_stale(store: EventStore, other: EventStore) -> None:
    game_id = new_id()
    pair = (store, other)
    for number in range(1, 41):
        writer, reader = pair[number % 2], pair[1 - number % 2]
        assert await writer.append([append(game_id, number)]) == [WON]
        assert await reader.head(game_id) == number
        assert await reader.append([append(game_id, number, events=b"late")]) == [LOST]
    assert await store.commits(game_id) == await other.commits(game_id)


async def test_two_servers_race_for_every_commit(store: EventStore, other: EventStore) -> None:
    """Both write batches over the same games, in opposite orders, and each commit has one winner."""
    games = ids(25)

    async def play(mine: EventStore, order: list[str], mark: bytes) -> int:
        won = 0
        for number in range(1, 11):
            outcomes = await mine.append([append(game_id, number, events=mark) for game_id in order])
            won += outcomes.count(WON)
        return won

    won = await asyncio.gather(play(store, games, b"here"), play(other, games[::-1], b"there"))
    assert sum(won) == 250
    for game_id in games:
        assert [one.commit_no for one in await store.commits(game_id)] == list(range(1, 11))


async def test_two_servers_claim_different_wakeups(store: EventStore, other: EventStore) -> None:
    games = ids(30)
    await store.append([Append(commit(game_id), wakeup=Wakeup(game_id, "bot", AT, 1)) for game_id in games])
    claimed = await asyncio.gather(*[one.claim(AT, LATER, 5) for one in (store, other) for _ in range(3)])
    claimed.append(await other.claim(AT, LATER, 30))
    assert sorted(wakeup.game_id for some in claimed for wakeup in some) == games


async def test_appends_that_arrive_together_are_one_statement(store: EventStore) -> None:
    games = ids(50)
    before = store.counters.round_trips
    results = await asyncio.gather(*[store.append([append(game_id)]) for game_id in games])
    assert results == [[WON]] * 50
    assert store.counters.round_trips - before == 1


@pytest.mark.parametrize("claiming", [False, True], ids=["statement", "transaction"])
async def test_a_lost_reply_is_an_unknown_outcome(network: Proxy, far: EventStore, claiming: bool) -> None:
    game_id, warm = ids(2)
    await far.append([everything(warm)])  # the statement is prepared, so the next reply is the outcome
    mine = everything(game_id, remember=answer("s", "k") if claiming else None)
    network.lose_next_reply = True
    with pytest.raises(StoreUnavailable) as caught:
        await far.append([mine])
    assert caught.value.unknown_outcome
    assert len(network.lost) == 1
    # The truth is in the database, and the same store finds it: all of the append or nothing.
    if claiming:  # the lost reply was that of the transaction's first statement
        assert await far.append([mine]) == [WON]
    assert await far.commits(game_id) == [mine.commit]
    assert await far.game(game_id) == mine.game
    assert await far.append([mine]) == [LOST]


async def test_every_caller_of_a_lost_batch_hears_of_it(network: Proxy, far: EventStore) -> None:
    games = ids(10)
    await far.append([append(new_id())])
    network.lose_next_reply = True
    results = await asyncio.gather(*[far.append([append(one)]) for one in games], return_exceptions=True)
    assert all(isinstance(result, StoreUnavailable) and result.unknown_outcome for result in results)
    assert [await far.head(game_id) for game_id in games] == [1] * 10


async def test_a_terminated_connection_undoes_the_append(
    store: EventStore, admin: asyncpg.Connection[asyncpg.Record]
) -> None:
    """Another writer holds the same commit back; while the store's append waits for it, it is cut off."""
    game_id, free = ids(2)
    await store.append([append(game_id)])
    waiting = "FROM pg_stat_activity WHERE application_name = 'rummy' AND wait_event_type = 'Lock'"

    async def blocked() -> bool:
        return bool(await admin.fetchval(f"SELECT count(*) {waiting}"))

    blocker = admin.transaction()
    await blocker.start()
    await admin.execute(
        "INSERT INTO commits (game_id, commit_no, first_seq, last_seq, at, actor, rules_version, events) "
        "VALUES ($1, 2, 3, 4, 0, 'rival', 1, '')",
        game_id,
    )
    pending = asyncio.ensure_future(store.append([append(game_id, 2), append(free)]))
    await until(blocked)
    await admin.execute(f"SELECT pg_terminate_backend(pid) {waiting}")
    with pytest.raises(StoreUnavailable) as caught:
        await pending
    assert caught.value.unknown_outcome
    await blocker.rollback()
    assert await store.head(free) is None
    assert await store.append([append(game_id, 2), append(free)]) == [WON, WON]


@pytest.mark.parametrize("claiming", [False, True], ids=["statement", "transaction"])
async def test_cancelled_while_it_waits_in_the_database(
    store: EventStore, admin: asyncpg.Connection[asyncpg.Record], claiming: bool
) -> None:
    game_id = new_id()

    async def blocked() -> bool:
        return bool(await admin.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted"))

    blocker = admin.transaction()
    await blocker.start()
    await admin.execute("LOCK TABLE commits IN SHARE MODE")
    first = everything(game_id, remember=answer("s", "k") if claiming else None)
    pending = asyncio.ensure_future(store.append([first]))
    await until(blocked)
    pending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await pending
    second = [asyncio.ensure_future(store.append([append(game_id, number)])) for number in (2, 3)]
    await asyncio.sleep(0)
    await blocker.rollback()
    # Each after its predecessor, or it would have lost.
    assert await asyncio.gather(*second) == [[WON], [WON]]
    assert await store.game(game_id) == first.game


async def test_the_database_goes_away_and_comes_back(network: Proxy, far: EventStore) -> None:
    game_id = new_id()
    await far.append([append(game_id)])
    await network.stop()
    for refused in (far.health(), far.head(game_id), far.append([append(game_id, 2)])):
        with pytest.raises(StoreUnavailable):
            await refused
    await network.start()
    await far.health()
    assert await far.head(game_id) == 1
    assert await far.append([append(game_id, 2)]) == [WON]


async def test_open_without_a_database(postgres_url: str) -> None:
    store = store_for(postgres_url + "_missing")
    with pytest.raises(StoreUnavailable) as caught:
        await store.open()
    assert not caught.value.unknown_outcome
    await store.close()
