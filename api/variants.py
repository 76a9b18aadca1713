"""The games that can be played here."""

from __future__ import annotations

import msgspec

from domain.rules import RULES_VERSION, Variant, options_schema, resolve_options
from domain.variants import VARIANTS
from domain.variants.texts.kernel import RULES as KERNEL

from .operations import Answer, Operation, operation
from .problems import Problem
from .replies import Reply
from .requests import Call, PageQuery, page_of, public_caller, read_query
from .shapes import RuleShape, SeatRangeShape, VariantShape


class VariantList(msgspec.Struct, frozen=True):
    """All games."""

    items: list[VariantShape]
    next: str | None


def shape(variant: Variant) -> VariantShape:
    """A game: the kernel's rules hold in every one and stand first."""
    seats = variant.seats
    return VariantShape(
        variant.slug, variant.name, variant.family, SeatRangeShape(seats.min, seats.max, seats.default),
        variant.wins, RULES_VERSION, [RuleShape(r.number, r.text, r.decision) for r in (*KERNEL, *variant.rules)],
        resolve_options(variant.options, {}, seats.default)[0], options_schema(variant.options),
    )  # fmt: skip


_HEADERS = {"Cache-Control": "public, max-age=300"}


@operation("GET", "/v1/variants", Operation(
    "listVariants", "All games", "variants", (Answer(200, VariantList, "Every game that can be played here."),),
    query=PageQuery,
))  # fmt: skip
async def list_variants(request: Call) -> Reply:
    """Every game that can be played here."""
    await public_caller(request)
    found, after = page_of([*VARIANTS.values()], read_query(request, PageQuery), lambda v: v.slug)
    return Reply(msgspec.json.encode(VariantList([shape(v) for v in found], after)), 200, _HEADERS)


@operation("GET", "/v1/variants/{variant:str}", Operation(
    "getVariant", "One game", "variants",
    (Answer(200, VariantShape, "The game, its rules by number in plain words, its options and their defaults."),),
    ("not_found",),
))  # fmt: skip
async def get_variant(request: Call) -> Reply:
    """One game: its rules by number, its options and their defaults."""
    await public_caller(request)
    variant = VARIANTS.get(request.path_params["variant"])
    if variant is None:
        raise Problem("not_found", "There is no such game.")
    return Reply(msgspec.json.encode(shape(variant)), 200, _HEADERS)


HANDLERS = (list_variants, get_variant)
