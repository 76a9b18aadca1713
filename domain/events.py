"""Events: the tagged union of facts.  The tags are the storage format.

Every event carries ``seq`` (from 1, without gaps), ``commit`` (what one command caused) and ``at``.
Members that are hidden from some viewers are null in what those viewers get (``views.redact``);
the log has them all.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from domain.rules import RuleSet
from domain.shapes import (
    CardText,
    DealResult,
    DealShape,
    Fault,
    Level,
    MatchResult,
    MeldShape,
    Phase,
    PlacedText,
    SeatKind,
    SeatNo,
    StockShape,
    Time,
    TurnShape,
)

Hex = Annotated[str, Meta(extra_json_schema={"pattern": "^[0-9a-f]{64}$"})]


class _Event(Struct, frozen=True, gc=False):
    seq: int
    commit: int
    at: Time


class GameCreated(_Event, frozen=True, gc=False, tag="game_created"):
    """The table: variant, resolved rules, seats, the commitment to the secret seed (K-11).

    ``seed`` and ``setup`` (what a sandbox asked for) are hidden from all until the log.
    """

    game_id: str
    variant: str
    rules_version: int
    rules: RuleSet
    seats: list[SeatKind]
    visibility: Literal["public", "private"]
    spectators: Any
    commitment: Hex
    sandbox: bool
    host_seat: SeatNo | None = None
    start: Literal["auto", "manual"] = "auto"
    seed: Hex | None = None
    setup: dict[str, Any] | None = None
    first: SeatNo | None = None


class SeatTaken(_Event, frozen=True, gc=False, tag="seat_taken"):
    """A person sits down; the entropy goes into the shuffles (K-11)."""

    seat: SeatNo
    entropy: str


class SeatLeft(_Event, frozen=True, gc=False, tag="seat_left"):
    """A seat is left: free again while waiting, played by ``bot`` afterwards."""

    seat: SeatNo
    reason: Literal["left", "resigned", "absent"]
    bot: Level | None


class SeatReturned(_Event, frozen=True, gc=False, tag="seat_returned"):
    """The owner of an absent seat is back."""

    seat: SeatNo


class GameStarted(_Event, frozen=True, gc=False, tag="game_started"):
    """All seats are filled; ``client`` fixes the shuffles, ``first`` is the first dealer or starter."""

    seats: list[SeatKind]
    client: Hex
    first: SeatNo


class DealStarted(_Event, frozen=True, gc=False, tag="deal_started"):
    """A deal with all that is needed to fold it: totals, streaks, the table.

    ``hands``: each hidden from all but its seat; ``deck`` (the whole order, or what a position left
    in the stock): hidden from all.  ``draw``: the random draw that shuffled it, null for a position.
    """

    deal: DealShape
    counts: list[int]
    hands: list[list[CardText] | None]
    upcards: list[CardText] | None
    melds: list[MeldShape]
    discard: list[CardText]
    stock: StockShape
    scores: list[int]
    streaks: list[int]
    turn: TurnShape
    draw: int | None
    turns: int
    deck: list[CardText] | None


class CardDrawn(_Event, frozen=True, gc=False, tag="card_drawn"):
    """A draw; from the stock ``cards`` is null to all but the drawer."""

    seat: SeatNo
    source: Literal["stock", "discard"]
    count: int
    cards: list[CardText] | None
    turn: TurnShape


class MeldLaid(_Event, frozen=True, gc=False, tag="meld_laid"):
    """A new meld."""

    seat: SeatNo
    meld: int
    cards: list[PlacedText]
    after: MeldShape
    turn: TurnShape | None


class CardsLaidOff(_Event, frozen=True, gc=False, tag="cards_laid_off"):
    """Cards added to a meld; ``position`` is null in sets and where both ends were fed."""

    seat: SeatNo
    meld: int
    cards: list[PlacedText]
    position: Literal["low", "high", "beside"] | None
    after: MeldShape
    turn: TurnShape | None


class WildSwapped(_Event, frozen=True, gc=False, tag="wild_swapped"):
    """A natural card took the place of a wild (WR-13)."""

    seat: SeatNo
    meld: int
    card: CardText
    wild: PlacedText
    after: MeldShape
    turn: TurnShape


class MeldSplit(_Event, frozen=True, gc=False, tag="meld_split"):
    """A meld became two (FK-23)."""

    seat: SeatNo
    meld: int
    split_at: int
    after: MeldShape
    new: MeldShape
    turn: TurnShape


class CardDiscarded(_Event, frozen=True, gc=False, tag="card_discarded"):
    """A discard."""

    seat: SeatNo
    card: CardText
    turn: TurnShape | None


class RummyCalled(_Event, frozen=True, gc=False, tag="rummy_called"):
    """The top discard was taken out of turn onto a meld (FK-12)."""

    seat: SeatNo
    meld: int
    card: PlacedText
    position: Literal["low", "high"] | None
    after: MeldShape
    turn: TurnShape | None


class CallWindowClosed(_Event, frozen=True, gc=False, tag="call_window_closed"):
    """The next draw waits no longer (FK-12)."""

    turn: TurnShape


class HandDeclared(_Event, frozen=True, gc=False, tag="hand_declared"):
    """A hand was shown, valid or not."""

    seat: SeatNo
    groups: list[list[PlacedText]]
    discard: CardText
    valid: bool
    errors: list[Fault]


class TurnPassed(_Event, frozen=True, gc=False, tag="turn_passed"):
    """The seat to act ends the hand with an empty stock (FK-15)."""

    seat: SeatNo
    turn: TurnShape | None


class TurnTimedOut(_Event, frozen=True, gc=False, tag="turn_timed_out"):
    """The clock ran out; the safe default's events follow (TC-9)."""

    seat: SeatNo
    phase: Phase


class StockRebuilt(_Event, frozen=True, gc=False, tag="stock_rebuilt"):
    """The pile was shuffled into a new stock (K-13); ``cards`` is hidden from all."""

    stock: StockShape
    discard: list[CardText]
    draw: int
    cards: list[CardText] | None


class DealEnded(_Event, frozen=True, gc=False, tag="deal_ended"):
    """A deal is over; what was left of the stock is hidden from all until the log."""

    result: DealResult
    stock: list[CardText] | None


class MatchEnded(_Event, frozen=True, gc=False, tag="match_ended"):
    """The match is over."""

    result: MatchResult


class SeedRevealed(_Event, frozen=True, gc=False, tag="seed_revealed"):
    """The secret seed, for everyone to check every shuffle (K-11)."""

    seed: Hex


class GamePaused(_Event, frozen=True, gc=False, tag="game_paused"):
    """Play and its clock stand still; ``by`` is a seat, null for the host."""

    by: SeatNo | None
    turn: TurnShape | None


class GameResumed(_Event, frozen=True, gc=False, tag="game_resumed"):
    """Play goes on."""

    by: SeatNo | None
    turn: TurnShape | None


class GameCancelled(_Event, frozen=True, gc=False, tag="game_cancelled"):
    """The game ends without a result."""

    reason: Literal["host", "operator", "expired"]


Event = (
    GameCreated | SeatTaken | SeatLeft | SeatReturned | GameStarted | DealStarted | CardDrawn | MeldLaid
    | CardsLaidOff | WildSwapped | MeldSplit | CardDiscarded | RummyCalled | CallWindowClosed | HandDeclared
    | TurnPassed | TurnTimedOut | StockRebuilt | DealEnded | MatchEnded | SeedRevealed | GamePaused
    | GameResumed | GameCancelled
)  # fmt: skip
