"""What every store promises, run on every store. Nothing here knows which one it has."""

from __future__ import annotations

import asyncio
import sqlite3
from typing import Any

import asyncpg
import pytest

from persistence import store_for
from persistence.store import Append, EventStore, Outcome, SeatRow, StoreUnavailable, TokenRow, Wakeup

from .build import AT, LATER, answer, append, commit, everything, game, ids, new_id

pytestmark = pytest.mark.asyncio

WON, LOST = Outcome.COMMITTED, Outcome.CONFLICT


async def test_commit_comes_back_as_it_was(store: EventStore) -> None:
    mine = commit(new_id(), key="k€y", body_hash=b"\x00\xff", events=bytes(range(256)), rules_version=7)
    assert await store.append([Append(mine)]) == [WON]
    assert await store.commits(mine.game_id) == [mine]
    assert await store.by_key(mine.game_id, "seat:0", "k€y") == mine


async def test_a_game_has_one_rematch_and_knows_it(store: EventStore) -> None:
    old, first, second = new_id(), new_id(), new_id()
    assert await store.append([everything(old, game=game(old))]) == [WON]
    wanted = [everything(g, game=game(g, rematch_of=old)) for g in (first, second)]
    assert [await store.append([one]) for one in wanted] == [[WON], [LOST]]
    found = await store.game(old)
    assert found is not None
    assert found.rematch == first
    assert await store.game(second) is None
    assert await store.commits(second) == []


async def test_side_rows_come_back_as_they_were(store: EventStore) -> None:
    game_id, earlier = new_id(), new_id()
    assert await store.append([Append(commit(earlier), game(earlier))]) == [WON]
    row = game(
        game_id,
        sandbox=True,
        room_code="QX7K2M",
        started_at=AT,
        ended_at=LATER,
        host_seat=1,
        external_id="x",
        rematch_of=earlier,
        rematch=new_id(),
        summary=b'{"a": 1}',
    )
    whole = everything(game_id, game=row)
    assert await store.append([whole]) == [WON]
    assert await store.game(game_id) == row
    assert await store.by_room_code("QX7K2M") == row
    assert await store.seats(game_id) == list(whole.seats)
    assert await store.tokens(game_id) == list(whole.tokens)
    assert await store.due(AT, 10) == [whole.wakeup]


async def test_reading_by_number_and_by_event(store: EventStore) -> None:
    game_id = new_id()
    log = [commit(game_id, number) for number in range(1, 7)]
    assert await store.append([Append(one) for one in log]) == [WON] * 6
    assert await store.head(game_id) == 6
    assert await store.commits(game_id, after=4) == log[4:]
    assert await store.commits(game_id, after=1, limit=2) == log[1:3]
    assert await store.commits_covering(game_id, 0, 4) == log[:2]
    assert await store.commits_covering(game_id, 3, 2) == log[1:3]  # events 4 and 5 lie in commits 2 and 3
    assert await store.commits_covering(game_id, 12, 5) == []
    assert [await store.commit_at(game_id, seq) for seq in (0, 1, 2, 3, 12, 13)] == [
        None,
        log[0],
        log[0],
        log[1],
        log[5],
        None,
    ]


@pytest.mark.parametrize("game_id", ["", "nonsense", "0190\0", "\ud800", "x" * 5_000])
async def test_what_is_no_identifier_finds_nothing(store: EventStore, game_id: str) -> None:
    assert await store.head(game_id) is None
    assert await store.commits(game_id) == []
    assert await store.game(game_id) is None
    assert await store.tokens(game_id) == []
    assert await store.by_room_code(game_id) is None
    assert await store.games(status=game_id, variant=game_id, after=game_id) == []
    assert await store.recall(game_id, game_id, AT) is None
    assert await store.by_key(new_id(), game_id, game_id) is None


async def test_numbers_out_of_range_find_nothing(store: EventStore) -> None:
    game_id = new_id()
    await store.append([append(game_id)])
    assert await store.commits(game_id, after=10**30) == []
    assert await store.commit_at(game_id, 10**30) is None
    assert await store.commits_covering(game_id, 10**30, 10**30) == []
    assert await store.commits_covering(game_id, -5, 10**30) == [commit(game_id)]


async def test_of_many_writers_one_wins(store: EventStore) -> None:
    game_id = new_id()
    for number in range(1, 6):
        rivals = [append(game_id, number, events=b"%d" % rival) for rival in range(20)]
        outcomes = [outcome for (outcome,) in await asyncio.gather(*[store.append([one]) for one in rivals])]
        assert outcomes.count(WON) == 1
        winner = rivals[outcomes.index(WON)].commit
        assert await store.commits(game_id, after=number - 1) == [winner]


async def test_losers_do_not_hurt_winners(store: EventStore) -> None:
    games = ids(20)
    await store.append([append(game_id) for game_id in games[::2]])
    batch = [append(game_id, events=b"late") for game_id in reversed(games)]
    assert await store.append(batch) == [WON, LOST] * 10
    for number, game_id in enumerate(games):
        (found,) = await store.commits(game_id)
        assert found.events == (b"late" if number % 2 else b"events of 1")


async def test_racing_batches_share_their_games_between_them(store: EventStore) -> None:
    games = ids(30)
    batches = [[append(game_id, events=b"%d" % rival) for game_id in games] for rival in range(8)]
    # Half of them in the opposite order: no order of games in a batch makes two batches wait in a circle.
    batches[1::2] = [batch[::-1] for batch in batches[1::2]]
    outcomes = await asyncio.gather(*[store.append(batch) for batch in batches])
    winners = {
        one.commit.game_id: one.commit
        for batch, answers in zip(batches, outcomes, strict=True)
        for one, outcome in zip(batch, answers, strict=True)
        if outcome is WON
    }
    assert sum(answers.count(WON) for answers in outcomes) == len(games) == len(winners)
    for game_id in games:
        assert await store.commits(game_id) == [winners[game_id]]


async def test_an_append_decided_on_a_lost_one_is_lost(store: EventStore) -> None:
    taken, free = ids(2)
    await store.append([append(taken)])
    batch = [append(taken), append(free), append(taken, 2), append(free, 2)]
    assert await store.append(batch) == [LOST, WON, LOST, WON]
    assert (await store.head(taken), await store.head(free)) == (1, 2)


async def test_a_log_has_no_holes(store: EventStore) -> None:
    game_id = new_id()
    assert await store.append([append(game_id, 2)]) == [LOST]
    await store.append([append(game_id, 1)])
    assert await store.append([append(game_id, 3)]) == [LOST]
    assert await store.append([append(game_id, 2, first_seq=4, last_seq=4)]) == [LOST]
    assert await store.append([append(game_id, 2)]) == [WON]


async def test_a_key_is_bound_once_an_actor(store: EventStore) -> None:
    game_id, other = ids(2)
    assert await store.append([append(game_id, 1, key="k")]) == [WON]
    assert await store.append([append(game_id, 2, key="k")]) == [LOST]
    assert await store.append([append(game_id, 2, key="k", actor="seat:1")]) == [WON]
    assert await store.append([append(game_id, 3), append(other, 1, key="k")]) == [WON, WON]
    found = await store.by_key(game_id, "seat:1", "k")
    assert found is not None
    assert found.commit_no == 2
    assert await store.by_key(game_id, "seat:2", "k") is None


async def test_nothing_of_a_lost_append_stays(store: EventStore) -> None:
    game_id = new_id()
    first = everything(game_id, mark="a", tokens=(TokenRow(game_id, "host", b"a"),))
    assert await store.append([first]) == [WON]
    late = everything(game_id, mark="b", revoke=("host",), remember=answer("new", "key"))
    removing = Append(commit(game_id), revoke=("host",), wakeup=None)
    assert await store.append([late]) == [LOST]
    assert await store.append([removing]) == [LOST]
    assert await store.game(game_id) == first.game
    assert await store.seats(game_id) == list(first.seats)
    assert await store.tokens(game_id) == list(first.tokens)
    assert await store.due(LATER, 10) == [first.wakeup]
    assert await store.recall("new", "key", AT) is None


async def test_side_rows_are_replaced_and_removed(store: EventStore) -> None:
    game_id = new_id()
    await store.append([everything(game_id)])
    second = Append(
        commit(game_id, 2),
        game=game(game_id, status="active", last_seq=4),
        seats=(SeatRow(game_id, 1, None, None),),
        tokens=(TokenRow(game_id, "seat:0", b"new"), TokenRow(game_id, "seat:1", b"one")),
        revoke=("host", "seat:0", "seat:7"),
        wakeup=Wakeup(game_id, "clock", LATER, 2),
    )
    assert await store.append([second]) == [WON]
    assert await store.game(game_id) == second.game
    assert await store.seats(game_id) == [SeatRow(game_id, 0, "Zoë a", None), SeatRow(game_id, 1, None, None)]
    assert await store.tokens(game_id) == list(second.tokens)
    assert await store.due(LATER, 10) == [second.wakeup]
    assert await store.append([append(game_id, 3)]) == [WON]
    assert await store.next_due() == LATER
    assert await store.append([Append(commit(game_id, 4), wakeup=None)]) == [WON]
    assert await store.next_due() is None


async def test_mixed_batch(store: EventStore) -> None:
    """Plain commits, wake-ups, side rows and names to claim, winners and losers, in one call."""
    games = ids(6)
    await store.append([everything(games[1]), append(games[3])])
    batch = [
        append(games[0]),
        everything(games[1], mark="lost"),
        Append(commit(games[2]), wakeup=Wakeup(games[2], "clock", LATER, 1)),
        Append(commit(games[3]), remember=answer("s", "lost")),
        everything(games[4], game=game(games[4], room_code="AAAAAA"), remember=answer("s", "won")),
        everything(games[5], game=game(games[5], room_code="AAAAAA")),
    ]
    outcomes = await store.append(batch)
    assert outcomes[:4] == [WON, LOST, WON, LOST]
    assert sorted(outcomes[4:], key=str) == [WON, LOST]  # who of two gets the code is open
    room = await store.by_room_code("AAAAAA")
    assert room is not None
    assert room.game_id == games[4 + outcomes[4:].index(WON)]
    assert await store.recall("s", "lost", AT) is None
    assert {wakeup.game_id for wakeup in await store.due(LATER, 10)} == {games[1], games[2], room.game_id}


async def test_a_remembered_answer_belongs_to_one_first_commit(store: EventStore) -> None:
    games = ids(12)
    answers = [answer("create", "key", answer=game_id.encode()) for game_id in games]
    rivals = [Append(commit(row.answer.decode()), remember=row) for row in answers]
    outcomes = [outcome for (outcome,) in await asyncio.gather(*[store.append([one]) for one in rivals])]
    assert outcomes.count(WON) == 1
    kept = await store.recall("create", "key", AT)
    assert kept is not None
    assert kept.answer == games[outcomes.index(WON)].encode()
    heads = [await store.head(game_id) for game_id in games]
    assert heads == [1 if outcome is WON else None for outcome in outcomes]


async def test_answers_expire(store: EventStore) -> None:
    old, new = answer("s", "k", expires_at=AT), answer("s", "k", answer=b"new", expires_at=LATER)
    before = "2026-03-01T12:00:00.122Z"
    assert await store.remember(old, before) is WON
    assert await store.remember(new, before) is LOST
    assert await store.recall("s", "k", before) == old
    assert await store.recall("s", "k", AT) is None
    assert await store.remember(new, AT) is WON
    await store.forget(AT)
    assert await store.recall("s", "k", AT) == new
    await store.forget(LATER)
    assert await store.recall("s", "k", AT) is None


async def test_lobby(store: EventStore) -> None:
    games = ids(9)
    rows = [game(game_id) for game_id in games]
    rows[1] = game(games[1], visibility="private")
    rows[2] = game(games[2], sandbox=True)
    rows[3] = game(games[3], status="active")
    rows[4] = game(games[4], variant="george")
    await store.append([Append(commit(row.game_id), game=row) for row in rows])
    newest = [row for row in reversed(rows) if row not in rows[1:3]]
    assert await store.games() == newest
    assert await store.games(limit=2) == newest[:2]
    assert await store.games(after=newest[1].game_id, limit=3) == newest[2:5]
    assert await store.games(status="active") == [rows[3]]
    assert await store.games(status="waiting", variant="george") == [rows[4]]
    assert await store.games(status="waiting", after=games[4]) == [rows[0]]


async def test_wakeups_are_leased(store: EventStore) -> None:
    games = ids(6)
    wakeups = [Wakeup(game_id, "bot", f"2026-03-01T12:00:0{n}.000Z", 1) for n, game_id in enumerate(games)]
    await store.append([Append(commit(one.game_id), wakeup=one) for one in reversed(wakeups)])
    now, lease = "2026-03-01T12:00:03.000Z", "2026-03-01T12:00:33.000Z"
    assert await store.next_due() == wakeups[0].due_at
    assert await store.due(now, 3) == wakeups[:3]
    assert await store.claim(now, lease, 2) == wakeups[:2]
    assert await store.claim(now, lease, 9) == wakeups[2:4]
    assert await store.claim(now, lease, 9) == []
    assert await store.due(now, 9) == wakeups[:4]
    again = Append(commit(games[0], 2), wakeup=Wakeup(games[0], "bot", now, 2))
    await store.append([again])  # another wake-up is nobody's
    assert await store.claim(now, lease, 9) == [again.wakeup]
    after = "2026-03-01T12:00:33.000Z"
    assert len(await store.claim(after, LATER, 9)) == 6  # leases have run out


async def test_claims_that_race_share_the_wakeups(store: EventStore) -> None:
    games = ids(40)
    await store.append([Append(commit(game_id), wakeup=Wakeup(game_id, "bot", AT, 1)) for game_id in games])
    claimed = await asyncio.gather(*[store.claim(AT, LATER, 10) for _ in range(8)])
    claimed.append(await store.claim(AT, LATER, 100))
    assert sorted(one.game_id for some in claimed for one in some) == games


@pytest.mark.parametrize(
    "changes",
    [
        {"game_id": "nonsense"},
        {"game_id": "0190AAAA-0000-7000-8000-000000000000"},
        {"commit_no": 0},
        {"first_seq": 3},
        {"commit_no": 2**31},
        {"last_seq": 2**31},
        {"rules_version": -1},
        {"at": "2026-03-01T12:00:00Z"},
        {"at": "2026-03-01T13:00:00.000+01:00"},
        {"at": "2026-02-30T13:00:00.000Z"},
        {"key": "\0"},
        {"key": "\ud800"},
        {"key": "x" * 501},
    ],
)
async def test_what_no_store_could_hold_is_refused(store: EventStore, changes: dict[str, Any]) -> None:
    good = new_id()
    with pytest.raises(ValueError, match=r"\w"):
        await store.append([append(good), Append(commit(**({"game_id": new_id()} | changes)))])
    assert await store.head(good) is None


async def test_a_row_of_another_game_is_refused(store: EventStore) -> None:
    with pytest.raises(ValueError, match="another game"):
        await store.append([Append(commit(new_id()), game=game(new_id()))])


async def test_one_bad_append_fails_alone(store: EventStore) -> None:
    """Something that only the database notices, gathered in one batch with the appends of others."""
    games = ids(9)
    bad = Append(commit(games[4]), game=game(games[4], status=None), wakeup=Wakeup(games[4], "bot", AT, 1))
    batch = [everything(game_id) if game_id != games[4] else bad for game_id in games]
    results = await asyncio.gather(*[store.append([one]) for one in batch], return_exceptions=True)
    culprit = results.pop(4)
    assert isinstance(culprit, (sqlite3.IntegrityError, asyncpg.NotNullViolationError))
    assert results == [[WON]] * 8
    assert await store.head(games[4]) is None
    assert len(await store.due(AT, 10)) == 8


async def test_cancelling_the_caller_never_tears_an_append(store: EventStore, store_url: str) -> None:
    """Cancelled after one turn of the event loop, two, three …: at every await there is."""
    games = ids(60)
    for turns, game_id in enumerate(games):
        remember = answer("s", game_id) if turns % 3 == 0 else None
        task = asyncio.ensure_future(store.append([everything(game_id, remember=remember)]))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    several = [append(games[0], 1), append(games[1], 2), append(games[1], 3)]
    twice = asyncio.ensure_future(store.append(several))
    await asyncio.sleep(0)
    twice.cancel()
    await store.close()
    again = store_for(store_url)
    await again.open()
    try:
        assert await again.head(games[0]) in (None, 1)  # before its first turn nothing has begun
        assert await again.head(games[1]) == 3
        for turns, game_id in enumerate(games[1:], start=1):
            whole = everything(game_id)
            assert (await again.commits(game_id))[0] == whole.commit
            assert await again.game(game_id) == whole.game
            assert await again.seats(game_id) == list(whole.seats)
            assert await again.tokens(game_id) == list(whole.tokens)
            assert (await again.recall("s", game_id, AT) is not None) == (turns % 3 == 0)
        assert await again.append([append(games[5], 2)]) == [WON]
    finally:
        await again.close()


async def test_counters(store: EventStore) -> None:
    games = ids(3)
    await store.append([append(game_id) for game_id in games])
    before = store.counters.round_trips
    await store.append([append(games[0])])
    await store.append([Append(commit(games[1], 2), wakeup=Wakeup(games[1], "bot", AT, 2))])
    assert store.counters.round_trips - before == 2  # one each
    assert (store.counters.commits, store.counters.conflicts) == (4, 1)


async def test_closed_store_is_unavailable(store: EventStore) -> None:
    await store.health()
    await store.close()
    await store.close()
    for refused in (store.health(), store.head(new_id()), store.append([append(new_id())])):
        with pytest.raises(StoreUnavailable) as caught:
            await refused
        assert not caught.value.unknown_outcome
