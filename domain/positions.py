"""Positions: a table to play on from, for sandboxes, puzzles and conformance scenarios.

A position is checked against everything that the rules say of a table: no card too many, lawful
melds, a turn that can be, and a legal command for the seat to act.
"""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from domain import events as ev
from domain.actions import may
from domain.cards import FACE, JOKER, NAMES, NATURAL, PLACED, PLACED_NAME, RANK, names, pack, unpack
from domain.commands import CardIn, PlacedIn, Rejected
from domain.melds import RUN, SET, Meld, is_natural, read_meld, set_room
from domain.record import Recorder, write_meld, write_turn
from domain.refusals import refuse
from domain.rules import TURN_LIMIT, RuleSet
from domain.shapes import Phase, StockShape
from domain.state import Deal, Match, Turn, wild_mask
from domain.turns.deals import clocked, deal_shape, full_deck, starter_of

SeatIndex = Annotated[int, Meta(ge=0, le=7)]
Cards = Annotated[list[CardIn], Meta(max_length=120)]
Count = Annotated[int, Meta(ge=0, le=10**9)]
Total = Annotated[int, Meta(ge=-(10**9), le=10**9)]


class PositionBeside(Struct, frozen=True, forbid_unknown_fields=True):
    """A card beside a wild of a run, and who played it."""

    card: CardIn
    by: SeatIndex


class PositionMeld(Struct, frozen=True, forbid_unknown_fields=True):
    """A meld, wilds written out; ``by`` is the owner for every card where it is left out."""

    owner: SeatIndex
    cards: Annotated[list[PlacedIn], Meta(max_length=120)]
    by: Annotated[list[SeatIndex], Meta(max_length=120)] | None = None
    beside: Annotated[list[PositionBeside], Meta(max_length=120)] = []


class PositionTurn(Struct, frozen=True, forbid_unknown_fields=True):
    """The turn: only seat and phase are required."""

    seat: SeatIndex
    phase: Phase
    taken: CardIn | None = None
    pending: Cards = []
    floating: bool = False
    discarder: SeatIndex | UnsetType | None = UNSET


class Position(Struct, frozen=True, forbid_unknown_fields=True):
    """A table to play on from: only hands and turn are required."""

    hands: Annotated[list[Cards], Meta(max_length=8)]
    turn: PositionTurn
    deal: Annotated[int, Meta(ge=1, le=10**6)] = 1
    dealer: SeatIndex = 0
    wild_indicator: CardIn | None = None
    upcards: Annotated[list[CardIn], Meta(max_length=8)] | None = None
    stock: Cards | None = None
    discard: Cards = []
    melds: Annotated[list[PositionMeld], Meta(max_length=40)] = []
    scores: Annotated[list[Total], Meta(max_length=8)] | None = None
    streaks: Annotated[list[Count], Meta(max_length=8)] | None = None
    reshuffles: Count = 0
    draws: Count = 0
    turns: Count = 0


def _bad(detail: str) -> Rejected:
    return refuse(None, "sandbox.bad_position", detail=detail)


def _need(condition: bool, detail: str) -> None:
    if not condition:
        raise _bad(detail)


# ---------------------------------------------------------------------- in


def start_position(rec: Recorder, raw: dict[str, Any]) -> None:
    """Check a position and record it as the first deal (it stands for draw 1)."""
    p = msgspec.convert(raw, Position)
    rules, seats = rec.rules, len(rec.state.seats)
    _need(len(p.hands) == seats, f"A table of {seats} needs {seats} hands.")
    indicator = _indicator(p, rules, seats)
    _numbers(p, rules, seats)
    melds = tuple(_meld(i + 1, m, p, rules, seats, indicator) for i, m in enumerate(p.melds))
    stock = _stock(p, rules, indicator, melds)
    turn = _turn(p, rules, seats, melds)
    rec.emit(
        ev.DealStarted,
        deal=deal_shape(rules, p.deal, p.dealer, starter_of(rules, p.dealer, seats), indicator),
        counts=[len(h) for h in p.hands],
        hands=[names(unpack(pack(FACE[c] for c in h))) for h in p.hands],
        upcards=p.upcards,
        melds=[write_meld(m) for m in melds],
        discard=p.discard,
        stock=StockShape(len(stock), p.reshuffles, p.draws),
        scores=p.scores or [0] * seats,
        streaks=p.streaks or [0] * seats,
        turn=write_turn(clocked(rec, turn)),
        draw=None,
        turns=p.turns,
        deck=names(stock),
    )
    _need(bool(may(rec.state, turn.seat)), "The seat to act has no legal command.")


def _indicator(p: Position, rules: RuleSet, seats: int) -> int | None:
    needed = rules.turned_card or rules.wild_by == "upcard_rank"
    _need(needed or p.wild_indicator is None, "This game has no card that names the wilds.")
    _need(not needed or p.wild_indicator is not None, "The card that names the wilds is missing.")
    if p.upcards is not None:
        _need(rules.upcard_hands is not None, "This game has no upcards.")
        _need(len(p.upcards) == seats, "Every seat has an upcard.")
        _need(p.dealer < seats and p.upcards[p.dealer] == p.wild_indicator,
              "The dealer's upcard and the card that names the wilds differ.")  # fmt: skip
        deck = Counter(full_deck(rules))
        _need(not Counter(FACE[c] for c in p.upcards) - deck, "There is an upcard too many.")
    if p.wild_indicator is None:
        return None
    face = FACE[p.wild_indicator]
    _need(face in full_deck(rules), "The deck has no such card to name the wilds.")
    return face


def _numbers(p: Position, rules: RuleSet, seats: int) -> None:
    _need(p.dealer < seats, f"There is no seat {p.dealer}.")
    _need(p.turn.seat < seats, f"There is no seat {p.turn.seat}.")
    _need(rules.deals is None or p.deal <= rules.deals, "The match has fewer deals than that.")
    for name, numbers in (("scores", p.scores), ("streaks", p.streaks)):
        _need(numbers is None or len(numbers) == seats, f"Every seat has one of the {name}.")
    _need(p.turns < TURN_LIMIT, "A deal has fewer turns than that.")
    _need(rules.draw_limit is None or p.draws <= rules.draw_limit, "A deal has fewer draws than that.")


def _meld(
    number: int, m: PositionMeld, p: Position, rules: RuleSet, seats: int, indicator: int | None
) -> Meld:
    unlawful = f"Meld {number} is not lawful."
    _need(rules.family == "table_melds", "This game has no melds on the table.")
    _need(m.owner < seats, f"There is no seat {m.owner}.")
    by = m.by if m.by is not None else [m.owner] * len(m.cards)
    _need(len(by) == len(m.cards) and all(x < seats for x in by), f"Meld {number}: a seat for every card.")
    wild = wild_mask(rules, p.deal, indicator)
    cards = [PLACED[c] for c in m.cards]
    _need(len(cards) >= 3, unlawful)
    kind = SET if len({RANK[c >> 6] for c in cards}) == 1 else RUN
    if kind == SET:
        cards = [NATURAL[c & 63] if c & 63 != JOKER and RANK[c & 63] == RANK[c >> 6] else c for c in cards]
    fifth = _fifth(cards, p, rules) if kind == SET else None
    four = [c for c in cards if c != fifth] if fifth is not None else cards
    readings = [r for r in read_meld(four, kind, rules, wild) if Counter(r.cards) == Counter(four)]
    _need(bool(readings), unlawful)
    order = list(readings[0].cards)
    if fifth is not None:
        _need(bool(wild >> (fifth & 63) & 1), unlawful)
        order.insert(1, fifth)
    left = list(zip(cards, by, strict=True))
    who: list[int] = []
    for c in order:
        pair = next(x for x in left if x[0] == c)
        left.remove(pair)
        who.append(pair[1])
    held = {c >> 6 for c in order if not is_natural(c)}
    beside = tuple(sorted((FACE[b.card], b.by) for b in m.beside))
    _need(not beside or (rules.beside and kind == RUN), f"Meld {number}: nothing lies beside it.")
    _need(all(face in held and x < seats for face, x in beside), f"Meld {number}: no wild for that card.")
    return Meld(number, m.owner, kind, tuple(order), tuple(who), beside)


def _fifth(cards: list[int], p: Position, rules: RuleSet) -> int | None:
    """The fifth card of a full set, where the seat to act has just laid it (WR-12)."""
    if not rules.fifth_card or len(cards) != set_room(rules) + 1:
        return None
    _need(p.turn.phase == "play" and len(p.hands[p.turn.seat]) == 1, "A fifth card is laid at the end only.")
    clubs = [c for c in cards if c >> 6 == RANK[cards[0] >> 6] and not is_natural(c)]
    _need(bool(clubs), "A fifth card stands for the club.")
    return clubs[-1]


def _stock(p: Position, rules: RuleSet, indicator: int | None, melds: tuple[Meld, ...]) -> list[int]:
    placed = [FACE[c] for h in p.hands for c in h] + [FACE[c] for c in p.discard]
    placed += [c & 63 for m in melds for c in m.cards] + [face for m in melds for face, _ in m.beside]
    if rules.turned_card and indicator is not None:
        placed.append(indicator)
    left = full_deck(rules)
    if p.stock is not None:
        placed += [FACE[c] for c in p.stock]
    for face in placed:
        _need(face in left, f"There is one {NAMES[face]} too many.")
        left.remove(face)
    return [FACE[c] for c in p.stock] if p.stock is not None else left


def _turn(p: Position, rules: RuleSet, seats: int, melds: tuple[Meld, ...]) -> Turn:
    t = p.turn
    table = rules.family == "table_melds"
    floats = rules.last_card == "float" and table
    hand = p.hands[t.seat]
    _need(floats or all(p.hands), "In this game nobody's hand is empty.")
    _need(t.phase == "draw" or bool(hand), "The seat to act holds nothing to play.")
    _need(t.phase != "discard" or rules.opening_phase == "discard", "This game has no such phase.")
    _need(t.phase != "discard" or (not p.discard and not p.melds), "The opening discard comes first.")
    if t.phase != "play":
        _need(t.taken is None and not t.pending, "Nothing is taken or owed before the draw.")
    elif t.taken is not None:
        played = {c & 63 for m in melds for c in m.cards} | {face for m in melds for face, _ in m.beside}
        _need(t.taken in hand or FACE[t.taken] in played, "The card taken is neither in the hand nor played.")
    _need(rules.pile != "top" or not t.pending, "In this game nothing is owed.")
    _need(not Counter(t.pending) - Counter(hand), "A card that is owed is not in the hand.")
    floating = t.floating or (floats and t.phase == "draw" and not hand)
    if floating:
        _need(floats, "In this game nobody floats.")
        _need(len(hand) == (0 if t.phase == "draw" else 1), "A floating seat holds what it drew.")
    discarder = t.discarder
    if discarder is UNSET:
        callable_ = rules.calls and t.phase == "draw" and p.discard
        discarder = (t.seat - 1) % seats if callable_ else None
    if discarder is not None:
        _need(rules.calls and t.phase == "draw" and bool(p.discard), "There is no discard to call.")
        _need(discarder < seats, f"There is no seat {discarder}.")
    return Turn(
        t.seat, t.phase, None if t.taken is None else FACE[t.taken], tuple(FACE[c] for c in t.pending),
        floating, discarder,
    )  # fmt: skip


# --------------------------------------------------------------------- out


def write_position(state: Match) -> Position | None:
    """The table as a position, every card shown; None where no deal is being played."""
    d: Deal | None = state.deal
    if d is None or d.turn is None:
        return None
    t = d.turn
    rules = state.rules
    assert rules is not None
    return Position(
        hands=[names(unpack(h)) for h in d.hands],
        turn=PositionTurn(
            t.seat, t.phase, None if t.taken is None else NAMES[t.taken],  # type: ignore[arg-type]
            names(t.pending), t.floating, t.discarder,
        ),
        deal=d.number, dealer=d.dealer, wild_indicator=None if d.indicator is None else NAMES[d.indicator],
        upcards=None if d.upcards is None else names(d.upcards), stock=names(d.stock),
        discard=names(d.discard),
        melds=[
            PositionMeld(m.owner, [PLACED_NAME[c] for c in m.cards], list(m.by),
                         [PositionBeside(NAMES[f], by) for f, by in m.beside])
            for m in d.melds
        ],
        scores=[x.score for x in state.seats], streaks=[x.streak for x in state.seats],
        reshuffles=d.reshuffles, draws=d.draws, turns=d.turns,
    )  # fmt: skip


