"""What a connection takes: heads up to a bound, to the byte, however they are cut."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from api.connection import MOST_HEAD

from .harness import SOON, Site

REQUEST = b"GET /health/live HTTP/1.1\r\nHost: x\r\n"
BODY = b'{"variant":"thirteen-card-rummy","hand":["2H"]' + b" " * 50_000 + b"}"


def head(size: int, start: bytes = REQUEST, spaces: bool = False) -> bytes:
    """A request's head of so many bytes."""
    start += b"X: "
    fill = b" " * (size - len(start) - 5) + b"a" if spaces else b"a" * (size - len(start) - 4)
    return start + fill + b"\r\n\r\n"


def post(lengths: bytes, body: bytes, more: bytes = b"") -> bytes:
    return (b"POST /v1/arrangements HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" + more + lengths
            + b"\r\n\r\n" + body)  # fmt: skip


WITH_LENGTH = post(b"Content-Length: %d" % len(BODY), BODY)
CHUNKS = (9, BODY[:9], len(BODY) - 9, BODY[9:])
IN_CHUNKS = post(b"Transfer-Encoding: chunked", b"%x\r\n%b\r\n%x\r\n%b\r\n0\r\nTrailer: x\r\n\r\n" % CHUNKS)


class Link:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def answer(self) -> tuple[int, bytes]:
        async with asyncio.timeout(SOON):
            text = await self.reader.readuntil(b"\r\n\r\n")
            status, *fields = text.split(b"\r\n")
            length = next(int(x.split(b":")[1]) for x in fields if x.lower().startswith(b"content-length:"))
            return int(status.split()[1]), await self.reader.readexactly(length)

    async def too_large(self) -> None:
        status, body = await self.answer()
        assert (status, json.loads(body)["code"]) == (413, "request.too_large")
        async with asyncio.timeout(SOON):
            assert await self.reader.read() == b""


@asynccontextmanager
async def linked(site: Site) -> AsyncIterator[Link]:
    reader, writer = await asyncio.open_connection("127.0.0.1", int(site.server.address.rsplit(":", 1)[1]))
    try:
        yield Link(reader, writer)
    finally:
        writer.close()


@pytest.mark.asyncio
@pytest.mark.parametrize("spaces", [False, True])
@pytest.mark.parametrize("before", [b"", REQUEST + b"\r\n", WITH_LENGTH, IN_CHUNKS, b"\r\n"],
                         ids=["first", "after a head", "after a body", "after chunks", "after nothing"])  # fmt: skip
async def test_a_head_has_a_largest_size_to_the_byte(site: Site, before: bytes, spaces: bool) -> None:
    most = MOST_HEAD - (2 if before == b"\r\n" else 0)
    for size, fits in ((most, True), (most + 1, False), (70_000, False)):
        async with linked(site) as link:
            link.writer.write(before + head(size, spaces=spaces))
            if before not in (b"", b"\r\n"):
                assert (await link.answer())[0] in (200, 400)
            if fits:
                assert (await link.answer())[0] == 200
                link.writer.write(head(most, spaces=spaces))  # the next has as much room
                assert (await link.answer())[0] == 200
                link.writer.write(head(MOST_HEAD + 1, spaces=spaces))
            await link.too_large()


@pytest.mark.asyncio
async def test_a_head_is_counted_over_all_its_pieces(site: Site) -> None:
    for size in (MOST_HEAD, MOST_HEAD + 1):
        async with linked(site) as link:
            data = head(size)
            for i in range(0, len(data), 10_000):
                link.writer.write(data[i : i + 10_000])
                await link.writer.drain()
                await asyncio.sleep(0.01)
            await (link.too_large() if size > MOST_HEAD else link.answer())


@pytest.mark.asyncio
async def test_a_body_is_no_head(site: Site) -> None:
    large = BODY[:-1] + b" " * 10_000 + b"}"
    for more in (b"", b"Connection: Upgrade\r\nUpgrade: h2c\r\n"):
        async with linked(site) as link:
            for _ in range(3):
                link.writer.write(post(b"Content-Length: %d" % len(large), large, more) * 2)
                for _ in range(2):
                    assert (await link.answer())[0] == 200
            link.writer.write(IN_CHUNKS + WITH_LENGTH + REQUEST + b"\r\n")
            assert [(await link.answer())[0] for _ in range(3)] == [200] * 3


@pytest.mark.asyncio
async def test_a_head_may_be_cut_anywhere(site: Site) -> None:
    data = post(b"Content-Length: %d" % 47, BODY[:46] + b"}", b"X: upgrade: a\r\nExpect: upgrade: b\r\n")
    for cut in (i for i in range(len(data)) if data[i:].startswith((b"upgrade", b"\n", b"\r", b"{"))):
        async with linked(site) as link:
            link.writer.write(data[:cut])
            await link.writer.drain()
            await asyncio.sleep(0.02)
            link.writer.write(data[cut:] + REQUEST + b"\r\n")
            assert [(await link.answer())[0] for _ in range(2)] == [200, 200], cut


@pytest.mark.asyncio
async def test_what_is_no_request_is_answered_behind_what_was_one(site: Site) -> None:
    async with linked(site) as link:
        link.writer.write(REQUEST + b"\r\n" + REQUEST + b"\r\n" + b"nonsense\r\n\r\n" + REQUEST + b"\r\n")
        assert [(await link.answer())[0] for _ in range(3)] == [200, 200, 400]
        assert await link.reader.read() == b""
    async with linked(site) as link:
        link.writer.write(post(b"Transfer-Encoding: chunked", b"nonsense\r\n"))
        async with asyncio.timeout(SOON):
            with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
                await link.reader.readexactly(1)
