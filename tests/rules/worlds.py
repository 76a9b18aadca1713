"""Worlds that a viewer cannot tell apart: the same log with unseen cards exchanged.

Every card that a viewer has never seen since it was dealt lies in the stock or in another's hand, and
came there by a known event: the deal, a draw from the stock, a reshuffle.  So a log of another world is
the same log with the cards of these places permuted; counts stay, and every public event stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from msgspec.structs import replace

from domain import events as ev
from domain.evolve import NEW, evolve
from domain.state import Match

#: Where a card came into the deal: the number of its event, and its place there.
Place = tuple[int, Any]
#: A card held, and where it came from while nobody else may have seen it.
Held = tuple[str, Place | None]


def _face(card: str) -> str:
    return card.split("=")[0]


def _take(hand: list[Held], card: str) -> None:
    """A card leaves a hand; of two copies, one that everybody knows first."""
    known = [x for x in hand if x[0] == card and x[1] is None]
    hand.remove(known[0] if known else next(x for x in hand if x[0] == card))


def unseen(log: list[Any], viewer: int | None) -> tuple[dict[Place, str], dict[int, Place]]:
    """The places of the cards that a viewer has not seen, with these cards; and the places of draws."""
    start = max(i for i, e in enumerate(log) if isinstance(e, ev.DealStarted))
    hands: list[list[Held]] = []
    stock: list[Held] = []
    drawn: dict[int, Place] = {}
    for i, e in enumerate(log[start:], start):
        match e:
            case ev.DealStarted():
                hands = [[(c, (i, (s, k))) for k, c in enumerate(hand)] for s, hand in enumerate(e.hands)]
                for seat, up in enumerate(e.upcards or ()):
                    hand = hands[seat]
                    held = next((x for x in hand if x[0] == up), None)
                    if held is not None:
                        hand[hand.index(held)] = (up, None)
                first = len(e.deck) - e.stock.count
                stock = [(c, (i, k)) for k, c in enumerate(e.deck[first:], first)]
            case ev.CardDrawn(source="stock"):
                card, place = stock.pop(0)
                assert [card] == e.cards
                assert place is not None
                drawn[i] = place
                hands[e.seat].append((card, place))
            case ev.CardDrawn():
                hands[e.seat] += [(c, None) for c in e.cards]
            case ev.MeldLaid() | ev.CardsLaidOff():
                for c in e.cards:
                    _take(hands[e.seat], _face(c))
            case ev.WildSwapped():
                _take(hands[e.seat], e.card)
                hands[e.seat].append((_face(e.wild), None))
            case ev.CardDiscarded():
                _take(hands[e.seat], e.card)
            case ev.StockRebuilt():
                stock = [(c, (i, k)) for k, c in enumerate(e.cards)]
            case _:
                pass
    secret = [x for s, hand in enumerate(hands) if s != viewer for x in hand] + stock
    return {place: card for card, place in secret if place is not None}, drawn


def another_world(log: list[Any], viewer: int | None, rng: Random) -> list[Any]:
    """The log with all cards that the viewer has not seen dealt out anew among their places."""
    secret, drawn = unseen(log, viewer)
    cards = list(secret.values())
    rng.shuffle(cards)
    now = dict(zip(secret, cards, strict=True))

    def at(i: int) -> Callable[[Any, str], str]:
        return lambda where, card: now.get((i, where), card)

    other = list(log)
    for i, e in enumerate(log):
        card = at(i)
        match e:
            case ev.DealStarted():
                other[i] = replace(
                    e,
                    hands=[[card((s, k), c) for k, c in enumerate(hand)] for s, hand in enumerate(e.hands)],
                    deck=[card(k, c) for k, c in enumerate(e.deck)],
                )
            case ev.CardDrawn(source="stock") if i in drawn:
                other[i] = replace(e, cards=[now.get(drawn[i], e.cards[0])])
            case ev.StockRebuilt():
                other[i] = replace(e, cards=[card(k, c) for k, c in enumerate(e.cards)])
            case _:
                pass
    return other


def fold(log: list[Any]) -> Match:
    """The state after a log."""
    state = NEW
    for event in log:
        state = evolve(state, event)
    return state
