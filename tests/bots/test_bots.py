"""SD-9: bots of every level in every game, on nothing but what their seat sees."""

from __future__ import annotations

import ast
import hashlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchmarks.bench_bots import SEATS, Table, interval, margin, play_deal
from domain.actions import actions
from domain.bots import choose
from domain.bots.sight import Sight
from domain.commands import Actor, CallRummy, Command, Declare, Discard, Draw, LayOff, Meld
from domain.decide import NewGame, NewSeat, create, execute
from domain.events import CardDrawn, DealStarted
from domain.positions import Position
from domain.scoring import value_table
from domain.shapes import TurnShape
from domain.variants import VARIANTS
from domain.views import View, view

AT = "2026-01-01T00:00:00.000Z"
LEVELS = ("easy", "medium", "hard")
ROOT = Path(__file__).parents[2]

# ------------------------------------------------------------------------------- what they can reach

#: cards, rules and what can be played on a table; nothing that knows a hand but the bot's own
REACHED = {
    "additions", "arrange", "arrange_groups", "arrange_search", "cards", "commands", "dead_ends", "melds", "plays",
    "rules", "shapes",
}  # fmt: skip


def test_sd_9_bots_import_nothing_that_knows_the_state() -> None:
    for path in (ROOT / "domain/bots").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [a.name for a in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert not node.level, f"{path.name}: imports are written out"
                module = node.module or ""
                names = [f"domain.{a.name}" for a in node.names] if module == "domain" else [module]
            elif isinstance(node, ast.Name | ast.Attribute):
                name = node.id if isinstance(node, ast.Name) else node.attr
                assert name not in ("__import__", "importlib", "eval", "exec", "sys", "modules", "__globals__")
            for name in names:
                if name.split(".")[0] == "domain":
                    assert name.split(".")[1] in {*REACHED, "bots"}, f"{path.name} imports {name}"


def test_sd_9_nothing_that_bots_import_brings_the_state_along() -> None:
    code = "import domain.bots, sys; print(*sorted(m for m in sys.modules if m.startswith('domain')))"
    out = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = {m.split(".")[1] for m in out.stdout.split() if "." in m}
    assert loaded == {*REACHED, "bots"}


# ---------------------------------------------------------------------------------- whole deals

MIXES = [*([level] for level in LEVELS), ["hard", "random"], ["easy", "random", "medium"]]


@pytest.mark.parametrize("variant", SEATS)
@pytest.mark.parametrize("mix", MIXES, ids="-".join)
def test_sd_9_every_level_plays_lawful_moves_in_every_game(variant: str, mix: list[str]) -> None:
    for index in range(3):
        seats = VARIANTS[variant].seats
        count = min(max(seats.min, 2 + index), seats.max)
        table = Table(variant, [mix[i % len(mix)] for i in range(count)], 100 + index)
        while not table.ended and table.moves < 400:
            table.step()
        assert table.ended or "random" in mix or mix == ["easy"]


OPTIONS: list[tuple[str, int, dict[str, Any]]] = [
    ("rummy-5000", 5, {"permanent_wilds": "jokers", "permanent_wild_cards": 20, "max_wilds_per_meld": 1}),
    ("rummy-5000", 3, {"permanent_wilds": "twos", "upcard_counts": "total", "deadwood": "subtract"}),
    ("rummy-5000", 8, {"rummy_window": 5}),
    ("george", 8, {"permanent_wilds": "jokers", "ace_hand": 15}),
    ("two-player-rummy", 2, {"may_return_taken": False}),
    ("thirteen-card-rummy", 6, {"may_take_jokers": False, "may_return_taken": False}),
    ("single-deck-rummy", 3, {"may_take_jokers": True, "may_return_taken": True}),
    ("wild-rummy", 4, {"clock": {"turn": 30}}),
]


@pytest.mark.parametrize(("variant", "seats", "options"), OPTIONS)
def test_sd_9_options_and_full_tables(variant: str, seats: int, options: dict[str, Any]) -> None:
    table = Table(variant, [LEVELS[i % 3] for i in range(seats)], 7, options)
    while not table.ended and table.moves < 400:
        table.step()


@pytest.mark.soak
@pytest.mark.parametrize("variant", SEATS)
@pytest.mark.parametrize("level", LEVELS)
def test_sd_9_many_deals(variant: str, level: str) -> None:
    for index in range(60):
        seats = VARIANTS[variant].seats
        count = seats.min + index % (seats.max - seats.min + 1)
        play_deal(variant, [level if i % 3 else "random" for i in range(count)], index)


@pytest.mark.soak
@pytest.mark.parametrize("variant", SEATS)
def test_sd_9_a_whole_match_of_mixed_bots_ends(variant: str) -> None:
    table = Table(variant, [LEVELS[(i + 1) % 3] for i in range(SEATS[variant])], 3)
    while table.state.status == "playing":
        table.step()
    assert table.state.match_result is not None


# -------------------------------------------------------------------------- the same gives the same


def positions(variant: str, seed: int, moves: int) -> Iterator[tuple[Table, int]]:
    """A deal under way, move by move, with the seat to act."""
    table = Table(variant, ["medium"] * SEATS[variant], seed)
    while not table.ended and table.moves < moves:
        deal = table.state.deal
        assert deal is not None
        assert deal.turn is not None
        yield table, deal.turn.seat
        table.step()


@pytest.mark.parametrize("variant", SEATS)
def test_sd_9_same_entropy_view_and_history_same_move(variant: str) -> None:
    entropy = bytes(range(16))
    for table, seat in positions(variant, 21, 30):
        rules = table.state.rules
        assert rules is not None
        seen, listed = view(table.state, seat, "g", [None] * len(table.levels)), actions(table.state, seat)[0]
        history = table.histories[seat]
        # Once more from the wire, with names, and with the earlier deals' events gone.
        wired = msgspec.json.decode(msgspec.json.encode(seen), type=View)
        wired = msgspec.structs.replace(wired, game_id="another", seats=list(wired.seats))
        start = max(i for i, e in enumerate(history) if type(e).__name__ == "DealStarted")
        for level in LEVELS:
            first = choose(level, seen, listed, entropy, rules, history)
            assert first in listed
            assert choose(level, wired, list(listed), entropy, rules, history[start:]) == first
            assert level == "hard" or choose(level, seen, listed, entropy, rules) == first


def test_sd_9_easy_slips_by_its_entropy_alone() -> None:
    table, seat = next(positions("two-player-rummy", 4, 1))
    rules = table.state.rules
    assert rules is not None
    seen, listed = view(table.state, seat, "g", [None] * 2), actions(table.state, seat)[0]
    moves = {
        msgspec.json.encode(choose("easy", seen, listed, hashlib.sha256(bytes([n])).digest(), rules))
        for n in range(60)
    }  # fmt: skip
    assert len(moves) > 2


# ------------------------------------------------------------------------------------ single moves


def at(variant: str, position: dict[str, Any], options: dict[str, Any] | None = None) -> Any:
    setup = {"position": msgspec.to_builtins(msgspec.convert(position, Position))}
    seats = tuple(NewSeat("human") for _ in position["hands"])
    return create(NewGame(variant, "0" * 64, options or {}, seats, sandbox=setup), AT).state


def move(state: Any, level: str, seat: int = 0) -> Command | None:
    seen = view(state, seat, "g", [None] * len(state.seats))
    return choose(level, seen, actions(state, seat)[0], b"entropy", state.rules)


def finish(state: Any, level: str) -> Any:
    """How the turn of the seat to act ends, played by a bot: the result of the deal, or None."""
    seat = state.deal.turn.seat
    while state.deal.number == 1 and state.deal.turn is not None and state.deal.turn.seat == seat:
        command = move(state, level, seat)
        assert command is not None
        state = execute(state, command, Actor(seat=seat), AT).state
        if state.result is not None:
            return state.result
    return None


@pytest.mark.parametrize("level", LEVELS)
def test_sd_9_a_winning_declaration_is_made_at_once(level: str) -> None:
    hand = ["2H", "3H", "4H", "6S", "7S", "8S", "9C", "9D", "9H", "KC", "KD", "KH", "KS", "4C"]
    position = {"hands": [hand, ["2C"] * 1], "turn": {"seat": 0, "phase": "play"}, "wild_indicator": "5D"}
    for variant in ("single-deck-rummy", "thirteen-card-rummy"):
        assert isinstance(move(at(variant, position), level), Declare)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("variant", ["wild-rummy", "two-player-rummy"])
def test_sd_9_goes_out_when_it_can(level: str, variant: str) -> None:
    hand = ["5H", "6H", "7H", "9C", "9D", "9S", "QC"]
    other = ["2C", "3D", "4S", "TD", "JC", "KD", "8S"]
    state = at(variant, {"deal": 1, "hands": [hand, other], "turn": {"seat": 0, "phase": "play"}, "discard": ["KC"]})
    result = finish(state, level)
    assert result is not None
    assert (result.reason, result.winner) == ("went_out", 0)


@pytest.mark.parametrize("level", LEVELS)
def test_sd_9_the_last_card_is_thrown_to_go_out(level: str) -> None:
    melds = [{"owner": 0, "cards": ["5C", "6C", "7C"]}]
    position = {"hands": [["KD"], ["2C", "9S"], ["3D"]], "melds": melds, "turn": {"seat": 0, "phase": "play"},
                "wild_indicator": "4H", "discard": ["QD"]}  # fmt: skip
    assert move(at("rummy-5000", position), level) == Discard("KD")


@pytest.mark.parametrize("level", LEVELS)
def test_fk_12_a_bot_calls_rummy_when_it_pays(level: str) -> None:
    melds = [{"owner": 1, "cards": ["JC", "QC", "KC"]}]
    position = {"hands": [["2D"], ["3C", "9S", "5H"], ["3D", "8S"]], "melds": melds, "discard": ["4S", "AC"],
                "turn": {"seat": 2, "phase": "draw", "discarder": 0}, "wild_indicator": "4H"}  # fmt: skip
    call = move(at("rummy-5000", position), level, seat=1)
    assert isinstance(call, CallRummy)
    assert call.discard in ("3C", "9S", "5H")


@pytest.mark.parametrize("level", LEVELS)
def test_fk_12_out_of_turn_there_may_be_nothing_to_do(level: str) -> None:
    state = at("rummy-5000", {"hands": [["2D"], ["3C"], ["3D"]], "turn": {"seat": 0, "phase": "draw"},
                              "wild_indicator": "4H", "discard": ["9S"]})  # fmt: skip
    assert move(state, level, seat=1) is None


def test_fk_12_while_the_window_is_open_a_bot_on_turn_calls_or_waits() -> None:
    """The draw waits; three aces are not broken up for a five."""
    melds = [{"owner": 2, "cards": ["5C", "6C", "7C"]}]
    position = {"hands": [["2D", "9D"], ["3D"], ["AS", "AH", "AD"]], "melds": melds, "discard": ["8C"],
                "turn": {"seat": 2, "phase": "draw", "discarder": 1}, "wild_indicator": "4H"}  # fmt: skip
    state = at("rummy-5000", position)
    seen = view(state, 2, "g", [None] * 3)
    calls = [a for a in actions(state, 2)[0] if isinstance(a, CallRummy)]
    assert calls
    assert choose("easy", seen, calls, b"", state.rules) in calls
    for level in ("medium", "hard"):
        assert choose(level, seen, calls, b"", state.rules) is None


def test_sd_9_medium_keeps_a_pair_and_easy_does_not_know_it() -> None:
    hand = ["KC", "KD", "9S", "3H", "5C", "7D", "2S", "6H"]
    position = {"deal": 4, "hands": [hand, ["AC"]], "turn": {"seat": 0, "phase": "play"}, "discard": ["QD"]}
    thrown = move(at("wild-rummy", position), "medium")
    assert isinstance(thrown, Discard)
    assert thrown.card not in ("KC", "KD")


def test_sd_9_hard_does_not_wait_for_cards_that_are_gone() -> None:
    """Two pairs of equal value: the kings' others lie on the pile, the queens' are still to come."""
    hand = ["KC", "KD", "QH", "QS", "3H", "3C", "3S", "AD"]
    pile = ["KH", "KS", "JH", "JS", "TH", "TS", "9D"]
    position = {"deal": 5, "hands": [hand, ["AC", "2D", "4S", "6D", "8C", "9C", "7H"]], "discard": pile,
                "turn": {"seat": 0, "phase": "play"}}  # fmt: skip
    thrown = move(at("wild-rummy", position), "hard")
    assert thrown in (Discard("KC"), Discard("KD"))


def test_sd_9_hard_does_not_feed_what_the_next_seat_collects() -> None:
    """Two loose cards count alike; the next seat has taken two queens from the pile."""
    hand = ["8H", "8C", "2S", "JD", "5S", "QC", "4H"]
    position = {"deal": 13, "hands": [hand, ["9D", "TD", "3C", "QH", "QS", "7C", "2H"]], "discard": ["6S"],
                "turn": {"seat": 0, "phase": "play"}}  # fmt: skip
    state = at("two-player-rummy", position)
    started = [e for e in Table("two-player-rummy", ["hard"] * 2, 1).histories[0] if isinstance(e, DealStarted)]
    turn = TurnShape(1, "play", None, [], False, None, None, None, None)
    taken = [CardDrawn(5, 5, AT, 1, "discard", 1, [c], turn) for c in ("QH", "QS")]
    seen, listed = view(state, 0, "g", [None] * 2), actions(state, 0)[0]
    assert choose("hard", seen, listed, b"", state.rules) == Discard("QC")
    assert choose("hard", seen, listed, b"", state.rules, [*started, *taken]) == Discard("JD")


@pytest.mark.parametrize("level", LEVELS)
def test_wr_8_what_is_owed_is_played(level: str) -> None:
    position = {"deal": 13, "hands": [["5H", "6H", "7H", "2C", "9D"], ["AC", "2D"]], "discard": ["QD"],
                "turn": {"seat": 0, "phase": "play", "taken": "7H", "pending": ["7H"]}}  # fmt: skip
    assert move(at("wild-rummy", position), level) == Meld(["5H", "6H", "7H"])


@pytest.mark.parametrize("level", LEVELS)
def test_wr_11_cards_that_the_table_takes_are_laid(level: str) -> None:
    position = {"deal": 13, "hands": [["8H", "2C", "9D"], ["AC", "2D"]], "discard": ["QD"],
                "melds": [{"owner": 1, "cards": ["5H", "6H", "7H"]}], "turn": {"seat": 0, "phase": "play"}}  # fmt: skip
    assert move(at("wild-rummy", position), level) == LayOff(1, ["8H"])


@pytest.mark.parametrize("level", LEVELS)
def test_sd_9_the_pile_is_taken_where_it_completes_a_group(level: str) -> None:
    position = {"deal": 13, "hands": [["5H", "7H", "2C", "9D", "JS", "QC", "AD"], ["AC", "2D"]], "discard": ["6H"],
                "turn": {"seat": 0, "phase": "draw"}}  # fmt: skip
    assert move(at("two-player-rummy", position), level) == Draw("discard")


# ------------------------------------------------------------------------------------------- facts


@pytest.mark.parametrize("variant", SEATS)
def test_bots_know_what_cards_count_and_where_they_may_be(variant: str) -> None:
    for table, seat in positions(variant, 9, 25):
        state = table.state
        rules, deal = state.rules, state.deal
        assert rules is not None
        assert deal is not None
        sight = Sight(view(state, seat, "g", [None] * len(table.levels)), rules)
        assert tuple(sight.values) == value_table(rules, deal.wild)
        hidden = [0] * 53
        for face in deal.stock:
            hidden[face] += 1
        for other, hand in enumerate(deal.hands):
            if other != seat:
                for face in range(53):
                    hidden[face] += hand >> 3 * face & 7
        assert sight.unseen() == hidden


# ----------------------------------------------------------------------------------------- strength


def strength(variant: str, a: str, b: str, deals: int) -> tuple[float, float]:
    """The margin a deal of ``a`` over ``b`` with seats exchanged, and half its 95 % interval."""
    seats = SEATS[variant]
    margins: list[float] = []
    for index in range(deals):
        both = [margin(play_deal(variant, x * (seats // 2), index), a)[0] for x in ([a, b], [b, a])]
        margins.append(sum(both) / 2)
    return interval(margins)


@pytest.mark.parametrize("variant", SEATS)
def test_sd_9_easy_beats_random_play(variant: str) -> None:
    mean, spread = strength(variant, "easy", "random", 60 if variant == "rummy-5000" else 12)
    assert mean > spread


@pytest.mark.parametrize(("variant", "deals"), [("wild-rummy", 60), ("two-player-rummy", 80), ("rummy-5000", 20)])
def test_sd_9_medium_beats_easy(variant: str, deals: int) -> None:
    mean, spread = strength(variant, "medium", "easy", deals)
    assert mean > spread


@pytest.mark.parametrize(("variant", "deals"), [("wild-rummy", 100)])
def test_sd_9_hard_beats_medium(variant: str, deals: int) -> None:
    mean, spread = strength(variant, "hard", "medium", deals)
    assert mean > spread


@pytest.mark.soak
@pytest.mark.parametrize("variant", SEATS)
@pytest.mark.parametrize(("a", "b"), [("hard", "medium"), ("medium", "easy")])
def test_sd_9_each_level_beats_the_one_below(variant: str, a: str, b: str) -> None:
    mean, spread = strength(variant, a, b, 400)
    assert mean > spread - 1
