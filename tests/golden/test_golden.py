"""Golden logs of whole matches: whatever release wrote them, they fold and verify for ever."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from domain.replay import Header, decode_event, encode_event, fold
from domain.variants import VARIANTS
from domain.verify import verify

HERE = Path(__file__).parent
LOGS = sorted(HERE.glob("*.ndjson"))
RESULTS: dict[str, Any] = msgspec.json.decode((HERE / "results.json").read_bytes())


def test_there_is_a_golden_log_of_every_game() -> None:
    assert {path.stem for path in LOGS} >= set(VARIANTS)


@pytest.mark.parametrize("path", LOGS, ids=lambda p: p.stem)
def test_a_golden_log_verifies(path: Path) -> None:
    data = path.read_bytes()
    assert len(data) < 300_000
    found = verify(data)
    assert (found.ok, found.complete, found.intact, found.fair, found.lawful) == (True,) * 5
    assert found.divergence is None
    assert found.events == RESULTS[path.stem]["events"]
    assert all(s.ok for s in found.shuffles)
    assert [s.draw for s in found.shuffles] == list(range(1, len(found.shuffles) + 1))


@pytest.mark.parametrize("path", LOGS, ids=lambda p: p.stem)
def test_a_golden_log_folds_to_its_result(path: Path) -> None:
    head, *lines = path.read_bytes().splitlines()
    events = [decode_event(line) for line in lines]
    state = fold(events)
    expected = RESULTS[path.stem]
    assert msgspec.to_builtins(state.match_result) == expected["match"]
    assert msgspec.to_builtins(state.result) == expected["deal"]
    assert state.status == "finished"
    assert msgspec.json.decode(head, type=Header).events == state.version == expected["events"]
    assert [encode_event(e) for e in events] == lines  # while no type of event has a second version


@pytest.mark.parametrize("path", LOGS, ids=lambda p: p.stem)
def test_a_position_of_a_golden_log(path: Path) -> None:
    data = path.read_bytes()
    deals = [n for n, line in enumerate(data.splitlines()) if b'"type":"deal_started"' in line]
    position = verify(data, deals[-1]).position
    assert position is not None
    assert position.deal == len(deals)
    assert verify(data, 1).position is None
    assert verify(data, data.count(b"\n") - 1).position is None
