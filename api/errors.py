"""From whatever was raised to a problem: the framework's errors, the domain's, the store's, and our own."""

from __future__ import annotations

import logging
from typing import Any

from litestar import Request
from litestar.exceptions import HTTPException

from domain.commands import Rejected
from persistence.store import StoreUnavailable

from .problems import MEDIA_TYPE, Problem, of_rejection
from .replies import Reply

log = logging.getLogger("rummy")

_BY_STATUS = {
    404: "not_found", 405: "method_not_allowed", 413: "request.too_large", 415: "request.media_type",
    429: "rate_limited", 503: "unavailable",
}  # fmt: skip

NOWHERE = "There is nothing at this address. The documentation is at /docs, the document for programs at /openapi.json."


def problem_of(error: Exception) -> Problem:
    """Never raises; what nobody expected is ``internal``."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, Rejected):
        return of_rejection(error, None)
    if isinstance(error, StoreUnavailable):
        log.warning("the store is not available: %s", error)
        return Problem("unavailable")
    if isinstance(error, HTTPException):
        code = _BY_STATUS.get(error.status_code)
        if code is None:
            code = "request.invalid" if error.status_code < 500 else "internal"
        # A game that is not there has a sentence of its own: this is an address that there is not.
        problem = Problem(code, NOWHERE if code == "not_found" else None)
        allow = (error.headers or {}).get("allow")
        if code == "method_not_allowed" and allow:
            problem.headers["Allow"] = allowed(allow.split(", "))
        return problem
    return Problem("internal")


def allowed(methods: list[str]) -> str:
    """The methods that an address takes, as Allow lists them."""
    known = {method for method in methods if method.isupper()} | {"OPTIONS"}
    return ", ".join(sorted(known | ({"HEAD"} if "GET" in known else set())))


def reply_of(problem: Problem) -> Reply:
    """The problem as an answer."""
    return Reply(problem.body(), problem.status, problem.headers, MEDIA_TYPE.encode())


def answer_error(request: Request[Any, Any, Any], error: Exception) -> Any:
    """The one exception handler."""
    problem = problem_of(error)
    if problem.code == "internal":
        # The address and the id, never a body: it may hold cards.
        scope: Any = request.scope
        log.error("request %s failed at %s", scope.get("request_id"), scope["path"],
                  exc_info=error)  # fmt: skip
    return reply_of(problem)
