"""The best arrangement (TC-12, SD-7), against trying everything and by hand."""

from __future__ import annotations

from typing import Any

import pytest

from domain.arrange import Arrangement, best
from domain.arrange_groups import judge
from domain.cards import FACE, names, pack, placed_names
from tests.scenario_files import scenarios

from .brute import Brute, readings
from .hands import SD, TC, VALUES, Dealt, Game, many, mask, packed, wilds

ARRANGED = [
    (f"{name}/{i}", scenario, step)
    for name, scenario in scenarios()
    for i, step in enumerate(scenario["steps"])
    if "arrange" in step and "points" in step.get("view", {}) and "groups" not in step["arrange"]
]
KIND = {"pure_sequence": "pure", "sequence": "run", "set": "set"}


def arranged(game: Game, hand: str, turned: str | None = "7H", lives: int | None = None) -> Arrangement:
    cards = hand.split()
    return best(packed(cards), mask(wilds(game, turned)), VALUES, lives or game.lives)


def shown(found: Arrangement) -> list[list[str]]:
    return [placed_names(g) for g in found.groups]


def check(dealt: Dealt) -> None:
    """Everything that is said of a hand, for both games' rules, against the brute force."""
    _, hand, wild = dealt
    bits = mask(wild)
    brute = Brute(hand, wild)
    for lives in (1, 2):
        found = best(packed(hand), bits, VALUES, lives)
        assert found.raw == brute.charge(lives), (hand, wild, lives, found)
        assert found.points == min(found.raw, 80)
        assert found.lives == brute.lives(), (hand, wild, found)
        assert found.pure == (brute.lives() > 0)
        # what is shown is an arrangement of these very cards …
        assert pack([c & 63 for g in found.groups for c in g] + list(found.deadwood)) == packed(hand)
        assert list(found.deadwood) == sorted(found.deadwood)
        for group, kind in zip(found.groups, found.kinds, strict=True):
            faces = tuple(sorted(names(c & 63 for c in group)))
            assert KIND[kind] in readings(faces, wild), (hand, wild, placed_names(group))
        judged = judge(found.groups, bits)
        assert judged.kinds == found.kinds
        assert judged.groups == found.groups
        # … and one that achieves the charge, or shows the most where the whole hand is charged
        deadwood = sum(VALUES[f] for f in found.deadwood if not bits >> f & 1)
        if found.whole:
            assert found.raw == sum(VALUES[FACE[c]] for c in hand if c not in wild)
            assert judged.lives == found.lives
            assert deadwood == brute.least() or found.pure
        else:
            assert deadwood == found.raw
            assert judged.lives >= lives


@pytest.mark.parametrize("seed", range(4))
def test_tc_12_sd_7_small_hands_against_the_brute_force(seed: int) -> None:
    for dealt in many(seed, 25, (1, 2, 3, 4, 5, 6, 7, 8, 9)):
        check(dealt)


def test_tc_12_sd_7_hands_of_ten_and_eleven_against_the_brute_force() -> None:
    for dealt in many(20, 10, (10, 11)):
        check(dealt)


def test_tc_12_sd_7_full_hands_against_the_brute_force() -> None:
    for dealt in many(30, 2, (13, 14)):
        check(dealt)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 120))
def test_tc_12_sd_7_many_hands_against_the_brute_force(seed: int) -> None:
    for dealt in many(seed, 50, (3, 6, 8, 9, 10)):
        check(dealt)
    for dealt in many(seed, 10, (11, 12, 13, 14)):
        check(dealt)


@pytest.mark.parametrize(
    ("scenario", "step"), [(s, p) for _, s, p in ARRANGED], ids=[n for n, _, _ in ARRANGED]
)
def test_scenarios_that_arrange(scenario: dict[str, Any], step: dict[str, Any]) -> None:
    game = TC if scenario["variant"] == "thirteen-card-rummy" else SD
    asked = step["arrange"]
    found = arranged(game, " ".join(asked["hand"]), asked.get("wild"))
    assert found.points == step["view"]["points"]


def test_scenarios_are_found() -> None:
    assert len(ARRANGED) >= 38


def test_tc_12_a_pure_sequence_must_stand_in_the_arrangement_that_is_charged() -> None:
    # Three sets would leave nothing, but hold no sequence.
    found = arranged(TC, "4D 5D 6D 4H 4S 5C 5S 6C 6H", "KH")
    assert (found.points, found.pure, found.whole) == (30, True, False)


def test_k_2_a_wild_at_its_face_value_keeps_a_sequence_pure() -> None:
    found = arranged(TC, "6D 7D 8D KS", "7H")
    assert (found.kinds, found.points) == (("pure_sequence",), 10)
    assert shown(found) == [["6D", "7D", "8D"]]


def test_k_2_a_printed_joker_keeps_nothing_pure() -> None:
    found = arranged(TC, "6D JK 8D KS", "2H")
    assert (found.pure, found.points, found.whole) == (False, 24, True)


def test_k_4_wilds_alone_are_a_sequence_with_one_at_its_face_value() -> None:
    found = arranged(SD, "3D 4D 5D 7C JK JK", "7H")
    assert (found.points, found.lives) == (0, 2)
    assert found.kinds == ("pure_sequence", "sequence")


def test_k_4_jokers_alone_are_nothing() -> None:
    found = arranged(SD, "3D 4D 5D JK JK", "7H")
    assert (found.points, found.lives, found.whole) == (12, 1, True)


def test_sd_7_the_only_wild_card_of_the_rank_cannot_serve_both_lives() -> None:
    found = arranged(SD, "5D 6D 7D JK JK", "7H")
    assert (found.lives, found.points) == (1, 11)


def test_tc_7_the_same_card_twice_is_no_set_but_two_runs_may_hold_it() -> None:
    assert arranged(TC, "9H 9H 9D", "2S").groups == ()
    assert arranged(TC, "4H 5H 6H 6H 7H 8H", "2S").points == 0


def test_k_3_the_ace_is_low_or_high_and_never_both() -> None:
    assert arranged(TC, "AC 2C 3C QS KS AS", "7H").points == 0
    assert arranged(TC, "KC AC 2C", "7H").points == 22


def test_a_high_ace_is_shown_last() -> None:
    assert shown(arranged(TC, "AS QS KS", "7H")) == [["QS", "KS", "AS"]]


def test_tc_12_the_cap_is_eighty_and_the_raw_value_is_known() -> None:
    found = arranged(TC, "KC QD JS TH 9C 8D 6H AC AS QS 5D 3S 2D", "7H")
    assert (found.points, found.raw, found.whole) == (80, 103, True)


def test_what_the_hand_can_hold_is_not_what_is_shown() -> None:
    # In TC one sequence is enough to count deadwood; the hand could hold two.
    found = arranged(TC, "3C 4C 5C 3D 3H 4D 4H 5D 5H KS", "7H")
    assert found.lives == 2
    assert found.points == 10


def test_no_wild_is_named() -> None:
    assert arranged(TC, "AC 2C 3C 7D 7H JK KS", None).points == 10


def test_one_card_and_one_joker() -> None:
    assert arranged(SD, "KS").points == 10
    assert arranged(SD, "JK").points == 0
