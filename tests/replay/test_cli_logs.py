"""``rummy verify``, ``replay`` and ``simulate`` (``perft``: tests/test_perft.py)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from api.cli_logs import main
from api.log_text import sentence
from domain.replay import decode_event
from domain.variants import VARIANTS
from domain.verify import verify

GOLDEN = sorted((Path(__file__).parent.parent / "golden").glob("*.ndjson"))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.ndjson"
    assert main(["simulate", "wild-rummy", "--seats", "3", "--keen", "--seed", "7", "--out", str(path)]) == 0
    return path


def test_simulate_writes_a_log_that_verifies(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "wild-rummy", "--seats", "3", "--keen", "--seed", "7"]) == 0
    assert verify(log.read_bytes()).complete
    assert main(["verify", str(log)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("seed 7: ")
    assert "13 deals" in said[0]
    assert said[1].startswith(f"{log}: in order, complete, ")


@pytest.mark.parametrize("variant", list(VARIANTS))
def test_simulate_is_the_same_for_the_same_seed(variant: str, tmp_path: Path) -> None:
    paths = tmp_path / "a.ndjson", tmp_path / "b.ndjson"
    for path in paths:
        assert main(["simulate", variant, "--keen", "--seed", "3", "--out", str(path)]) == 0
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_simulate_plays_several_matches_with_options(tmp_path: Path) -> None:
    options = ["--option", "rounds=1", "--option", 'clock={"turn": 30}']
    out = str(tmp_path / "m.ndjson")
    assert main(["simulate", "two-player-rummy", "--games", "2", "--out", out, *options]) == 0
    for number in (1, 2):
        found = verify((tmp_path / f"m-{number}.ndjson").read_bytes())
        assert found.complete
        assert found.ok


@pytest.mark.parametrize(
    "arguments",
    [
        ["--seats", "9"],
        ["--option", "rounds"],
        ["--option", "rounds=x"],
        ["--option", "rounds=99"],
        ["--option", "colour=1"],
    ],
)
def test_simulate_says_what_is_wrong(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "two-player-rummy", *arguments]) == 1
    assert capsys.readouterr().err


def test_verify_names_the_damage_and_goes_on(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.ndjson"
    lines = log.read_bytes().splitlines(keepends=True)
    broken.write_bytes(b"".join(lines[:-5]))
    nothing = tmp_path / "nothing.ndjson"
    nothing.write_bytes(b"nothing")
    capsys.readouterr()
    assert main(["verify", str(broken), str(nothing), str(tmp_path / "missing"), str(log)]) == 1
    said = capsys.readouterr()
    first, second = said.out.splitlines()
    assert "NOT IN ORDER, unfinished" in first
    assert "chain at event" in first
    assert "in order, complete" in second
    assert len(said.err.splitlines()) == 2


def test_verify_as_json(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["verify", "--json", str(log)]) == 0
    assert msgspec.json.decode(capsys.readouterr().out)["ok"] is True


@pytest.mark.parametrize("path", GOLDEN, ids=lambda p: p.stem)
def test_replay_tells_every_event(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(path)]) == 0
    said = capsys.readouterr().out.splitlines()
    events = [decode_event(line) for line in path.read_bytes().splitlines()[1:]]
    assert [line for line in said if line[:5].strip().isdigit()] == [
        f"{e.seq:5} {e.at}  {sentence(e)}" for e in events
    ]
    assert not any(sentence(e) == type(e).__name__ for e in events)


def test_replay_shows_the_table_at_an_event(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["replay", str(log), "--at", "20"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("   20 ")
    assert sum("seat" in line and "(" in line for line in said[1:]) == 3
    assert main(["replay", str(log), "--at", "99999"]) == 1


def test_replay_steps_from_commit_to_commit(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["replay", str(log), "--step"]) == 0
    said = capsys.readouterr().out
    assert said.count("pile:") == decode_event(log.read_bytes().splitlines()[-1]).commit


def test_replay_stops_where_a_log_is_damaged(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([*lines[:10], b"{}\n", *lines[11:]]))
    capsys.readouterr()
    assert main(["replay", str(log)]) == 1
    assert "event 10 cannot be replayed" in capsys.readouterr().err
    assert main(["replay", str(log.with_name("missing"))]) == 1


def test_it_runs_by_itself_and_in_a_pipe(log: Path) -> None:
    command = [sys.executable, "-m", "api.cli_logs"]
    done = subprocess.run([*command, "verify", "-"], input=log.read_bytes(), capture_output=True, check=False)
    assert done.returncode == 0
    assert b"in order" in done.stdout
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*command, "replay", str(log)], **pipes) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.readline()
        run.stdout.close()
        assert run.stderr.read() == b""
