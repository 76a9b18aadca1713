"""What a seat, a spectator or the host may see: views and redacted events.

Both are built up from nothing: a member is shown because a rule says that this viewer may see it
(K-9, K-12).  There is one ``redact``, used by every way out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from domain import events as ev
from domain.actions import may
from domain.arrange import best
from domain.arrange_groups import Kind
from domain.cards import NAMES, PLACED_NAME, names, size, unpack
from domain.commands import Declare
from domain.record import write_meld, write_stock, write_turn
from domain.rules import RuleSet
from domain.scoring import value_table
from domain.shapes import (
    CardText,
    DealResult,
    DealShape,
    Fault,
    Level,
    MatchResult,
    MeldShape,
    PlacedText,
    SeatNo,
    StockShape,
    TurnShape,
)  # fmt: skip
from domain.state import Deal, Match, Turn
from domain.turns.deals import deal_shape
from domain.turns.declare import ready_declaration
from domain.turns.table_melds import has_melded


class SeatView(Struct, frozen=True):
    """A seat as everyone may see it."""

    seat: SeatNo
    name: str | None
    kind: Literal["human", "bot", "open"]
    level: Level | None
    cards: int
    score: int
    streak: int
    melded: bool
    upcard: CardText | None
    resigned: bool
    played_by: Level | None


class ArrangementShape(Struct, frozen=True):
    """How a hand may be grouped, and what that would be charged (TC-12, SD-7)."""

    points: int
    groups: list[list[PlacedText]]
    kinds: list[Kind | None]
    deadwood: list[CardText]
    lives: int
    pure: bool
    declare: Declare | None
    invalid: list[Fault]


class Results(Struct, frozen=True):
    """The last deal's result, and the match's once it is over."""

    deal: DealResult
    match: MatchResult | None


class View(Struct, frozen=True):
    """The game as one viewer may see it at one version."""

    game_id: str
    version: int
    variant: str
    status: Literal["waiting", "playing", "paused", "finished", "cancelled"]
    sandbox: bool
    you: SeatNo | None
    deal: DealShape | None
    turn: TurnShape | None
    hand: list[CardText] | None
    seats: list[SeatView]
    stock: StockShape | None
    discard: list[CardText]
    melds: list[MeldShape]
    may: list[str]
    arrangement: ArrangementShape | None
    result: Results | None


def view(state: Match, viewer: int | None, game_id: str, seat_names: Sequence[str | None]) -> View:
    """The view of a seat, or of a spectator or the host where ``viewer`` is None."""
    rules, deal = state.rules, state.deal
    assert rules is not None
    hand = None
    if viewer is not None:
        hand = names(unpack(deal.hands[viewer])) if deal is not None else []
    return View(
        game_id=game_id,
        version=state.version,
        variant=rules.variant,
        status=state.status,  # type: ignore[arg-type]
        sandbox=state.sandbox,
        you=viewer,
        deal=None if deal is None
        else deal_shape(rules, deal.number, deal.dealer, deal.starter, deal.indicator),
        turn=None if deal is None else write_turn(deal.turn),
        hand=hand,
        seats=[_seat(state, i, seat_names[i]) for i in range(len(state.seats))],
        stock=None if deal is None else write_stock(deal),
        discard=[] if deal is None else names(deal.discard),
        melds=[] if deal is None else [write_meld(m) for m in deal.melds],
        # A seat that resigned is a bot's; its owner may nothing more.
        may=[] if viewer is not None and state.seats[viewer].resigned else may(state, viewer),
        arrangement=_own_arrangement(state, rules, viewer),
        result=None if state.result is None else Results(state.result, state.match_result),
    )


def _seat(state: Match, i: int, name: str | None) -> SeatView:
    seat, deal, rules = state.seats[i], state.deal, state.rules
    assert rules is not None
    return SeatView(
        i, name, seat.kind, seat.level,  # type: ignore[arg-type]
        0 if deal is None else size(deal.hands[i]), seat.score, seat.streak,
        deal is not None and has_melded(rules, deal, i),
        None if deal is None or deal.upcards is None else NAMES[deal.upcards[i]],
        seat.resigned, seat.played_by,
    )  # fmt: skip


def _own_arrangement(state: Match, rules: RuleSet, viewer: int | None) -> ArrangementShape | None:
    if viewer is None or rules.family != "declare" or state.deal is None:
        return None
    deal, turn = state.deal, state.deal.turn
    mine = turn is not None and turn.seat == viewer and state.status == "playing"
    return arrangement(rules, deal.hands[viewer], deal.wild, ready(rules, deal, turn) if mine else None)


def ready(rules: RuleSet, deal: Deal, turn: Turn | None) -> Declare | None:
    """The declaration that wins now, if there is one."""
    return None if turn is None else ready_declaration(rules, deal, turn)


def arrangement(rules: RuleSet, hand: int, wild: int, declare: Declare | None) -> ArrangementShape:
    """The best arrangement of a hand (TC-12, SD-7), with the declaration that would win."""
    found = best(hand, wild, value_table(rules, wild), rules.lives, rules.cap or 0)
    return ArrangementShape(
        found.points, [[PLACED_NAME[c] for c in g] for g in found.groups], list(found.kinds),
        names(found.deadwood), found.lives, found.pure, declare, [],
    )  # fmt: skip


# ------------------------------------------------------------------------ events


def redact(event: Any, viewer: int | None) -> Any:
    """An event as a seat may see it, or a spectator or the host where ``viewer`` is None."""
    shown = _REDACT.get(event.__class__)
    return event if shown is None else shown(event, viewer)


def _created(e: ev.GameCreated, viewer: int | None) -> ev.GameCreated:
    del viewer
    return replace(e, seed=None, setup=None)


def _started(e: ev.DealStarted, viewer: int | None) -> ev.DealStarted:
    hands = [hand if seat == viewer else None for seat, hand in enumerate(e.hands)]
    return replace(e, hands=hands, deck=None)


def _drawn(e: ev.CardDrawn, viewer: int | None) -> ev.CardDrawn:
    return e if e.source == "discard" or e.seat == viewer else replace(e, cards=None)


def _rebuilt(e: ev.StockRebuilt, viewer: int | None) -> ev.StockRebuilt:
    del viewer
    return replace(e, cards=None)


def _ended(e: ev.DealEnded, viewer: int | None) -> ev.DealEnded:
    del viewer
    return replace(e, stock=None)


#: Events with hidden members; every other event is public in full (K-12).
_REDACT = {
    ev.GameCreated: _created, ev.DealStarted: _started, ev.CardDrawn: _drawn, ev.StockRebuilt: _rebuilt,
    ev.DealEnded: _ended,
}  # fmt: skip
