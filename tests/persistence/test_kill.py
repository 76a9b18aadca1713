"""A server killed at any moment has every acknowledged command and nothing else."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

from persistence import store_for
from persistence.store import EventStore, Wakeup

from .build import AT, commit


async def check(url: str, games: list[str], acknowledged: dict[str, int]) -> None:
    store = store_for(url)
    await store.open()
    try:
        for game_id in games:
            await check_game(store, game_id, acknowledged[game_id])
    finally:
        await store.close()


async def check_game(store: EventStore, game_id: str, acknowledged: int) -> None:
    log = await store.commits(game_id)
    # One more at most: what was under way may have become durable before anyone was told.
    assert len(log) - acknowledged in (0, 1)
    assert log == [commit(game_id, number) for number in range(1, len(log) + 1)]
    expected = [Wakeup(game_id, "bot", AT, len(log))] if log else []
    assert [wakeup for wakeup in await store.due(AT, 1_000) if wakeup.game_id == game_id] == expected


@pytest.mark.parametrize("after", [1, 50, 1_000])
def test_every_acknowledged_commit_survives_a_kill(store_url: str, after: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.persistence.burst", store_url], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        games = process.stdout.readline().split()
        acknowledged = dict.fromkeys(games, 0)

        def read(line: str) -> None:
            game_id, number = line.split()
            acknowledged[game_id] = int(number)

        for _ in range(after):
            read(process.stdout.readline())
        process.kill()
        for line in process.stdout.read().splitlines(keepends=True):
            if line.endswith("\n"):
                read(line)
    asyncio.run(check(store_url, games, acknowledged))
