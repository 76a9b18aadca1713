"""Seats, start, pause, resignation, cancellation: who may do what when, and what follows."""

from __future__ import annotations

import pytest

from domain import commands as cmd
from domain.commands import Actor, Rejected
from domain.decide import NewGame, create
from tests.rules.tables import (
    AT,
    HOST,
    OPERATOR,
    SEED,
    code,
    do,
    plain,
    position,
    seats_of,
    see,
    table,
    types,
)  # fmt: skip

# --------------------------------------------------------------------- at the start


def test_start_waits_for_open_seats_unless_they_are_filled() -> None:
    state = table("hoo")
    assert state.status == "waiting"
    assert code(state, cmd.Start(), Actor(0)) == "auth.host_only"
    assert code(state, cmd.Start(), HOST) == "game.seats_open"
    events, state = do(state, cmd.Start("medium"), HOST)
    assert types(events) == ["game_started", "deal_started"]
    assert plain(events[0])["seats"] == [
        {"kind": "human", "level": None}, *[{"kind": "bot", "level": "medium"}] * 2,
    ]  # fmt: skip
    assert [(s["kind"], s["level"]) for s in see(state, 0)["seats"]][1:] == [("bot", "medium")] * 2
    assert code(state, cmd.Start(), HOST) == "game.not_waiting"


def test_start_manual_waits_even_with_every_seat_taken() -> None:
    state = table("hb", start="manual")
    assert state.status == "waiting"
    assert code(state, cmd.Draw("stock"), 0) == "game.not_playing"
    assert types(do(state, cmd.Start(), HOST).events) == ["game_started", "deal_started"]


def test_a_waiting_table_is_seen_empty() -> None:
    view = see(table("hob"), 0)
    assert (view["status"], view["version"], view["hand"]) == ("waiting", 2, [])
    for member in ("deal", "turn", "stock", "arrangement", "result"):
        assert view[member] is None
    assert (view["discard"], view["melds"], view["may"]) == ([], [], [])
    assert [s["kind"] for s in view["seats"]] == ["human", "open", "bot"]
    assert [s["cards"] for s in view["seats"]] == [0, 0, 0]


def test_the_last_seat_taken_starts_the_game() -> None:
    state = table("hoo")
    events, state = do(state, cmd.TakeSeat(2, "two"))
    assert types(events) == ["seat_taken"]
    assert code(state, cmd.TakeSeat(2, "")) == "seat.taken"
    assert code(state, cmd.TakeSeat(0, "")) == "seat.taken"
    events, state = do(state, cmd.TakeSeat(1, "one"))
    assert types(events) == ["seat_taken", "game_started", "deal_started"]
    assert {e.commit for e in events} == {3}
    assert code(state, cmd.TakeSeat(1, "")) == "game.not_waiting"
    full = table("hb", start="manual")
    assert code(full, cmd.TakeSeat(1, "")) == "game.full"


def test_resign_while_waiting_frees_the_seat() -> None:
    events, state = do(table("hho"), cmd.Resign(), 1)
    assert [plain(e) | {"at": ""} for e in events] == [
        {"type": "seat_left", "seq": 4, "commit": 2, "at": "", "seat": 1, "reason": "left", "bot": None}
    ]
    assert [s["kind"] for s in see(state, None)["seats"]] == ["human", "open", "open"]
    events, state = do(state, cmd.TakeSeat(1, "again"))
    assert types(events) == ["seat_taken"]


def test_a_sandbox_that_cannot_be_is_refused_at_creation_though_seats_are_open() -> None:
    for sandbox in (
        {"deck": ["KS"] * 2},
        {"position": {"hands": [["KS"]], "turn": {"seat": 0, "phase": "play"}}},
    ):
        for kinds, start in (("hh", "auto"), ("ho", "auto"), ("hh", "manual")):
            game = NewGame("wild-rummy", SEED, seats=seats_of(kinds), start=start, sandbox=sandbox)
            with pytest.raises(Rejected) as refusal:
                create(game, AT)
            assert refusal.value.code == "sandbox.bad_position"
    good = {"position": {"hands": [["KS"], ["QS"]], "turn": {"seat": 1, "phase": "play"}}}
    state = table("ho", sandbox=good)
    assert (state.status, state.deal) == ("waiting", None)
    state = do(state, cmd.TakeSeat(1, "")).state
    assert see(state, 1)["hand"] == ["QS"]


# ---------------------------------------------------------------- pause and resume


def test_sd_8_the_host_or_the_only_human_may_pause() -> None:
    state = table("hhb")
    assert code(state, cmd.Pause(), 0) == "auth.host_only"
    assert code(state, cmd.Resume(), 0) == "auth.host_only"
    assert plain(do(state, cmd.Pause(), HOST).events[0])["by"] is None
    alone = table("bhb")
    events, paused = do(alone, cmd.Pause(), 1)
    assert types(events) == ["game_paused"]
    assert plain(events[0])["by"] == 1
    assert plain(do(paused, cmd.Resume(), 1).events[0])["by"] == 1


def test_sd_8_pausing_in_every_state() -> None:
    waiting = table("ho")
    assert code(waiting, cmd.Pause(), HOST) == "game.not_playing"
    assert code(waiting, cmd.Resume(), HOST) == "game.not_paused"
    playing = table("hh")
    assert code(playing, cmd.Resume(), HOST) == "game.not_paused"
    paused = do(playing, cmd.Pause(), HOST).state
    assert code(paused, cmd.Pause(), HOST) == "game.paused"
    turn = see(paused, 0)["turn"]
    assert code(paused, cmd.Discard("KS"), turn["seat"]) == "game.paused"
    assert code(paused, cmd.Discard("KS"), 1 - turn["seat"]) == "game.paused"
    assert code(paused, cmd.Declare([], "KS"), 0) == "command.not_in_variant"
    view = see(paused, turn["seat"])
    assert (view["status"], view["may"]) == ("paused", [])
    over = do(playing, cmd.Resign(), 0).state
    assert code(over, cmd.Pause(), HOST) == "game.not_playing"
    assert code(over, cmd.Resume(), HOST) == "game.not_paused"
    gone = do(playing, cmd.Cancel(), OPERATOR).state
    assert code(gone, cmd.Pause(), HOST) == "game.not_playing"


# --------------------------------------------------------------------- resignations


def test_resign_in_play_a_bot_plays_on() -> None:
    state = table("hhh")
    events, state = do(state, cmd.Resign(), 2)
    assert [plain(e) | {"at": "", "seq": 0, "commit": 0} for e in events] == [
        {
            "type": "seat_left",
            "seq": 0,
            "commit": 0,
            "at": "",
            "seat": 2,
            "reason": "resigned",
            "bot": "medium",
        }
    ]
    seat = see(state, 0)["seats"][2]
    assert (seat["kind"], seat["level"], seat["resigned"], seat["played_by"]) == (
        "human",
        None,
        True,
        "medium",
    )
    assert code(state, cmd.Resign(), 2) == "game.not_playing"
    assert code(state, cmd.Resign(), HOST) == "auth.not_your_game"
    assert code(state, cmd.Return(2)) == "game.not_playing"
    assert code(state, cmd.Absent(2, "medium")) == "game.not_playing"


@pytest.mark.parametrize(
    ("kinds", "leaving", "ends"),
    [("hh", [0], True), ("hhb", [0], True), ("hbb", [0], True), ("hhh", [0], False), ("hhh", [0, 1], True),
     ("hhhb", [3 - 1], False), ("hhhb", [2, 0], True), ("hhhh", [0, 1], False), ("hhhh", [0, 1, 2], True)],
)  # fmt: skip
def test_resign_ends_the_match_with_the_last_but_one_human(
    kinds: str, leaving: list[int], ends: bool
) -> None:
    state = table(kinds)
    for seat in leaving:
        events, state = do(state, cmd.Resign(), seat)
    if not ends:
        assert (types(events), state.status) == (["seat_left"], "playing")
        return
    assert types(events) == ["seat_left", "deal_ended", "match_ended", "seed_revealed"]
    assert len({e.commit for e in events}) == 1
    result = see(state, 0)["result"]
    assert (result["deal"]["reason"], result["deal"]["winner"]) == ("resigned", None)
    for seat in result["deal"]["seats"]:
        assert (seat["points"], seat["bonus"], seat["delta"]) == (0, 0, 0)
        assert (seat["groups"], seat["lines"]) == (None, [])
    here = [i for i in range(len(kinds)) if i not in leaving]
    assert result["match"] == {
        "winners": here, "places": [here, leaving] if len(leaving) == 1 else [here, sorted(leaving)],
        "scores": [0] * len(kinds), "reason": "resigned",
    }  # fmt: skip
    view = see(state, 0)
    assert (view["status"], view["turn"], view["may"]) == ("finished", None, [])
    assert plain(events[-1])["seed"] == SEED


def test_resign_places_those_who_stay_by_total_and_then_the_others() -> None:
    for variant, places in (("rummy-5000", [[2], [0], [3], [1]]), ("wild-rummy", [[0], [2], [1], [3]])):
        state = position(
            [["KS"], ["TS"], ["5C"], ["4H"]],
            {"phase": "play"},
            variant,
            scores=[10, 20, 30, 90],
            streaks=[1, 2, 3, 4],
        )
        state = do(state, cmd.Resign(), 3).state
        # Three humans are left, then two: seats 1 and 3 have gone, 0 and 2 play on.
        state = do(state, cmd.Resign(), 1).state
        assert state.status == "playing"
        state = do(state, cmd.Pause(), HOST).state
        events, state = do(state, cmd.Resign(), 0)  # paused is no obstacle
        result = plain(events[-2])["result"]
        assert result["winners"] == [2]
        left = [places[0]] if variant == "rummy-5000" else [[2]]
        assert result["places"] == left + ([[3], [1], [0]] if variant == "rummy-5000" else [[0], [1], [3]])
        assert [s["streak"] for s in plain(events[1])["result"]["seats"]] == [1, 2, 3, 4]
        assert [s["hand"] for s in plain(events[1])["result"]["seats"]] == [["KS"], ["TS"], ["5C"], ["4H"]]


def test_resign_after_the_end() -> None:
    over = do(table("hh"), cmd.Resign(), 0).state
    gone = do(table("hh"), cmd.Cancel(), OPERATOR).state
    assert code(over, cmd.Resign(), 1) == code(gone, cmd.Resign(), 1) == "game.not_playing"


def test_an_absent_seat_is_played_by_a_bot_until_its_owner_is_back() -> None:
    state = table("hh")
    assert code(state, cmd.Return(0)) == "game.not_playing"
    events, state = do(state, cmd.Absent(0, "medium"))
    assert (plain(events[0])["reason"], plain(events[0])["bot"]) == ("absent", "medium")
    seat = see(state, 1)["seats"][0]
    assert (seat["resigned"], seat["played_by"]) == (False, "medium")
    events, state = do(state, cmd.Return(0))
    assert types(events) == ["seat_returned"]
    assert see(state, 1)["seats"][0]["played_by"] is None


# ---------------------------------------------------------------------------- cancel


def test_cancel_by_the_host_before_the_first_deal_by_an_operator_always() -> None:
    waiting, playing = table("ho"), table("hh")
    paused = do(playing, cmd.Pause(), HOST).state
    over = do(playing, cmd.Resign(), 0).state
    events, gone = do(waiting, cmd.Cancel(), HOST)
    assert types(events) == ["game_cancelled", "seed_revealed"]
    assert (plain(events[0])["reason"], plain(events[1])["seed"]) == ("host", SEED)
    assert see(gone, 0)["status"] == "cancelled"
    assert code(waiting, cmd.Cancel(), 0) == "auth.host_only"
    for state in (playing, paused, over, gone):
        assert code(state, cmd.Cancel(), HOST) == "game.not_waiting"
    for state in (waiting, playing, paused):
        events, after = do(state, cmd.Cancel(), OPERATOR)
        assert types(events) == ["game_cancelled", "seed_revealed"]
        assert plain(events[0])["reason"] == "operator"
        view = see(after, 0)
        assert (view["status"], view["turn"], view["may"], view["result"]) == ("cancelled", None, [], None)
    assert code(over, cmd.Cancel(), OPERATOR) == code(gone, cmd.Cancel(), OPERATOR) == "game.not_playing"
    assert code(gone, cmd.Start(), HOST) == "game.not_waiting"


def test_a_waiting_game_may_expire() -> None:
    events, state = do(table("ho"), cmd.Expire())
    assert types(events) == ["game_cancelled", "seed_revealed"]
    assert plain(events[0])["reason"] == "expired"
    assert code(state, cmd.Expire()) == code(table("hh"), cmd.Expire()) == "game.not_waiting"


def test_wr_18_a_match_is_public_or_private() -> None:
    for visibility in ("public", "private"):
        events = create(NewGame("wild-rummy", SEED, seats=seats_of("ho"), visibility=visibility), AT).events
        assert plain(events[0])["visibility"] == visibility
