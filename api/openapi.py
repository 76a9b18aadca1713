"""The OpenAPI document, made of what stands beside the handlers; its schemas in ``openapi_schemas``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from typing import Any, Final

from .openapi_schemas import REF, Schemas, several
from .operations import Answer, Operation
from .problems import MEDIA_TYPE, PROBLEMS

_HEADERS: Final[dict[str, dict[str, Any]]] = {
    "ETag": {"description": "The version of the game, in quotes.", "schema": {"type": "string"}},
    "Location": {"description": "Where the new resource is.", "schema": {"type": "string"}},
    "Idempotency-Replayed": {
        "description": "`true` where this is the first answer to the same request, given again.",
        "schema": {"const": "true", "type": "string"}},
    "Request-Id": {"description": "Names this request in the server's log.", "schema": {"type": "string"}},
    "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "string", "pattern": "^[0-9]+$"}},
    "WWW-Authenticate": {"description": "How to send a token.", "schema": {"type": "string"}},
}  # fmt: skip
_PARAMETERS: Final[dict[str, dict[str, Any]]] = {
    "Idempotency-Key": {
        "description": "Any string of up to 200 characters. The same request with the same key is carried out "
        "once and answered alike; without a token the key has 22 characters or more.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 200},
        "example": "5b0a5b0c-94f1-4c5e-9d3f-0d9c7f3c2b11"},
    "If-Match": {
        "description": "Refused with `version.stale` unless the game is at this version.",
        "schema": {"type": "string", "pattern": r'^"[0-9]{1,15}"$'}, "example": '"41"'},
    "Last-Event-ID": {
        "description": "The id of the last message that was read; wins over `after`.",
        "schema": {"type": "string", "pattern": "^[0-9]{1,10}$"}, "example": "41"},
    "If-None-Match": {
        "description": "The ETag that the caller has already.", "schema": {"type": "string"}, "example": '"42"'},
}  # fmt: skip
_PATHS: Final[dict[str, dict[str, Any]]] = {
    "game_id": {"type": "string", "format": "uuid"},
    "scoresheet_id": {"type": "string", "format": "uuid"},
    "seat": {"type": "integer", "minimum": 0, "maximum": 7},
    "n": {"type": "integer", "minimum": 1},
    "c": {"type": "integer", "minimum": 0},
}
_TAGS: Final = (
    ("variants", "The games that can be played, their rules, and hands without a game."),
    ("games", "Opening tables, finding them, sitting down."),
    ("play", "Seeing, doing, following."),
    ("logs", "The truth about a game that is over."),
    ("scoresheets", "Scores of games that are played elsewhere."),
    ("operators", "For whoever runs the server or a back end."),
    ("service", "The server itself."),
)

_TOKEN = (
    "A seat's token, the host's, or an operator's API key. Tokens are opaque; they are shown once, and no token "
    "ever stands in an address."
)
_ABOUT = """Rummy games with a referee: six variants, one contract.

A game is a log of events. Commands are decided by the rules; what they cause is appended; every view is made of
the log. Errors are `application/problem+json` with a stable `code`. Clients ignore members, event types and
codes that they do not know. A request may be sent again with its `Idempotency-Key` whenever its answer was lost.
"""


class Document:
    """Builds the document from handlers."""

    def __init__(self, handlers: Iterable[Any]) -> None:
        self.operations: list[tuple[str, str, Operation]] = []
        for handler in handlers:
            described: Operation | None = handler.opt.get("operation")
            if described is not None:
                (path,) = handler.paths
                (method,) = handler.http_methods
                plain = re.sub(r":\w+}", "}", path)
                self.operations.append((plain if plain.startswith("/") else f"/{plain}", method.lower(), described))
        self.operations.sort(key=lambda x: (x[0], x[1]))
        queries = [operation.query for _, _, operation in self.operations if operation.query is not None]
        self._schemas = Schemas(self._types(), queries)

    def _types(self) -> Iterator[Any]:
        """Every type of a body or an answer."""
        for _, _, operation in self.operations:
            if operation.body is not None:
                yield operation.body
            for answer in operation.answers:
                yield from (shape for shape in several(answer.shape) if shape is not None)

    # ------------------------------------------------------------------ paths

    def build(self) -> dict[str, Any]:
        """The document."""
        paths: dict[str, Any] = {}
        for path, method, operation in self.operations:
            paths.setdefault(path, {})[method] = self._operation(path, operation)
        return {
            "openapi": "3.1.1",
            "info": {
                "title": "Wild Rummy API", "version": _version(), "description": _ABOUT,
                "license": {"name": "See the repository", "identifier": "LicenseRef-repository"},
            },
            "servers": [{"url": "/", "description": "This server"}],
            "tags": [{"name": name, "description": text} for name, text in _TAGS],
            "paths": paths,
            "components": {
                "schemas": self._schemas.components,
                "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": _TOKEN}},
            },
        }  # fmt: skip

    def _operation(self, path: str, o: Operation) -> dict[str, Any]:
        made: dict[str, Any] = {"operationId": o.id, "summary": o.summary, "tags": [o.tag]}
        if o.description:
            made["description"] = o.description
        parameters = [*self._path_parameters(path), *self._query_parameters(o), *_header_parameters(o)]
        if parameters:
            made["parameters"] = parameters
        if o.body is not None:
            content: dict[str, Any] = {"schema": self._schemas.of(o.body)}
            if examples := _examples(o.id, "request"):
                content["examples"] = examples
            made["requestBody"] = {"required": o.body_required, "content": {o.body_media_type: content}}
        made["responses"] = self._responses(o)
        needed: list[Any] = [{"token": []}]
        made["security"] = [] if o.token == "none" else [*needed, {}] if o.token == "optional" else needed
        return made

    def _path_parameters(self, path: str) -> list[dict[str, Any]]:
        return [
            {"name": name, "in": "path", "required": True, "schema": _PATHS.get(name, {"type": "string"})}
            for name in re.findall(r"{(\w+)}", path)
        ]

    def _query_parameters(self, o: Operation) -> list[dict[str, Any]]:
        if o.query is None:
            return []
        made: list[dict[str, Any]] = []
        for name, schema in self._schemas.query(o.query).items():
            schema = dict(schema)
            description = schema.pop("description", None)
            made.append({
                "name": name, "in": "query", "required": False, "schema": schema,
                **({"description": description} if description else {}),
            })  # fmt: skip
        return made

    def _responses(self, o: Operation) -> dict[str, Any]:
        responses: dict[str, Any] = {}
        for answer in o.answers:
            responses[str(answer.status)] = self._answer(o, answer)
        by_status: dict[int, list[str]] = {}
        for code in _problem_codes(o):
            by_status.setdefault(PROBLEMS[code][0], []).append(code)
        for status, codes in sorted(by_status.items()):
            content: dict[str, Any] = {"schema": {"$ref": REF + "Problem"}}
            if examples := _examples(o.id, str(status)):
                content["examples"] = examples
            headers = ["Request-Id"]
            headers += ["WWW-Authenticate"] if status == 401 else []
            headers += ["Retry-After"] if status in (429, 503) else []
            responses[str(status)] = {
                "description": "One of: " + ", ".join(f"`{code}`" for code in codes) + ".",
                "headers": {name: _HEADERS[name] for name in headers},
                "content": {MEDIA_TYPE: content},
            }
        return dict(sorted(responses.items()))

    def _answer(self, o: Operation, answer: Answer) -> dict[str, Any]:
        headers = ("Request-Id", *answer.headers)
        made: dict[str, Any] = {
            "description": answer.description, "headers": {name: _HEADERS[name] for name in headers}
        }
        if answer.shape is not None:
            content: dict[str, Any] = {"schema": self._schemas.of(answer.shape)}
            if examples := _examples(o.id, str(answer.status)):
                content["examples"] = examples
            made["content"] = {answer.media_type: content}
        if o.id == "createGame":
            made["links"] = {
                target: {"operationId": target, "parameters": {"game_id": "$response.body#/game/game_id"}}
                for target in ("getGame", "takeSeat", "getView", "listEvents", "explainScores")
            }
        return made


def _problem_codes(o: Operation) -> list[str]:
    codes: list[str] = ["request.invalid"]
    if o.body is not None:
        codes += ["request.malformed"] if o.body is not str else []
        codes += ["request.too_large", "request.media_type"]
    if o.token != "none":
        codes += ["auth.unknown_token"]
    for code in o.problems:
        if code == "409":
            codes += [c for c, (status, _, _) in PROBLEMS.items() if status == 409]
        elif code == "rules":
            codes += [c for c, (status, _, _) in PROBLEMS.items() if status == 422 and c not in _NO_RULES]
        else:
            codes.append(code)
    codes += ["internal", "unavailable"]
    return list(dict.fromkeys(codes))


_NO_RULES = ("options.invalid", "sandbox.bad_position", "log.invalid", "idempotency.mismatch")


def _header_parameters(o: Operation) -> list[dict[str, Any]]:
    return [{"name": name, "in": "header", "required": False, **_PARAMETERS[name]} for name in o.headers]


def _version() -> str:
    try:
        return version("wild-rummy-api")
    except PackageNotFoundError:
        return "0"


# ----------------------------------------------------------------------- examples


@lru_cache
def _recorded() -> dict[str, Any]:
    folder = files("api") / "static" / "examples"
    if not folder.is_dir():
        return {}
    return {
        file.name.removesuffix(".json"): json.loads(file.read_text("utf-8"))
        for file in sorted(folder.iterdir(), key=lambda f: f.name)
        if file.name.endswith(".json")
    }


def _examples(operation: str, part: str) -> dict[str, Any]:
    """Recorded examples of a part of an operation: ``request`` or a status."""
    return {
        name: {"value": recorded[part]}
        for name, recorded in _recorded().get(operation, {}).items()
        if part in recorded
    }


def document(handlers: Iterable[Any]) -> dict[str, Any]:
    """The OpenAPI document of these handlers."""
    return Document(handlers).build()


def text(handlers: Iterable[Any]) -> str:
    """The document as it is published: indented, so that its changes can be read."""
    return json.dumps(document(handlers), indent=1, ensure_ascii=False) + "\n"


