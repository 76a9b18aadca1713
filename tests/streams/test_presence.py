"""Presence: of one server, of several, and of one that is no more."""

from __future__ import annotations

from contextlib import AsyncExitStack
from functools import partial
from typing import Any

import pytest

from api.presence import LASTING, Presence

from .harness import Site, at, served, until

GAME = "0195e1c2-7a51-7c3e-9d05-3b0c1f6a2e44"


class Wire:
    """Presences that hear each other at once."""

    def __init__(self, *presences: Presence) -> None:
        self.presences = presences
        for presence in presences:
            presence._announce = partial(self.say, presence)

    def say(self, sender: Presence, about: str, what: str) -> None:
        for i, presence in enumerate(self.presences):
            if presence is not sender:
                presence.heard(f"server {i} hears {id(sender)}", about, what)


def test_only_the_first_and_the_last_connection_of_a_seat_are_news() -> None:
    presence, woken = Presence(), []
    with presence.here(GAME, None, lambda: woken.append(1)) as watch:
        presence.came(GAME, 1)
        assert watch.take() == {1: True}
        presence.came(GAME, 1)
        presence.went(GAME, 1)
        assert watch.take() == {}
        assert presence.connected(GAME, 1)
        presence.went(GAME, 1)
        presence.came(GAME, 2)
        assert watch.take() == {1: False, 2: True}
        assert len(woken) == 3
        with presence.here(GAME, 0, lambda: None) as own:
            assert own.take() == {}
            assert watch.take() == {0: True}
    assert presence.connected(GAME, 2)
    assert not presence.connected(GAME, 0)
    assert presence._watches == {}


def test_a_seat_is_connected_wherever_it_is() -> None:
    here, there = Presence(), Presence()
    Wire(here, there)
    with here.here(GAME, None, lambda: None) as watch:
        there.came(GAME, 1)
        assert here.connected(GAME, 1)
        assert watch.take() == {1: True}
        here.came(GAME, 1)
        there.went(GAME, 1)
        assert watch.take() == {}
        here.went(GAME, 1)
        assert watch.take() == {1: False}
        assert not there.connected(GAME, 1)
        assert here._elsewhere == there._elsewhere == {}


def test_a_server_that_is_no_more_is_believed_for_a_while() -> None:
    here, there, now = Presence(), Presence(), [0.0]
    here.time = lambda: now[0]
    Wire(here, there)
    with here.here(GAME, None, lambda: None) as watch:
        there.came(GAME, 1)
        there.came(GAME, 2)
        there.went(GAME, 2)
        assert watch.take() == {1: True, 2: False}
        now[0] = LASTING - 1
        there.refresh()
        now[0] = LASTING + 1
        here.expire()
        assert watch.take() == {}
        now[0] = 2 * LASTING
        here.expire()
        assert watch.take() == {1: False}


def test_a_server_that_starts_asks_who_is_there() -> None:
    here, there = Presence(), Presence()
    there.came(GAME, 3)
    wire = Wire(here, there)
    wire.say(here, "", "?")
    assert here.connected(GAME, 3)


@pytest.mark.parametrize("about", ["", GAME, f"{GAME}.", f"{GAME}.x", f"{GAME}.²", ".1", f"{GAME}.100"])
def test_what_cannot_be_read_is_passed_over(about: str) -> None:
    presence = Presence()
    for what in "+-!":
        presence.heard("other", about, what)
    presence.heard("other", f"{GAME}.1", "!")
    assert presence._elsewhere == {}


@pytest.mark.asyncio
@pytest.mark.parametrize("network", ["postgres", "redis"])
async def test_two_servers_know_of_each_other(
    network: str, postgres_url: str, request: pytest.FixtureRequest
) -> None:
    notifier: Any = "postgres" if network == "postgres" else request.getfixturevalue("redis_url")

    async def shown(site: Site) -> list[bool]:
        return [seat["connected"] for seat in (await at(site, game).get()).json()["seats"]]

    async with AsyncExitStack() as stack:
        here = await stack.enter_async_context(served(postgres_url, notifier=notifier))
        game = await here.game()
        async with here.stream(game, 0) as stream:
            # It starts when somebody is there already.
            there = await stack.enter_async_context(served(postgres_url, notifier=notifier))
            await until(lambda: there.presence.connected(game.id, 0))
            assert await shown(there) == [True, False]
            async with there.socket(game, 1):
                assert (await stream.named("presence")).json == {"seat": 1, "connected": True}
                assert await shown(here) == await shown(there) == [True, True]
            assert (await stream.named("presence")).json == {"seat": 1, "connected": False}
            assert await shown(here) == [True, False]
        await until(lambda: not there.presence.connected(game.id, 0))
