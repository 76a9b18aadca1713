"""Requests and answers, as they stand on the wire. Those of the game itself are the domain's."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from domain.cards import CARD_PATTERN, END, PLACED_PATTERN
from domain.positions import Position
from domain.shapes import Level, MatchResult, SeatNo, Time
from domain.variants import VARIANTS

#: Not printable: controls, what has no width or turns the direction of text, and what stands for nothing.
_UNPRINTABLE = (
    r"\x00-\x1f\x7f-\xa0\xad\u061c\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ue000-\uf8ff"
    r"\ufdd0-\ufdef\ufeff\ufff0-\uffff"
)
#: Printable, and not spaces alone.
PRINTABLE = f"^ *[^ {_UNPRINTABLE}][^{_UNPRINTABLE}]*{END}"

Name = Annotated[str, Meta(min_length=1, max_length=40, pattern=PRINTABLE, examples=["Ada"])]
ExternalId = Annotated[str, Meta(min_length=1, max_length=200, pattern=PRINTABLE)]
Entropy = Annotated[str, Meta(max_length=64, description="Random text that goes into every shuffle (K-11).")]
VariantName = Annotated[str, Meta(extra_json_schema={"enum": list(VARIANTS)})]
Spectators = Literal["public", "none"]
GameId = Annotated[str, Meta(extra_json_schema={"format": "uuid"})]
RoomCode = Annotated[str, Meta(max_length=40, examples=["QX7K2M"])]
SeatIndex = Annotated[int, Meta(ge=0, le=7)]
Status = Literal["waiting", "playing", "paused", "finished", "cancelled"]


class HumanSeat(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="human"):
    """A person sits here from the start: the answer has the seat's token."""

    name: Name | None = None
    entropy: Entropy | None = None
    external_id: ExternalId | None = None


class OpenSeat(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="open"):
    """Whoever comes may take this seat."""


class BotSeat(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="bot"):
    """The server plays this seat."""

    level: Level = "medium"


NewSeat = HumanSeat | OpenSeat | BotSeat


class Delayed(Struct, frozen=True, forbid_unknown_fields=True):
    """Spectators see the game as it was some turns ago."""

    delayed: Annotated[int, Meta(ge=1, le=1000)]


class Sandbox(Struct, frozen=True, forbid_unknown_fields=True):
    """A reproducible game: the secret seed, the first deal's order, or a position. One or two of them."""

    seed: Annotated[str, Meta(pattern="^[0-9a-fA-F]{64}" + END)] | None = None
    deck: Annotated[list[Annotated[str, Meta(pattern=CARD_PATTERN)]], Meta(max_length=120)] | None = None
    position: Position | None = None


class CreateGame(Struct, frozen=True, forbid_unknown_fields=True):
    """A table to be opened. Only the variant is required."""

    variant: VariantName
    options: dict[str, Any] = {}
    seats: Annotated[list[NewSeat], Meta(min_length=1, max_length=8)] | None = None
    host_seat: SeatIndex | None = None
    start: Literal["auto", "manual"] = "auto"
    visibility: Literal["public", "private"] = "public"
    spectators: Spectators | Delayed = "public"
    external_id: ExternalId | None = None
    sandbox: Sandbox | None = None


class TakeSeat(Struct, frozen=True, forbid_unknown_fields=True):
    """Sitting down at an open seat: the one named, or the first that is open."""

    name: Name | None = None
    seat: SeatIndex | None = None
    room_code: RoomCode | None = None
    entropy: Entropy | None = None
    external_id: ExternalId | None = None


class GameSeat(Struct, frozen=True):
    """A seat of a game. The external id is shown to operators only."""

    seat: SeatNo
    kind: Literal["human", "bot", "open"]
    level: Level | None
    name: str | None
    connected: bool
    resigned: bool
    external_id: str | None


class Game(Struct, frozen=True):
    """A game as anyone with its id may see it."""

    game_id: GameId
    variant: str
    status: Status
    version: int
    visibility: Literal["public", "private"]
    spectators: Spectators | Delayed
    options: dict[str, Any]
    commitment: str
    seats: list[GameSeat]
    external_id: str | None
    sandbox: bool
    created_at: Time
    started_at: Time | None
    ended_at: Time | None
    result: MatchResult | None
    rematch: GameId | None


class Created(Struct, frozen=True):
    """The new game and the tokens of everyone who sits there already, by seat."""

    game: Game
    host_token: str
    tokens: dict[str, str]
    room_code: str | None


class GameList(Struct, frozen=True):
    """A page of the lobby, newest first; `next` goes back as `after`."""

    items: list[Game]
    next: str | None


class SeatGiven(Struct, frozen=True):
    """The seat taken and its token, shown this once."""

    game_id: GameId
    seat: SeatNo
    token: str


class VariantShape(Struct, frozen=True):
    """A game that can be played here: its rules in plain words, its options and their defaults."""

    variant: str
    name: str
    family: Literal["table_melds", "declare"]
    seats: SeatRangeShape
    wins: Literal["lowest", "highest"]
    rules_version: int
    rules: list[RuleShape]
    defaults: dict[str, Any]
    options_schema: dict[str, Any]


class SeatRangeShape(Struct, frozen=True):
    """How many seats a game takes."""

    min: int
    max: int
    default: int


class RuleShape(Struct, frozen=True):
    """One numbered rule; `decision` where older descriptions are silent and this is our choice."""

    number: str
    text: str
    decision: bool


class ArrangeHand(Struct, frozen=True, forbid_unknown_fields=True):
    """A hand to arrange, or groups of it to judge. `wild`: the turned card, where one was turned."""

    variant: VariantName
    hand: Annotated[list[Annotated[str, Meta(pattern=CARD_PATTERN)]], Meta(min_length=1, max_length=14)]
    options: dict[str, Any] = {}
    wild: Annotated[str, Meta(pattern=CARD_PATTERN)] | None = None
    groups: (
        Annotated[
            list[Annotated[list[Annotated[str, Meta(pattern=PLACED_PATTERN)]], Meta(max_length=14)]],
            Meta(max_length=14),
        ]
        | None
    ) = None


class DryRun(Struct, frozen=True):
    """The command is legal; nothing was recorded."""

    version: int
    ok: bool = True


