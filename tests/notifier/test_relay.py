"""How hints are gathered, kept and sent again, with a network that does what the test says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence

import pytest
import pytest_asyncio

from api.notifier import Moved
from api.notifiers import relay
from api.notifiers.hub import MOST
from api.notifiers.relay import Relay, read, write

SOON = 10.0
NOW = 0.0


class Scripted(Relay):
    room = 100
    broken = (OSError,)

    def __init__(self) -> None:
        super().__init__()
        self.sent: asyncio.Queue[str] = asyncio.Queue()
        self.fails: Exception | None = None
        self.tried = asyncio.Event()
        self.hung_up = 0
        self.cut = asyncio.Event()
        self.refuses = False

    async def _send(self, messages: Sequence[str]) -> None:
        self.tried.set()
        if self.fails is not None:
            raise self.fails
        for message in messages:
            self.sent.put_nowait(message)

    async def _listen(self, ready: Callable[[], None]) -> None:
        if self.refuses:
            raise ConnectionRefusedError
        ready()
        await self.cut.wait()
        self.cut.clear()
        raise ConnectionResetError

    async def _hang_up(self) -> None:
        self.hung_up += 1

    def hear(self, message: str) -> None:
        self._receive(message)

    async def next(self) -> tuple[list[tuple[str, int]], bool]:
        async with asyncio.timeout(SOON):
            _, hints, look = read(await self.sent.get())
        return hints, look


@pytest_asyncio.fixture
async def scripted() -> AsyncIterator[Scripted]:
    notifier = Scripted()
    await notifier.start()
    yield notifier
    await notifier.stop()


def test_messages_are_cut_to_size_and_read_back() -> None:
    hints = [(f"game-{i}", i * 1000) for i in range(50)]
    messages = write("me", hints, 100)
    assert all(len(message) <= 100 for message in messages)
    assert len(messages) < 15
    assert [hint for message in messages for hint in read(message)[1]] == hints
    assert {read(message)[0] for message in messages} == {"me"}
    assert write("me", [], 100) == []


@pytest.mark.parametrize(
    "junk", ["", " ", "me", "me a", "me a=", "me =1", "me a=-1", "me a=x", "me a=²", "me a=" + "9" * 99]
)
def test_what_cannot_be_read_is_passed_over(junk: str) -> None:
    assert read(junk)[1:] == ([], False)
    assert read(junk + " b=2")[1] == [("b", 2)]


@pytest.mark.asyncio
async def test_the_latest_of_a_game_wins_and_all_go_in_one_message(scripted: Scripted) -> None:
    for version in (1, 2, 5, 3):
        for game in ("a", "b"):
            scripted.publish(game, version)
    assert await scripted.next() == ([("a", 5), ("b", 5)], False)
    assert scripted.sent.empty()


@pytest.mark.asyncio
async def test_what_could_not_be_sent_is_kept_and_newer_wins(scripted: Scripted) -> None:
    scripted.fails = ConnectionResetError()
    scripted.publish("a", 1)
    scripted.publish("b", 1)
    await asyncio.wait_for(scripted.tried.wait(), SOON)
    scripted.publish("a", 2)
    scripted.fails = None
    assert dict((await scripted.next())[0]) == {"a": 2, "b": 1}
    assert scripted.hung_up == 1


@pytest.mark.asyncio
async def test_a_batch_that_cannot_be_sent_at_all_hurts_no_other(scripted: Scripted) -> None:
    scripted.fails = UnicodeError()
    scripted.publish("bad", 1)
    await asyncio.wait_for(scripted.tried.wait(), SOON)
    scripted.fails = None
    scripted.publish("a", 1)
    assert await scripted.next() == ([("a", 1)], False)


@pytest.mark.asyncio
async def test_too_many_to_keep_become_look(scripted: Scripted) -> None:
    for game in range(MOST + 100):
        scripted.publish(str(game), 1)
    assert await scripted.next() == ([], True)
    scripted.publish("a", 1)
    assert await scripted.next() == ([("a", 1)], False)


@pytest.mark.asyncio
async def test_local_hints_need_no_network(scripted: Scripted) -> None:
    scripted.fails = ConnectionResetError()
    scripted.refuses = True
    scripted.cut.set()
    async with scripted.subscribe("a") as sub:
        scripted.publish("a", 1)
        assert await sub.changed(NOW)


@pytest.mark.asyncio
async def test_own_messages_are_not_heard_and_others_are(scripted: Scripted) -> None:
    async with scripted.subscribe_all() as everything:
        scripted.publish("a", 1)
        own = await asyncio.wait_for(scripted.sent.get(), SOON)
        assert await everything.moved(NOW) == Moved({"a": 1})
        scripted.hear(own)
        assert not await everything.moved(NOW)
        scripted.hear("another a=2")
        assert await everything.moved(NOW) == Moved({"a": 2})
        scripted.hear("another *")
        assert (await everything.moved(NOW)).gap


@pytest.mark.asyncio
async def test_after_a_cut_everybody_looks(scripted: Scripted) -> None:
    async with scripted.subscribe("a") as sub:
        scripted.cut.set()
        assert await sub.changed(SOON)
        assert scripted.linked


@pytest.mark.asyncio
async def test_starting_does_not_need_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay, "PAUSES", (0.001, 0.002))
    notifier = Scripted()
    notifier.refuses = True
    await asyncio.wait_for(notifier.start(), SOON)
    assert not notifier.linked
    async with notifier.subscribe("a") as sub:
        notifier.refuses = False
        assert await sub.changed(SOON)
        assert notifier.linked
    await notifier.stop()


@pytest.mark.asyncio
async def test_stopping_sends_what_is_left() -> None:
    notifier = Scripted()
    await notifier.start()
    notifier.publish("a", 1)
    await notifier.next()
    notifier.publish("a", 2)  # waits for the pause between two messages
    await notifier.stop()
    assert await notifier.next() == ([("a", 2)], False)
    notifier.publish("a", 3)
    await notifier.stop()
    assert notifier.sent.empty()


@pytest.mark.asyncio
async def test_stopping_does_not_wait_for_a_network_that_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay, "FAREWELL", 0.01)
    notifier = Scripted()
    notifier.fails = ConnectionResetError()
    await notifier.start()
    notifier.publish("a", 1)
    await asyncio.wait_for(notifier.stop(), SOON)
    assert notifier.hung_up
