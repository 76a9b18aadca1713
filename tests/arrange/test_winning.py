"""The declaration that wins (TC-5, SD-5), against trying everything and by hand."""

from __future__ import annotations

import random

import pytest

from domain.arrange import Winning, winning
from domain.arrange_groups import judge
from domain.cards import FACE, NAMES, names, pack

from .brute import readings, wins
from .hands import SD, TC, Dealt, Game, composed, dealt, mask, packed, wilds


def declared(game: Game, hand: str, turned: str = "7H", barred: str | None = None) -> Winning | None:
    cards = hand.split()
    assert len(cards) == 14
    return winning(packed(cards), mask(wilds(game, turned)), None if barred is None else FACE[barred])


def check(case: Dealt, barred: str | None) -> bool:
    _, hand, wild = case
    bits = mask(wild)
    found = winning(packed(hand), bits, None if barred is None else FACE[barred])
    assert (found is not None) == wins(hand, wild, barred), (hand, wild, barred, found)
    if found is None:
        return False
    assert pack([c & 63 for g in found.groups for c in g] + [found.discard]) == packed(hand)
    assert NAMES[found.discard] != barred
    judged = judge(found.groups, bits)
    assert judged.wins, (hand, wild, found)
    assert judged.groups == found.groups
    for group in found.groups:
        assert readings(tuple(sorted(names(c & 63 for c in group))), wild)
    return True


def some(seed: int, count: int) -> tuple[int, int]:
    rng = random.Random(seed)
    won = 0
    for i in range(count):
        game = rng.choice((TC, SD))
        case = dealt(rng, game, 14, (1, 5)) if i % 5 == 0 else composed(rng, game)
        barred = rng.choice(
            (None, rng.choice(case.hand), rng.choice([c for c in case.hand if c in case.wild] or [None]))
        )
        won += check(case, barred)
    return won, count - won


@pytest.mark.parametrize("seed", range(3))
def test_tc_5_sd_5_against_the_brute_force(seed: int) -> None:
    won, lost = some(seed, 20)
    assert won > 5
    assert lost > 0


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 120))
def test_tc_5_sd_5_many_against_the_brute_force(seed: int) -> None:
    some(seed, 250)


COMPLETE = "3C 4C 5C 8S 9S JK 9C 9D 9H KC KD KH KS"


@pytest.mark.parametrize("game", [TC, SD])
def test_tc_5_sd_5_the_odd_card_is_set_aside(game: Game) -> None:
    found = declared(game, COMPLETE + " 2S")
    assert found is not None
    assert NAMES[found.discard] == "2S"


def test_sd_3_the_odd_card_may_be_barred() -> None:
    assert declared(SD, COMPLETE + " 2S", barred="2S") is None


def test_sd_3_another_card_is_set_aside_where_one_is_barred() -> None:
    found = declared(SD, "3C 4C 5C 6C 8S 9S TS 9C 9D 9H KC KD KH KS", barred="6C")
    assert found is not None
    assert NAMES[found.discard] != "6C"


def test_tc_3_a_joker_may_be_set_aside() -> None:
    found = declared(TC, "3C 4C 5C 8S 9S TS 9C 9D 9H KC KD KH KS JK")
    assert found is not None


def test_a_barred_joker_is_worked_in() -> None:
    found = declared(TC, "3C 4C 5C 8S 9S TS 9C 9D 9H KC KD KH KS JK", barred="JK")
    assert found is not None
    assert "JK" in names(c & 63 for g in found.groups for c in g)


def test_tc_5_without_a_pure_sequence_nothing_wins() -> None:
    assert declared(TC, "3C 4C JK 8S 9S 7D 9C 9D 9H KC KD KH KS 2S") is None


def test_tc_5_with_one_sequence_nothing_wins() -> None:
    assert declared(TC, "3C 4C 5C 8S 8D JK 9C 9D 9H KC KD KH KS 2S") is None


def test_sd_4_a_run_of_thirteen_is_cut_in_two() -> None:
    assert declared(SD, "AS 2S 3S 4S 5S 6S 8S 9S TS JS QS KS JK 4D") is not None


def test_many_wilds_are_all_placed() -> None:
    found = declared(SD, "3C 4C 5C 9S 7C 7D 7S JK JK KC KD KH KS 7H", "7H")
    assert found is not None
    assert sum(len(g) for g in found.groups) == 13


def test_k_4_a_second_sequence_of_wilds_with_one_at_its_face_value() -> None:
    found = declared(SD, "3C 4C 5C KC KD KH KS 9C 9D 9H 9S 7C JK JK")
    assert found is not None
    assert NAMES[found.discard] in {"KC", "KD", "KH", "KS", "9C", "9D", "9H", "9S"}


def test_tc_5_three_sets_and_one_sequence_do_not_win() -> None:
    assert declared(TC, "3C 4C 5C KC KD KH KS 9C 9D 9H QC QD QH QS", "7H") is None
