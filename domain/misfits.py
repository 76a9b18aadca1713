"""What is wrong with the shape of a value, said in a sentence.

msgspec says it for programmers, in the names of types.  Whoever sent a request or a log is told what
belongs there instead; of a closed choice, all of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

import msgspec
from msgspec import inspect

_ERROR = re.compile(r"^(?P<what>.*?)(?: - at (?:the key in )?`(?P<path>\$.*)`)?$", re.DOTALL)
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]|\[\.\.\.\]")
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(.*)`", re.DOTALL)
_OTHER_TYPE = re.compile(r"Expected `([a-z| ]+)`(?:, got `([a-z0-9]+)`)?$")
_BOUND = re.compile(r"Expected `\w+` ([<>]=?) (-?[\d.e+-]+)$")
_LENGTH = re.compile(r"Expected `(\w+)` of length ([<>]=) (\d+)$")

_TYPES = {
    "int": "a whole number", "float": "a number", "bool": "true or false", "str": "text", "array": "a list",
    "object": "an object",
}  # fmt: skip
_GIVEN = {**_TYPES, "float": "a fraction"}
_BOUNDS = {">=": "At least", "<=": "At most", ">": "More than", "<": "Less than"}
_UNITS = {"str": "character", "array": "item", "object": "member"}
#: What a pattern means, for whoever did not match it.
_PATTERNS = (
    ("[A23456789TJQK][CDHS]", "A card belongs here, such as 7H."),
    ("=[A23456789TJQK]", "A card belongs here, such as 7H, or a wild and what it stands for, such as 2C=6H."),
    ("0-9a-f", "64 hex digits belong here."),
)


class Misfit(NamedTuple):
    """Where a value does not fit, as a JSON pointer without its ``#``, and what belongs there."""

    pointer: str
    detail: str


def misfit(error: msgspec.ValidationError, kind: Any, member: str = "member") -> Misfit:
    """Where and why a value is no ``kind``.  ``member``: what the parts of the outermost value are called."""
    found = _ERROR.match(str(error))
    assert found is not None
    what = found["what"]
    steps = [name or index for name, index in _STEP.findall(found["path"] or "")]
    pointer = "".join(f"/{step}" for step in steps if step)
    if unknown := _UNKNOWN.match(what):  # it is there, so it can be pointed at
        pointer += "/" + unknown[1].replace("~", "~0").replace("/", "~1")
        return Misfit(pointer, f"There is no {member} {unknown[1]} here.")
    if missing := _MISSING.match(what):
        return Misfit(pointer, f"The {member} {missing[1]} is missing.")
    if what.startswith(("Invalid enum value", "Invalid value")):
        return Misfit(pointer, _choice(list(_at(_type(kind), steps))))
    # A parameter is text whatever it says, so that is no news.
    return Misfit(pointer, _sentence(what, told=member == "member"))


def _sentence(what: str, told: bool) -> str:
    if found := _OTHER_TYPE.match(what):
        wanted = " or ".join(_TYPES.get(x, x) for x in found[1].split(" | "))
        given = f", not {_GIVEN.get(found[2], found[2])}" if found[2] and told else ""
        return f"{wanted[0].upper()}{wanted[1:]} belongs here{given}."
    if found := _LENGTH.match(what):
        unit = _UNITS.get(found[1], "byte") + "s" * (found[3] != "1")
        return f"{_BOUNDS[found[2]]} {found[3]} {unit}."
    if found := _BOUND.match(what):
        return f"{_BOUNDS[found[1]]} {found[2].removesuffix('.0')}."
    if what.startswith("Expected `str` matching regex"):
        for part, meaning in reversed(_PATTERNS):
            if part in what:
                return meaning
        return "Printable text belongs here, and not only spaces."
    if what.endswith("out of range"):
        return "The number is too large."
    return what.rstrip(".") + "."


# ------------------------------------------------------------------ closed choices


@cache
def _type(kind: Any) -> inspect.Type:
    return inspect.type_info(kind)


def _plain(kind: inspect.Type) -> Iterator[inspect.Type]:
    """A type without what is written beside it, a union as its members."""
    if isinstance(kind, inspect.Metadata):
        yield from _plain(kind.type)
    elif isinstance(kind, inspect.UnionType):
        for member in kind.types:
            yield from _plain(member)
    else:
        yield kind


def _at(kind: inspect.Type, steps: Iterable[str]) -> Iterator[inspect.Type]:
    """Every type that a value may have behind these steps (names, indices, an empty one for any key)."""
    found = [*_plain(kind)]
    for step in steps:
        found = [x for outer in found for inner in _inside(outer, step) for x in _plain(inner)]
    return iter(found)


def _inside(kind: inspect.Type, step: str) -> Iterator[inspect.Type]:
    if isinstance(kind, inspect.StructType):
        if step == kind.tag_field:
            yield inspect.LiteralType((kind.tag,))  # type: ignore[arg-type]
        yield from (field.type for field in kind.fields if field.encode_name == step)
    elif isinstance(kind, inspect.ListType):
        yield kind.item_type
    elif isinstance(kind, inspect.DictType):
        yield kind.value_type


def _choice(kinds: list[inspect.Type]) -> str:
    values = [str(v) for kind in kinds if isinstance(kind, inspect.LiteralType) for v in kind.values]
    if not values:
        return "There is no such value here."
    more = ", or an object" if any(isinstance(kind, inspect.StructType) for kind in kinds) else ""
    return f"One of {', '.join(dict.fromkeys(values))}{more}."
