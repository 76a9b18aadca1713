"""Logs in plain words: an event as a sentence, a table as a few lines, for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from domain import events as ev
from domain.cards import NAMES, names, placed_names, unpack
from domain.shapes import DealResult, MatchResult, MeldShape
from domain.state import Match


def _cards(cards: Iterable[str] | None) -> str:
    return " ".join(cards or ()) or "nothing"


def _meld(m: MeldShape) -> str:
    beside = f" (beside it {_cards(b.card for b in m.beside)})" if m.beside else ""
    return f"meld {m.id}: {_cards(m.cards)}{beside}"


def _result(r: DealResult) -> str:
    winner = "nobody won" if r.winner is None else f"seat {r.winner} won"
    scores = ", ".join(f"seat {x.seat} {x.delta:+d} = {x.score}" for x in r.seats)
    return f"deal {r.number} ends ({r.reason}), {winner}: {scores}"


def _match(r: MatchResult) -> str:
    who = " and ".join(f"seat {i}" for i in r.winners)
    return f"the match ends ({r.reason}), won by {who}: {', '.join(map(str, r.scores))}"


def sentence(event: ev.Event) -> str:
    """What happened, for a reader who may see every card."""
    match event:
        case ev.GameCreated():
            return f"{event.variant} for {len(event.seats)} is created, commitment {event.commitment[:16]}…"
        case ev.SeatTaken():
            return f"seat {event.seat} is taken"
        case ev.SeatLeft():
            return f"seat {event.seat} is left ({event.reason})"
        case ev.SeatReturned():
            return f"the owner of seat {event.seat} is back"
        case ev.GameStarted():
            return f"the game starts, seat {event.first} comes first"
        case ev.DealStarted():
            return _deal(event)
        case ev.CardDrawn():
            return f"seat {event.seat} draws {_cards(event.cards)} from the {_source(event.source)}"
        case ev.MeldLaid():
            return f"seat {event.seat} lays {_meld(event.after)}"
        case ev.CardsLaidOff():
            return f"seat {event.seat} lays off {_cards(event.cards)}, {_meld(event.after)}"
        case ev.WildSwapped():
            return f"seat {event.seat} swaps {event.card} for {event.wild}, {_meld(event.after)}"
        case ev.MeldSplit():
            return f"seat {event.seat} splits {_meld(event.after)} from {_meld(event.new)}"
        case ev.CardDiscarded():
            return f"seat {event.seat} discards {event.card}"
        case ev.RummyCalled():
            return f"seat {event.seat} calls rummy with {event.card}, {_meld(event.after)}"
        case ev.HandDeclared():
            groups = ", ".join(_cards(g) for g in event.groups)
            how = "declares" if event.valid else "declares, invalidly,"
            return f"seat {event.seat} {how} {groups}, discard {event.discard}"
        case ev.StockRebuilt():
            return f"the pile is shuffled into a stock of {event.stock.count} (draw {event.draw})"
        case ev.DealEnded():
            return _result(event.result)
        case ev.MatchEnded():
            return _match(event.result)
        case _:
            return _other(event)


def _source(source: str) -> str:
    return "pile" if source == "discard" else "stock"


def _deal(e: ev.DealStarted) -> str:
    wilds = _cards(e.deal.wild.cards)
    how = "a position" if e.draw is None else f"draw {e.draw}"
    return f"deal {e.deal.number} ({how}), dealer {e.deal.dealer}, seat {e.turn.seat} begins, wild: {wilds}"


def _other(e: ev.Event) -> str:
    match e:
        case ev.CallWindowClosed():
            return "the time to call is over"
        case ev.TurnPassed():
            return f"seat {e.seat} passes"
        case ev.TurnTimedOut():
            return f"the clock of seat {e.seat} runs out ({e.phase})"
        case ev.SeedRevealed():
            return f"the seed is revealed: {e.seed}"
        case ev.GamePaused():
            return "the game is paused"
        case ev.GameResumed():
            return "the game goes on"
        case ev.GameCancelled():
            return f"the game is cancelled ({e.reason})"
        case _:
            return type(e).__name__


def table(state: Match) -> list[str]:
    """The table, every card shown, a line for each hand and each meld."""
    deal = state.deal
    if deal is None:
        return [f"  {state.status}"]
    turn = deal.turn
    lines: list[str] = []
    for i, (seat, hand) in enumerate(zip(state.seats, deal.hands, strict=True)):
        mark = ">" if turn is not None and turn.seat == i else " "
        phase = f" [{turn.phase}]" if turn is not None and turn.seat == i else ""
        lines.append(f"  {mark} seat {i} ({seat.score}){phase}: {_cards(names(unpack(hand)))}")
    for m in deal.melds:
        beside = f" beside: {_cards(NAMES[face] for face, _ in m.beside)}" if m.beside else ""
        lines.append(f"    meld {m.id} of seat {m.owner}: {_cards(placed_names(m.cards))}{beside}")
    pile = names(deal.discard[-8:])
    more = "… " if len(deal.discard) > len(pile) else ""
    stock = f"stock: {len(deal.stock)}, next {_cards(names(deal.stock[:1]))}"
    lines.append(f"    pile: {more}{_cards(pile)}   {stock}")
    if turn is not None and turn.pending:
        lines.append(f"    must be played: {_cards(names(turn.pending))}")
    return lines
