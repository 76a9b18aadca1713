"""Views of now and then, events, long polls, scores."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from api.notifiers.hub import Hub

from .harness import TWO, Client, Game, code


async def followed(client: Client) -> None:
    """Until somebody waits for a game."""
    hub = client.server.service.notifier
    assert isinstance(hub, Hub)
    while not hub.followed:  # noqa: ASYNC110 - there is nothing to wait on but the loop's next turn
        await asyncio.sleep(0)


@pytest.mark.asyncio
async def test_a_view_has_its_version_as_etag(either: Client) -> None:
    game = await either.game()
    first = await game.get("/view", 0)
    etag = first.headers["etag"]
    assert etag == f'"{first.json()["version"]}"'
    assert first.headers["cache-control"] == "private, no-cache"
    assert first.headers["vary"] == "Authorization"
    for same in (etag, f"W/{etag}", f'"x", {etag}', "*"):
        again = await game.get("/view", 0, headers={"If-None-Match": same})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", etag)
    await game.play(1)
    assert (await game.get("/view", 0, headers={"If-None-Match": etag})).status_code == 200


@pytest.mark.asyncio
async def test_the_view_as_it_was_then(either: Client) -> None:
    game = await either.game(sandbox={"seed": "4" * 64})
    views: dict[int, dict[int, Any]] = {0: {}, 1: {}}
    for _ in range(60):
        for seat in (0, 1):
            view = await game.view(seat)
            views[seat][view["version"]] = view
        await game.play(1)
    now = (await game.view(0))["version"]
    for seat in (0, 1):
        for version, then in views[seat].items():
            answer = await game.get(f"/view?at={version}", seat)
            assert answer.headers["etag"] == f'"{version}"'
            shown = answer.json()
            # What could be done then is told as of then, too.
            assert shown == then
    assert code(await game.get(f"/view?at={now + 1}", 0)) == "not_found"
    for at in ("0", "-1", "x", "99999999999999999999"):
        assert code(await game.get(f"/view?at={at}", 0)) == "request.invalid"
    assert (await game.get("/view?at=1", 0)).json()["status"] == "waiting"


@pytest.mark.asyncio
async def test_an_earlier_view_names_nobody_who_came_later(either: Client) -> None:
    game = await either.game(seats=[{"kind": "human", "name": "Ada"}, {"kind": "open"}, {"kind": "open"}])

    async def names(at: int, etag: str) -> list[str | None]:
        answer = await game.get(f"/view?at={at}")
        assert answer.headers["etag"] == etag
        return [seat["name"] for seat in answer.json()["seats"]]

    for name in ("Ben", "Eve"):
        taken = (await game.post("/seats", json={"seat": 1, "name": name})).json()
        if name == "Ben":
            assert await names(3, '"3"') == ["Ada", "Ben", None]
            assert (await game.send(taken["token"], {"type": "resign"})).status_code == 200
    assert await names(1, '"1"') == ["Ada", None, None]
    # Ben's name went with him; a view that showed it is no longer the same.
    assert await names(3, '"3.1"') == ["Ada", None, None]
    assert await names(4, '"4"') == ["Ada", None, None]
    assert await names(5, '"5"') == ["Ada", "Eve", None]


@pytest.mark.asyncio
async def test_events_come_page_by_page(either: Client) -> None:
    game = await either.game()
    await game.play(40)
    version = (await game.view(0))["version"]
    for who in (0, 1, None):
        whole = (await game.get("/events", who, params={"limit": 500})).json()
        assert [e["seq"] for e in whole["items"]] == list(range(1, version + 1))
        assert (whole["next"], whole["more"]) == (version, False)
        for size in (1, 7, version - 1):
            items, after, more = [], 0, True
            while more:
                page = (await game.get("/events", who, params={"after": after, "limit": size})).json()
                assert len(page["items"]) <= size
                items += page["items"]
                after, more = page["next"], page["more"]
            assert items == whole["items"]
    assert (await game.get("/events", params={"after": version})).json() == {
        "items": [], "next": version, "more": False}  # fmt: skip
    for query in ("after=-1", "limit=0", "limit=501", "wait=31", "wait=-1", "wait=nan", "after=1.5"):
        assert code(await game.get(f"/events?{query}")) == "request.invalid", query


@pytest.mark.asyncio
async def test_what_a_viewer_sees_of_an_event_never_changes(client: Client) -> None:
    game = await client.game()
    seen: dict[int | None, list[Any]] = {}
    for _ in range(10):
        await game.play(5)
        for who in (0, 1, None):
            items = (await game.get("/events", who, params={"limit": 500})).json()["items"]
            before = seen.get(who, [])
            assert items[: len(before)] == before
            seen[who] = items


@pytest.mark.asyncio
async def test_nobody_follows_from_where_the_game_has_not_come_to(either: Client) -> None:
    """Whoever kept such a position would miss what comes before it."""
    game = await either.game(spectators={"delayed": 2}, sandbox={"seed": "3" * 64})
    await game.play(12)
    for who in (0, game.host, None):
        version = (await game.view(who))["version"]
        assert (await game.get(f"/events?after={version}", who)).json()["items"] == []
        for ahead in (version + 1, 2**31 - 1):
            for path in (f"/events?after={ahead}", f"/events?after={ahead}&wait=30", f"/stream?after={ahead}"):
                answer = await game.get(path, who)
                assert code(answer) == "request.invalid"
                assert [e["pointer"] for e in answer.json()["errors"]] == ["?after"]
            answer = await game.get("/stream", who, headers={"Last-Event-ID": str(ahead)})
            assert [e["pointer"] for e in answer.json()["errors"]] == ["Last-Event-ID"]
    # Spectators who lag behind are told the same of what they do not see yet and of what there is not yet.
    hidden = (await game.view(0))["version"] - (await game.view())["version"]
    assert hidden > 0
    version = (await game.view())["version"]
    answers = [(await game.get(f"/events?after={version + i}")).json()["detail"] for i in range(1, hidden + 3)]
    assert len({text.replace(str(version + i), "") for i, text in enumerate(answers, 1)}) == 1


@pytest.mark.asyncio
async def test_a_long_poll_ends_with_the_next_event(either: Client) -> None:
    game = await either.game()
    version = (await game.view(0))["version"]
    waiting = [asyncio.create_task(game.get(f"/events?after={version}&wait=30", who)) for who in (0, 1, None)]
    await followed(either)
    begun = time.monotonic()
    await game.play(1)
    for answer in await asyncio.gather(*waiting):
        assert next(e["seq"] for e in answer.json()["items"]) == version + 1
    assert time.monotonic() - begun < 10


@pytest.mark.asyncio
async def test_a_long_poll_ends_when_its_time_is_over_or_the_game_is(client: Client) -> None:
    game = await client.game()
    version = (await game.view(0))["version"]
    answer = await game.get(f"/events?after={version}&wait=0.05")
    assert answer.json() == {"items": [], "next": version, "more": False}
    await game.send(0, {"type": "resign"})
    version = (await game.view(0))["version"]
    answer = await game.get(f"/events?after={version}&wait=30")
    assert answer.json()["items"] == []


@pytest.mark.asyncio
async def test_a_long_poll_ends_when_the_server_goes_down(client: Client) -> None:
    game = await client.game()
    version = (await game.view(0))["version"]
    waiting = asyncio.create_task(game.get(f"/events?after={version}&wait=30"))
    await followed(client)
    client.server.drain.set()
    assert (await waiting).status_code == 200


@pytest.mark.asyncio
async def test_scores_are_explained_deal_by_deal(client: Client) -> None:
    position = {
        "deal": 13, "hands": [["5H"], ["KS", "9D"]], "turn": {"seat": 0, "phase": "play"}, "discard": ["2C"],
    }  # fmt: skip
    game = await client.game(sandbox={"position": position})
    assert (await game.get("/scores")).json() == {"items": [], "next": None}
    answer = await game.send(0, {"type": "discard", "card": "5H"})
    assert answer.status_code == 200, answer.text
    for who in (0, 1, None):
        scores = (await game.get("/scores", who)).json()
        assert scores["items"] == [(await game.view(who))["result"]["deal"]]
    (deal,) = scores["items"]
    assert (deal["number"], deal["reason"], deal["winner"]) == (13, "went_out", 0)
    for seat in deal["seats"]:
        assert sum(x["value"] for x in seat["lines"] if x["part"] == "points") == seat["points"]
        assert sum(x["value"] for x in seat["lines"] if x["part"] == "bonus") == seat["bonus"]


@pytest.mark.asyncio
async def test_a_whole_match_is_played_from_the_lists_of_actions(client: Client) -> None:
    game: Game = await client.game(variant="two-player-rummy", options={"rounds": 1}, seats=TWO)
    for _ in range(3000):
        if (await game.view(0))["status"] == "finished":
            break
        await game.play(50)
    view = await game.view(0)
    assert view["status"] == "finished"
    assert (await game.get()).json()["result"] == view["result"]["match"]
    assert (await game.get("/events", params={"after": view["version"] - 1})).json()["items"][0]["type"] == (
        "seed_revealed")  # fmt: skip
