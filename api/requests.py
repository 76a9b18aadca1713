"""Reading requests: bodies, queries and headers, each fault with its code and where it is."""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar
from urllib.parse import parse_qsl

import msgspec
from litestar import Request
from msgspec import Meta, Struct

from domain.misfits import misfit

from .auth import Caller, read_authorization
from .problems import Problem, invalid
from .server import Server
from .service import Key

T = TypeVar("T")
Call = Request[Any, Any, Any]

_any = msgspec.json.Decoder()
_ETAG = re.compile(r'^(?:W/)?"?(\d{1,15})(?:\.\d+)?"?$')

#: The shortest key that a caller without a token may use: it gives tokens again (see `auth`).
SHORTEST_KEY = 22


def header(request: Call, name: bytes) -> str | None:
    """A header by its lower-case name; of one that is sent twice, the last."""
    found = None
    for key, value in request.scope["headers"]:
        if key == name:
            found = value
    return None if found is None else found.decode("latin-1")


def server_of(request: Call) -> Server:
    """What the composition root has put together."""
    return request.app.state["server"]


def caller_of(request: Call) -> Caller:
    """Raises ``auth.unknown_token`` for a header that cannot be anybody's.

    And ``request.invalid`` for parameters where the operation has none: nobody shall believe that a
    ``dry_run`` that it does not know was one.
    """
    caller = read_authorization(header(request, b"authorization"), server_of(request).keys)
    if request.scope["query_string"] and request.route_handler.opt["operation"].query is None:
        read_query(request, _NoQuery)
    return caller


async def public_caller(request: Call) -> Caller:
    """The caller of what belongs to no game: a token must be somebody's even here."""
    caller = caller_of(request)
    if caller.hash is not None:
        await server_of(request).service.prove(caller)
    return caller


def operator_only(caller: Caller) -> None:
    """Raises ``auth.required`` or ``auth.operator_only``."""
    if not caller.operator:
        raise Problem("auth.operator_only" if caller.hash is not None else "auth.required")


# ------------------------------------------------------------------------ bodies


def decode(body: bytes, decoder: msgspec.json.Decoder[T]) -> T:
    """Raises ``request.malformed`` or ``request.invalid``."""
    try:
        try:
            return decoder.decode(body)
        except msgspec.ValidationError as error:
            # The first wrong value ends the reading: whether all of it is JSON is yet to be seen.
            _any.decode(body)
            found = misfit(error, decoder.type)
            raise invalid(f"#{found.pointer}", found.detail) from None
    except RecursionError:
        raise Problem("request.malformed", "The body is nested too deeply.") from None
    except UnicodeError:
        raise Problem("request.malformed", "The body is not JSON in UTF-8.") from None
    except msgspec.DecodeError as error:
        detail = "The body is empty." if not body.strip() else f"The body is not JSON in UTF-8: {error}."
        raise Problem("request.malformed", detail.replace("..", ".")) from None


def check_media_type(request: Call, *allowed: str) -> None:
    """Raises ``request.media_type``. A body without a type is taken for what it should be."""
    given = header(request, b"content-type")
    if given is None or given in allowed:
        return
    kind, _, parameters = given.partition(";")
    charset = re.search(r'charset\s*=\s*"?([^\s;"]+)', parameters, re.IGNORECASE)
    if kind.strip().lower() not in allowed or (charset and charset[1].lower() not in ("utf-8", "utf8")):
        raise Problem("request.media_type", f"Send the body as {allowed[0]} in UTF-8.")


async def read_body(request: Call) -> bytes:
    """The bytes of the body, no more than the operation takes. Raises ``request.too_large``."""
    most: int = request.route_handler.opt["max_bytes"]
    length = header(request, b"content-length")
    if length is not None and length.isdecimal() and int(length) > most:
        raise Problem("request.too_large")
    chunks: list[bytes] = []
    while True:
        message: Any = await request.receive()
        if message["type"] == "http.disconnect":
            raise Problem("request.malformed", "The request broke off.")
        chunks.append(message.get("body", b""))
        most -= len(chunks[-1])
        if most < 0:
            raise Problem("request.too_large")
        if not message.get("more_body", False):
            return b"".join(chunks)


async def read_json(request: Call, decoder: msgspec.json.Decoder[T], empty: bytes | None = None) -> T:
    """The request's body. ``empty``: what an empty one stands for, where it may be left out."""
    check_media_type(request, "application/json")
    body = await read_body(request)
    if not body and empty is not None:
        body = empty
    return decode(body, decoder)


# ----------------------------------------------------------------------- queries


def read_query(request: Call, kind: type[T]) -> T:
    """The query's parameters as a struct. Raises ``request.invalid``, for unknown ones too."""
    raw: bytes = request.scope["query_string"]
    if not raw:
        return kind()
    values: dict[str, str] = {}
    try:
        pairs = parse_qsl(raw.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=50)
    except ValueError:
        raise invalid("?", "The query cannot be read.") from None
    for name, value in pairs:
        if name in values:
            raise invalid(f"?{name}", f"The parameter {name} is given twice.")
        values[name] = value
    try:
        query = msgspec.convert(values, kind, strict=False)
    except msgspec.ValidationError as error:
        found = misfit(error, kind, "parameter")
        raise invalid(f"?{found.pointer[1:]}", found.detail) from None
    for name in values:
        if getattr(query, name) is None:  # reading leniently takes the word null for nothing
            raise invalid(f"?{name}", f"The parameter {name} has no such value.")
    return query


class _NoQuery(Struct, frozen=True, forbid_unknown_fields=True):
    pass


class PageQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which page of a list."""

    after: Annotated[str, Meta(max_length=60, description="The `next` of the page before.")] | None = None
    limit: Annotated[int, Meta(ge=1, le=500)] = 100


def page_of(items: Sequence[T], query: PageQuery, cursor: Callable[[T], str]) -> tuple[Sequence[T], str | None]:
    """A page of a list that is all at hand, and the cursor of the next. Raises ``request.invalid``."""
    start = 0
    if query.after is not None:
        start = next((i for i, item in enumerate(items, 1) if cursor(item) == query.after), 0)
        if not start:
            raise invalid("?after", "The parameter after is the next of the page before.")
    end = start + query.limit
    return items[start:end], cursor(items[end - 1]) if end < len(items) else None


def check_after(after: int, version: int, pointer: str = "?after") -> None:
    """Raises ``request.invalid`` for a position ahead of what the caller may see: whoever kept it would miss
    what comes before it, and never know."""
    if after > version:
        raise invalid(pointer, f"There is no event {after} yet; begin behind one that was received.")


# ----------------------------------------------------------------------- headers


def if_match(request: Call) -> int | None:
    """The version that If-Match asks for; None where any will do."""
    given = header(request, b"if-match")
    if given is None or given.strip() == "*":
        return None
    found = _ETAG.match(given.strip())
    if found is None:
        raise invalid("If-Match", 'If-Match is one version in quotes, such as "41".')
    return int(found[1])


def none_match(request: Call, etag: str) -> bool:
    """Whether the caller has this already (If-None-Match)."""
    given = header(request, b"if-none-match")
    if given is None:
        return False
    tags = [tag.strip().removeprefix("W/") for tag in given.split(",")]
    return "*" in tags or etag in tags


def idempotency_key(request: Call, operation: str, body: Any, caller: Caller, secret: bool = False) -> Key | None:
    """The Idempotency-Key and what it stands for.

    ``secret``: the answer has a token, so that a key of somebody without one must not be guessed.
    """
    given = header(request, b"idempotency-key")
    if given is None:
        return None
    key = given.strip()
    with contextlib.suppress(UnicodeError):
        key = key.encode("latin-1").decode()  # characters are counted, not the bytes that UTF-8 makes of them
    if len(key) >= 2 and key[0] == key[-1] == '"':
        key = key[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    if not 1 <= len(key) <= 200:
        raise invalid("Idempotency-Key", "An idempotency key has 1 to 200 characters.")
    if secret and caller == Caller() and len(key) < SHORTEST_KEY:
        raise invalid(
            "Idempotency-Key", f"Without a token, an idempotency key has {SHORTEST_KEY} characters or more."
        )
    return idempotent(operation, body, key)


def idempotent(operation: str, body: Any, key: str) -> Key:
    """A key and what it stands for."""
    try:
        stands_for = msgspec.json.encode([operation, body], order="sorted")
    except OverflowError:
        raise invalid("#", "A number in the request is too large.") from None
    return Key(key, hashlib.sha256(stands_for).digest())
