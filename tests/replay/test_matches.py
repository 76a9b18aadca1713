"""Any match, whatever happens in it: its exported log verifies, and folds to the very same state."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from api.random_play import any_command, keen_command
from domain.replay import decode_event, export, fold
from domain.variants import VARIANTS
from domain.verify import verify
from tests.replay.matches import eventful, random_game, with_open_seats


def check(variant: str, seed: int, most: int) -> None:
    rng = Random(seed)
    game = random_game(variant, rng)
    if rng.random() < 0.5:
        game = with_open_seats(game, rng)
    events, state = eventful(game, rng, most, rng.choice([any_command, keen_command]))
    lines = list(export("a game", events))
    assert fold(decode_event(line) for line in lines[1:]) == state
    found = verify(b"".join(lines))
    assert found.divergence is None
    assert (found.ok, found.intact, found.fair, found.lawful) == (True,) * 4
    assert found.complete == (state.status in ("finished", "cancelled"))
    assert found.events == len(events) == state.version
    assert found.result == state.match_result
    assert found == verify(lines)


@pytest.mark.parametrize("variant", list(VARIANTS))
@settings(max_examples=12)
@given(seed=st.integers(0, 2**32 - 1))
@example(seed=1)
def test_an_exported_log_verifies_and_folds_to_the_same_state(variant: str, seed: int) -> None:
    check(variant, seed, 250)


@pytest.mark.soak
@pytest.mark.parametrize("variant", list(VARIANTS))
@settings(max_examples=400)
@given(seed=st.integers(0, 2**32 - 1))
def test_whole_matches_verify_and_fold_to_the_same_state(variant: str, seed: int) -> None:
    check(variant, seed, 3000)
