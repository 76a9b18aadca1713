"""The three verdicts: whatever is changed in a log is found and named."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from random import Random
from typing import Any

import msgspec
import pytest

import domain.decide
import domain.turns.table_melds
import domain.verify
from api.random_play import any_command, keen_command, play
from domain.commands import Rejected
from domain.decide import NewGame, NewSeat
from domain.positions import Position
from domain.replay import export
from domain.variants import VARIANTS
from domain.verify import Verification, verify

Line = dict[str, Any]


@lru_cache
def log(variant: str = "wild-rummy", seed: int = 1, most: int = 100_000) -> bytes:
    seats = tuple(NewSeat("human", entropy=f"seat {i}") for i in range(VARIANTS[variant].seats.default))
    game = NewGame(variant, f"{seed:064x}", {}, seats, game_id="a game")
    return b"".join(export("a game", play(game, Random(seed), keen_command, most)[0]))


def lines_of(data: bytes) -> list[Line]:
    return [msgspec.json.decode(line) for line in data.splitlines()]


def rechained(header: Line, events: list[Line]) -> bytes:
    """The log as a forger would write it: the header fits the events."""
    lines = [msgspec.json.encode(e) + b"\n" for e in events]
    header = {**header, "events": len(lines), "chain": hashlib.sha256(b"".join(lines)).hexdigest()}
    return b"".join([msgspec.json.encode(header) + b"\n", *lines])


def forged(change: Callable[[list[Line]], object], data: bytes | None = None) -> Verification:
    header, *events = lines_of(data or log())
    change(events)
    return verify(rechained(header, events))


def first(events: list[Line], kind: str, **members: Any) -> Line:
    return next(e for e in events if e["type"] == kind and all(e[k] == v for k, v in members.items()))


def verdict(found: Verification) -> tuple[str, bool, bool, bool]:
    assert not found.ok
    assert found.divergence is not None
    return found.divergence.code, found.intact, found.fair, found.lawful


# ------------------------------------------------------------------------ in order


@pytest.mark.parametrize("variant", list(VARIANTS))
def test_a_match_is_intact_fair_and_lawful(variant: str) -> None:
    found = verify(log(variant))
    assert (found.ok, found.complete, found.intact, found.fair, found.lawful) == (True,) * 5
    assert found.divergence is None
    assert found.result is not None
    assert found.position is None


def test_an_unfinished_log_is_in_order_but_not_complete() -> None:
    found = verify(log(most=40))
    assert (found.ok, found.complete, found.result) == (True, False, None)


def test_the_last_newline_may_be_missing() -> None:
    assert verify(log()[:-1]) == verify(log())


def test_at_gives_the_position_then() -> None:
    _, *events = lines_of(log())
    dealt = first(events, "deal_started")
    drawn = first(events, "card_drawn", source="stock")
    position = verify(log(), drawn["seq"]).position
    assert position is not None
    assert position.turn.seat == drawn["seat"]
    assert position.turn.phase == "play"
    assert drawn["cards"][0] in position.hands[drawn["seat"]]
    assert position.stock is not None
    assert position.stock == dealt["deck"][-len(position.stock) :]
    assert verify(log(), 1).position is None
    assert verify(log(), len(events)).position is None


@pytest.mark.parametrize("at", [0, -1, 10**6])
def test_at_must_be_an_event_of_the_log(at: int) -> None:
    with pytest.raises(Rejected) as refusal:
        verify(log(), at)
    assert refusal.value.code == "request.invalid"


POSITION = {
    "deal": 7, "hands": [["5H", "6H", "2C", "9S"], ["KS", "9D"]], "discard": ["QD"],
    "turn": {"seat": 0, "phase": "draw"}, "scores": [10, 5],
}  # fmt: skip


@pytest.mark.parametrize(
    "sandbox",
    [
        {"seed": "5" * 64},
        {"deck": ["7H", "7C", "KS", "2D"]},
        {"position": msgspec.to_builtins(msgspec.convert(POSITION, Position))},
    ],
    ids=["seed", "deck", "position"],
)
def test_sandbox_logs_verify(sandbox: dict[str, Any]) -> None:
    seats = (NewSeat("human"), NewSeat("human"))
    game = NewGame("wild-rummy", sandbox.get("seed", "0" * 64), {}, seats, sandbox=sandbox)
    events, _ = play(game, Random(3), keen_command, 200)
    found = verify(b"".join(export("g", events)))
    assert found.divergence is None
    assert found.ok
    assert found.shuffles[0].draw == (2 if "position" in sandbox else 1)


def test_k_11_a_sandbox_deck_is_checked() -> None:
    seats = (NewSeat("human"), NewSeat("human"))
    game = NewGame("wild-rummy", "0" * 64, {}, seats, sandbox={"deck": ["7H", "7C"]})
    events, _ = play(game, Random(3), keen_command, 5)

    def change(events: list[Line]) -> None:
        events[0]["setup"]["deck"] = ["7C", "7H"]

    code, intact, fair, lawful = verdict(forged(change, b"".join(export("g", events))))
    assert (code, intact, fair, lawful) == ("shuffle", True, False, False)


# -------------------------------------------------------------------------- damage


def told(data: bytes) -> tuple[str, bool]:
    """The code by which a log that is not in order is refused or judged, and whether it seems intact."""
    try:
        return verdict(verify(data))[:2]
    except Rejected as refusal:
        return refusal.code, False


def test_a_flipped_byte_anywhere_is_found_and_named() -> None:
    data = log("wild-rummy", 2, 25)
    head = data.index(b"\n") + 1
    for i in [*range(head), *range(head, len(data), 29)]:
        for mask in (1, 0x20, 0x80) if i < head else (1, 0x80):
            changed = bytearray(data)
            changed[i] ^= mask
            code, intact = told(bytes(changed))
            if i < head:
                assert code in ("log.invalid", "chain", "commitment")
            else:
                assert (code, intact) == ("chain", False)


def test_damage_is_named_where_it_shows() -> None:
    data = log()
    _, *events = lines_of(data)
    event = first(events, "card_drawn", source="stock")
    line = data.splitlines()[event["seq"]]
    other = line.replace(event["cards"][0].encode(), b"XX", 1)
    found = verify(data.replace(line, other))
    assert found.divergence is not None
    assert (found.divergence.code, found.divergence.seq) == ("chain", event["seq"])


@pytest.mark.parametrize("drop", [1, 2, 7])
def test_dropped_lines_are_missed(drop: int) -> None:
    lines = log().splitlines(keepends=True)
    found = verify(b"".join(lines[:-drop]))
    assert verdict(found)[:2] == ("chain", False)
    assert not found.complete
    assert found.divergence is not None
    assert found.divergence.seq is not None
    assert found.divergence.seq <= len(lines) - drop


def test_an_added_line_is_noticed() -> None:
    lines = log().splitlines(keepends=True)
    for extra in (lines[-1], b"\n", b"{}\n"):
        assert verdict(verify(b"".join([*lines, extra])))[:2] == ("chain", False)


def test_swapped_lines_are_noticed() -> None:
    lines = log().splitlines(keepends=True)
    lines[20], lines[21] = lines[21], lines[20]
    assert verdict(verify(b"".join(lines)))[:2] == ("chain", False)
    found = forged(lambda events: events.insert(20, events.pop(21)))
    assert verdict(found)[:2] == ("fold", False)
    assert found.divergence is not None
    assert found.divergence.seq == 21


@pytest.mark.parametrize(
    ("member", "value", "code"),
    [
        ("variant", "george", "chain"),
        ("sandbox", True, "chain"),
        ("events", 3, "chain"),
        ("rules_version", 2, "chain"),
        ("chain", "0" * 64, "chain"),
        ("commitment", "0" * 64, "commitment"),
    ],
)
def test_a_header_that_says_something_else(member: str, value: Any, code: str) -> None:
    header, *rest = log().splitlines(keepends=True)
    changed = msgspec.json.encode({**msgspec.json.decode(header), member: value}) + b"\n"
    assert verdict(verify(b"".join([changed, *rest])))[0] == code


# ------------------------------------------------------------------------- forgery


def other_card(card: str) -> str:
    return "2C" if card != "2C" else "3C"


def test_another_card_drawn_does_not_fold() -> None:
    def change(events: list[Line]) -> None:
        event = first(events, "card_drawn", source="stock")
        event["cards"] = [other_card(event["cards"][0])]

    assert verdict(forged(change)) == ("fold", False, False, False)


def test_another_card_discarded_is_unlawful_or_does_not_fold() -> None:
    def change(events: list[Line]) -> None:
        event = first(events, "card_discarded")
        event["card"] = other_card(event["card"])

    assert verdict(forged(change))[0] in ("fold", "unlawful")


def test_a_card_too_many_does_not_fold() -> None:
    def change(events: list[Line]) -> None:
        dealt = first(events, "deal_started")
        dealt["hands"][0].append(dealt["hands"][1][0])
        dealt["counts"][0] += 1

    assert verdict(forged(change))[0] == "fold"


def test_exchanged_hands_are_unlawful() -> None:
    def change(events: list[Line]) -> None:
        hands = first(events, "deal_started")["hands"]
        hands[0][0], hands[1][0] = hands[1][0], hands[0][0]

    found = forged(change, log(most=0))
    assert verdict(found) == ("unlawful", True, True, False)
    assert found.divergence is not None
    assert found.divergence.seq == 5


def test_k_11_another_order_of_the_deck_is_unfair() -> None:
    def change(events: list[Line]) -> None:
        deck = first(events, "deal_started")["deck"]
        deck[-1], deck[-2] = deck[-2], deck[-1]

    found = forged(change, log(most=0))
    assert verdict(found) == ("shuffle", True, False, False)
    assert [s.ok for s in found.shuffles] == [False]


def test_k_11_another_rebuilt_stock_is_unfair() -> None:
    data = next(d for d in (log("wild-rummy", s) for s in range(50)) if b'"stock_rebuilt"' in d)
    header, *events = lines_of(data)
    rebuilt = first(events, "stock_rebuilt")
    rebuilt["cards"][0], rebuilt["cards"][1] = rebuilt["cards"][1], rebuilt["cards"][0]
    cut = events[: rebuilt["seq"]]
    found = verify(rechained(header, cut))
    assert verdict(found) == ("shuffle", True, False, False)
    assert found.divergence is not None
    assert found.divergence.seq == rebuilt["seq"]


def test_k_11_another_seed_breaks_the_commitment() -> None:
    def reveal(events: list[Line]) -> None:
        events[-1]["seed"] = "1" * 64

    assert verdict(forged(reveal))[:3] == ("commitment", True, False)

    def create(events: list[Line]) -> None:
        events[0]["seed"] = events[-1]["seed"] = "1" * 64

    found = forged(create)
    assert verdict(found)[:3] == ("commitment", True, False)
    assert not any(s.ok for s in found.shuffles)


def test_k_11_the_seed_is_needed() -> None:
    def hide(events: list[Line]) -> None:
        events[0]["seed"] = None

    assert verdict(forged(hide))[0] == "commitment"


def test_k_11_another_entropy_is_unfair() -> None:
    def change(events: list[Line]) -> None:
        first(events, "seat_taken")["entropy"] = "mine"

    found = forged(change)
    assert verdict(found)[0] == "shuffle"
    assert found.divergence is not None
    assert found.divergence.seq == 4


def test_k_11_another_first_seat_is_unfair() -> None:
    def change(events: list[Line]) -> None:
        started = first(events, "game_started")
        started["first"] = 1 - started["first"]

    assert verdict(forged(change, log(most=0)))[:3] == ("shuffle", True, False)


def test_other_rules_are_unlawful() -> None:
    def change(events: list[Line]) -> None:
        events[0]["rules"]["wild_value"] = 0

    found = forged(change, log(most=5))
    assert verdict(found) == ("unlawful", True, True, False)
    assert found.divergence is not None
    assert found.divergence.seq == 1


def test_another_turn_than_follows_is_unlawful() -> None:
    def change(events: list[Line]) -> None:
        events[-1]["turn"]["seat"] = 1 - events[-1]["turn"]["seat"]

    assert verdict(forged(change, log(most=40)))[0] in ("fold", "unlawful")


def test_another_score_does_not_add_up() -> None:
    def change(events: list[Line]) -> None:
        first(events, "deal_ended")["result"]["seats"][0]["score"] += 1

    assert verdict(forged(change))[0] == "fold"


def test_a_score_that_adds_up_is_unlawful_all_the_same() -> None:
    header, *events = lines_of(log())
    ended = first(events, "deal_ended")
    seat = ended["result"]["seats"][0]
    seat["bonus"] += 5
    seat["delta"] += 5
    seat["score"] += 5
    seat["lines"].append({"rule": "WR-16", "part": "bonus", "cards": [], "value": 5})
    found = verify(rechained(header, events[: ended["seq"]]))
    assert verdict(found) == ("unlawful", True, True, False)


def test_a_commit_cut_short_is_unlawful() -> None:
    header, *events = lines_of(log())
    ended = first(events, "deal_ended")
    found = verify(rechained(header, events[: ended["seq"]]))
    assert verdict(found) == ("unlawful", True, True, False)


def test_whole_commits_cut_off_leave_the_rest_in_order() -> None:
    header, *events = lines_of(log())
    whole = next(i for i in range(60, len(events)) if events[i]["commit"] != events[i - 1]["commit"])
    found = verify(rechained(header, events[:whole]))
    assert (found.ok, found.complete) == (True, False)


def test_a_consequence_alone_is_unlawful() -> None:
    header, *events = lines_of(log())
    ended = first(events, "deal_ended")
    for event in events[ended["seq"] - 1 :]:
        event["commit"] += 1
    assert verdict(verify(rechained(header, events)))[0] == "unlawful"


def test_time_runs_forwards() -> None:
    def back(events: list[Line]) -> None:
        events[30]["at"] = "2025-01-01T00:00:00.000Z"

    def nonsense(events: list[Line]) -> None:
        events[30]["at"] = "soon"

    for change in (back, nonsense):
        found = forged(change)
        assert verdict(found)[:2] == ("fold", False)
        assert found.divergence is not None
        assert found.divergence.seq == 31


@pytest.mark.parametrize("variant", list(VARIANTS))
def test_no_member_of_any_event_can_be_changed_unnoticed(variant: str) -> None:
    """Every leaf of an event, changed as a forger would, in a log whose chain fits."""
    header, *events = lines_of(log(variant, 3, 60))
    rng = Random(1)
    for number, event in enumerate(events):
        for path in rng.sample(leaves(event), min(5, len(leaves(event)))):
            if path[-1] in FREE or (event["type"], path[-1]) == ("card_discarded", "card"):
                continue  # another discard may well make another lawful match
            forged_events = msgspec.json.decode(msgspec.json.encode(events))
            change_leaf(forged_events[number], path)
            try:
                found = verify(rechained(header, forged_events))
            except Rejected:
                continue
            assert not found.ok, (event["type"], path)
            assert found.divergence is not None
            assert "Error" not in found.divergence.detail  # a sentence, whatever it was that went wrong


#: What no rule decides: who may watch, and when it was.
FREE = ("visibility", "spectators", "at", "host_seat", "start", "setup", "level")


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [found for k, v in value.items() for found in leaves(v, (*path, k))]
    if isinstance(value, list):
        return [found for i, v in enumerate(value) for found in leaves(v, (*path, i))]
    return [path]


def change_leaf(event: Any, path: tuple[Any, ...]) -> None:
    for step in path[:-1]:
        event = event[step]
    value = event[path[-1]]
    if isinstance(value, bool):
        event[path[-1]] = not value
    elif isinstance(value, int | float):
        event[path[-1]] = value + 1
    elif value is None:
        event[path[-1]] = 0
    else:
        event[path[-1]] = other_card(value) if len(value) == 2 else value + "x"


# ---------------------------------------------------------------- FK-21, older rules


def redealt() -> bytes:
    """A match whose first deck could not serve the deal."""
    options = {"permanent_wilds": "twos", "permanent_wild_cards": 20}
    for seed in range(2000):
        seats = tuple(NewSeat("human") for _ in range(4))
        events, _ = play(NewGame("rummy-5000", f"{seed:064x}", options, seats), Random(1), any_command, 3)
        if next(e.draw for e in events if hasattr(e, "deck")) > 1:
            return b"".join(export("g", events))
    raise AssertionError("every deck serves")


def test_fk_21_a_deck_that_cannot_serve_is_passed_over() -> None:
    data = redealt()
    found = verify(data)
    assert found.ok
    assert found.shuffles[0].draw > 1

    def renumber(events: list[Line]) -> None:
        first(events, "deal_started")["draw"] += 1

    assert verdict(forged(renumber, data))[0] == "shuffle"


def older(monkeypatch: pytest.MonkeyPatch) -> None:
    """Today's rules become the next revision."""
    for module in (domain.decide, domain.verify):
        monkeypatch.setattr(module, "RULES_VERSION", 2)


def test_a_log_of_older_rules_keeps_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    data = log()
    older(monkeypatch)
    found = verify(data)
    assert (found.ok, found.rules_version, found.divergence) == (True, 1, None)


def test_what_an_older_revision_allowed_differs_and_is_no_forgery(monkeypatch: pytest.MonkeyPatch) -> None:
    data = log()
    monkeypatch.setattr(domain.turns.table_melds, "play_fault", lambda *_: "pending.unplayable")
    assert verdict(verify(data)) == ("unlawful", True, True, False)
    older(monkeypatch)
    found = verify(data)
    assert (found.ok, found.intact, found.fair, found.lawful) == (True,) * 4
    assert found.divergence is not None
    assert found.divergence.code == "differs_from_current_rules"
    assert found.divergence.seq is not None
    # a real fault is told first
    _, *events = lines_of(data)
    events[-1]["seed"] = "1" * 64
    header = lines_of(data)[0]
    assert verdict(verify(rechained(header, events)))[0] == "commitment"


def test_rules_that_are_yet_to_come_cannot_be_judged() -> None:
    header, *events = lines_of(log(most=3))
    header["rules_version"] = events[0]["rules_version"] = 99
    with pytest.raises(Rejected) as refusal:
        verify(rechained(header, events))
    assert refusal.value.code == "log.invalid"


# ------------------------------------------------------------------------- garbage


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"garbage",
        b"\xff\xfe",
        b"{}",
        b"[" * 10_000,
        b"\x00" * 1000,
        log(most=0).splitlines()[1],
        log(most=0).splitlines()[0],
        log(most=0).replace(b'"format":1', b'"format":2'),
        log(most=0).replace(b'{"type":"log"', b'{"type":"log","more":1'),
    ],
    ids=range(11),
)
def test_what_is_no_log_is_refused(data: bytes) -> None:
    with pytest.raises(Rejected) as refusal:
        verify(data)
    assert refusal.value.code == "log.invalid"


@pytest.mark.parametrize("line", [b"", b"null", b"\xff", b"[" * 10_000, b'{"type":"card_drawn"}'])
def test_lines_that_are_no_events_are_damage(line: bytes) -> None:
    head, *lines = log(most=3).splitlines()
    header = {**msgspec.json.decode(head), "events": len(lines) + 1}
    lines.append(line)
    header["chain"] = hashlib.sha256(b"".join(x + b"\n" for x in lines)).hexdigest()
    found = verify(b"\n".join([msgspec.json.encode(header), *lines, b""]))
    assert verdict(found) == ("fold", False, False, False)
    assert found.divergence is not None
    assert found.divergence.seq == len(lines)
