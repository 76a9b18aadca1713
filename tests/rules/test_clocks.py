"""TC-9: deadlines, what a pause does to them, and what is played for a seat that runs out of time."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from domain import commands as cmd
from domain.record import later
from domain.state import Match
from tests.rules.tables import AT, COMPLETE, HOST, JUNK, SERVER, code, do, plain, position, see, types

# --------------------------------------------------------------------------- clocks


def test_tc_9_a_span_to_draw_and_a_span_to_discard() -> None:
    state = position([COMPLETE, JUNK])
    state = do(state, cmd.Draw("stock"), 0, later(AT, 10)).state
    assert see(state, 1)["turn"]["deadline"] == later(AT, 32)
    state = do(state, cmd.Discard("KS"), 0, later(AT, 20)).state
    assert see(state, 0)["turn"] | {"deadline": None} == {
        "seat": 1, "phase": "draw", "taken": None, "pending": [], "floating": False, "discarder": None,
        "window": None, "deadline": None, "remaining": None,
    }  # fmt: skip
    assert see(state, 0)["turn"]["deadline"] == later(AT, 35)


def test_sd_8_one_span_for_the_whole_turn() -> None:
    state = position([COMPLETE, JUNK], variant="single-deck-rummy", options={"clock": {"turn": 30}})
    assert see(state, 0)["turn"]["deadline"] == later(AT, 30)
    state = do(state, cmd.Draw("stock"), 0, later(AT, 10)).state
    assert see(state, 0)["turn"]["deadline"] == later(AT, 30)
    state = do(state, cmd.Discard("KS"), 0, later(AT, 29)).state
    assert see(state, 0)["turn"]["deadline"] == later(AT, 59)
    assert see(position([COMPLETE, JUNK], variant="single-deck-rummy"), 0)["turn"]["deadline"] is None


def test_tc_9_plays_leave_the_deadline_as_it_is() -> None:
    state = position(
        [["9C", "9D", "9H", "KS", "QS"], ["JS", "TS"]], {"phase": "play"}, "wild-rummy",
        {"clock": {"draw": 10, "discard": 20}},
    )  # fmt: skip
    assert see(state, 0)["turn"]["deadline"] == later(AT, 20)
    events, state = do(state, cmd.Meld(["9C", "9D", "9H"]), 0, later(AT, 7))
    assert plain(events[0])["turn"]["deadline"] == later(AT, 20)
    assert see(state, 0)["turn"]["deadline"] == later(AT, 20)


def test_tc_9_the_next_deal_has_a_clock_too() -> None:
    state = position([["KS"], ["JS", "TS"]], {"phase": "play"}, "wild-rummy", {"clock": {"turn": 50}})
    events, state = do(state, cmd.Discard("KS"), 0, later(AT, 9))
    assert types(events) == ["card_discarded", "deal_ended", "deal_started"]
    assert see(state, 1)["turn"] | {"pending": 0} == {
        "seat": 1, "phase": "play", "taken": None, "pending": 0, "floating": False, "discarder": None,
        "window": None, "deadline": later(AT, 59), "remaining": None,
    }  # fmt: skip


def test_tc_9_the_clock_stands_still_while_paused() -> None:
    state = position([COMPLETE, JUNK])
    assert see(state, 0)["turn"]["deadline"] == later(AT, 15)
    paused = do(state, cmd.Pause(), HOST, later(AT, 4)).state
    turn = see(paused, 1)["turn"]
    assert (turn["deadline"], turn["remaining"]) == (None, 11)
    assert code(paused, cmd.TimeOut(), at=later(AT, 400)) == "game.not_playing"
    resumed = do(paused, cmd.Resume(), HOST, later(AT, 100)).state
    turn = see(resumed, 1)["turn"]
    assert (turn["deadline"], turn["remaining"]) == (later(AT, 111), None)
    assert code(resumed, cmd.TimeOut(), at=later(AT, 110)) == "turn.wrong_phase"
    assert types(do(resumed, cmd.TimeOut(), at=later(AT, 111)).events)[0] == "turn_timed_out"


def test_tc_9_after_the_deadline_nothing_is_left_to_pause() -> None:
    """A person's command after the deadline stands until the time-out is recorded."""
    state = position([COMPLETE, JUNK])
    paused = do(state, cmd.Pause(), HOST, later(AT, 60)).state
    assert see(paused, 0)["turn"]["remaining"] == 0
    assert types(do(state, cmd.Draw("stock"), 0, later(AT, 60)).events) == ["card_drawn"]


def test_k_1_a_pause_does_not_forget_the_card_just_taken() -> None:
    state = position([COMPLETE, JUNK], variant="single-deck-rummy", discard=["2S"])
    state = do(state, cmd.Draw("discard"), 0).state
    state = do(do(state, cmd.Pause(), HOST).state, cmd.Resume(), HOST).state
    assert code(state, cmd.Discard("2S"), 0) == "discard.just_taken"
    assert see(state, 0)["turn"]["taken"] == "2S"


# ------------------------------------------------------------------------ time-outs


def timed_out(state: Match) -> list[dict[str, Any]]:
    turn = see(state, None)["turn"]
    assert code(state, cmd.TimeOut(), at=AT) == "turn.wrong_phase"
    return plain(do(state, cmd.TimeOut(), at=turn["deadline"]).events)


CLOCK = {"clock": {"turn": 30}}
BARRED = {**CLOCK, "may_return_taken": False}


def test_tc_9_a_time_out_before_the_draw_draws_and_discards_that_card() -> None:
    events = timed_out(position([COMPLETE, JUNK], stock=["2C", "AS"]))
    assert [e["type"] for e in events] == ["turn_timed_out", "card_drawn", "card_discarded"]
    assert (events[0]["seat"], events[0]["phase"]) == (0, "draw")
    assert (events[1]["source"], events[1]["cards"], events[2]["card"]) == ("stock", ["2C"], "2C")
    assert events[2]["turn"]["seat"] == 1
    assert len({e["commit"] for e in events}) == 1


def test_tc_9_a_time_out_after_the_draw_discards_the_card_just_drawn() -> None:
    state = position([COMPLETE, JUNK], stock=["AS"], discard=["2S"])
    for source, card in (("stock", "AS"), ("discard", "2S")):
        events = timed_out(do(state, cmd.Draw(source), 0).state)
        assert [e["type"] for e in events][:2] == ["turn_timed_out", "card_discarded"]
        assert (events[0]["phase"], events[1]["card"]) == ("play", card)
    given = position([[*COMPLETE, "2S"], JUNK], {"phase": "play", "taken": "KD"})
    assert timed_out(given)[1]["card"] == "KD"


def test_tc_9_where_that_is_barred_the_costliest_card_outside_the_arrangement() -> None:
    hand = [*COMPLETE[:-4], "2S", "2D", "6D", "6H"]  # of equals the last in canonical order
    state = position([hand, JUNK], options=BARRED, discard=["AD"])
    state = do(state, cmd.Draw("discard"), 0).state
    assert "AD" in see(state, 0)["arrangement"]["deadwood"]
    assert timed_out(state)[1]["card"] == "6H"


def test_tc_9_where_nothing_else_is_outside_the_costliest_card_of_all() -> None:
    state = do(position([COMPLETE, JUNK], options=BARRED, discard=["2S"]), cmd.Draw("discard"), 0).state
    assert see(state, 0)["arrangement"]["deadwood"] == ["2S"]
    assert timed_out(state)[1]["card"] == "KS"


def test_tc_9_a_position_after_the_draw_names_no_card_drawn() -> None:
    state = position([["3C", "4C", "5C", "9D", "2H", "JK", "JK"], JUNK], {"phase": "play"})
    discarded = timed_out(state)[1]["card"]
    assert discarded not in ("JK", "3C", "4C", "5C")


def test_tc_9_with_an_empty_stock_the_pile_is_drawn_from() -> None:
    events = timed_out(position([COMPLETE, JUNK], stock=[], discard=["2S"]))
    assert (events[1]["source"], events[2]["card"]) == ("discard", "2S")
    events = timed_out(position([COMPLETE, JUNK], options=BARRED, stock=[], discard=["2S"]))
    assert (events[1]["source"], events[2]["card"]) == ("discard", "KS")


def test_tc_9_table_games_the_opening_and_an_ordinary_turn() -> None:
    state = position(
        [["5C", "KS"], ["9H", "KD", "KC"]], {"seat": 1, "phase": "discard"}, "two-player-rummy", CLOCK
    )
    events = timed_out(state)
    assert (events[0]["phase"], events[1]["card"]) == ("discard", "KD")
    state = position([["KS", "QS", "JS"], ["TS", "5C"]], None, "two-player-rummy", CLOCK, stock=["2C", "3C"])
    assert [e.get("card") for e in timed_out(state)] == [None, None, "2C"]  # no meld is laid that is not owed
    wild = position([["AS", "KS", "4C"], ["TS", "5C"]], {"phase": "play"}, "wild-rummy", CLOCK)
    assert timed_out(wild)[1]["card"] == "AS"  # a wild is worth 25 (WR-15)


def test_tc_9_table_games_what_is_owed_is_played_first() -> None:
    state = position(
        [["KS", "9C", "9D", "2H"], ["TS", "5C"]], None, "wild-rummy", CLOCK, stock=["3C"], discard=["9H"]
    )
    state = do(state, cmd.Draw("discard"), 0).state
    events = timed_out(state)
    assert [e["type"] for e in events] == ["turn_timed_out", "meld_laid", "card_discarded"]
    assert (events[1]["cards"], events[2]["card"]) == (["9C", "9D", "9H"], "KS")


def test_tc_9_table_games_without_a_stock_the_hand_is_ended() -> None:
    state = position([["KS"], ["TS"], ["5C"]], None, "rummy-5000", CLOCK, stock=[], discard=["9H"])
    assert [e["type"] for e in timed_out(state)][:3] == ["turn_timed_out", "turn_passed", "deal_ended"]


def test_tc_9_a_discard_is_found_behind_hundreds_of_plays() -> None:
    """More than 500 plays are open, none is owed: the card just drawn is discarded."""
    ranks = "3456789TJQK"
    hand = [r + s for r in ranks for s in "CD"] + ["AC", "AD", "AH", "AS"]
    state = position(
        [hand, ["4S"], ["5S"]],
        None,
        "rummy-5000",
        CLOCK,
        wild_indicator="AH",
        stock=["2S", "2H"],
        discard=["9H"],
    )
    events = timed_out(state)
    assert [e["type"] for e in events] == ["turn_timed_out", "card_drawn", "card_discarded"]
    assert events[2]["card"] == "2S"


def test_tc_9_a_time_out_may_end_the_deal() -> None:
    events = timed_out(position([COMPLETE, JUNK], stock=["2C", "AS"], draws=99))
    assert [e["type"] for e in events] == [
        "turn_timed_out", "card_drawn", "card_discarded", "deal_ended", "match_ended", "seed_revealed",
    ]  # fmt: skip
    assert events[2]["turn"] is None


def test_fk_14_a_floating_seat_that_runs_out_of_time_plays_what_it_must() -> None:
    state = position(
        [[], ["4S"], ["5S"]], None, "rummy-5000", CLOCK, stock=["JD", "2H"], discard=["9H"],
        melds=[{"owner": 1, "cards": ["8D", "9D", "TD"]}],
    )  # fmt: skip
    events = timed_out(state)
    assert [e["type"] for e in events] == ["turn_timed_out", "card_drawn", "cards_laid_off"]
    assert events[2]["turn"]["seat"] == 1


def test_tc_9_a_pass_ends_a_row_of_time_outs() -> None:
    """Whoever passes is there."""
    state = position(
        [["9C", "KS"], ["JS", "TS"], ["4S", "2D"]], {"phase": "draw"}, "rummy-5000", {"clock": {"turn": 5}}, stock=[],
        wild_indicator="3C", discard=["QD"],
    )  # fmt: skip
    missed = replace(state, seats=(replace(state.seats[0], timeouts=2), *state.seats[1:]))
    after = do(missed, cmd.Pass(), 0, later(AT, 1)).state
    assert [seat.timeouts for seat in after.seats] == [0, 0, 0]
    timed_out = do(missed, cmd.TimeOut(), SERVER, later(AT, 5)).state
    assert timed_out.seats[0].timeouts == 3
