"""The OpenAPI document, made of what stands beside the handlers.

Types come from msgspec; what it says in another idiom than OpenAPI 3.1 is rewritten here: tagged unions are
named ``oneOf`` with their discriminator, and members that an answer always has are required.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from typing import Any, Final, cast, get_args

import msgspec
from msgspec import Struct

from domain.cards import END
from domain.commands import Command
from domain.events import Event

from .operations import Answer, Operation
from .problems import MEDIA_TYPE, PROBLEMS, ProblemBody
from .shapes import Delayed, NewSeat, Spectators

_REF = "#/components/schemas/"

#: Unions that have a name of their own.
_UNIONS: Final[dict[str, Any]] = {"Command": Command, "Event": Event, "NewSeat": NewSeat}
#: Types whose name in the document is not their name in the code.
_RENAMED: Final = {
    "MeldShape": "Meld", "TurnShape": "Turn", "StockShape": "Stock", "DealShape": "Deal", "WildShape": "Wild",
    "ArrangementShape": "Arrangement", "VariantShape": "Variant", "SeatRangeShape": "SeatRange",
    "RuleShape": "Rule", "ProblemBody": "Problem", "SeatView": "ViewSeat", "Actions": "ActionList",
    "Created": "GameCreation",
    **{kind.__name__: f"{kind.__name__}Command" for kind in get_args(Command)},
}  # fmt: skip

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
        self._shapes: dict[int, Any] = {}
        self.components = self._components()

    # ----------------------------------------------------------------- types

    def _types(self) -> Iterator[Any]:
        yield ProblemBody
        yield from _UNIONS.values()
        for _, _, operation in self.operations:
            if operation.body is not None and operation.body is not str:
                yield operation.body
            for answer in operation.answers:
                yield from (shape for shape in _several(answer.shape) if shape is not None and shape is not str)
            if operation.query is not None:
                yield operation.query

    def _components(self) -> dict[str, Any]:
        types = list(self._types())
        queries = {operation.query for _, _, operation in self.operations}
        found, components = msgspec.json.schema_components(types, ref_template=_REF + "{name}")
        structs = {s.__name__: s for s in _structs(types)}
        for kind, schema in zip(types, found, strict=True):
            self._shapes[id(kind)] = schema
        for name, schema in components.items():
            _require(schema, structs.get(name))
        unions = {
            frozenset(m.__name__ for m in get_args(union)): name for name, union in _UNIONS.items()
        }
        for name, union in _UNIONS.items():
            components[name] = {"title": name, **self._shapes[id(union)]}
        _fix(components)
        components = {
            _renamed(name): _rewrite(schema, unions, name)
            for name, schema in components.items()
            if not any(query is not None and query.__name__ == name for query in queries)
        }
        self._queries = {
            query.__name__: _rewrite(self._resolve(query, found, types), unions, None)
            for query in queries
            if query is not None
        }
        self._unions = unions
        return dict(sorted(components.items()))

    def _resolve(self, query: type, found: Iterable[Any], types: list[Any]) -> dict[str, Any]:
        del found, types
        _, components = msgspec.json.schema_components([query], ref_template=_REF + "{name}")
        return components[query.__name__]

    def schema(self, shape: Any) -> dict[str, Any]:
        """The schema of a body or an answer."""
        if shape is str:
            return {"type": "string"}
        if isinstance(shape, tuple):
            return {"oneOf": [self.schema(x) for x in _several(shape)]}
        return _rewrite(self._shapes[id(shape)], self._unions, None)

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
                "schemas": self.components,
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
            content: dict[str, Any] = {"schema": self.schema(o.body)}
            if examples := _examples(o.id, "request"):
                content["examples"] = examples
            made["requestBody"] = {"required": o.body_required, "content": {o.body_media_type: content}}
        made["responses"] = self._responses(path, o)
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
        for name, schema in self._queries[o.query.__name__]["properties"].items():
            schema = _without_null(dict(schema))
            description = schema.pop("description", None)
            made.append({
                "name": name, "in": "query", "required": False, "schema": schema,
                **({"description": description} if description else {}),
            })  # fmt: skip
        return made

    def _responses(self, path: str, o: Operation) -> dict[str, Any]:
        responses: dict[str, Any] = {}
        for answer in o.answers:
            responses[str(answer.status)] = self._answer(o, answer)
        by_status: dict[int, list[str]] = {}
        for code in _problem_codes(path, o):
            by_status.setdefault(PROBLEMS[code][0], []).append(code)
        for status, codes in sorted(by_status.items()):
            content: dict[str, Any] = {"schema": {"$ref": _REF + "Problem"}}
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
            content: dict[str, Any] = {"schema": self.schema(answer.shape)}
            if examples := _examples(o.id, str(answer.status)):
                content["examples"] = examples
            made["content"] = {answer.media_type: content}
        if o.id == "createGame":
            made["links"] = {
                target: {"operationId": target, "parameters": {"game_id": "$response.body#/game/game_id"}}
                for target in ("getGame", "takeSeat", "getView", "listEvents", "explainScores")
            }
        return made


def _several(shape: Any) -> tuple[Any, ...]:
    return shape if isinstance(shape, tuple) else (shape,)  # pyright: ignore[reportUnknownVariableType]


def _problem_codes(path: str, o: Operation) -> list[str]:
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
    del path
    return list(dict.fromkeys(codes))


_NO_RULES = ("options.invalid", "sandbox.bad_position", "log.invalid", "idempotency.mismatch")


def _header_parameters(o: Operation) -> list[dict[str, Any]]:
    return [{"name": name, "in": "header", "required": False, **_PARAMETERS[name]} for name in o.headers]


# ------------------------------------------------------------------------ schemas


def _structs(types: Iterable[Any]) -> Iterator[type[Struct]]:
    """Every struct that these types reach."""
    seen: set[Any] = set()
    todo = list(types)
    while todo:
        kind = todo.pop()
        try:
            if kind in seen:
                continue
            seen.add(kind)
        except TypeError:
            continue
        if isinstance(kind, type) and issubclass(kind, Struct):
            yield kind
            todo += [field.type for field in msgspec.structs.fields(kind)]
        todo += get_args(kind)


def _require(schema: dict[str, Any], struct: type[Struct] | None) -> None:
    """What an answer always has is required, whether or not the code has a default for it.

    What may be left out of a request has no `default` here: generators of clients take a member with one for a
    member that is always there, and would ask their users for every one of them. The description says it.
    """
    if struct is None or "properties" not in schema:
        return
    config = struct.__struct_config__
    if config.omit_defaults or config.forbid_unknown_fields:
        for member in schema["properties"].values():
            default = member.pop("default", None)
            if default not in (None, [], {}):
                said = [member["description"]] if "description" in member else []
                member["description"] = " ".join([*said, f"Left out: `{json.dumps(default)}`."])
        return
    optional = {f.encode_name for f in msgspec.structs.fields(struct) if f.default is msgspec.UNSET}
    schema["required"] = [name for name in schema["properties"] if name not in optional]
    for member in schema["properties"].values():
        member.pop("default", None)


def _fix(components: dict[str, Any]) -> None:
    """What the types cannot say."""
    _, extra = msgspec.json.schema_components([Spectators | Delayed], ref_template=_REF + "{name}")
    del extra
    created = components["GameCreated"]["properties"]
    if "Game" in components:
        created["spectators"] = components["Game"]["properties"]["spectators"]
    components["ProblemBody"]["properties"]["choices"] = {
        "type": "array", "items": {"anyOf": [{"$ref": _REF + m.__name__} for m in get_args(Command)]},
        "description": "Commands ready to send, where a reading is open.",
    }  # fmt: skip
    components["ProblemBody"]["properties"]["type"] |= {"format": "uri-reference"}


def _rewrite(schema: Any, unions: Mapping[frozenset[str], str], itself: str | None) -> Any:
    """msgspec's idiom → OpenAPI 3.1's."""
    if isinstance(schema, list):
        return [_rewrite(item, unions, None) for item in cast(list[Any], schema)]
    if not isinstance(schema, dict):
        return schema
    named = _named_union(cast(dict[str, Any], schema), unions, itself)
    made: dict[str, Any] = {}
    for key, value in named.items():
        made[key] = value if key in _AS_IT_IS else _rewrite(value, unions, None)
    if isinstance(made.get("$ref"), str):
        made["$ref"] = _renamed_ref(made["$ref"])
    if mapping := made.get("discriminator", {}).get("mapping"):
        made["discriminator"]["mapping"] = {tag: _renamed_ref(ref) for tag, ref in mapping.items()}
    if isinstance(made.get("title"), str):
        made["title"] = _renamed(made["title"])
    if isinstance(made.get("description"), str):
        made["description"] = made["description"].replace("``", "`")
    if isinstance(made.get("pattern"), str):
        made["pattern"] = made["pattern"].replace(END, "$")  # what only Python needs
    if made.get("type") == "object" and not made.keys() & {"properties", "additionalProperties"}:
        made["additionalProperties"] = True  # else generators take it for an object that is always empty
    if made.get("required") == []:
        del made["required"]
    if len(made.get("enum", ())) == 1:
        made["const"] = made.pop("enum")[0]
    values = made.get("enum", [made["const"]] if "const" in made else [])
    if values and all(isinstance(value, str) for value in values):
        made.setdefault("type", "string")
    return made


_AS_IT_IS: Final = ("const", "default", "examples", "required", "mapping")


def _named_union(
    schema: dict[str, Any], unions: Mapping[frozenset[str], str], itself: str | None
) -> dict[str, Any]:
    """A union that has a name is referred to; any other tagged one says that it is one of its members."""
    options: list[dict[str, Any]] | None = schema.get("anyOf")
    if options is None:
        return schema
    names = frozenset(option["$ref"].removeprefix(_REF) for option in options if "$ref" in option)
    rest = [option for option in options if "$ref" not in option]
    name = unions.get(names)
    if name is not None and name != itself:
        kept = {k: v for k, v in schema.items() if k not in ("anyOf", "discriminator")}
        reference = {"$ref": _REF + name}
        return {**kept, "anyOf": [reference, *rest]} if rest else {**kept, **reference}
    if "discriminator" in schema:
        kept = {k: v for k, v in schema.items() if k != "anyOf"}
        return {**kept, "oneOf": options}
    return schema


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """A parameter is left out, never null."""
    if "anyOf" in schema:
        options = [x for x in schema.pop("anyOf") if x != {"type": "null"}]
        schema = {**(options[0] if len(options) == 1 else {"anyOf": options}), **schema}
    if None in schema.get("enum", ()):
        schema["enum"] = [x for x in schema["enum"] if x is not None]
    if schema.get("default", 0) is None:
        del schema["default"]
    if schema.get("enum") and all(isinstance(x, str) for x in schema["enum"]):
        schema["type"] = "string"
    return schema


def _renamed(name: str) -> str:
    return _RENAMED.get(name, name)


def _renamed_ref(reference: str) -> str:
    return _REF + _renamed(reference.removeprefix(_REF)) if reference.startswith(_REF) else reference


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


