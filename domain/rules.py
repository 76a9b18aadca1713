"""Rule sets and options: what distinguishes one game from another, as data.

A ``RuleSet`` holds numbers, tables and closed choices.  Its resolved form is recorded in a match's
first event, so a later change of a default never changes an old game.  What cannot be a number is
a function of the variant (``domain.variants``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from msgspec import Struct

from domain.shapes import Fault

#: The decider's revision (in every commit and in a log's header): any change of an outcome raises it.
RULES_VERSION = 1

#: A deal that reaches this many turns ends without a winner (K-10).
TURN_LIMIT = 1000


class Clock(Struct, frozen=True):
    """Seconds to draw and to finish the turn; with ``turn`` one span for both (TC-9)."""

    draw: int | None = None
    discard: int | None = None
    turn: int | None = None


class RuleSet(Struct, frozen=True):
    """The resolved rules of one match."""

    variant: str
    family: Literal["table_melds", "declare"]
    wins: Literal["lowest", "highest"]
    options: dict[str, Any]

    # the deck and the deal (K-11, K-14)
    decks: int
    jokers_per_deck: int = 0
    missing_ranks: str = ""
    #: cards each; 0 where the upcard decides (FK-3)
    hand_size: int = 0
    #: who gets one card more: the starter (WR-4), the dealer (TP-2)
    extra_card: Literal["starter", "dealer"] | None = None
    #: who begins: left of the dealer, or the dealer (TP-2)
    starter: Literal["left_of_dealer", "dealer"] = "left_of_dealer"
    opening_phase: Literal["draw", "play", "discard"] = "draw"
    #: a card is turned to name the wilds and stays out of play (TC-2, SD-2)
    turned_card: bool = False
    #: the next card opens the pile (TC, SD, FK, GE)
    opens_pile: bool = False
    #: cards dealt by the rank of the upcard, A to K, the upcard included (FK-3, GE-2)
    upcard_hands: tuple[int, ...] | None = None
    permanent_wild_hand: int = 0
    #: the next starter sits left of the seat that went out (WR-5)
    winner_passes_start: bool = False

    # wild cards
    wild_by: Literal["deal_number", "rank", "rank_and_colour", "upcard_rank"] = "rank"
    permanent_wilds: Literal["none", "twos", "jokers"] = "none"

    # the length of a match
    deals: int | None = None
    target: int | None = None
    crossing: Literal["highest", "out_first"] = "highest"

    # melds
    runs: bool = True
    ace_high: bool = True
    #: most cards of a set; 0 where only the decks limit it (FK-8)
    set_limit: int = 4
    wilds_at_most_naturals: bool = False
    max_wilds: int | None = None

    # turns
    swaps: bool = False
    fifth_card: bool = False
    beside: bool = False
    calls: bool = False
    splits: bool = False
    lay_off_needs_meld: bool = False
    #: the last card: only discarded (WR-14), any way (TP-11), or floating (FK-14)
    last_card: Literal["discard", "any", "float"] = "discard"
    #: the pile: its top if it can be played at once (WR-7), its top freely, several cards with the
    #: deepest owed (FK-6), several with a matching pair in hand (GE-3)
    pile: Literal["playable_top", "top", "deepest", "matching_pair"] = "top"
    may_take_jokers: bool = True
    may_return_taken: bool = True
    #: what an empty stock brings at a turn's end: a reshuffle always, once (WR-17), or never (FK-15)
    reshuffles: Literal["always", "once", "never"] = "always"
    #: with nothing to rebuild from, a pile whose top may be taken keeps the deal alive (TC-10)
    pile_saves: bool = False
    draw_limit: int | None = None
    invalid_declaration: Literal["reject", "penalty"] = "reject"

    # scoring: values of A to K in hand, of a wild, of a printed joker
    values: tuple[int, ...] = ()
    wild_value: int = 0
    #: the value of an ace where aces are wild (FK-16), if it differs
    wild_ace_value: int | None = None
    cap: int | None = None
    #: sequences that an arrangement needs before only its deadwood counts (TC-12, SD-7)
    lives: int = 0
    deadwood: Literal["to_winner", "subtract"] = "to_winner"

    # time
    clock: Clock | None = None
    rummy_window: int = 0


@dataclass(frozen=True)
class Option:
    """One option of a game: its JSON Schema, its default, the rule it belongs to."""

    name: str
    rule: str
    title: str
    description: str
    schema: Mapping[str, Any]
    default: Any = None
    #: a further check against the number of seats: a sentence if the value is refused
    check: Callable[[Any, int], str | None] | None = None


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _clock_fault(value: Any) -> str | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        return "a clock is null or an object"
    spans = cast("dict[str, Any]", value)
    keys = set(spans)
    if keys != {"turn"} and keys != {"draw", "discard"}:
        return 'a clock names "turn" alone, or both "draw" and "discard"'
    if not all(_is_integer(v) and 5 <= v <= 86400 for v in spans.values()):
        return "each time is a whole number of seconds from 5 to 86400"
    return None


CLOCK_SCHEMA: Mapping[str, Any] = {
    "oneOf": [
        {"type": "null"},
        {
            "type": "object",
            "properties": {"turn": {"type": "integer", "minimum": 5, "maximum": 86400}},
            "required": ["turn"],
            "additionalProperties": False,
        },
        {
            "type": "object",
            "properties": {
                "draw": {"type": "integer", "minimum": 5, "maximum": 86400},
                "discard": {"type": "integer", "minimum": 5, "maximum": 86400},
            },
            "required": ["draw", "discard"],
            "additionalProperties": False,
        },
    ]
}


def clock_option(default: Mapping[str, int] | None, rule: str) -> Option:
    """The option ``clock``, which every game has."""
    return Option(
        "clock", rule, "Clock",
        "Seconds for each part of a turn; null for no clock. On time-out a safe default is played.",
        CLOCK_SCHEMA, default,
    )  # fmt: skip


def integer(low: int, high: int) -> Mapping[str, Any]:
    """Schema of a whole number within limits."""
    return {"type": "integer", "minimum": low, "maximum": high}


def nullable_integer(low: int, high: int) -> Mapping[str, Any]:
    """Schema of a whole number within limits, or null."""
    return {"type": ["integer", "null"], "minimum": low, "maximum": high}


def choice(*values: Any) -> Mapping[str, Any]:
    """Schema of a closed choice."""
    return {"enum": list(values)}


BOOLEAN: Mapping[str, Any] = {"type": "boolean"}


def _fault(option: Option, value: Any, seats: int) -> str | None:
    schema = option.schema
    if schema is CLOCK_SCHEMA:
        return _clock_fault(value)
    if "enum" in schema:
        allowed = schema["enum"]
        if not any(value == a and type(value) is type(a) for a in allowed):
            return "must be one of " + ", ".join(str(a) for a in allowed)
    elif schema["type"] == "boolean":
        if not isinstance(value, bool):
            return "must be true or false"
    elif not (value is None and "null" in schema["type"]):
        low, high = schema["minimum"], schema["maximum"]
        if not _is_integer(value) or not low <= value <= high:
            return f"must be a whole number from {low} to {high}" + (
                ", or null" if "null" in schema["type"] else ""
            )
    return option.check(value, seats) if option.check else None


def resolve_options(
    options: tuple[Option, ...], given: Mapping[str, Any], seats: int
) -> tuple[dict[str, Any], list[Fault]]:
    """Defaults filled in, and every fault of what was given (``options.invalid``)."""
    known = {o.name: o for o in options}
    faults = [
        Fault(f"#/options/{name.replace('~', '~0').replace('/', '~1')}", "options.unknown",
              f"This game has no option {name!r}.")
        for name in given if name not in known
    ]  # fmt: skip
    resolved: dict[str, Any] = {}
    for o in options:
        value = given.get(o.name, o.default)
        if o.name in given and (fault := _fault(o, value, seats)):
            where = f"#/options/{o.name}"
            faults.append(Fault(where, "options.out_of_range", f"{o.title}: {fault}.", o.rule))
        resolved[o.name] = value
    return resolved, faults


def seat_option(name: str, rule: str, title: str, seats: int) -> Option:
    """An option that fixes the first dealer or starter (K-14) of a game with so many seats at most; null
    leaves it to draw 0."""

    def check(value: Any, here: int) -> str | None:
        return None if value is None or value < here else f"there is no seat {value} at a table of {here}"

    return Option(
        name, rule, title, "The seat that comes first; null leaves it to the first random draw.",
        nullable_integer(0, seats - 1), None, check,
    )  # fmt: skip


def options_schema(options: tuple[Option, ...]) -> dict[str, Any]:
    """JSON Schema 2020-12 of a game's options."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            o.name: {**o.schema, "title": o.title, "description": o.description, "default": o.default,
                     "x-rule": o.rule}
            for o in options
        },
    }  # fmt: skip


@dataclass(frozen=True)
class SeatRange:
    """How many seats a game takes, and how many it has when nothing is said."""

    min: int
    max: int
    default: int


@dataclass(frozen=True)
class Variant:
    """A game: its texts, its options, its rule set, and the few functions that are its own."""

    slug: str
    name: str
    family: Literal["table_melds", "declare"]
    wins: Literal["lowest", "highest"]
    seats: SeatRange
    rules: tuple[Any, ...]
    options: tuple[Option, ...]
    #: (resolved options, seats) → rule set
    rule_set: Callable[[dict[str, Any], int], RuleSet]
    #: rule numbers of refusals, by code, where they differ from the kernel's; no part of a match's record
    numbers: Mapping[str, str]
    #: the option that fixes the first dealer or starter
    first: str
    #: (rules, deal, seats, ending) → one ``scoring.Score`` a seat
    score: Callable[..., Any]
