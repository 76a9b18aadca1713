"""Lines of a log: what is written is read back, old versions are brought up to date, commits are commands."""

from __future__ import annotations

import hashlib
from random import Random
from typing import Any

import msgspec
import pytest

from api.random_play import keen_command, play
from domain import commands as cmd
from domain import events as ev
from domain import replay
from domain.decide import NewGame, NewSeat
from domain.evolve import NEW, evolve
from domain.replay import Header, NoCommand, command_of, decode_event, encode_event, export, fold
from domain.variants import VARIANTS
from tests.replay.matches import eventful, random_game, with_open_seats

AT = "2026-01-01T00:00:00.000Z"


def match(variant: str = "wild-rummy", seed: int = 1) -> list[Any]:
    seats = tuple(NewSeat("human", entropy="e") for _ in range(VARIANTS[variant].seats.default))
    return play(NewGame(variant, f"{seed:064x}", {}, seats), Random(seed), keen_command)[0]


@pytest.mark.parametrize("variant", list(VARIANTS))
def test_events_come_back_as_they_were_written(variant: str) -> None:
    for event in match(variant):
        line = encode_event(event)
        assert b"\n" not in line
        assert line.startswith(b'{"v":1,"type":"')
        assert decode_event(line) == event
        assert encode_event(decode_event(line)) == line


def test_a_line_in_another_order_is_the_same_event() -> None:
    event = ev.CardDiscarded(7, 3, AT, 1, "7H", None)
    raw = msgspec.json.decode(encode_event(event))
    assert decode_event(msgspec.json.encode(dict(reversed(raw.items())))) == event
    assert decode_event(msgspec.json.format(encode_event(event), indent=2)) == event


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"null",
        b"[]",
        b"\xff",
        b'{"v":1,"type":"card_discarded"}',
        b'{"v":1,"type":"no_such_event","seq":1}',
        b'{"v":2,"type":"seat_taken","seq":1,"commit":1,"at":"","seat":0,"entropy":""}',
        b'{"v":0,"type":"seat_taken","seq":1,"commit":1,"at":"","seat":0,"entropy":""}',
        b'{"v":true,"type":"seat_taken","seq":1,"commit":1,"at":"","seat":0,"entropy":""}',
        b'{"type":"seat_taken","seq":1,"commit":1,"at":"","seat":0,"entropy":""}',
        b'{"v":1,"type":"seat_taken","seq":1,"commit":1,"at":"","seat":0,"entropy":"\xff"}',
        b"[" * 100_000,
    ],
)
def test_what_is_no_event_is_refused(line: bytes) -> None:
    with pytest.raises((msgspec.MsgspecError, UnicodeError, RecursionError)):
        decode_event(line)


def test_old_lines_are_brought_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    """A type at its third version: lines of the first and second pass through what lies between."""

    def second(raw: dict[str, Any]) -> dict[str, Any]:
        return {**raw, "card": raw["face"]}

    def third(raw: dict[str, Any]) -> dict[str, Any]:
        return {**raw, "seat": raw["seat"] - 1}

    monkeypatch.setitem(replay.VERSIONS, "card_discarded", 3)
    monkeypatch.setitem(replay.UPCASTERS, ("card_discarded", 1), second)
    monkeypatch.setitem(replay.UPCASTERS, ("card_discarded", 2), third)
    # what a new release would compute at its start
    monkeypatch.setattr(replay, "_TODAY", replay._TODAY - {b'{"v":1,"type":"card_discarded"'})
    old = b'{"v":1,"type":"card_discarded","seq":7,"commit":3,"at":"","seat":2,"face":"7H","turn":null}'
    newer = b'{"v":2,"type":"card_discarded","seq":7,"commit":3,"at":"","seat":2,"card":"7H","turn":null}'
    newest = b'{"v":3,"type":"card_discarded","seq":7,"commit":3,"at":"","seat":1,"card":"7H","turn":null}'
    event = ev.CardDiscarded(7, 3, "", 1, "7H", None)
    assert decode_event(old) == decode_event(newer) == decode_event(newest) == event


def test_an_exported_log_has_a_header_and_its_chain() -> None:
    events = match()
    head, *lines = export("some id", events)
    header = msgspec.json.decode(head, type=Header)
    created = events[0]
    assert msgspec.json.decode(head)["type"] == "log"
    assert header.format == 1
    assert (header.game_id, header.variant, header.sandbox) == ("some id", "wild-rummy", False)
    assert (header.rules_version, header.commitment) == (created.rules_version, created.commitment)
    assert header.events == len(events) == len(lines)
    assert header.chain == hashlib.sha256(b"".join(lines)).hexdigest()
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in [head, *lines])


def test_folding_goes_on_from_any_state() -> None:
    events = match()
    half = fold(events[:200])
    assert half.version == 200
    assert fold(events[200:], half) == fold(events)


# ------------------------------------------------------------------ commits → commands


def commits(events: list[Any]) -> list[list[Any]]:
    found: list[list[Any]] = []
    for event in events:
        if event.commit > len(found):
            found.append([])
        found[-1].append(event)
    return found


def test_every_commit_stands_for_a_command() -> None:
    """Every kind of command comes back from its commit, by whoever may send it."""
    kinds: set[type] = set()
    for seed in range(8):
        for variant in VARIANTS:
            rng = Random(seed)
            game = with_open_seats(random_game(variant, rng), rng)
            events, _ = eventful(game, rng, 300, keen_command, lively=0.2)
            state = NEW
            for commit in commits(events):
                command, actor = command_of(commit, state)
                kinds.add(type(command))
                if isinstance(command, cmd.GameCommand | cmd.Resign):
                    assert actor.seat is not None
                state = fold(commit, state)
    assert kinds >= {
        NewGame, cmd.TakeSeat, cmd.Start, cmd.Resign, cmd.Pause, cmd.Resume, cmd.Absent, cmd.Return,
        cmd.TimeOut, cmd.CloseWindow, cmd.Cancel, cmd.Draw, cmd.Meld, cmd.LayOff, cmd.Swap, cmd.Split,
        cmd.Discard, cmd.CallRummy, cmd.Declare,
    }  # fmt: skip


def test_a_creation_has_the_entropy_of_its_own_commit() -> None:
    seats = (NewSeat("human", entropy="a"), NewSeat("bot", "easy"), NewSeat("human", entropy="c"))
    game = NewGame("wild-rummy", "ab" * 32, {"first_starter": 1}, seats, 2, "auto", "private", "none")
    events, _ = play(game, Random(1), most=3)
    command, actor = command_of(commits(events)[0], NEW)
    assert actor.server
    assert (command.seats, command.seed, command.host_seat) == (seats, game.seed, 2)
    assert (command.visibility, command.spectators) == ("private", "none")
    assert command.options["first_starter"] == 1


def test_consequences_begin_no_commit() -> None:
    events = match()
    ended = next(i for i, e in enumerate(events) if isinstance(e, ev.DealEnded))
    with pytest.raises(NoCommand, match="deal_ended"):
        command_of([events[ended]], fold(events[:ended]))


def test_evolving_one_by_one_is_folding() -> None:
    events = match("george")
    state = NEW
    for event in events:
        state = evolve(state, event)
    assert state == fold(events)
