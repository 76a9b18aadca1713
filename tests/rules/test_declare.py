"""TC and SD: groups judged by an oracle of their own, declarations, penalties, charges, endings."""

from __future__ import annotations

from itertools import permutations
from random import Random

import pytest

from domain import commands as cmd
from domain.actions import actions
from domain.arrange_groups import judge
from domain.arrangements import arrange_hand
from domain.bots import choose
from domain.cards import FACE, NAMES, PLACED
from domain.commands import Actor, Rejected
from domain.decide import execute, resolve
from domain.state import wild_mask
from domain.views import view
from tests.rules.tables import (
    AT,
    COMPLETE,
    JUNK,
    code,
    do,
    plain,
    position,
    random_game,
    random_match,
    see,
    types,
)  # fmt: skip

BOTH = ("thirteen-card-rummy", "single-deck-rummy")
GROUPS = [["3C", "4C", "5C"], ["8S", "9S", "TS"], ["QC", "QD", "QH"], ["KC", "KD", "KH", "KS"]]
RANKS = "A23456789TJQK"


# ------------------------------------------------------- an oracle for single groups


def _split(card: str) -> tuple[str, str | None]:
    """The card held, and what it is said to stand for; ``6H=6H`` means the same as ``6H`` (K-2)."""
    held, _, stands = card.partition("=")
    return held, stands if stands not in ("", held) else None


def _fits_run(cards: list[str], wild: set[str]) -> str | None:
    """Every way to lay the cards in every interval of every suit (TC-6, TC-7)."""
    best: str | None = None
    n = len(cards)
    for suit in "CDHS":
        for low in range(15 - n):
            if low == 0 and low + n - 1 == 13:
                continue
            cells = [RANKS[p % 13] + suit for p in range(low, low + n)]
            for order in permutations(range(n)):
                natural = 0
                for cell, i in zip(cells, order, strict=True):
                    held, stands = _split(cards[i])
                    if held == cell and stands in (None, cell):
                        natural += 1
                    elif held not in wild or stands not in (None, cell):
                        break
                else:
                    if natural == n:
                        return "pure_sequence"
                    if natural:
                        best = "sequence"
    return best


def _fits_set(cards: list[str], wild: set[str]) -> bool:
    """Every suit once, some card natural; a wild of the rank is natural whatever is written (TC-7, K-2)."""
    if len(cards) > 4:
        return False
    for rank in RANKS:
        for suits in permutations("CDHS", len(cards)):
            natural = 0
            for suit, card in zip(suits, cards, strict=True):
                held, stands = _split(card)
                if stands is not None and (stands[0] != rank or (held not in wild and held != stands)):
                    break
                if held[0] == rank and held != "JK":
                    natural += 1
                    if held[1] != suit:
                        break
                elif held not in wild or (stands is not None and stands[1] != suit):
                    break
            else:
                if natural:
                    return True
    return False


def oracle(cards: list[str], wild: set[str]) -> str | None:
    """What a group is at best: a pure sequence, a sequence, a set, or nothing."""
    if len(cards) < 3 or any(s is not None and s != h and h not in wild for h, s in map(_split, cards)):
        return None
    run = _fits_run(cards, wild)
    return run or ("set" if _fits_set(cards, wild) else None)


def _random_group(rng: Random, wild: list[str]) -> list[str]:
    """Cards that lie near each other, so that many groups stand and many nearly do."""
    suit, low, rank = rng.choice("CDHS"), rng.randrange(13), rng.choice(RANKS)
    run = rng.random() < 0.6
    group: list[str] = []
    for i in range(rng.choice([2, 3, 3, 3, 4, 4, 5])):
        ideal = RANKS[(low + i) % 13] + suit if run else rank + "CDHSC"[i]
        what = rng.random()
        card = ideal if what < 0.55 else rng.choice(wild) if what < 0.9 else rng.choice(NAMES)
        if rng.random() < 0.15:
            card += "=" + (ideal if rng.random() < 0.8 else rng.choice(NAMES[:52]))
        group.append(card)
    rng.shuffle(group)
    return [c for c in group if c in PLACED]


@pytest.mark.parametrize("variant", BOTH)
def test_tc_7_groups_are_read_as_the_oracle_reads_them(variant: str) -> None:
    rng = Random(variant)
    found: dict[str | None, int] = {}
    for _ in range(1200):
        turned = rng.choice(NAMES)
        mask = wild_mask(resolve(variant, {}, 2), 1, FACE[turned])
        wild = {NAMES[f] for f in range(53) if mask >> f & 1}
        group = _random_group(rng, [*sorted(wild), "JK"])
        kind = judge([[PLACED[c] for c in group]], mask).kinds[0]
        assert kind == oracle(group, wild), (group, turned)
        found[kind] = found.get(kind, 0) + 1
    assert min(found.get(k, 0) for k in ("pure_sequence", "sequence", "set", None)) > 20


# ----------------------------------------------------------------------- declaring


@pytest.mark.parametrize("variant", BOTH)
def test_tc_5_a_declaration_wins_if_its_groups_stand_with_both_lives(variant: str) -> None:
    """Random cuts of random hands, against the oracle; what is refused says why."""
    rng = Random(f"declare {variant}")
    wins = 0
    for _ in range(150):
        groups = [list(g) for g in GROUPS]
        for _ in range(rng.choice([0, 0, 1, 1, 2])):
            a, b = rng.sample(range(4), 2)
            i, j = rng.randrange(len(groups[a])), rng.randrange(len(groups[b]))
            groups[a][i], groups[b][j] = groups[b][j], groups[a][i]
        if rng.random() < 0.5:
            groups[rng.randrange(4)][0] = "JK"
        rng.shuffle(groups)
        hand = [c for g in groups for c in g]
        state = position([[*hand, "2S"], JUNK], {"phase": "play"}, variant, {"invalid_declaration": "reject"})
        wild = {"7D", "7H", "JK"} if variant == BOTH[0] else {"7C", "7D", "7H", "7S", "JK"}
        kinds = [oracle(g, wild) for g in groups]
        lives = sum(k in ("sequence", "pure_sequence") for k in kinds)
        ought = None not in kinds and lives > 1 and "pure_sequence" in kinds
        wins += ought
        if ought:
            assert types(do(state, cmd.Declare(groups, "2S"), 0).events)[:2] == [
                "hand_declared",
                "deal_ended",
            ]
            assert "declare" in see(state, 0)["may"]
            continue
        with pytest.raises(Rejected) as refusal:
            do(state, cmd.Declare(groups, "2S"), 0)
        assert refusal.value.code == "declare.invalid"
        named = {f.pointer: f.code for f in refusal.value.errors or []}
        assert {f"#/groups/{i}" for i, k in enumerate(kinds) if k is None} == set(named) - {"#/groups"}
        assert ("#/groups" in named) == (lives < 2 or "pure_sequence" not in kinds)
    assert 20 < wins < 130


@pytest.mark.parametrize(("variant", "rule", "aside"), [(BOTH[0], "TC-8", "TC-5"), (BOTH[1], "SD-6", "SD-5")])
def test_tc_8_a_rejected_declaration_names_every_reason(variant: str, rule: str, aside: str) -> None:
    options = {"invalid_declaration": "reject"}
    state = position([[*COMPLETE, "2S"], JUNK], {"phase": "play"}, variant, options)
    wrong = [["3C", "4C"], ["5C", "8S", "9S", "TS"], ["QC", "QD", "KH=QH"], ["KC", "KD", "QH", "KS"]]
    with pytest.raises(Rejected) as refusal:
        do(state, cmd.Declare(wrong, "2S"), 0)
    assert (refusal.value.code, refusal.value.rule) == ("declare.invalid", rule)
    assert [(f.pointer, f.code, f.rule) for f in refusal.value.errors or []] == [
        ("#/groups/0", "meld.too_short", "K-3"), ("#/groups/1", "meld.not_a_meld", "K-3"),
        ("#/groups/2", "card.not_wild", "K-2"), ("#/groups/3", "meld.not_a_meld", "K-3"),
        ("#/groups", "declare.invalid", aside), ("#/groups", "declare.invalid", aside),
    ]  # fmt: skip
    assert all(f.detail.endswith(".") for f in refusal.value.errors or [])


def test_sd_6_a_dry_run_of_an_invalid_declaration_is_refused_whatever_the_option() -> None:
    for variant in BOTH:
        options = {"invalid_declaration": "penalty"}
        state = position([[*COMPLETE, "2S"], JUNK], {"phase": "play"}, variant, options)
        wrong = cmd.Declare([[*GROUPS[0], "8S"], ["9S", "TS"], *GROUPS[2:]], "2S")
        with pytest.raises(Rejected) as refusal:
            execute(state, wrong, Actor(0), AT, dry=True)
        assert refusal.value.code == "declare.invalid"
        assert len(refusal.value.errors or []) == 4
        events = do(state, wrong, 0).events
        assert types(events) == ["hand_declared", "deal_ended", "match_ended", "seed_revealed"]
        shown = plain(events[0])
        assert (shown["valid"], shown["discard"], len(shown["errors"])) == (False, "2S", 4)
        assert shown["groups"] == [["3C", "4C", "5C", "8S"], ["9S", "TS"], *GROUPS[2:]]


def test_sd_6_what_is_no_fault_of_the_groups_costs_nothing() -> None:
    state = position([COMPLETE, JUNK], discard=["2S"], variant=BOTH[1])
    assert code(state, cmd.Declare(GROUPS, "2S"), 0) == "declare.needs_draw"
    state = do(state, cmd.Draw("discard"), 0).state
    assert code(state, cmd.Declare(GROUPS, "2S"), 0) == "discard.just_taken"
    assert code(state, cmd.Declare([GROUPS[0]], "2S"), 0) == "declare.wrong_cards"
    assert code(state, cmd.Declare(GROUPS, "AD"), 0) == "card.not_in_hand"
    assert state.status == "playing"


def test_tc_5_the_card_set_aside_goes_on_the_pile_and_the_thirteen_stay() -> None:
    state = position([[*COMPLETE, "2S"], JUNK], {"phase": "play"}, discard=["TD"])
    events, state = do(state, cmd.Declare(GROUPS, "2S"), 0)
    assert plain(events[0]) | {"at": "", "seq": 0, "commit": 0} == {
        "type": "hand_declared", "seq": 0, "commit": 0, "at": "", "seat": 0, "groups": GROUPS,
        "discard": "2S", "valid": True, "errors": [],
    }  # fmt: skip
    seen = see(state, 0)
    assert (seen["discard"], sorted(seen["hand"])) == (["TD", "2S"], sorted(COMPLETE))
    assert plain(events[1])["result"]["seats"][0] | {"hand": 0} == {
        "seat": 0, "hand": 0, "groups": GROUPS, "points": 0, "bonus": 0, "delta": 0, "score": 0, "streak": 1,
        "lines": [],
    }  # fmt: skip


# ------------------------------------------------------------------------- charges


@pytest.mark.parametrize("variant", BOTH)
def test_tc_12_the_charge_is_that_of_the_arrangement_and_its_lines_add_up(variant: str) -> None:
    """The deal's result, the view's arrangement and the free one agree, hand by hand."""
    rule = "TC-12" if variant == BOTH[0] else "SD-7"
    for number in range(12):
        rng = Random(f"charges {variant} {number}")
        for step in random_match(random_game(variant, rng), rng, 230, manage=False):
            for event in step.events:
                told = plain(event)
                if told["type"] != "deal_ended" or told["result"]["reason"] == "invalid_declaration":
                    continue
                deal = step.before.deal
                assert deal is not None
                wild = None if deal.indicator is None else NAMES[deal.indicator]
                for seat in told["result"]["seats"]:
                    if seat["seat"] == told["result"]["winner"]:
                        continue
                    fair = plain(arrange_hand(variant, {}, seat["hand"], wild, None))
                    assert (seat["points"], seat["bonus"]) == (fair["points"], 0)
                    assert sum(line["value"] for line in seat["lines"]) == seat["points"] <= 80
                    assert {line["rule"] for line in seat["lines"]} <= {rule}
                    capped = [line for line in seat["lines"] if not line["cards"]]
                    assert len(capped) <= 1
                    assert all(line["value"] < 0 for line in capped)
                    shown = [c.split("=")[0] for g in seat["groups"] for c in g]
                    assert not set(shown) - set(seat["hand"])


# ---------------------------------------------------------------------------- bots


@pytest.mark.parametrize("variant", BOTH)
@pytest.mark.parametrize("level", ["easy", "medium", "hard"])
def test_sd_9_a_bot_takes_a_valid_win_at_once(variant: str, level: str) -> None:
    state = position([[*COMPLETE, "2S"], JUNK], {"phase": "play"}, variant)
    assert state.rules is not None
    seen = view(state, 0, "game", [None, None])
    command = choose(level, seen, actions(state, 0)[0], b"any", state.rules)
    assert isinstance(command, cmd.Declare)
    events = do(state, command, 0).events
    assert plain(events[1])["result"]["winner"] == 0
