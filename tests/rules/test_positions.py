"""Positions: whatever play leads to can be written down as a position, and played on from there."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from domain.actions import actions
from domain.decide import create
from domain.positions import Position, write_position
from tests.rules.tables import AT, VARIANT_SLUGS, plain, random_game, random_match, see

#: What a position does not carry over: the match it came from, and its clock.
LEFT_OUT = ("version", "sandbox", "result")


@pytest.mark.parametrize("variant", VARIANT_SLUGS)
def test_k_7_a_state_written_as_a_position_is_the_same_table(variant: str) -> None:
    written = 0
    for number in range(6):
        rng = Random(f"positions {variant} {number}")
        game = random_game(variant, rng)
        for step in random_match(game, rng, 120, manage=False):
            state = step.after
            found = write_position(state)
            if found is None or rng.random() > 0.25 or see(state, None)["turn"]["window"]:
                continue
            setup = {"position": msgspec.to_builtins(msgspec.convert(plain(found), Position))}
            again = create(msgspec.structs.replace(game, sandbox=setup), AT).state
            written += 1
            # Of two copies one may have been played since the other was taken: a position cannot say (K-1).
            taken = found.turn.taken
            told = not any(taken == c.split("=")[0] for m in found.melds for c in m.cards)
            for viewer in (None, *range(len(state.seats))):
                one, two = see(state, viewer), see(again, viewer)
                for view in (one, two):
                    for member in LEFT_OUT:
                        del view[member]
                    view["turn"]["deadline"] = None
                assert one == two
                if viewer is not None and told:
                    assert plain(actions(state, viewer)) == plain(actions(again, viewer))
            assert plain(write_position(again)) == plain(found)
    assert written > 30
