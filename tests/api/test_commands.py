"""Commands: versions, races, dry runs, the host and the operator."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from .harness import OPERATOR_KEY, TWO, Client, Game, code, running


@pytest.mark.asyncio
async def test_if_match_asks_for_the_version(either: Client) -> None:
    game = await either.game()
    view = await game.view(0)
    seat, version = view["turn"]["seat"], view["version"]
    command = (await game.actions(seat))[0]
    stale = await game.send(seat, command, if_match=f'"{version - 1}"')
    assert (stale.status_code, code(stale)) == (412, "version.stale")
    assert stale.json()["version"] == version
    assert code(await game.send(seat, command, if_match='"nonsense"')) == "request.invalid"
    fresh = await game.send(seat, command, if_match=f'"{version}"')
    assert fresh.status_code == 200
    assert fresh.headers["etag"] == f'"{fresh.json()["version"]}"'
    # What was erased is no new version: the tag's second half says nothing here.
    then = fresh.json()["version"]
    seat = fresh.json()["view"]["turn"]["seat"]
    assert (await game.send(seat, (await game.actions(seat))[0], if_match=f'"{then}.3"')).status_code == 200
    assert (await game.send(0, {"type": "resign"}, if_match="*")).status_code == 200


@pytest.mark.asyncio
async def test_of_commands_sent_at_once_with_one_version_one_wins(either: Client) -> None:
    game = await either.game()
    view = await game.view(0)
    seat, version = view["turn"]["seat"], view["version"]
    discards = [c for c in await game.actions(seat) if c["type"] == "discard"]
    answers = await asyncio.gather(*(game.send(seat, c, if_match=f'"{version}"') for c in discards))
    assert sorted(answer.status_code for answer in answers) == [200] + [412] * (len(discards) - 1)


@pytest.mark.asyncio
async def test_commands_without_a_version_are_decided_one_after_the_other(either: Client) -> None:
    game = await either.game()
    seat = (await game.view(0))["turn"]["seat"]
    discards = [c for c in await game.actions(seat) if c["type"] == "discard"]
    answers = await asyncio.gather(*(game.send(seat, c) for c in discards))
    assert sum(answer.status_code == 200 for answer in answers) == 1
    assert {code(a) for a in answers if a.status_code != 200} == {"turn.not_yours"}
    events = (await game.get("/events")).json()["items"]
    assert [e["seq"] for e in events] == list(range(1, len(events) + 1))


@pytest.mark.asyncio
async def test_two_servers_on_one_database_never_answer_stale(postgres_url: str) -> None:
    async with running(postgres_url) as one, running(postgres_url) as other:
        game = await one.game(seats=[{"kind": "human"}, {"kind": "open"}])
        there = Game(other, game.created)
        # The second server learns of the game, then of everything that the first one does.
        assert (await there.view(0))["status"] == "waiting"
        taken = (await game.post("/seats", json={"name": "Bob"})).json()
        game.tokens[1] = there.tokens[1] = taken["token"]
        sides = [game, there]
        for i in range(40):
            here, elsewhere = sides[i % 2], sides[1 - i % 2]
            view = await here.view(0)
            seat = view["turn"]["seat"]
            listed = await here.actions(seat)
            assert (await elsewhere.view(0)) == view
            done = await elsewhere.send(seat, listed[i % len(listed)])
            assert done.status_code == 200, done.text
            etag = done.headers["etag"]
            assert (await here.get("/view", 0, headers={"If-None-Match": f'"{view["version"]}"'})).status_code == 200
            assert (await here.get("/view", 0)).headers["etag"] == etag
            mine = done.json()["view"]["turn"]["seat"]
            refused = await here.send(1 - mine, {"type": "draw", "source": "stock"})
            assert refused.json()["version"] == done.json()["version"]


@pytest.mark.asyncio
async def test_who_shares_a_reading_that_began_earlier_is_not_answered_stale(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(postgres_url) as one, running(postgres_url) as other:
        game = await one.game()
        there = Game(other, game.created)
        store, read, go = other.server.service.store, asyncio.Event(), asyncio.Event()
        commits = store.commits

        async def slow(*args: Any, **more: Any) -> Any:
            found = await commits(*args, **more)
            read.set()
            await go.wait()
            return found

        monkeypatch.setattr(store, "commits", slow)
        early = asyncio.create_task(there.view(0))
        await read.wait()
        await game.play(1)
        late = [asyncio.create_task(there.view(0)), asyncio.create_task(there.get("/events?after=4", 0))]
        await asyncio.sleep(0)
        go.set()
        await early
        view, events = await asyncio.gather(*late)
        now = await game.view(0)
        assert now["version"] == 4 + len(events.json()["items"]) > 4
        assert view == now


@pytest.mark.asyncio
async def test_two_servers_race_for_one_game_and_lose_nothing(postgres_url: str) -> None:
    async with running(postgres_url) as one, running(postgres_url) as other:
        game = await one.game()
        sides = [game, Game(other, game.created)]
        for _ in range(12):
            seat = (await game.view(0))["turn"]["seat"]
            listed = await game.actions(seat)
            answers = await asyncio.gather(
                *(side.send(seat, c, idempotency_key=f"{c}{i}") for i, side in enumerate(sides) for c in listed[:4])
            )
            assert {a.status_code for a in answers} <= {200, 409, 422}
            assert any(a.status_code == 200 for a in answers)
        events = (await game.get("/events", who=0, params={"limit": 500})).json()["items"]
        assert [e["seq"] for e in events] == list(range(1, len(events) + 1))
        assert (await sides[1].get("/events", who=0, params={"limit": 500})).json()["items"] == events


@pytest.mark.asyncio
async def test_with_a_version_a_lost_race_is_not_run_again(postgres_url: str) -> None:
    async with running(postgres_url) as one, running(postgres_url) as other:
        game = await one.game()
        sides = [game, Game(other, game.created)]
        for _ in range(12):
            view = await game.view(0)
            seat, version = view["turn"]["seat"], view["version"]
            listed = (await sides[1].actions(seat))[:2]
            answers = await asyncio.gather(
                *(side.send(seat, c, if_match=f'"{version}"') for side in sides for c in listed)
            )
            assert sorted(answer.status_code for answer in answers) == [200] + [412] * (len(answers) - 1)


@pytest.mark.asyncio
async def test_a_request_that_is_given_up_is_carried_out_all_the_same(either: Client) -> None:
    game = await either.game()
    before = await game.view(0)
    seat = before["turn"]["seat"]
    command = (await game.actions(seat))[-1]
    request = asyncio.create_task(game.send(seat, command, idempotency_key="k"))
    while not either.server.service.busy:  # noqa: ASYNC110 - until the append is under way
        await asyncio.sleep(0)
    request.cancel()
    with pytest.raises(asyncio.CancelledError):
        await request
    await either.server.service.settle()
    assert (await game.view(0))["version"] > before["version"]
    again = await game.send(seat, command, idempotency_key="k")
    assert again.headers["idempotency-replayed"] == "true"


@pytest.mark.asyncio
async def test_a_command_on_a_warm_game_costs_one_round_trip(either: Client) -> None:
    game = await either.game()
    await game.play(2)
    seat = (await game.view(0))["turn"]["seat"]
    command = (await game.actions(seat))[-1]
    counters = either.server.service.store.counters
    before = (counters.round_trips, counters.reads)
    done = await game.send(seat, command, idempotency_key="k")
    assert done.status_code == 200
    assert (counters.round_trips - before[0], counters.reads - before[1]) == (1, 0)


@pytest.mark.asyncio
async def test_a_dry_run_changes_nothing_and_says_what_would_be_refused(either: Client) -> None:
    game = await either.game()
    before = await game.view(0)
    seat = before["turn"]["seat"]
    for command in await game.actions(seat):
        answer = await game.send(seat, command, "?dry_run=true")
        assert answer.json() == {"version": before["version"], "ok": True}
    refused = await game.send(1 - seat, {"type": "draw", "source": "stock"}, "?dry_run=true")
    assert code(refused) == "turn.not_yours"
    assert await game.view(0) == before


@pytest.mark.asyncio
async def test_the_view_may_be_left_out(client: Client) -> None:
    game = await client.game()
    seat = (await game.view(0))["turn"]["seat"]
    answer = await game.send(seat, (await game.actions(seat))[-1], "?view=false")
    assert answer.json()["view"] is None
    assert answer.json()["events"]


@pytest.mark.asyncio
async def test_a_refusal_names_the_rule_and_offers_what_may_be_meant(client: Client) -> None:
    position = {"hands": [["7C", "7D", "AS", "9C"], ["KS", "9D"]], "turn": {"seat": 0, "phase": "play"}}
    game = await client.game(sandbox={"position": position})
    answer = await game.send(0, {"type": "meld", "cards": ["7C", "7D", "AS"]})
    if answer.status_code == 422:
        assert code(answer) == "meld.ambiguous"
        assert answer.json()["rule"] == "K-6"
        for choice in answer.json()["choices"]:
            assert (await game.send(0, choice, "?dry_run=true")).status_code == 200
    refused = await game.send(0, {"type": "meld", "cards": ["7C", "7D", "9C"]})
    assert refused.status_code == 422
    assert refused.json()["rule"]


@pytest.mark.asyncio
async def test_the_host_starts_pauses_resumes_and_cancels(either: Client) -> None:
    game = await either.game(start="manual")
    assert (await game.view())["status"] == "waiting"
    assert code(await game.send(0, {"type": "start"})) == "auth.host_only"
    started = await game.send(game.host, {"type": "start"})
    assert started.status_code == 200
    assert started.json()["view"]["you"] is None
    assert code(await game.send(game.host, {"type": "start"})) == "game.not_waiting"
    assert (await game.send(game.host, {"type": "pause"})).json()["view"]["status"] == "paused"
    assert code(await game.send(0, {"type": "draw", "source": "stock"})) == "game.paused"
    assert (await game.send(game.host, {"type": "resume"})).json()["view"]["status"] == "playing"
    assert code(await game.send(game.host, {"type": "cancel"})) == "game.not_waiting"
    assert code(await game.send(game.host, {"type": "draw", "source": "stock"})) == "auth.not_your_game"
    assert code(await game.send(0, {"type": "cancel"})) == "auth.host_only"
    cancelled = await game.send(OPERATOR_KEY, {"type": "cancel"})
    assert [e["type"] for e in cancelled.json()["events"]] == ["game_cancelled", "seed_revealed"]
    assert (await game.get()).json()["status"] == "cancelled"


@pytest.mark.asyncio
async def test_open_seats_are_filled_with_bots_at_the_start(client: Client) -> None:
    game = await client.game(seats=[TWO[0], {"kind": "open"}], host_seat=0)
    assert code(await game.send(0, {"type": "start"})) == "game.seats_open"
    assert (await game.send(0, {"type": "start", "fill": "hard"})).status_code == 200
    seats = (await game.get()).json()["seats"]
    assert [(s["kind"], s["level"]) for s in seats] == [("human", None), ("bot", "hard")]


@pytest.mark.asyncio
async def test_resigning_while_the_game_waits_frees_the_seat_and_ends_its_token(either: Client) -> None:
    game = await either.game(seats=[*TWO, {"kind": "open"}], host_seat=0)
    left = await game.send(1, {"type": "resign"})
    assert left.status_code == 200
    assert left.json()["view"]["seats"][1]["kind"] == "open"
    assert code(await game.get("/view", 1)) == "auth.unknown_token"
    seat = (await game.get()).json()["seats"][1]
    assert (seat["kind"], seat["name"]) == ("open", None)
    taken = await game.post("/seats", json={"seat": 1, "name": "Eve"})
    assert taken.json()["token"] != game.tokens[1]
    # The host who stands up is the host still.
    await game.send(0, {"type": "resign"})
    assert (await game.view(0))["you"] is None
    assert (await game.send(0, {"type": "cancel"})).status_code == 200


@pytest.mark.asyncio
async def test_the_last_to_stay_wins_when_the_others_resign(client: Client) -> None:
    game = await client.game()
    await game.play(3)
    answer = await game.send(0, {"type": "resign"})
    assert answer.json()["view"]["status"] == "finished"
    result = (await game.get()).json()["result"]
    assert (result["winners"], result["reason"]) == ([1], "resigned")
    assert (await game.actions(1)) == []
    assert code(await game.send(1, {"type": "resign"})) == "game.not_playing"
