"""Groups that a player shows: readings, lives, charges, and why they do not stand."""

from __future__ import annotations

import random
from typing import Any

import pytest

from domain.arrange_groups import charge, faults, judge
from domain.cards import FACE, PLACED, placed_names
from tests.scenario_files import scenarios

from .brute import readings
from .hands import SD, TC, VALUES, Game, dealt, mask, packed, wilds

DECLARED = [
    (f"{name}/{i}", scenario, step)
    for name, scenario in scenarios()
    for i, step in enumerate(scenario["steps"])
    if step.get("send", {}).get("type") == "declare"
    and "wild_indicator" in scenario.get("sandbox", {}).get("position", {})
    and step.get("error", "declare.invalid") == "declare.invalid"
]


def read(group: str, game: Game = SD, turned: str = "7H") -> tuple[str | None, list[str], str | None]:
    judged = judge([[PLACED[c] for c in group.split()]], mask(wilds(game, turned)))
    return judged.kinds[0], placed_names(judged.groups[0]), judged.codes[0]


@pytest.mark.parametrize(
    ("scenario", "step"), [(s, p) for _, s, p in DECLARED], ids=[name for name, _, _ in DECLARED]
)
def test_declarations_of_the_scenarios(scenario: dict[str, Any], step: dict[str, Any]) -> None:
    game = TC if scenario["variant"] == "thirteen-card-rummy" else SD
    position = scenario["sandbox"]["position"]
    groups = [[PLACED[c] for c in g] for g in step["send"]["groups"]]
    judged = judge(groups, mask(wilds(game, position["wild_indicator"])))
    result = step.get("view", {}).get("result", {}).get("deal", {})
    lawful = "error" not in step and result.get("reason") != "invalid_declaration"
    assert judged.wins == lawful
    assert (not faults(judged)) == lawful


def test_declarations_are_found() -> None:
    assert len(DECLARED) >= 40


@pytest.mark.parametrize("seed", range(4))
def test_readings_against_the_brute_force(seed: int) -> None:
    rng = random.Random(seed)
    stood = 0
    for _ in range(4_000):
        size = rng.choice((2, 3, 3, 3, 4, 4, 5, 6, 13))
        _, hand, wild = dealt(rng, rng.choice((TC, SD)), size, (0, 4))
        judged = judge([[PLACED[c] for c in hand]], mask(wild))
        can = readings(tuple(sorted(hand)), wild)
        want = "pure_sequence" if "pure" in can else "sequence" if "run" in can else "set" if can else None
        assert judged.kinds == (want,), (hand, wild)
        assert (judged.codes[0] is None) == (want is not None)
        stood += want is not None
    assert stood > 500


@pytest.mark.parametrize(
    ("group", "kind", "cards"),
    [
        ("5C 3C 4C", "pure_sequence", "3C 4C 5C"),
        ("KS AS QS", "pure_sequence", "QS KS AS"),
        ("AS 2S 3S", "pure_sequence", "AS 2S 3S"),
        ("6D 7D 8D", "pure_sequence", "6D 7D 8D"),
        ("7D=7D 6D 8D", "pure_sequence", "6D 7D 8D"),
        ("8S 9S JK", "sequence", "7S 8S 9S"),
        ("8S 9S JK=TS", "sequence", "8S 9S JK=TS"),
        ("8D 9D 7D=TD", "sequence", "8D 9D 7D=TD"),
        ("JK 8S 7D", "sequence", None),
        ("9H 9C 9D", "set", "9C 9D 9H"),
        ("9C 9H JK=9S", "set", "9C 9H JK=9S"),
        ("9H JK 9D", "set", "JK=9C 9D 9H"),
        ("7C=7S 7D JK=7H", "set", "7C 7D JK=7H"),
        ("KC KD KH 7D", "set", "KC KD KH 7D=KS"),
        ("AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS", "pure_sequence", "AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS"),
    ],
)
def test_k_6_the_reading_that_helps_most(group: str, kind: str, cards: str | None) -> None:
    got, placed, code = read(group)
    assert (got, code) == (kind, None)
    if group == "8S 9S JK":
        assert placed in (["JK=7S", "8S", "9S"], ["8S", "9S", "JK=TS"])
    elif cards is not None:
        assert placed == cards.split()


@pytest.mark.parametrize(
    ("group", "code"),
    [
        ("KC KD", "meld.too_short"),
        ("9C 9D TH", "meld.not_a_meld"),
        ("JK=QC JK=QD 7D=QH", "meld.no_natural"),
        ("JK JK 7D=QH", "meld.no_natural"),
        ("9C 9C 9D", "meld.repeated_suit"),
        ("9C 9D JK=9D", "meld.repeated_suit"),
        ("KC AC 2C", "meld.ace_wraps"),
        ("QC KC AC 2C", "meld.ace_wraps"),
        ("2S 3S 5S", "meld.not_consecutive"),
        ("5S 5S 6S", "meld.not_consecutive"),
        ("9H 9H JK", "meld.not_consecutive"),
        ("9C 9D 9H 9S JK", "meld.too_long"),
        ("4H 8H=5H 6H", "card.not_wild"),
        ("KC KD 2H=KH", "card.not_wild"),
    ],
)
def test_why_a_group_does_not_stand(group: str, code: str) -> None:
    kind, placed, got = read(group)
    assert (kind, got) == (None, code)
    assert placed == group.split()


def test_tc_5_sd_6_every_reason_is_listed_with_its_place() -> None:
    groups = [[PLACED[c] for c in g.split()] for g in ("3C 4C JK", "8S 9S", "9C 9D 9H", "KC AC 2C")]
    judged = judge(groups, mask(wilds(SD, "7H")))
    assert judged.kinds == ("sequence", None, "set", None)
    assert (judged.lives, judged.pure, judged.wins) == (0, False, False)
    found = faults(judged, "SD-5")
    assert [(f.pointer, f.code) for f in found] == [
        ("#/groups/1", "meld.too_short"),
        ("#/groups/3", "meld.ace_wraps"),
        ("#/groups", "declare.invalid"),
    ]
    assert found[-1].rule == "SD-5"
    assert all(f.detail for f in found)


def test_sd_4_the_second_life_is_missing() -> None:
    judged = judge([[PLACED[c] for c in g.split()] for g in ("3C 4C 5C", "9C 9D 9H")], mask(wilds(SD, "7H")))
    assert (judged.lives, judged.pure) == (1, True)
    assert [f.code for f in faults(judged)] == ["declare.invalid"]


def test_tc_12_sd_7_the_charge_of_the_groups_shown() -> None:
    hand = ["3C", "4C", "5C", "9C", "9D", "9H", "KC", "KD", "JK"]
    bits = mask(wilds(TC, "7H"))
    judged = judge([[PLACED[c] for c in g.split()] for g in ("3C 4C 5C", "9C 9D 9H", "KC KD")], bits)
    kings = (FACE["KC"], FACE["KD"], FACE["JK"])
    assert charge(packed(hand), judged, bits, VALUES, 1) == (20, 20, kings)
    assert charge(packed(hand), judged, bits, VALUES, 2) == (59, 59, kings)
    assert charge(packed(hand), judged, bits, VALUES, 2, cap=50)[:2] == (50, 59)
