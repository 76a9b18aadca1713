"""SS-1 straight on the decider: given events, when a command, then events or a code."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import score_sheet as ss
from domain.commands import Actor, Rejected

AT = "2026-03-01T12:00:00.000Z"
LATER = "2026-03-01T12:00:01.000Z"
HOST = Actor(host=True)
ANYONE = Actor()


def column(number: int) -> Actor:
    return Actor(seat=number)


def do(sheet: ss.Sheet, *steps: tuple[Actor, ss.SheetCommand], at: str = AT) -> ss.Sheet:
    for actor, command in steps:
        sheet = ss.fold(ss.decide(sheet, command, actor, at), sheet)
    return sheet


def created(columns: int = 2, target: int | None = None) -> ss.Sheet:
    return do(ss.NEW, (ANYONE, ss.Create(columns, target)))


def enter(round_no: int, number: int, value: int) -> ss.Enter:
    return ss.Enter(round=round_no, column=number, value=value)


def written(*rounds: tuple[int, ...], target: int | None = None) -> ss.Sheet:
    """A sheet with these numbers, all of them entered by the host."""
    sheet = created(len(rounds[0]), target)
    for at, row in enumerate(rounds, start=1):
        sheet = do(sheet, *((HOST, enter(at, c, value)) for c, value in enumerate(row)))
    return sheet


def shown(sheet: ss.Sheet) -> Any:
    return msgspec.to_builtins(ss.view(sheet, "an id", [f"P{c}" for c in range(sheet.columns)]))


def code(sheet: ss.Sheet, command: ss.SheetCommand, actor: Actor = HOST) -> str:
    with pytest.raises(Rejected) as refusal:
        ss.decide(sheet, command, actor, AT)
    assert refusal.value.detail
    return refusal.value.code


def test_ss_1_create() -> None:
    events = ss.decide(ss.NEW, ss.Create(2, 500), ANYONE, AT)
    assert events == [ss.SheetCreated(seq=1, commit=1, at=AT, columns=2, target=500)]
    assert shown(ss.fold(events)) == {
        "scoresheet_id": "an id",
        "status": "open",
        "version": 1,
        "columns": [
            {"column": 0, "name": "P0", "total": 0},
            {"column": 1, "name": "P1", "total": 0},
        ],
        "rounds": [],
        "totals": [],
        "target": 500,
        "reached": [],
        "result": None,
        "created_at": AT,
        "ended_at": None,
    }


@pytest.mark.parametrize(
    ("columns", "target", "pointers"),
    [
        (0, None, ["#/columns"]),
        (17, None, ["#/columns"]),
        (1, 1_000_001, ["#/target"]),
        (0, -1_000_001, ["#/columns", "#/target"]),
    ],
)
def test_ss_1_create_refused_with_every_fault(columns: int, target: int | None, pointers: list[str]) -> None:
    with pytest.raises(Rejected) as refusal:
        ss.decide(ss.NEW, ss.Create(columns, target), ANYONE, AT)
    assert refusal.value.code == "request.invalid"
    assert [fault.pointer for fault in refusal.value.errors or []] == pointers


def test_ss_1_one_to_sixteen_columns_and_any_target_in_bounds() -> None:
    assert created(1, 1_000_000).columns == 1
    assert created(16, -1_000_000).columns == 16


def test_ss_1_events_are_one_tagged_union() -> None:
    events = [
        ss.SheetCreated(1, 1, AT, columns=2, target=None),
        ss.ColumnJoined(2, 2, AT, column=2, by=None),
        ss.ScoreEntered(3, 3, AT, round=1, column=0, value=-5, before=None, by=0),
        ss.SheetEnded(4, 4, AT, result=ss.SheetResult([[1, 2], [0]], [-5, 0, 0]), by=1),
    ]
    wire = msgspec.json.encode(events)
    assert [event["type"] for event in msgspec.json.decode(wire)] == [
        "sheet_created", "column_joined", "score_entered", "sheet_ended",
    ]  # fmt: skip
    assert msgspec.json.decode(wire, type=list[ss.SheetEvent]) == events


def test_ss_1_running_totals_below_zero() -> None:
    sheet = written((10, -25), (-40, 5), (0, 1_000_000))
    assert shown(sheet)["rounds"] == [[10, -25], [-40, 5], [0, 1_000_000]]
    assert shown(sheet)["totals"] == [[10, -25], [-30, -20], [-30, 999_980]]
    assert [c["total"] for c in shown(sheet)["columns"]] == [-30, 999_980]


def test_ss_1_a_column_without_a_number_keeps_its_total() -> None:
    sheet = do(created(3), (HOST, enter(1, 0, 7)), (HOST, enter(2, 1, 4)))
    assert shown(sheet)["rounds"] == [[7, None, None], [None, 4, None]]
    assert shown(sheet)["totals"] == [[7, 0, 0], [7, 4, 0]]


def test_ss_1_a_correction_replaces_and_says_what() -> None:
    sheet = written((10, 20), (1, 2))
    events = ss.decide(sheet, enter(1, 1, -20), column(1), LATER)
    assert events == [
        ss.ScoreEntered(sheet.version + 1, sheet.commit + 1, LATER, 1, 1, value=-20, before=20, by=1)
    ]
    assert shown(ss.fold(events, sheet))["totals"] == [[10, -20], [11, -18]]


def test_ss_1_the_number_that_stands_there_is_no_news() -> None:
    sheet = written((10, 20))
    assert ss.decide(sheet, enter(1, 0, 10), column(0), LATER) == []
    assert ss.decide(created(), enter(1, 0, 0), HOST, AT) != [], "zero is a number, not nothing"


def test_ss_1_who_may_enter() -> None:
    sheet = created(2)
    assert ss.decide(sheet, enter(1, 0, 5), column(0), AT)
    assert ss.decide(sheet, enter(1, 0, 5), HOST, AT)
    assert ss.decide(sheet, enter(1, 1, 5), Actor(seat=0, host=True), AT)
    assert code(sheet, enter(1, 0, 5), column(1)) == "auth.host_only"
    assert code(sheet, enter(1, 0, 5), ANYONE) == "auth.required"


@pytest.mark.parametrize("round_no", [-1, 0, 3, 1_001])
def test_ss_1_rounds_from_1_to_the_next(round_no: int) -> None:
    sheet = written((1, 2))
    assert code(sheet, enter(round_no, 0, 5)) == "not_found"
    assert ss.decide(sheet, enter(1, 0, 5), HOST, AT)
    assert ss.decide(sheet, enter(2, 0, 5), HOST, AT)


def test_ss_1_a_round_begun_by_one_opens_the_next() -> None:
    sheet = do(created(2), (column(0), enter(1, 0, 5)))
    assert shown(do(sheet, (column(0), enter(2, 0, 5))))["rounds"] == [[5, None], [5, None]]


def test_ss_1_at_most_a_thousand_rounds() -> None:
    sheet = written(*[(1,)] * 1_000)
    assert shown(sheet)["columns"][0]["total"] == 1_000
    assert code(sheet, enter(1_001, 0, 1)) == "not_found"
    assert ss.decide(sheet, enter(1_000, 0, 2), HOST, AT)


@pytest.mark.parametrize("number", [-1, 2, 16])
def test_ss_1_no_such_column(number: int) -> None:
    assert code(created(2), enter(1, number, 5)) == "not_found"
    assert code(created(2), enter(1, number, 5), column(0)) == "not_found"


@pytest.mark.parametrize("value", [1_000_001, -1_000_001])
def test_ss_1_numbers_are_bounded(value: int) -> None:
    assert code(created(), enter(1, 0, value)) == "request.invalid"


@pytest.mark.parametrize("actor", [HOST, column(1)])
def test_ss_1_join(actor: Actor) -> None:
    sheet = written((1, 2))
    events = ss.decide(sheet, ss.Join(), actor, AT)
    assert events == [ss.ColumnJoined(sheet.version + 1, sheet.commit + 1, AT, column=2, by=actor.seat)]
    sheet = ss.fold(events, sheet)
    assert shown(sheet)["rounds"] == [[1, 2, None]]
    sheet = do(sheet, (column(2), enter(2, 2, 8)), (column(2), enter(1, 2, -3)))
    assert shown(sheet)["totals"] == [[1, 2, -3], [1, 2, 5]]


def test_ss_1_join_refused() -> None:
    assert code(created(), ss.Join(), ANYONE) == "auth.required"
    assert code(created(16), ss.Join()) == "game.full"


def test_ss_1_target_is_reached_at_or_above_highest_first() -> None:
    sheet = written((100, 99, 130, 100), target=100)
    assert shown(sheet)["reached"] == [2, 0, 3]
    assert shown(do(sheet, (HOST, enter(2, 2, -31))))["reached"] == [0, 3]
    assert shown(written((100, 99)))["reached"] == []


def test_ss_1_a_target_below_zero_is_reached_by_those_who_have_a_number() -> None:
    sheet = do(created(3, target=-50), (HOST, enter(1, 0, -50)), (HOST, enter(1, 1, -51)))
    assert shown(sheet)["reached"] == [0]


def test_ss_1_a_reached_target_ends_nothing() -> None:
    sheet = written((100, 0), target=100)
    assert ss.decide(sheet, enter(2, 1, 5), column(1), AT)


@pytest.mark.parametrize("actor", [HOST, column(0), column(1)])
def test_ss_1_any_of_them_may_end(actor: Actor) -> None:
    sheet = written((10, 30, 10, -5))
    result = ss.SheetResult(places=[[1], [0, 2], [3]], totals=[10, 30, 10, -5])
    events = ss.decide(sheet, ss.End(), actor, LATER)
    assert events == [ss.SheetEnded(sheet.version + 1, sheet.commit + 1, LATER, result, actor.seat)]
    after = shown(ss.fold(events, sheet))
    assert (after["status"], after["ended_at"]) == ("ended", LATER)
    assert after["result"] == {"places": [[1], [0, 2], [3]], "totals": [10, 30, 10, -5]}
    assert code(sheet, ss.End(), ANYONE) == "auth.required"


def test_ss_1_an_empty_sheet_ends_with_all_in_one_place() -> None:
    sheet = do(created(3), (HOST, ss.End()))
    assert sheet.result == ss.SheetResult([[0, 1, 2]], [0, 0, 0])


def test_ss_1_an_ended_sheet_refuses_everything() -> None:
    sheet = do(written((1, 2)), (HOST, ss.End()))
    commands = [ss.Join(), enter(1, 0, 1), enter(1, 0, 9), enter(2, 1, 0), enter(7, 0, 1), ss.End()]
    assert {code(sheet, command) for command in commands} == {"game.not_playing"}
    assert code(sheet, enter(1, 0, 9), column(1)) == "auth.host_only", "authority comes before status"


def test_ss_1_time_never_runs_backwards() -> None:
    sheet = do(created(), (HOST, enter(1, 0, 5)), at=LATER)
    (event,) = ss.decide(sheet, enter(1, 1, 5), HOST, AT)
    assert event.at == LATER


def test_ss_1_an_erased_name_is_null() -> None:
    assert [c.name for c in ss.view(created(), "an id", [None, "Bo"]).columns] == [None, "Bo"]


# Any history at all

ACTORS = st.one_of(st.just(HOST), st.just(ANYONE), st.builds(Actor, seat=st.integers(0, 4)))
NUMBERS = st.one_of(st.integers(-30, 30), st.integers(-1_100_000, 1_100_000))
COMMANDS = st.one_of(
    st.builds(ss.Enter, round=st.integers(-1, 5), column=st.integers(-1, 5), value=NUMBERS),
    st.builds(ss.Enter, round=st.integers(1, 3), column=st.integers(0, 2), value=NUMBERS),
    st.just(ss.Join()),
    st.just(ss.End()),
)


@given(st.lists(st.tuples(ACTORS, COMMANDS), max_size=30), st.none() | st.integers(-100, 100))
def test_ss_1_every_history_holds_together(
    steps: list[tuple[Actor, ss.SheetCommand]], target: int | None
) -> None:
    """Against a table kept by hand: what was accepted stands in the sheet, what was refused left no trace."""
    sheet = created(3, target)
    log: list[Any] = [ss.SheetCreated(1, 1, AT, columns=3, target=target)]
    table: dict[tuple[int, int], int] = {}
    for actor, command in steps:
        try:
            events = ss.decide(sheet, command, actor, AT)
        except Rejected:
            continue
        log += events
        sheet = ss.fold(events, sheet)
        if isinstance(command, ss.Enter):
            table[command.round, command.column] = command.value
    assert [event.seq for event in log] == [*range(1, len(log) + 1)]
    assert ss.fold(msgspec.json.decode(msgspec.json.encode(log), type=list[ss.SheetEvent])) == sheet

    now = ss.view(sheet, "an id", ["x"] * sheet.columns)
    assert now.version == len(log)
    entered = {(r, c): n for r, row in enumerate(now.rounds, 1) for c, n in enumerate(row) if n is not None}
    assert entered == table
    assert all(any(n is not None for n in row) for row in now.rounds)
    for c in range(sheet.columns):
        total = 0
        for r, row in enumerate(now.totals, 1):
            total += table.get((r, c), 0)
            assert row[c] == total
        assert now.columns[c].total == total
    has_number = {c for _, c in table}
    assert set(now.reached) == {
        c for c in has_number if target is not None and now.columns[c].total >= target
    }
    if now.result is not None:
        assert now.result.totals == [c.total for c in now.columns]
        order = [now.result.totals[c] for place in now.result.places for c in place]
        assert order == sorted(order, reverse=True)
        assert all(len({now.result.totals[c] for c in place}) == 1 for place in now.result.places)
        assert sorted(c for place in now.result.places for c in place) == [*range(sheet.columns)]
