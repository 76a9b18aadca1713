"""The shapes that events and views share, as they stand on the wire.

Text lives here and only here: cards are strings (K-1, K-2), times RFC 3339.  The state keeps
integers; ``evolve`` reads these shapes into it and ``views`` writes them from it.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from domain.cards import CARD_PATTERN, PLACED_PATTERN

# The patterns are for the published document; what we write ourselves is not checked again.
CardText = Annotated[str, Meta(extra_json_schema={"pattern": CARD_PATTERN, "examples": ["7H"]})]
PlacedText = Annotated[str, Meta(extra_json_schema={"pattern": PLACED_PATTERN, "examples": ["2C=6H"]})]
Time = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
SeatNo = Annotated[int, Meta(extra_json_schema={"minimum": 0, "maximum": 7})]

Phase = Literal["draw", "play", "discard"]
MeldKind = Literal["set", "run"]
Level = Literal["easy", "medium", "hard"]
DealReason = Literal[
    "went_out", "declared", "invalid_declaration", "stalemate", "stock_exhausted", "passed",
    "draw_limit", "turn_limit", "resigned",
]  # fmt: skip


class Beside(Struct, frozen=True, gc=False):
    """A card laid beside a wild of a run (FK-10) and the seat that played it."""

    card: CardText
    by: SeatNo


class MeldShape(Struct, frozen=True, gc=False):
    """A meld on the table: placed cards in order and, card by card, the seat that played each."""

    id: int
    owner: SeatNo
    kind: MeldKind
    cards: list[PlacedText]
    by: list[SeatNo]
    beside: list[Beside]


class TurnShape(Struct, frozen=True, gc=False):
    """Whose turn it is and what is owed.

    ``taken``: the card taken alone from the pile this turn; ``pending``: cards that must be played
    before the discard, in the order taken; ``discarder``: whose discard may be called (FK-12);
    ``window``: until when the next draw waits; ``deadline``: when the safe default is played;
    ``remaining``: seconds left of it while paused.
    """

    seat: SeatNo
    phase: Phase
    taken: CardText | None
    pending: list[CardText]
    floating: bool
    discarder: SeatNo | None
    window: Time | None
    deadline: Time | None
    remaining: float | None


class StockShape(Struct, frozen=True, gc=False):
    """The stock: cards left, how often it was rebuilt, draw commands of the deal so far."""

    count: int
    reshuffles: int
    draws: int


class WildShape(Struct, frozen=True, gc=False):
    """Every wild face in canonical order, and the card that named them, if one did."""

    cards: list[CardText]
    indicator: CardText | None


class DealShape(Struct, frozen=True, gc=False):
    """A deal: its number, of how many (null where a target ends the match), dealer and starter."""

    number: int
    of: int | None
    dealer: SeatNo
    starter: SeatNo
    wild: WildShape


class ScoreLine(Struct, frozen=True, gc=False):
    """One step of a score: the rule, the part it adds to, the cards it counts, the value."""

    rule: str
    part: Literal["points", "bonus"]
    cards: list[CardText]
    value: int


class SeatResult(Struct, frozen=True, gc=False):
    """What a deal brought one seat; ``lines`` sum to ``points`` and ``bonus``."""

    seat: SeatNo
    hand: list[CardText]
    groups: list[list[PlacedText]] | None
    points: int
    bonus: int
    delta: int
    score: int
    streak: int
    lines: list[ScoreLine]


class DealResult(Struct, frozen=True, gc=False):
    """How a deal ended and what every seat got for it."""

    number: int
    reason: DealReason
    winner: SeatNo | None
    seats: list[SeatResult]


class MatchResult(Struct, frozen=True, gc=False):
    """Winners and places of a match, ties sharing a place (K-15)."""

    winners: list[SeatNo]
    places: list[list[SeatNo]]
    scores: list[int]
    reason: Literal["completed", "resigned"]


class SeatKind(Struct, frozen=True, gc=False):
    """What sits in a seat: a human, a bot of some level, or nobody yet."""

    kind: Literal["human", "bot", "open"]
    level: Level | None = None


class Fault(Struct, frozen=True, omit_defaults=True):
    """One fault of a request or a declaration, with where it is."""

    pointer: str
    code: str
    detail: str
    rule: str | None = None
