"""Options of every game: what is taken, and what is refused, each fault with its place and rule."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from domain.commands import Rejected
from domain.decide import resolve
from domain.rules import options_schema
from domain.variants import VARIANTS
from tests.rules.tables import VARIANT_SLUGS

FK = ("target", "crossing", "permanent_wilds", "permanent_wild_cards", "deadwood", "rummy_window")
DECLARE = ("deals", "invalid_declaration", "may_take_jokers", "may_return_taken")
#: The options of each game by the contract, beside ``clock``.
OPTIONS = {
    "wild-rummy": ("first_starter",),
    "two-player-rummy": ("first_dealer", "rounds", "may_return_taken"),
    "thirteen-card-rummy": ("first_dealer", *DECLARE),
    "single-deck-rummy": ("first_dealer", *DECLARE),
    "rummy-5000": ("first_dealer", *FK, "upcard_counts", "max_wilds_per_meld"),
    "george": ("first_dealer", *FK, "ace_hand"),
}
DEFAULTS: dict[str, dict[str, Any]] = {
    "wild-rummy": {"first_starter": None},
    "two-player-rummy": {"first_dealer": None, "rounds": 13, "may_return_taken": True},
    "thirteen-card-rummy": {"first_dealer": None, "deals": 1, "invalid_declaration": "reject",
                            "may_take_jokers": True, "may_return_taken": True},
    "single-deck-rummy": {"first_dealer": None, "deals": 1, "invalid_declaration": "penalty",
                          "may_take_jokers": False, "may_return_taken": False},
    "rummy-5000": {"first_dealer": None, "target": 5000, "crossing": "highest", "permanent_wilds": "none",
                   "permanent_wild_cards": 15, "upcard_counts": "extra", "deadwood": "to_winner",
                   "max_wilds_per_meld": None, "rummy_window": 0},
    "george": {"first_dealer": None, "target": 2500, "crossing": "highest", "permanent_wilds": "none",
               "permanent_wild_cards": 15, "deadwood": "to_winner", "ace_hand": 14, "rummy_window": 0},
}  # fmt: skip

#: option → (lawful values, unlawful values) at a table of the fewest seats
VALUES: dict[str, tuple[list[Any], list[Any]]] = {
    "first_starter": ([0, 1, None], [-1, 2, 7, 8, "0", True, 0.5, [0]]),
    "first_dealer": ([0, 1, None], [-1, 3, 7, 8, "0", True, 0.5, {}]),
    "rounds": ([1, 13, 52], [0, 53, -1, None, "13", True, 1.5]),
    "deals": ([1, 2, 100], [0, 101, None, "1", True, 1.5]),
    "may_return_taken": ([True, False], [None, 0, 1, "true"]),
    "may_take_jokers": ([True, False], [None, 0, 1, "false"]),
    "invalid_declaration": (["reject", "penalty"], ["refuse", "", None, True, 80]),
    "target": ([100, 2500, 100000], [99, 100001, None, "5000", True]),
    "crossing": (["highest", "out_first"], ["lowest", None, 1]),
    "permanent_wilds": (["none", "jokers"], ["aces", None, False, ["jokers"]]),
    "permanent_wild_cards": ([15, 20], [14, 16, 21, None, "15", True]),
    "upcard_counts": (["extra", "total"], ["all", None, True]),
    "deadwood": (["to_winner", "subtract"], ["none", None, True]),
    "max_wilds_per_meld": ([1, 8, None], [0, 9, -1, "1", True, 1.5]),
    "rummy_window": ([0, 2, 30], [-1, 31, None, "2", True]),
    "ace_hand": ([14, 15], [13, 16, None, "14", True]),
    "clock": (
        [None, {"turn": 5}, {"turn": 86400}, {"draw": 5, "discard": 86400}],
        [True, 0, 30, "30", [], {}, {"turn": 4}, {"turn": 86401}, {"turn": None}, {"turn": "30"},
         {"turn": True}, {"turn": 30, "draw": 15}, {"draw": 15}, {"discard": 15},
         {"draw": 4, "discard": 22}, {"turn": 5.5},
         {"draw": 15, "discard": 86401}, {"draw": 15, "discard": 22, "turn": 30},
         {"draw": 15, "discard": None}],
    ),
}  # fmt: skip


def lawful(variant: str, options: dict[str, Any], seats: int | None = None) -> bool:
    try:
        resolve(variant, options, seats or VARIANTS[variant].seats.min)
    except Rejected as refusal:
        if refusal.code == "options.invalid" and refusal.errors:
            return False
        raise
    return True


@pytest.mark.parametrize("variant", VARIANT_SLUGS)
def test_options_that_each_game_has(variant: str) -> None:
    assert {o.name for o in VARIANTS[variant].options} == {*OPTIONS[variant], "clock"}
    clock = {"draw": 15, "discard": 22} if variant == "thirteen-card-rummy" else None
    assert resolve(variant, {}, 3).options == {**DEFAULTS[variant], "clock": clock}
    for name in {*VALUES, "Clock", "colour", "a/b~c"} - {*OPTIONS[variant], "clock"}:
        with pytest.raises(Rejected) as refusal:
            resolve(variant, {name: VALUES.get(name, ([1],))[0][0]}, 3)
        (fault,) = refusal.value.errors or []
        assert fault.pointer == "#/options/" + name.replace("~", "~0").replace("/", "~1")


@pytest.mark.parametrize("variant", VARIANT_SLUGS)
def test_options_that_are_taken_and_refused(variant: str) -> None:
    schema = options_schema(VARIANTS[variant].options)
    valid = jsonschema.Draft202012Validator(schema).is_valid
    for name in (*OPTIONS[variant], "clock"):
        good, bad = VALUES[name]
        if name == "permanent_wilds":  # GE-1: the deck has no twos
            good, bad = (good, [*bad, "twos"]) if variant == "george" else ([*good, "twos"], bad)
        for value in good:
            assert lawful(variant, {name: value}), (name, value)
            assert resolve(variant, {name: value}, 3).options[name] == value
            assert valid({name: value})
        for value in bad:
            assert not lawful(variant, {name: value}), (name, value)
            if not name.startswith("first_"):  # the schema knows no table
                assert not valid({name: value}), (name, value)
    assert valid(DEFAULTS[variant])


def test_options_every_fault_is_named_with_its_place_and_rule() -> None:
    with pytest.raises(Rejected) as refusal:
        resolve("rummy-5000", {"target": 1, "speed": 9, "crossing": "x", "deadwood": "subtract"}, 3)
    faults = {f.pointer: f.rule for f in refusal.value.errors or []}
    assert faults == {"#/options/target": "FK-17", "#/options/crossing": "FK-18", "#/options/speed": None}


@pytest.mark.parametrize("variant", VARIANT_SLUGS)
def test_k_14_the_first_seat_must_be_one_of_the_table(variant: str) -> None:
    first, seats = VARIANTS[variant].first, VARIANTS[variant].seats
    for number in range(seats.min, seats.max + 1):
        for seat in range(9):
            assert lawful(variant, {first: seat}, number) == (seat < number)


@pytest.mark.parametrize("variant", VARIANT_SLUGS)
def test_the_first_seat_is_one_that_the_game_can_have(variant: str) -> None:
    game = VARIANTS[variant]
    valid = jsonschema.Draft202012Validator(options_schema(game.options)).is_valid
    for seat in range(9):
        assert valid({game.first: seat}) == lawful(variant, {game.first: seat}, game.seats.max)
