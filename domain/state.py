"""The state of a match, and ``evolve``: how an event changes it.

``evolve`` decides nothing.  Whose turn it is, what was scored and what was shuffled all stand in
the events; here they are written down, as integers, so that deciding is fast.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from domain.cards import RANK, SUIT
from domain.melds import Meld
from domain.rules import RuleSet
from domain.shapes import DealResult, Level, MatchResult


class Turn(Struct, frozen=True, gc=False):
    """Whose turn it is.

    ``barred``: ``taken`` may not be discarded where the rules bar it (K-1); ``drawn``: the one card
    that the draw of this turn brought, from wherever, for TC-9.  Neither is shown.
    """

    seat: int
    phase: str
    taken: int | None = None
    pending: tuple[int, ...] = ()
    floating: bool = False
    discarder: int | None = None
    window: str | None = None
    deadline: str | None = None
    remaining: float | None = None
    barred: bool = False
    drawn: int | None = None


class Deal(Struct, frozen=True, gc=False):
    """The deal on the table."""

    number: int
    dealer: int
    starter: int
    indicator: int | None
    wild: int  # bit mask of wild faces
    upcards: tuple[int, ...] | None
    hands: tuple[int, ...]
    stock: tuple[int, ...]
    discard: tuple[int, ...]
    melds: tuple[Meld, ...]
    turn: Turn | None
    draws: int
    reshuffles: int
    turns: int


class Seat(Struct, frozen=True, gc=False):
    """A seat of the match."""

    kind: str
    level: Level | None = None
    entropy: str = ""
    score: int = 0
    streak: int = 0
    resigned: bool = False
    #: the bot level that plays for an absent or resigned owner
    played_by: Level | None = None
    #: turns in a row that this seat's clock ran out
    timeouts: int = 0


class Match(Struct, frozen=True, gc=False):
    """A match: everything that its events say."""

    version: int = 0
    commit: int = 0
    at: str = ""
    status: str = "new"
    rules: RuleSet | None = None
    rules_version: int = 0
    seats: tuple[Seat, ...] = ()
    visibility: str = "public"
    spectators: Any = "public"
    host_seat: int | None = None
    start: str = "auto"
    commitment: str = ""
    sandbox: bool = False
    setup: dict[str, Any] | None = None
    seed: bytes = b""
    client: bytes = b""
    first: int = 0
    first_wanted: int | None = None
    next_draw: int = 1
    deal: Deal | None = None
    paused_at: str | None = None
    result: DealResult | None = None
    match_result: MatchResult | None = None
    created_at: str = ""
    started_at: str | None = None
    ended_at: str | None = None
    #: the last commit that a clock caused: what a seat does in another it does itself
    timeout_commit: int = 0


# --------------------------------------------------------------------- wild cards


def wild_mask(rules: RuleSet, number: int, indicator: int | None) -> int:
    """The wild faces of a deal as a bit mask (WR-2, TP-4, TC-3, SD-2, FK-4, FK-19)."""
    mask = 0
    if rules.jokers_per_deck:
        mask |= 1 << 52
    if rules.permanent_wilds == "twos":
        mask |= sum(1 << s * 13 + 1 for s in range(4))
    if rules.wild_by == "deal_number":
        return mask | sum(1 << s * 13 + (number - 1) % 13 for s in range(4))
    if indicator is None:
        return mask
    if mask >> indicator & 1 and rules.wild_by == "upcard_rank":
        return mask  # a permanent wild names no further rank (FK-19)
    rank = 0 if indicator == 52 else RANK[indicator]
    faces = [s * 13 + rank for s in range(4)]
    if rules.wild_by == "rank_and_colour" and indicator != 52:
        red = SUIT[indicator] in (1, 2)
        faces = [f for f in faces if (SUIT[f] in (1, 2)) == red]
    return mask | sum(1 << f for f in faces)
