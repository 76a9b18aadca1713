"""Every card is somewhere exactly once, after every event; a refusal changes nothing."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

import msgspec
import pytest

from domain.cards import NAMES, count
from domain.commands import Actor
from domain.evolve import NEW, evolve
from domain.record import later
from domain.state import Match
from domain.turns.deals import full_deck
from tests.rules.tables import VARIANT_SLUGS, answer, attempts, random_game, random_match

TABLES = 12
COMMANDS = 160


def counted(state: Match) -> list[int]:
    """How many copies of each face lie in hands, stock, pile, on and beside the table, and turned."""
    deal = state.deal
    assert deal is not None
    assert state.rules is not None
    total = [sum(count(h, f) for h in deal.hands) for f in range(len(NAMES))]
    loose = [*deal.stock, *deal.discard]
    for meld in deal.melds:
        loose += [c & 63 for c in meld.cards] + [face for face, _ in meld.beside]
    if state.rules.turned_card and deal.indicator is not None:
        loose.append(deal.indicator)
    for face in loose:
        total[face] += 1
    return total


@pytest.mark.parametrize("variant", VARIANT_SLUGS)
def test_k_1_every_card_is_somewhere_exactly_once(variant: str) -> None:
    kinds: set[str] = set()
    for number in range(TABLES):
        rng = Random(f"{variant} {number}")
        state = NEW
        deck: list[int] = []
        for step in random_match(random_game(variant, rng), rng, COMMANDS):
            for event in step.events:
                state = evolve(state, event)
                kinds.add(type(event).__struct_config__.tag)
                if state.deal is None:
                    continue
                if not deck:
                    assert state.rules is not None
                    faces = full_deck(state.rules)
                    deck = [faces.count(f) for f in range(len(NAMES))]
                assert counted(state) == deck, event
            assert state == step.after
    assert {"deal_ended", "card_discarded", "game_paused", "game_resumed", "turn_timed_out"} <= kinds


def test_k_1_the_state_is_what_its_events_say() -> None:
    """Folding the log that a store would keep gives the same state, byte by byte."""
    for variant in VARIANT_SLUGS:
        rng = Random(variant)
        log: list[Any] = []
        after = NEW
        for step in random_match(random_game(variant, rng), rng, 60):
            log += step.events
            after = step.after
        assert [e.seq for e in log] == list(range(1, len(log) + 1))
        assert all(a.at <= b.at and a.commit <= b.commit <= a.commit + 1 for a, b in pairwise(log))
        stored = [msgspec.json.decode(msgspec.json.encode(e), type=type(e)) for e in log]
        state = NEW
        for event in stored:
            state = evolve(state, event)
        assert msgspec.json.encode(state) == msgspec.json.encode(after)


@pytest.mark.parametrize("variant", VARIANT_SLUGS)
def test_k_7_a_refusal_changes_nothing(variant: str) -> None:
    refused: set[str] = set()
    for number in range(4):
        rng = Random(f"refusals {variant} {number}")
        for step in random_match(random_game(variant, rng), rng, 50):
            state = step.after
            before = msgspec.json.encode(state)
            if state.deal is None:
                continue
            for seat in range(len(state.seats)):
                for command in attempts(state, seat, rng, 8):
                    said, events, after = answer(state, command, Actor(seat), later(state.at, 1))
                    if said is not None:
                        assert after is state
                        refused.add(said[0])
                    else:
                        assert after.version == state.version + len(events)
            assert msgspec.json.encode(state) == before
    assert len(refused) >= 9
