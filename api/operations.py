"""Operations: what the contract says of a route stands beside its handler, and the document is made of it.

Handlers read their requests with `api.requests`, which answers for every byte that may come in; the
framework routes, and limits the size of bodies.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from litestar import route
from litestar.enums import HttpMethod
from msgspec import Struct

#: Bytes that a body may have, unless the operation says otherwise.
MOST_BYTES = 64 * 1024


class Answer(Struct, frozen=True):
    """One kind of success. ``shape``: a type, several where the answer is one of them, or nothing."""

    status: int
    shape: Any
    description: str
    headers: tuple[str, ...] = ()
    media_type: str = "application/json"


class Operation(Struct, frozen=True):
    """An operation as the document describes it."""

    id: str
    summary: str
    tag: str
    answers: tuple[Answer, ...]
    #: problem codes beside those that any operation may answer
    problems: tuple[str, ...] = ()
    query: type | None = None
    body: Any = None
    body_media_type: str = "application/json"
    body_required: bool = True
    headers: tuple[str, ...] = ()
    #: "none": no token says anything here; "optional"; "seat", "token" and "operator": needed
    token: str = "optional"
    description: str = ""


def operation(method: str, path: str, described: Operation, max_bytes: int = MOST_BYTES) -> Callable[[Any], Any]:
    """A handler for one method of one path."""
    return route(
        path, http_method=HttpMethod[method], opt={"operation": described, "max_bytes": max_bytes},
        include_in_schema=False, status_code=described.answers[0].status,
    )  # fmt: skip
