"""What refusals say: whose turn it is, what its phase is for, what the game has."""

from __future__ import annotations

from typing import Any

import pytest

from domain import commands as cmd
from domain.commands import Rejected
from domain.decide import execute
from domain.refusals import PARTICULAR, SENTENCES
from domain.state import Match
from tests.rules.tables import AT, see, table
from tests.rules.test_table_melds import play


def refused(state: Match, seat: int, command: Any) -> Rejected:
    with pytest.raises(Rejected) as caught:
        execute(state, command, cmd.Actor(seat), AT)
    return caught.value


def test_whose_turn_it_is() -> None:
    state = table("hhh", options={"first_starter": 2})
    found = refused(state, 0, cmd.Draw("stock"))
    assert (found.code, found.detail) == ("turn.not_yours", "It is not your turn but that of seat 2.")


@pytest.mark.parametrize(("variant", "phase", "command", "said"), [
    ("wild-rummy", "draw", cmd.Discard("AC"), "draw"),
    ("wild-rummy", "play", cmd.Draw("stock"), "meld, lay_off, swap and discard"),
    ("two-player-rummy", "discard", cmd.Draw("stock"), "discard"),
    ("two-player-rummy", "play", cmd.Draw("stock"), "meld, lay_off and discard"),
    ("thirteen-card-rummy", "draw", cmd.Discard("AC"), "draw"),
    ("single-deck-rummy", "play", cmd.Draw("stock"), "discard and declare"),
    ("rummy-5000", "draw", cmd.Discard("AC"), "draw, call_rummy and pass"),
    ("george", "play", cmd.Draw("stock"), "meld, lay_off, discard and split"),
])  # fmt: skip
def test_what_the_phase_is_for(variant: str, phase: str, command: Any, said: str) -> None:
    state = table("hhh" if variant in ("rummy-5000", "george") else "hh", variant)
    turn = see(state, 0)["turn"]
    while turn["phase"] != phase:
        seat = turn["seat"]
        step = cmd.Draw("stock") if turn["phase"] == "draw" else cmd.Discard(see(state, seat)["hand"][0])
        state = play(state, seat, step)[1]
        turn = see(state, 0)["turn"]
    found = refused(state, turn["seat"], command)
    assert (found.code, found.detail) == (
        "turn.wrong_phase", f"The turn is in its {phase} phase, which is for {said}.")  # fmt: skip


@pytest.mark.parametrize(("variant", "command", "said", "rule"), [
    ("wild-rummy", cmd.Pass(), "has no pass. Its commands are draw, meld, lay_off, swap and discard.", "WR-6"),
    ("two-player-rummy", cmd.Swap(1, "AC"), "has no swap. Its commands are draw, meld, lay_off and discard.", "TP-3"),
    ("thirteen-card-rummy", cmd.Meld(["AC"]), "has no meld. Its commands are draw, discard and declare.", "TC-4"),
    ("single-deck-rummy", cmd.Meld(["AC"]), "has no meld. Its commands are draw, discard and declare.", "SD-3"),
    ("rummy-5000", cmd.Declare([], "AC"),
     "has no declare. Its commands are draw, meld, lay_off, discard, call_rummy, pass and split.", None),
])  # fmt: skip
def test_what_commands_a_game_has(variant: str, command: Any, said: str, rule: str | None) -> None:
    found = refused(table("hhh" if variant == "rummy-5000" else "hh", variant), 0, command)
    assert (found.code, found.rule) == ("command.not_in_variant", rule)
    assert found.detail.lower().endswith(said.lower())


def test_a_sentence_for_no_case_in_particular_needs_no_words() -> None:
    assert not [code for code, (sentence, _) in SENTENCES.items() if "{" in sentence]
    assert set(PARTICULAR) <= set(SENTENCES)
