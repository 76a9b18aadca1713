"""The command line's server as a process: what it says, how it stops, what it refuses."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from api import cli
from api import settings as settings_module
from api.settings import KNOWN, SettingsError, from_environment, mistyped, server_secret

ROOT = Path(__file__).parents[2]


@contextmanager
def server(folder: Path, *arguments: str, **settings: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server in a process, and what it said until it was ready."""
    env = {
        **{k: v for k, v in os.environ.items() if not k.startswith("RUMMY_")}, "RUMMY_PORT": "0",
        "RUMMY_DATABASE_URL": f"sqlite+aiosqlite:///{folder / 'rummy.sqlite'}", **settings,
    }  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-m", "api.cli", "serve", *arguments], env=env, cwd=ROOT, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        last = "Content-Type: application/json" if "--demo" in arguments else "Listening"
        while last not in said and (line := process.stdout.readline()):
            said += line
        yield process, said
    finally:
        process.kill()
        process.communicate()


def address(said: str) -> str:
    found = re.search(r"http://[0-9.]+:[0-9]+", said)
    assert found, said
    return found[0]


def test_what_the_demo_prints_can_be_pasted(tmp_path: Path) -> None:
    with server(tmp_path, "--demo") as (_, said):
        commands = re.findall(r"curl (?:[^\n]*\\\n)*[^\n]*", said)
        assert len(commands) == 3
        for text in commands:
            words = shlex.split(text.replace("\\\n", " "))
            url = words[2]
            headers = dict(words[i + 1].split(": ", 1) for i, w in enumerate(words) if w == "-H")
            if "-d" in words:
                body = words[words.index("-d") + 1]
                answer = httpx.post(url, content=body, headers=headers)
                assert answer.json()["events"][0]["type"]
            else:
                answer = httpx.get(url, headers=headers)
            assert answer.status_code == 200, answer.text
        assert httpx.get(f"{address(said)}/docs").status_code == 200
        assert httpx.get(f"{address(said)}/health/ready").json() == {"status": "ok"}


def test_a_server_that_is_told_to_stop_lets_long_polls_go_and_ends(tmp_path: Path) -> None:
    with server(tmp_path) as (process, said):
        made = httpx.post(f"{address(said)}/v1/games", json={"variant": "wild-rummy"}).json()
        game = f"{address(said)}/v1/games/{made['game']['game_id']}"
        with httpx.Client(timeout=40) as client, client.stream("GET", f"{game}/stream") as stream:
            assert stream.status_code == 200
            begun = time.monotonic()
            process.send_signal(signal.SIGTERM)
            for _ in stream.iter_raw():
                pass
        process.wait(20)
        assert time.monotonic() - begun < 10
        assert process.returncode in (0, -signal.SIGTERM)


def test_ctrl_c_stops_it_without_a_word(tmp_path: Path) -> None:
    with server(tmp_path) as (process, said):
        bots = [{"kind": "bot", "level": "easy"}] * 2
        httpx.post(f"{address(said)}/v1/games", json={"variant": "wild-rummy", "seats": bots, "start": "now"})
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the processes of the bots, too
        rest, problems = process.communicate(timeout=20)
        assert (process.returncode, rest, problems) == (130, "", "")


def test_what_was_acknowledged_is_there_after_a_kill(tmp_path: Path) -> None:
    with server(tmp_path) as (process, said):
        body = {"variant": "wild-rummy", "seats": [{"kind": "human"}, {"kind": "human"}]}
        made = httpx.post(f"{address(said)}/v1/games", json=body).json()
        path, token = f"/v1/games/{made['game']['game_id']}", made["tokens"]["0"]
        view = httpx.get(f"{address(said)}{path}/view", headers={"Authorization": f"Bearer {token}"})
        process.kill()
        process.wait()
    with server(tmp_path) as (_, said):
        again = httpx.get(f"{address(said)}{path}/view", headers={"Authorization": f"Bearer {token}"})
        assert again.content == view.content


def test_a_second_server_on_one_file_says_why_not(tmp_path: Path) -> None:
    with server(tmp_path), server(tmp_path) as (second, said):
        assert second.wait(20) == 1
        assert second.stderr is not None
        problem = second.stderr.read()
        assert problem.startswith("rummy: ")
        assert "in use by another server" in problem
        assert "Traceback" not in problem
        assert said == ""


def test_a_port_that_is_taken_is_told_in_a_sentence(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with server(tmp_path, RUMMY_PORT=str(port)) as (process, said):
            assert process.wait(20) == 1
            assert process.stderr is not None
            why = f"rummy: the address 127.0.0.1:{port} is in use; RUMMY_PORT chooses another port\n"
            assert (process.stderr.read(), said) == (why, "")


def test_an_address_that_is_not_here_is_told_in_a_sentence(tmp_path: Path) -> None:
    with server(tmp_path, RUMMY_HOST="192.0.2.1") as (process, said):
        assert process.wait(20) == 1
        assert process.stderr is not None
        problem = process.stderr.read()
        assert problem.startswith("rummy: this machine cannot listen on 192.0.2.1:0; RUMMY_HOST ")
        assert (problem.count("\n"), said) == (1, "")


def test_a_setting_that_there_is_not_is_told_and_does_no_harm(tmp_path: Path) -> None:
    with server(tmp_path, RUMMY_PONG="1", RUMMY_BOTDELAY="0", RUMMY_XYZZY="1") as (process, said):
        assert httpx.get(f"{address(said)}/health/live").status_code == 200
        process.send_signal(signal.SIGTERM)
        process.wait(20)
        assert process.stderr is not None
        assert process.stderr.read().splitlines() == [
            "rummy: there is no setting RUMMY_BOTDELAY; RUMMY_BOT_DELAY is one",
            "rummy: there is no setting RUMMY_PONG; RUMMY_PING is one",
            "rummy: there is no setting RUMMY_XYZZY",
        ]  # fmt: skip


def test_every_setting_is_known_and_explained() -> None:
    assert settings_module.__doc__ is not None
    assert set(re.findall(r"RUMMY_[A-Z_]+", settings_module.__doc__)) == set(KNOWN)
    assert mistyped(dict.fromkeys(KNOWN, "")) == []
    assert mistyped({"RUMMY": "", "PATH": "", "rummy_port": ""}) == []


@pytest.mark.parametrize("proxies", ["", "127.0.0.1", "10.1.2.3, 127.0.0.0/8"])
def test_clients_behind_a_trusted_proxy_are_told_apart(tmp_path: Path, proxies: str) -> None:
    with server(tmp_path, RUMMY_TRUSTED_PROXIES=proxies) as (_, said):
        def tries(forwarded: str) -> set[int]:
            headers = {"X-Forwarded-For": forwarded}
            with httpx.Client(base_url=address(said), headers=headers) as client:
                return {client.get("/v1/rooms/AAAAAA").status_code for _ in range(40)}

        assert 429 in tries("198.51.100.1")
        # What a client writes itself stands in front of what the proxy adds.
        assert tries("192.0.2.9, 198.51.100.1") == {429}
        assert (404 in tries("198.51.100.2")) == bool(proxies)


def test_a_folder_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("RUMMY_DATABASE_URL", f"sqlite+aiosqlite:///{tmp_path}/file/rummy.db")
    monkeypatch.delenv("RUMMY_SECRET", raising=False)
    assert cli.main(["serve"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"rummy: {tmp_path}/file/rummy.db.secret can be neither read nor made: ")
    assert said.count("\n") == 1


@pytest.mark.parametrize(("settings", "why"), [
    ({"RUMMY_TRUSTED_PROXIES": "*"}, "RUMMY_TRUSTED_PROXIES"),
    ({"RUMMY_TRUSTED_PROXIES": "10.0.0.1/8"}, "RUMMY_TRUSTED_PROXIES"),
    ({"RUMMY_DATABASE_URL": "mysql://x/y"}, "mysql"),
    ({"RUMMY_DATABASE_URL": "nonsense"}, "RUMMY_DATABASE_URL"),
    ({"RUMMY_DATABASE_URL": "sqlite+aiosqlite:///:memory:"}, "file"),
    ({"RUMMY_DATABASE_URL": "postgresql+asyncpg://x/y"}, "RUMMY_SECRET"),
    ({"RUMMY_PORT": "http"}, "RUMMY_PORT"), ({"RUMMY_PORT": "70000"}, "RUMMY_PORT"),
    ({"RUMMY_SANDBOX": "perhaps"}, "RUMMY_SANDBOX"), ({"RUMMY_API_KEYS": "short"}, "API key"),
    ({"RUMMY_SECRET": "short"}, "RUMMY_SECRET"), ({"RUMMY_NOTIFIER": "pigeons"}, "RUMMY_NOTIFIER"),
])  # fmt: skip
def test_settings_that_cannot_be_are_explained(
    settings: dict[str, str], why: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert cli.main(["serve"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("rummy: ")
    assert why in said


def test_settings_come_from_the_environment(tmp_path: Path) -> None:
    settings = from_environment({
        "RUMMY_HOST": "0.0.0.0", "RUMMY_PORT": "9000", "RUMMY_SANDBOX": "OFF", "RUMMY_BOT_DELAY": "0.5",
        "RUMMY_API_KEYS": f"{'a' * 22}, {'b' * 22}", "RUMMY_API_KEY": "c" * 22,
        "RUMMY_DATABASE_URL": f"sqlite+aiosqlite:///{tmp_path}/sub/x.sqlite",
        "RUMMY_TRUSTED_PROXIES": "10.0.0.0/8, ::1,",
    })  # fmt: skip
    assert (settings.host, settings.port, settings.sandbox, settings.bot_delay) == ("0.0.0.0", 9000, False, 0.5)
    assert settings.api_keys == ("a" * 22, "b" * 22, "c" * 22)
    assert settings.trusted_proxies == ("10.0.0.0/8", "::1")
    secret = server_secret(settings)
    assert server_secret(settings) == secret
    file = tmp_path / "sub" / "x.sqlite.secret"
    assert file.stat().st_mode & 0o777 == 0o600
    file.write_text("")
    with pytest.raises(SettingsError):
        server_secret(settings)


def test_the_document_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["openapi"]) == 0
    assert json.loads(capsys.readouterr().out)["openapi"] == "3.1.1"
