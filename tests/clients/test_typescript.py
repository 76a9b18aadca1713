"""A TypeScript client: generated of the published document, compiled strictly, and played with a whole match."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.api.test_serve import address, server

HERE = Path(__file__).parent


def run(*command: str) -> str:
    quiet = {**os.environ, "REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "NO_COLOR": "1"}
    done = subprocess.run(
        command, cwd=HERE, env=quiet, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.clients
def test_the_document_has_nothing_that_a_linter_warns_of() -> None:
    said = run("npm", "run", "lint")
    assert "is valid" in said
    assert " warning" not in said.lower().replace("deprecation warning", ""), said


@pytest.mark.clients
def test_a_generated_client_plays_a_whole_match(tmp_path: Path) -> None:
    run("npm", "run", "generate")
    run("npm", "run", "check")
    with server(tmp_path) as (_, said):
        told = run("node", "build/play.js", address(said))
    assert "deal 13: " in told
    assert "intact, fair and lawful" in told
