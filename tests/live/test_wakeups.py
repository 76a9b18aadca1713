"""What the server does on its own: bots, clocks, windows, absence, expiry; across restarts and servers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from api.clock import now
from domain.evolve import evolve
from domain.record import later
from tests.api.harness import Client, Game, code, running

BOTS = [{"kind": "bot", "level": level} for level in ("hard", "medium", "easy", "medium")]
HUMAN = {"kind": "human"}


class JumpingClock:
    """The time, and whatever a test adds to it."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> str:
        return later(now(), self.ahead)


@asynccontextmanager
async def server(url: str, clock: JumpingClock | None = None, **more: Any) -> AsyncIterator[Client]:
    settings = {"bot_delay": 0.0, "call_pause": 0.0, "poll": 0.05, **more}
    async with running(url, clock=clock, **settings) as client:
        yield client


async def until(game: Game, condition: Any, who: int | None = None) -> dict[str, Any]:
    """The first view that meets a condition, followed by long polls; a minute is a failure."""
    async with asyncio.timeout(60):
        while True:
            view = await game.view(who)
            if condition(view):
                return view
            await game.get(f"/events?after={view['version']}&wait=5", who)


async def events(game: Game, who: int | None = None) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while True:
        page = (await game.get(f"/events?after={len(found)}&limit=500", who)).json()
        found += page["items"]
        if not page["more"]:
            return found


def over(view: dict[str, Any]) -> bool:
    return view["status"] == "finished"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("variant", "options"),
    [("two-player-rummy", {"rounds": 2}), ("single-deck-rummy", {}), ("rummy-5000", {"target": 300})],
)
async def test_a_table_of_bots_plays_a_match_to_its_end(
    database_url: str, variant: str, options: dict[str, Any]
) -> None:
    async with server(database_url) as client:
        seats = BOTS[: 3 if variant == "rummy-5000" else 2]
        game = await client.game(variant=variant, options=options, seats=seats)
        await until(game, over)
        log = (await game.get("/log")).content
        verdict = (await client.call("POST", "/v1/replays", content=log,
                                     headers={"content-type": "application/x-ndjson"})).json()  # fmt: skip
        assert (verdict["ok"], verdict["complete"], verdict["lawful"]) == (True, True, True)


@pytest.mark.asyncio
async def test_bots_go_on_where_a_stopped_server_left_them(database_url: str) -> None:
    async with server(database_url, bot_delay=60.0) as client:
        game = await client.game(variant="two-player-rummy", options={"rounds": 1}, seats=BOTS[:2])
        assert (await game.view())["version"] == 3
    clock = JumpingClock()
    clock.ahead = 61.0
    async with server(database_url, clock) as client:
        game.client = client
        await until(game, over)


@pytest.mark.asyncio
async def test_all_that_is_due_when_a_server_starts_is_done_at_once(database_url: str) -> None:
    async with server(database_url, bot_delay=60.0) as client:
        games = [await client.game(variant="two-player-rummy", seats=BOTS[1:3]) for _ in range(120)]
    clock = JumpingClock()
    clock.ahead = 61.0
    async with server(database_url, clock, bot_delay=60.0, poll=60.0) as client:
        for game in games:
            game.client = client
            await until(game, lambda v: v["version"] > 3)
            assert (await game.view())["turn"]["phase"] == "draw"


@pytest.mark.asyncio
async def test_an_earlier_view_is_folded_from_the_start_of_its_deal(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with server(database_url) as client:
        game = await client.game(variant="two-player-rummy", options={"rounds": 3}, seats=BOTS[1:3])
        await until(game, over)
        deals = [e["seq"] for e in await events(game) if e["type"] == "deal_started"]
    folded: list[int] = []
    async with server(database_url) as client:
        game.client = client
        await game.view()
        monkeypatch.setattr("api.memory.evolve", lambda state, event: folded.append(event.seq) or evolve(state, event))
        for start in reversed(deals):
            folded.clear()
            view = (await game.get(f"/view?at={start + 4}")).json()
            assert view["version"] == start + 4
            assert folded == [start + 1, start + 2, start + 3, start + 4]


@pytest.mark.asyncio
async def test_two_servers_on_one_database_make_each_move_once(postgres_url: str) -> None:
    async with server(postgres_url) as one, server(postgres_url) as two:
        game = await one.game(variant="two-player-rummy", options={"rounds": 2}, seats=BOTS[:2])
        game.client = two
        await until(game, over)
        found = await events(game)
        assert [e["seq"] for e in found] == list(range(1, len(found) + 1))
        assert [e["type"] for e in found].count("deal_ended") == 2


@pytest.mark.asyncio
async def test_open_seats_are_filled_at_the_start_and_bots_play_beside_people(client: Client) -> None:
    game = await client.game(seats=[HUMAN, {"kind": "open"}], start="manual", options={"first_starter": 1})
    assert code(await game.send(game.host, {"type": "start"})) == "game.seats_open"
    assert (await game.send(game.host, {"type": "start", "fill": "easy"})).status_code == 200
    view = await until(game, lambda v: v["turn"]["seat"] == 0, 0)
    assert view["seats"][1]["level"] == "easy"
    assert view["may"]


@pytest.mark.asyncio
async def test_tc_9_the_safe_default_is_played_for_a_clock_that_ran_out(database_url: str) -> None:
    clock = JumpingClock()
    async with server(database_url, clock) as client:
        game = await client.game(
            variant="thirteen-card-rummy", seats=[HUMAN, HUMAN], options={"first_dealer": 1, "deals": 9}
        )
        before = await game.view(0)
        assert before["turn"]["deadline"] is not None
        clock.ahead += 16
        after = await until(game, lambda v: v["turn"]["seat"] == 1, 0)
        kinds = [e["type"] for e in await events(game)]
        assert kinds[-3:] == ["turn_timed_out", "card_drawn", "card_discarded"]
        assert sorted(after["hand"]) == sorted(before["hand"])


@pytest.mark.asyncio
async def test_a_clock_that_ran_out_while_the_server_was_down_is_acted_on_once(database_url: str) -> None:
    clock = JumpingClock()
    async with server(database_url, clock) as client:
        game = await client.game(
            variant="thirteen-card-rummy", seats=[HUMAN, HUMAN], options={"first_dealer": 1}
        )
    clock.ahead += 60
    async with server(database_url, clock) as client:
        game.client = client
        await until(game, lambda v: v["turn"]["seat"] == 1, 0)
        assert [e["type"] for e in await events(game)].count("turn_timed_out") == 1


@pytest.mark.asyncio
async def test_a_clock_is_kept_to_by_the_next_server_before_it_looks_for_work(client: Client, tmp_path: Any) -> None:
    del client
    clock, url = JumpingClock(), f"sqlite+aiosqlite:///{tmp_path / 'clock.sqlite'}"
    async with server(url, clock, poll=60.0) as client:
        game = await client.game(
            variant="thirteen-card-rummy", seats=[HUMAN, HUMAN], options={"first_dealer": 1}
        )
    clock.ahead += 14
    async with server(url, clock, poll=60.0) as client:
        game.client = client
        assert (await game.view(0))["turn"]["seat"] == 0
        view = await until(game, lambda v: v["turn"]["seat"] == 1, 0)
        deadline = next(e for e in await events(game) if e["type"] == "deal_started")["turn"]["deadline"]
        timed_out = next(e for e in await events(game) if e["type"] == "turn_timed_out")
        assert deadline <= timed_out["at"] < later(deadline, 20)
        assert view["turn"]["phase"] == "draw"


@pytest.mark.asyncio
async def test_a_clock_of_an_hour_is_kept_to_the_second(client: Client) -> None:
    game = await client.game(seats=[HUMAN, HUMAN], options={"clock": {"turn": 3600}})
    assert game.id in client.server.wakeups._kept


@pytest.mark.asyncio
async def test_a_paused_clock_stands_still(client: Client) -> None:
    game = await client.game(
        variant="thirteen-card-rummy", seats=[HUMAN, *BOTS[:1]], options={"first_dealer": 1}
    )
    assert (await game.send(0, {"type": "pause"})).status_code == 200
    paused = (await game.view(0))["turn"]
    assert paused["deadline"] is None
    assert 0 < paused["remaining"] <= 15
    assert code(await game.send(0, {"type": "draw", "source": "stock"})) == "game.paused"
    assert (await game.send(0, {"type": "resume"})).status_code == 200
    resumed = (await game.view(0))["turn"]
    assert resumed["deadline"] is not None
    assert resumed["remaining"] is None


@pytest.mark.asyncio
async def test_a_seat_that_times_out_three_turns_running_is_played_by_a_bot_until_it_is_back(
    database_url: str,
) -> None:
    clock = JumpingClock()
    async with server(database_url, clock, bot_delay=3600.0) as client:
        game = await client.game(
            variant="single-deck-rummy", seats=[HUMAN, HUMAN],
            options={"first_dealer": 1, "clock": {"turn": 20}},
        )  # fmt: skip
        for round_ in range(3):
            clock.ahead += 30
            await until(game, lambda v: v["turn"]["seat"] == 1, 0)
            if round_ < 2:
                assert (await game.send(1, {"type": "draw", "source": "stock"})).status_code == 200
                card = (await game.view(1))["hand"][0]
                assert (await game.send(1, {"type": "discard", "card": card})).status_code == 200
        view = await until(game, lambda v: v["seats"][0]["played_by"] == "medium", 0)
        assert view["seats"][1]["played_by"] is None
        left = [e for e in await events(game) if e["type"] == "seat_left"]
        assert [(e["seat"], e["reason"], e["bot"]) for e in left] == [(0, "absent", "medium")]
        # Whatever its owner sends says that they are back, even what is refused.
        assert code(await game.send(0, {"type": "discard", "card": "AS"})) == "turn.not_yours"
        assert (await game.view(0))["seats"][0]["played_by"] is None
        assert (await events(game))[-1]["type"] == "seat_returned"


@pytest.mark.asyncio
async def test_a_resigned_seat_is_played_by_a_bot_and_its_token_plays_no_more(client: Client) -> None:
    game = await client.game(seats=[HUMAN, HUMAN, HUMAN], options={"first_starter": 0})
    assert (await game.send(0, {"type": "resign"})).status_code == 200
    view = await game.view(1)
    assert (view["seats"][0]["resigned"], view["seats"][0]["played_by"]) == (True, "medium")
    assert code(await game.send(0, {"type": "discard", "card": "AS"})) == "game.not_playing"
    assert ((await game.view(0))["may"], await game.actions(0)) == ([], [])
    await until(game, lambda v: v["turn"]["seat"] == 1, 1)


@pytest.mark.asyncio
async def test_fk_12_a_window_closes_by_its_own_event(client: Client, tmp_path: Any) -> None:
    position = {
        "dealer": 2, "wild_indicator": "6H", "discard": ["5H"],
        "hands": [["QS", "4C", "3D"], ["2H", "5D", "8C"], ["4H", "8D", "AC"]],
        "melds": [{"owner": 2, "cards": ["9S", "TS", "JS"]}], "turn": {"seat": 0, "phase": "play"},
    }  # fmt: skip
    clock = JumpingClock()
    async with server(f"sqlite+aiosqlite:///{tmp_path / 'window.db'}", clock) as other:
        game = await other.game(
            variant="rummy-5000", seats=[HUMAN] * 3, options={"rummy_window": 10},
            sandbox={"position": position},
        )
        assert (await game.send(0, {"type": "discard", "card": "QS"})).status_code == 200
        assert code(await game.send(1, {"type": "draw", "source": "stock"})) == "draw.call_window"
        clock.ahead += 11
        await until(game, lambda v: v["turn"]["window"] is None, 1)
        assert (await events(game))[-1]["type"] == "call_window_closed"
        assert (await game.send(1, {"type": "draw", "source": "stock"})).status_code == 200


@pytest.mark.asyncio
async def test_a_waiting_game_idle_for_a_day_is_cancelled(database_url: str) -> None:
    clock = JumpingClock()
    async with server(database_url, clock) as client:
        game = await client.game(seats=[HUMAN, {"kind": "open"}])
        clock.ahead += 24 * 3600 + 5
        await until(game, lambda v: v["status"] == "cancelled", 0)
        assert [e["type"] for e in await events(game)][-2:] == ["game_cancelled", "seed_revealed"]


@pytest.mark.asyncio
async def test_a_rematch_is_one_game_in_which_the_old_tokens_act(either: Client) -> None:
    game = await either.game(options={"first_starter": 1}, external_id=None)
    assert code(await game.post("/rematch", 0)) == "game.not_finished"
    assert code(await game.post("/rematch")) == "auth.required"
    assert (await game.send(0, {"type": "resign"})).status_code == 200
    first, second = await asyncio.gather(game.post("/rematch", 0), game.post("/rematch", 1))
    assert sorted([first.status_code, second.status_code]) == [200, 201]
    new_id = first.json()["game_id"]
    assert second.json()["game_id"] == new_id
    assert (await game.get()).json()["rematch"] == new_id
    game.path = f"/v1/games/{new_id}"
    view = await game.view(0)
    assert (view["status"], view["you"], view["deal"]["starter"]) == ("playing", 0, 0)
    assert [s["name"] for s in view["seats"]] == ["Ada", "Bob"]
    assert (await game.send(0, (await game.actions(0))[-1])).status_code == 200


@pytest.mark.asyncio
async def test_fk_12_a_bots_draw_waits_while_a_person_could_call(client: Client, tmp_path: Any) -> None:
    position = {
        "dealer": 2, "wild_indicator": "6H", "discard": ["5H"],
        "hands": [["QS", "4C", "3D"], ["2H", "5D", "8C"], ["4H", "8D", "AC"]],
        "melds": [{"owner": 2, "cards": ["9S", "TS", "JS"]}], "turn": {"seat": 0, "phase": "play"},
    }  # fmt: skip
    seats = [HUMAN, {"kind": "bot", "level": "easy"}, HUMAN]
    call = {"type": "call_rummy", "meld": 1, "discard": "8D"}
    for pause, card in ((3600.0, "QS"), (0.0, "4C")):
        async with server(f"sqlite+aiosqlite:///{tmp_path / f'{card}.db'}", call_pause=pause) as other:
            game = await other.game(variant="rummy-5000", seats=seats, sandbox={"position": position})
            assert (await game.send(0, {"type": "discard", "card": card})).status_code == 200
            if card == "QS":
                assert (await game.send(2, call)).status_code == 200
                assert (await game.view(2))["turn"]["seat"] == 1
            else:  # nobody could call it: nothing to wait for
                await until(game, lambda v: v["turn"]["seat"] == 2, 2)


@pytest.mark.asyncio
async def test_a_bot_has_thought_before_its_move_is_due(client: Client, tmp_path: Any) -> None:
    """The move is ready when its time comes: thinking is no part of the delay."""
    clock = JumpingClock()
    async with server(f"sqlite+aiosqlite:///{tmp_path / 'slow.db'}", clock, bot_delay=50.0) as other:
        game = await other.game(seats=[{"kind": "bot", "level": "hard"}, HUMAN], options={"first_starter": 0})
        wakeups = other.server.wakeups
        _, _, thought = wakeups.thoughts[game.id]
        command, actor = await asyncio.wait_for(asyncio.shield(thought), 60)
        assert (await game.view(1))["version"] == 4
        assert actor.seat == 0
        clock.ahead += 51
        view = await until(game, lambda v: v["version"] > 4, 1)
        made = (await events(game, 1))[4]
        assert made["type"] == {"discard": "card_discarded", "meld": "meld_laid"}[type(command).__struct_config__.tag]
        assert view["turn"] is not None
