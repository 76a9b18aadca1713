"""Schemas of the OpenAPI document: what msgspec says of the types, in OpenAPI 3.1's idiom.

Tagged unions are named ``oneOf`` with their discriminator, and members that an answer always has are required.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, cast, get_args

import msgspec
from msgspec import Struct

from domain.cards import END
from domain.commands import Command
from domain.events import Event

from .problems import ProblemBody
from .shapes import NewSeat

REF = "#/components/schemas/"

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


class Schemas:
    """The schemas of some types, by their names in the document, and of the queries of operations."""

    def __init__(self, types: Iterable[Any], queries: Iterable[type]) -> None:
        kinds = [ProblemBody, *_UNIONS.values(), *(kind for kind in types if kind is not str)]
        found, components = _schemas(kinds)
        structs = {s.__name__: s for s in _structs(kinds)}
        for name, schema in components.items():
            _require(schema, structs.get(name))
        self._of = {id(kind): schema for kind, schema in zip(kinds, found, strict=True)}
        self._unions = {frozenset(m.__name__ for m in get_args(union)): name for name, union in _UNIONS.items()}
        components |= {name: {"title": name, **self._of[id(union)]} for name, union in _UNIONS.items()}
        _fix(components)
        rewritten = {_renamed(name): _rewrite(schema, self._unions, name) for name, schema in components.items()}
        #: name → schema
        self.components: dict[str, Any] = dict(sorted(rewritten.items()))
        self._queries = {query: _schemas([query])[1][query.__name__] for query in queries}

    def of(self, shape: Any) -> dict[str, Any]:
        """The schema of a body or an answer: a type, text, or one of several."""
        if shape is str:
            return {"type": "string"}
        if isinstance(shape, tuple):
            return {"oneOf": [self.of(x) for x in several(shape)]}
        return _rewrite(self._of[id(shape)], self._unions, None)

    def query(self, query: type) -> dict[str, Any]:
        """The schemas of a query's parameters, by name."""
        properties = _rewrite(self._queries[query], self._unions, None)["properties"]
        return {name: _without_null(dict(schema)) for name, schema in properties.items()}


def several(shape: Any) -> tuple[Any, ...]:
    """The shapes that an answer may have."""
    return shape if isinstance(shape, tuple) else (shape,)  # pyright: ignore[reportUnknownVariableType]


def _schemas(kinds: list[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return msgspec.json.schema_components(kinds, ref_template=REF + "{name}")


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
    created = components["GameCreated"]["properties"]
    if "Game" in components:
        created["spectators"] = components["Game"]["properties"]["spectators"]
    components["ProblemBody"]["properties"]["choices"] = {
        "type": "array", "items": {"anyOf": [{"$ref": REF + m.__name__} for m in get_args(Command)]},
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
    names = frozenset(option["$ref"].removeprefix(REF) for option in options if "$ref" in option)
    rest = [option for option in options if "$ref" not in option]
    name = unions.get(names)
    if name is not None and name != itself:
        kept = {k: v for k, v in schema.items() if k not in ("anyOf", "discriminator")}
        reference = {"$ref": REF + name}
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
    return REF + _renamed(reference.removeprefix(REF)) if reference.startswith(REF) else reference
