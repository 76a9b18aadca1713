"""Fixtures of the tests that break things on purpose: databases of either kind, and a short and a long form."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.api.harness import sqlite_url


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return sqlite_url(tmp_path) if request.param == "sqlite" else request.getfixturevalue("postgres_url")
