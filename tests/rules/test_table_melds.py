"""What scenarios cannot say of the games with melds on the table: members of events, clocks, windows."""

from __future__ import annotations

from typing import Any

import pytest

from domain import commands as cmd
from domain.actions import actions
from domain.commands import Actor, Rejected
from domain.decide import NewGame, NewSeat, create, execute
from domain.record import later
from domain.state import Match
from tests.rules.tables import AT, SERVER, plain, see


def table(variant: str, seats: int, position: dict[str, Any], **options: Any) -> Match:
    humans = tuple(NewSeat("human") for _ in range(seats))
    return create(NewGame(variant, "0" * 64, options, humans, sandbox={"position": position}), AT).state


def play(state: Match, seat: int, command: Any, at: str = AT) -> tuple[list[dict[str, Any]], Match]:
    decision = execute(state, command, Actor(seat), at)
    return [plain(e) for e in decision.events], decision.state


def wild(melds: list[dict[str, Any]], *hand: str) -> Match:
    position = {"deal": 2, "dealer": 1, "hands": [list(hand), ["QS", "8S"]], "melds": melds,
                "stock": ["7C", "6C"], "discard": ["QC"], "turn": {"seat": 0, "phase": "play"}}  # fmt: skip
    return table("wild-rummy", 2, position)


def five(*hands: list[str], melds: list[dict[str, Any]] | None = None, phase: str = "play", seat: int = 0,
         options: dict[str, Any] | None = None, **more: Any) -> Match:  # fmt: skip
    position = {"dealer": 2, "wild_indicator": "6H", "hands": list(hands), "melds": melds or [],
                "discard": ["5S"], "turn": {"seat": seat, "phase": phase}, **more}  # fmt: skip
    return table("rummy-5000", len(hands), position, **(options or {}))


NINES = {"owner": 1, "cards": ["9C", "2D=9D", "2H=9H"]}
RUN = {"owner": 1, "cards": ["5H", "6H", "7H"]}


def test_wr_13_the_event_names_the_wild_as_it_stood() -> None:
    (event,), _ = play(wild([NINES, RUN], "9S", "KS", "4S"), 0, cmd.Swap(1, "9S", "2D"))
    assert (event["card"], event["wild"]) == ("9S", "2D=9D")
    assert event["after"]["cards"] == ["9C", "2H=9H", "9S"]
    assert event["turn"]["pending"] == ["2D"]


@pytest.mark.parametrize(
    ("command", "cards", "position"),
    [
        (cmd.LayOff(1, ["4H"]), ["4H"], "low"),
        (cmd.LayOff(1, ["2C"], "high"), ["2C=8H"], "high"),
        (cmd.LayOff(1, ["4H", "8H"]), ["4H", "8H"], None),
        (cmd.LayOff(2, ["TS"], "low"), ["TS"], None),
        (cmd.LayOff(2, ["2C"]), ["2C=TS"], None),
    ],
)
def test_wr_11_the_event_names_cards_and_end(command: Any, cards: list[str], position: str | None) -> None:
    tens = {"owner": 1, "cards": ["TC", "TD", "TH"]}
    (event,), _ = play(wild([RUN, tens], "4H", "8H", "2C", "TS", "KS"), 0, command)
    assert (event["cards"], event["position"]) == (cards, position)


def test_tp_11_the_play_that_goes_out_moves_the_turn_nowhere() -> None:
    state = table("two-player-rummy", 2, {"deal": 3, "hands": [["5H", "6H", "7H"], ["KS"]],
                                          "turn": {"seat": 0, "phase": "play"}})  # fmt: skip
    events, after = play(state, 0, cmd.Meld(["5H", "6H", "7H"]))
    assert [e["type"] for e in events] == ["meld_laid", "deal_ended", "deal_started"]
    assert events[0]["turn"] is None
    assert after.deal is not None
    assert after.deal.number == 4


def test_fk_14_the_play_that_empties_the_hand_carries_the_next_turn() -> None:
    state = five(["7C", "7D", "7H"], ["2H", "QC"], ["4S", "AC"])
    (event,), _ = play(state, 0, cmd.Meld(["7C", "7D", "7H"]))
    assert (event["turn"]["seat"], event["turn"]["phase"], event["turn"]["discarder"]) == (1, "draw", None)


def test_fk_12_calls_name_the_end_and_the_discard_follows() -> None:
    spades = {"owner": 2, "cards": ["9S", "TS", "JS"]}
    _, state = play(five(["QS", "4C"], ["2H", "QC"], ["4S", "AC"], melds=[spades]), 0, cmd.Discard("QS"))
    (called, thrown), _ = play(state, 2, cmd.CallRummy(1, "AC"))
    assert (called["seat"], called["card"], called["position"], called["meld"]) == (2, "QS", "high", 1)
    assert (called["turn"]["seat"], called["turn"]["discarder"]) == (1, None)
    assert (thrown["card"], thrown["turn"]["seat"], thrown["turn"]["discarder"]) == ("AC", 1, 2)


def test_fk_12_the_next_draw_waits_out_the_window_and_a_call_opens_another() -> None:
    melds = [{"owner": 2, "cards": ["9S", "TS", "JS"]}, {"owner": 1, "cards": ["KC", "KD", "KH"]}]
    state = five(["QS", "4C"], ["2H", "QC"], ["KS", "AC"], melds=melds, options={"rummy_window": 10})
    (event,), state = play(state, 0, cmd.Discard("QS"))
    assert event["turn"]["window"] == later(AT, 10)
    with pytest.raises(Rejected, match=r"draw\.call_window"):
        play(state, 1, cmd.Draw("stock"), later(AT, 9.999))
    (called, thrown), again = play(state, 2, cmd.CallRummy(1, "KS"), later(AT, 4))
    assert (called["turn"]["window"], thrown["turn"]["window"]) == (None, later(AT, 14))
    with pytest.raises(Rejected, match=r"draw\.call_window"):
        play(again, 1, cmd.Draw("discard"), later(AT, 12))
    events, _ = play(state, 1, cmd.Draw("stock"), later(AT, 10))
    assert [e["type"] for e in events] == ["call_window_closed", "card_drawn"]
    assert events[0]["turn"]["window"] is None
    closed = execute(state, cmd.CloseWindow(), SERVER, later(AT, 10))
    assert [plain(e)["type"] for e in closed.events] == ["call_window_closed"]
    assert see(closed.state, 1)["turn"]["discarder"] == 0  # it may still be called, until the draw
    play(closed.state, 2, cmd.CallRummy(1, "KS"), later(AT, 11))


def test_fk_12_nobody_waits_for_a_seat_that_could_not_call() -> None:
    spades = {"owner": 0, "cards": ["9S", "TS", "JS"]}
    state = five(["QS", "4C"], ["2H", "QC"], ["KS", "AC"], melds=[spades], options={"rummy_window": 10})
    (event,), _ = play(state, 0, cmd.Discard("QS"))
    assert event["turn"]["window"] is None  # the discarder alone has melded


def timed_out(state: Match, seconds: float) -> list[dict[str, Any]]:
    return [plain(e) for e in execute(state, cmd.TimeOut(), SERVER, later(AT, seconds)).events]


def test_tc_9_what_is_owed_is_played_and_the_card_drawn_goes_back() -> None:
    state = table(
        "wild-rummy", 2,
        {"deal": 2, "dealer": 1, "hands": [["KS", "4S", "9H"], ["QS", "8S"]], "melds": [RUN, {
            "owner": 1, "cards": ["7D", "8D", "2C=9D"]}], "stock": ["7C", "6C"], "discard": ["8H"],
         "turn": {"seat": 0, "phase": "draw"}}, clock={"draw": 5, "discard": 7},
    )  # fmt: skip
    events, state = play(state, 0, cmd.Draw("discard"))
    assert events[0]["turn"]["deadline"] == later(AT, 7)
    kinds = [(e["type"], e.get("cards") or e.get("card")) for e in timed_out(state, 7)]
    assert kinds == [("turn_timed_out", None), ("cards_laid_off", ["8H"]), ("card_discarded", "KS")]


def test_tc_9_a_floating_seat_plays_what_it_must() -> None:
    kings = {"owner": 0, "cards": ["KC", "KD", "KH"]}
    state = five([], ["2H", "QC"], ["4S", "AC"], melds=[kings], phase="draw", stock=["KS", "3D"],
                 options={"clock": {"turn": 5}})  # fmt: skip
    assert [e["type"] for e in timed_out(state, 5)] == ["turn_timed_out", "card_drawn", "cards_laid_off"]


def test_tc_9_with_an_empty_stock_the_hand_is_passed() -> None:
    state = five(["4C"], ["2H", "QC"], ["4S", "AC"], phase="draw", stock=[], options={"clock": {"turn": 5}})
    assert [e["type"] for e in timed_out(state, 5)][:3] == ["turn_timed_out", "turn_passed", "deal_ended"]


def test_fk_11_the_card_just_taken_is_not_what_the_clock_throws() -> None:
    state = five(["4C", "KS", "AC"], ["2H", "QC"], ["4S"], phase="draw", stock=[], discard=["AD"],
                 options={"clock": {"turn": 5}})  # fmt: skip
    _, state = play(state, 0, cmd.Draw("discard"))
    assert timed_out(state, 5)[-1]["card"] == "AC"


def test_fk_6_k_7_a_deep_draw_is_listed_when_it_is_lawful() -> None:
    state = five(["JH", "KS", "3D"], ["2H", "QC"], ["4S", "AC"], phase="draw",
                 melds=[{"owner": 1, "cards": ["8H", "9H", "TH"]}], discard=["5S", "QH", "9S"])  # fmt: skip
    draws = [plain(c) for c in actions(state, 0)[0] if isinstance(c, cmd.Draw)]
    assert draws == [{"type": "draw", "source": "stock"}, {"type": "draw", "source": "discard"},
                     {"type": "draw", "source": "discard", "count": 2}]  # fmt: skip


def test_k_6_what_is_listed_of_a_call_can_be_sent() -> None:
    """Where both ends are open each is named, and the last card may go at one of them only."""
    run = {"owner": 2, "cards": ["7D", "8D", "9D"]}
    _, state = play(five(["6D", "4C"], ["2H", "3H"], ["5D"], melds=[run]), 0, cmd.Discard("6D"))
    calls = actions(state, 2)[0]
    assert [(c.discard, c.position) for c in calls] == [(None, "low"), ("5D", "high")]
    for call in calls:
        play(state, 2, call)


def test_k_7_a_card_laid_off_is_read_as_itself_when_what_follows_is_weighed() -> None:
    """5H is wild: laid as itself above 4H it makes room for 6H, which is owed; as a two it does not."""
    state = table(
        "wild-rummy", 2,
        {"deal": 5, "dealer": 1, "hands": [["5H", "6H", "KS"], ["QS", "8S"]],
         "melds": [{"owner": 1, "cards": ["2H", "3H", "4H"]}], "stock": ["7C"], "discard": ["QC"],
         "turn": {"seat": 0, "phase": "play", "taken": "6H", "pending": ["6H"]}},
    )  # fmt: skip
    assert [plain(c) for c in actions(state, 0)[0]] == [
        {"type": "lay_off", "meld": 1, "cards": ["5H"]},
    ]
    _, state = play(state, 0, cmd.LayOff(1, ["5H"]))
    assert see(state, 0)["melds"][0]["cards"] == ["2H", "3H", "4H", "5H"]
