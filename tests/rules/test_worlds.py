"""Indistinguishable worlds (K-9): what a seat cannot know changes nothing that it is told.

Unseen cards are exchanged between the stock and the other hands, counts kept.  Views, redacted events,
action lists and the answer to every command, lawful or not, tried or sent, must be the same.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from domain import commands as cmd
from domain import events as ev
from domain.actions import actions, may
from domain.commands import Actor
from domain.record import later
from domain.state import Match
from domain.views import redact
from tests.rules.tables import VARIANT_SLUGS, answer, attempts, plain, random_game, random_match, see
from tests.rules.worlds import another_world, fold

Worlds = tuple[Match, Match]


def same_views(worlds: Worlds, viewer: int | None) -> None:
    one, two = (see(state, viewer) for state in worlds)
    assert one == two
    one, two = (may(state, viewer) for state in worlds)
    assert one == two


def heard(events: list[Any], viewer: int | None) -> list[Any]:
    """The events as the viewer gets them, less the card that it has just drawn itself."""
    got: list[Any] = []
    for event in events:
        e = redact(event, viewer)
        got.append(replace(e, cards=None) if isinstance(e, ev.CardDrawn) and e.source == "stock" else e)
    return plain(got)


def same_answers(worlds: Worlds, seat: int, rng: Random) -> None:
    one, two = (actions(state, seat) for state in worlds)
    assert plain(one) == plain(two)
    at = later(worlds[0].at, rng.choice([1, 5, 40]))
    tried = [*rng.sample(one[0], min(4, len(one[0]))), *attempts(worlds[0], seat, rng, 10)]
    for command in tried:
        for dry in (True, False):
            a, b = (answer(state, command, Actor(seat), at, dry) for state in worlds)
            assert a[0] == b[0], command
        ended = next((i for i, e in enumerate(a[1]) if isinstance(e, ev.DealEnded)), None)
        if ended is not None:  # hands are public then
            assert heard(a[1][:ended], seat) == heard(b[1][:ended], seat), command
            assert isinstance(b[1][ended], ev.DealEnded)
            continue
        assert heard(a[1], seat) == heard(b[1], seat), command
        if not isinstance(command, cmd.Draw) or command.source == "discard":
            same_views((a[2], b[2]), seat)


@pytest.mark.parametrize("variant", VARIANT_SLUGS)
def test_k_9_worlds_that_a_seat_cannot_tell_apart(variant: str) -> None:
    compared = different = 0
    for number in range(6):
        rng = Random(f"worlds {variant} {number}")
        log: list[Any] = []
        for step in random_match(random_game(variant, rng), rng, 90, manage=number % 2 > 0):
            log += step.events
            state = step.after
            if state.deal is None or state.deal.turn is None or rng.random() > 0.2:
                continue
            acting = state.deal.turn.seat
            viewer = rng.choice([None, acting, acting, rng.randrange(len(state.seats))])
            other = another_world(log, viewer, rng)
            worlds = (state, fold(other))
            assert fold(log) == state
            compared += 1
            different += worlds[1].deal != state.deal
            assert [plain(redact(e, viewer)) for e in log] == [plain(redact(e, viewer)) for e in other]
            same_views(worlds, viewer)
            if viewer is not None:
                same_answers(worlds, viewer, rng)
    assert different > compared / 2 > 10


def test_k_7_the_order_of_the_stock_is_looked_at_by_nobody() -> None:
    """Every seat together, seeing all hands, learns nothing from a stock in another order."""
    for variant in VARIANT_SLUGS:
        rng = Random(f"stock {variant}")
        for step in random_match(random_game(variant, rng), rng, 60):
            deal = step.after.deal
            if deal is None or deal.turn is None or rng.random() > 0.15:
                continue
            stock = rng.sample(deal.stock, len(deal.stock))
            worlds = (step.after, replace(step.after, deal=replace(deal, stock=tuple(stock))))
            for seat in range(len(deal.hands)):
                same_views(worlds, seat)
                same_answers(worlds, seat, rng)
