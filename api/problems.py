"""Every error an answer can carry: code → status and title, as one total table, and RFC 9457 bodies.

A code that the domain raises and this table lacks would be a server's fault; a test compares them.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType

from domain.commands import Rejected
from domain.refusals import SENTENCES
from domain.shapes import Fault

MEDIA_TYPE: Final = "application/problem+json"

#: code → (status, title, the sentence where nobody has a better one)
_OWN: Final[dict[str, tuple[int, str, str]]] = {
    "request.invalid": (400, "The request is not valid", "The request does not have the right shape."),
    "request.malformed": (400, "The request cannot be read", "The body is not JSON in UTF-8."),
    "auth.required": (401, "A token is needed", "Send a token of this game as Authorization: Bearer …"),
    "auth.unknown_token": (401, "Unknown token", "Nobody has this token, or not any more."),
    "auth.not_your_game": (403, "Not your game", "This token belongs to another game or to no seat of it."),
    "auth.host_only": (403, "Only for the host", "Only the host may do that."),
    "auth.operator_only": (403, "Only for operators", "Only an operator may do that."),
    "room_code.wrong": (403, "Wrong room code", "A private game is joined with its room code."),
    "sandbox.disabled": (403, "No sandboxes here", "This server starts no games from a given position."),
    "not_found": (404, "Not found", "There is nothing at this address."),
    "room_code.unknown": (404, "Unknown room code", "No game has this room code."),
    "method_not_allowed": (405, "Method not allowed", "This address does not take that method."),
    "request.too_large": (413, "The request is too large", "The body is larger than this address takes."),
    "request.media_type": (415, "Unsupported media type", "Send the body as application/json."),
    "version.stale": (412, "The game has moved on", "The game is not at the version that If-Match names."),
    "idempotency.mismatch": (
        422, "Another request with this key", "This Idempotency-Key was used for another request."),
    "log.invalid": (422, "Not a log", "The body is not an exported log."),
    "rate_limited": (429, "Too many tries", "Too many tries; wait before the next."),
    "internal": (500, "The server has failed", "Something went wrong on our side; nothing was recorded."),
    "unavailable": (503, "Not available", "The database cannot be reached; try again."),
}  # fmt: skip

#: Refusals that the state of the game explains; any other of the domain's is a rule's, 422.
_CONFLICTS: Final = frozenset(
    ("turn.not_yours", "turn.wrong_phase", "command.not_in_variant", "seat.taken")
)  # fmt: skip


def _status(code: str) -> int:
    return 409 if code in _CONFLICTS or code.startswith("game.") else 422


def _title(code: str) -> str:
    group, _, name = code.partition(".")
    return f"{group.replace('_', ' ')}: {name.replace('_', ' ')}".capitalize()


#: code → (status, title, sentence) of every problem there is.
PROBLEMS: Final[dict[str, tuple[int, str, str]]] = {
    **{code: (_status(code), _title(code), sentence) for code, (sentence, _) in SENTENCES.items()},
    **_OWN,
}


class ProblemBody(Struct, frozen=True, rename={"kind": "type"}):
    """An error as RFC 9457 has it. `detail` is a sentence that a player could read."""

    kind: str
    title: str
    status: int
    detail: str
    code: str
    rule: str | UnsetType = UNSET
    choices: list[Any] | UnsetType = UNSET
    errors: list[Fault] | UnsetType = UNSET
    version: int | UnsetType = UNSET


class Problem(Exception):
    """An error to be answered; raised anywhere below the edge."""

    def __init__(
        self,
        code: str,
        detail: str | None = None,
        *,
        rule: str | None = None,
        choices: list[Any] | None = None,
        errors: list[Fault] | None = None,
        version: int | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(code, detail)
        self.code = code
        self.status, self.title, sentence = PROBLEMS[code]
        self.detail = detail or sentence
        self.rule = rule
        self.choices = choices
        self.errors = errors
        self.version = version
        self.headers = dict(headers or {})
        if self.status == 401:
            self.headers["WWW-Authenticate"] = "Bearer"
        elif self.status in (429, 503):
            self.headers.setdefault("Retry-After", "1")

    def body(self) -> bytes:
        """The answer's body."""
        return msgspec.json.encode(
            ProblemBody(
                f"/problems/{self.code}", self.title, self.status, self.detail, self.code,
                UNSET if self.rule is None else self.rule,
                UNSET if self.choices is None else self.choices,
                UNSET if self.errors is None else self.errors,
                UNSET if self.version is None else self.version,
            )
        )  # fmt: skip


def of_rejection(refusal: Rejected, version: int | None) -> Problem:
    """The domain's refusal as an answer, with the version of the game that refused."""
    return Problem(
        refusal.code, refusal.detail, rule=refusal.rule, choices=refusal.choices, errors=refusal.errors,
        version=version,
    )  # fmt: skip


def invalid(pointer: str, detail: str) -> Problem:
    """``request.invalid`` with one fault and where it is."""
    return Problem("request.invalid", detail, errors=[Fault(pointer, "request.invalid", detail)])
