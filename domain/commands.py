"""Commands: what a seat, the host or the server may ask for, and how a refusal is said.

The tagged union ``Command`` is what clients send, to the letter of the contract.  ``Internal``
commands come from the server itself: creating a table, clocks, bots taking over.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from domain.cards import CARD_PATTERN, PLACED_PATTERN
from domain.shapes import Fault, Level

CardIn = Annotated[str, Meta(pattern=CARD_PATTERN)]
PlacedIn = Annotated[str, Meta(pattern=PLACED_PATTERN)]
MeldId = Annotated[int, Meta(ge=1)]


class Draw(Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag="draw", omit_defaults=True):
    """Draw the stock's top card, or one or more cards off the top of the discard pile."""

    source: Literal["stock", "discard"]
    count: Annotated[int, Meta(ge=1)] = 1


class Meld(Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag="meld", omit_defaults=True):
    """Lay a new set or run from the hand."""

    cards: Annotated[list[PlacedIn], Meta(min_length=1, max_length=110)]
    kind: Literal["set", "run"] | None = None


class LayOff(Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag="lay_off", omit_defaults=True):
    """Add cards to a meld on the table, at either end of a run, in a set, or beside a wild (FK-10)."""

    meld: MeldId
    cards: Annotated[list[PlacedIn], Meta(min_length=1, max_length=110)]
    position: Literal["low", "high", "beside"] | None = None


class Swap(Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag="swap", omit_defaults=True):
    """Put a natural card in the place of a wild; the wild comes to the hand (WR-13)."""

    meld: MeldId
    card: CardIn
    wild: PlacedIn | None = None


class Discard(Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag="discard"):
    """Put one card on the discard pile and end the turn."""

    card: CardIn


class Declare(Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag="declare"):
    """Show thirteen cards in groups and set the fourteenth aside (TC-5, SD-5)."""

    groups: Annotated[list[Annotated[list[PlacedIn], Meta(max_length=20)]], Meta(max_length=20)]
    discard: CardIn


class CallRummy(Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag="call_rummy", omit_defaults=True):
    """Take the top discard out of turn, add it to a meld, and discard a card (FK-12)."""

    meld: MeldId
    discard: CardIn | None
    position: Literal["low", "high", "beside"] | None = None


class Pass(Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag="pass"):
    """With an empty stock: end the hand (FK-15)."""


class Split(Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag="split"):
    """Split a meld of six or more cards in two (FK-23)."""

    meld: MeldId
    at: Annotated[int, Meta(ge=0)]


class Start(Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag="start", omit_defaults=True):
    """Start a waiting game, open seats filled with bots of this level if one is named."""

    fill: Level | None = None


class Pause(Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag="pause"):
    """Stop the game and its clock."""


class Resume(Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag="resume"):
    """Go on after a pause."""


class Resign(Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag="resign"):
    """Leave: while waiting the seat becomes free, in play a bot plays on."""


class Cancel(Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag="cancel"):
    """End a game that has not begun (host), or any game (operator)."""


GameCommand = Draw | Meld | LayOff | Swap | Discard | Declare | CallRummy | Pass | Split
Management = Start | Pause | Resume | Resign | Cancel
Command = GameCommand | Management

#: Command types in the order of the contract: the order of ``may`` and of action lists.
ORDER = ("draw", "meld", "lay_off", "swap", "discard", "declare", "call_rummy", "pass", "split")


class TakeSeat(Struct, frozen=True, tag="take_seat"):
    """A person sits down in an open seat, adding entropy to the shuffles (K-11)."""

    seat: int
    entropy: str


class TimeOut(Struct, frozen=True, tag="time_out"):
    """The clock of the seat to act ran out: play the safe default (TC-9)."""


class CloseWindow(Struct, frozen=True, tag="close_window"):
    """The time to call rummy is over (FK-12)."""


class Absent(Struct, frozen=True, tag="absent"):
    """A bot takes over a seat whose owner has timed out three turns running."""

    seat: int
    level: Level


class Return(Struct, frozen=True, tag="return"):
    """An absent seat's owner is back."""

    seat: int


class Expire(Struct, frozen=True, tag="expire"):
    """A waiting game has idled too long."""


Internal = TakeSeat | TimeOut | CloseWindow | Absent | Return | Expire


class Actor(Struct, frozen=True):
    """Who sends a command: a seat (with ``host`` when its token is the host's too), the host alone,
    an operator, or the server."""

    seat: int | None = None
    host: bool = False
    operator: bool = False
    server: bool = False


class Rejected(Exception):
    """A refusal: a stable ``code``, a sentence for the player, the ledger's rule, and what to send.

    ``choices`` are commands ready to send where a reading is open (K-6); ``errors`` lists the
    faults of a declaration or of options one by one.
    """

    def __init__(
        self,
        code: str,
        detail: str,
        rule: str | None = None,
        choices: list[GameCommand] | None = None,
        errors: list[Fault] | None = None,
    ) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail
        self.rule = rule
        self.choices = choices
        self.errors = errors
