"""``rummy verify``, ``replay`` and ``simulate`` (``perft``: tests/test_perft.py)."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from api.cli import main
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


def damaged(path: Path, change: Callable[[list[bytes]], object], mended: bool = False) -> list[bytes]:
    """Change the event lines of a log, and with ``mended`` the chain that its header tells of."""
    head, *lines = path.read_bytes().splitlines()
    change(lines)
    header = msgspec.json.decode(head)
    if mended:
        header["chain"] = hashlib.sha256(b"".join(line + b"\n" for line in lines)).hexdigest()
    path.write_bytes(b"\n".join([msgspec.json.encode(header), *lines, b""]))
    return lines


def number_of(lines: list[bytes], what: bytes) -> int:
    return next(i for i, line in enumerate(lines, 1) if what in line)


@pytest.mark.parametrize("end", [KeyboardInterrupt, EOFError])
def test_stepping_through_a_log_may_be_left(
    end: type[BaseException], log: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = iter(["", ""])

    def enter() -> str:
        for key in steps:
            return key
        raise end

    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("builtins.input", enter)
    assert main(["replay", "--step", str(log)]) == 130
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("mended", [False, True])
def test_replay_stops_at_a_card_that_was_changed(
    mended: bool, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def change(lines: list[bytes]) -> None:
        i = number_of(lines, b"card_discarded") - 1
        event = msgspec.json.decode(lines[i])
        held = msgspec.json.decode(lines[number_of(lines, b"deal_started") - 1])["hands"][event["seat"]]
        event["card"] = next(c for c in ("2C", "3C", "4C", "5C", "6C", "7C", "8C", "9C") if c not in held)
        lines[i] = msgspec.json.encode(event)

    number = number_of(damaged(log, change, mended), b"card_discarded")
    capsys.readouterr()
    for arguments in ([], ["--at", str(number)], ["--at", "99999"]):
        assert main(["replay", str(log), *arguments]) == 1
        said = capsys.readouterr()
        assert said.err.startswith(f"{log}: the log is damaged at event {number} (line {number + 1}): ")
        assert "hand" in said.err
        shown = [line for line in said.out.splitlines() if line[:5].strip().isdigit()]
        assert len(shown) == (0 if arguments else number - 1)
    assert main(["replay", str(log), "--at", str(number - 1)]) == 1
    said = capsys.readouterr()
    assert said.out.startswith(f"{number - 1:5} ")
    assert f"at event {number}" in said.err


def test_replay_says_that_a_chain_is_broken(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def change(lines: list[bytes]) -> None:
        lines[2] = lines[2].replace(b'"at":"2026', b'"at": "2026')

    number = len(damaged(log, change))
    capsys.readouterr()
    assert main(["replay", str(log)]) == 1
    said = capsys.readouterr()
    assert len([line for line in said.out.splitlines() if line[:5].strip().isdigit()]) == number
    why = "The event lines are not those that the header's chain was made from."
    assert said.err == f"{log}: the log is damaged: {why}\n"


@pytest.mark.parametrize(("line", "why"), [
    (b"{}", "The line is no event: The member type is missing."), (b"nonsense", "The line is no JSON."),
    (b"\xff", "The line is no JSON."), (b"", "The line is no JSON."),
    (b"[" * 9999, "The line is no event: An object belongs here, not a list."),
    (b'{"v":1,"type":"knock"}', 'The line is no event: There is no event type "knock".'),
    (b'{"v":1,"type":"card_drawn","seq":10,"commit":3,"at":"x","seat":0,"source":"sky"}',
     "The line is no event: /source: One of discard, stock."),
])  # fmt: skip
def test_what_cannot_be_read_is_told_in_words(
    line: bytes, why: str, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def change(lines: list[bytes]) -> None:
        lines[9] = line

    damaged(log, change)
    capsys.readouterr()
    assert main(["replay", str(log)]) == 1
    assert capsys.readouterr().err == f"{log}: the log is damaged at event 10 (line 11): {why}\n"
    assert main(["verify", str(log)]) == 1
    said = capsys.readouterr().out
    assert "chain at event 10: The event lines are not those that" in said  # and the reason of the fold
    assert said.endswith(f"Event 10: {why}\n")
    assert main(["replay", str(log.with_name("missing"))]) == 1


def test_verify_accuses_nobody_of_what_it_could_not_check(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def change(lines: list[bytes]) -> None:
        del lines[20:]
        event = msgspec.json.decode(lines[-1])
        lines[-1] = msgspec.json.encode({**event, "seq": 99})

    damaged(log, change)
    capsys.readouterr()
    assert main(["verify", str(log)]) == 1
    said = capsys.readouterr().out
    assert "NOT IN ORDER, unfinished, 20 events, NOT INTACT, fair: not checked, lawful: not checked, chain at" in said

    def shuffle(lines: list[bytes]) -> None:
        i = number_of(lines, b"deal_started") - 1
        event = msgspec.json.decode(lines[i])
        event["deck"][-2:] = event["deck"][:-3:-1]
        lines[i] = msgspec.json.encode(event)

    damaged(log, shuffle, mended=True)
    assert main(["verify", str(log)]) == 1
    assert "NOT INTACT, NOT FAIR, " in capsys.readouterr().out


def test_verify_counts_in_words(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def change(lines: list[bytes]) -> None:
        del lines[number_of(lines, b"deal_started") :]

    damaged(log, change, mended=True)
    capsys.readouterr()
    assert main(["verify", str(log)]) == 1
    assert "fair (1 shuffle), lawful" in capsys.readouterr().out


def test_simulate_says_when_it_writes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "--out writes their logs" in capsys.readouterr().out


def test_it_runs_by_itself_and_in_a_pipe(log: Path) -> None:
    command = [sys.executable, "-m", "api.cli"]
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
