"""Draws of the games with melds on the table: from the stock, or off the pile as its rule asks (WR TP FK GE).

A draw off the pile may bring a debt: cards that must be played, or must not come back.  So it is allowed
only if the turn can still end lawfully (K-7), which is looked at with the cards taken in hand.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from domain import commands as cmd
from domain import events as ev
from domain.additions import add_card, read_swaps
from domain.cards import JOKER, NAMES, NATURAL, ONE, RANK, count, pack, size
from domain.dead_ends import Pending, fifth_allowed, owed_for, reach, stuck
from domain.plays import Table, has_meld_with, lay_offs, removed, with_meld
from domain.record import Recorder, write_turn
from domain.refusals import refuse
from domain.rules import RuleSet
from domain.state import Deal, Turn
from domain.turns.deals import play_phase_turn


def draw(rec: Recorder, c: cmd.Draw) -> None:
    """Draw from the stock or the pile (WR-7, TP-3, FK-6, FK-14, GE-3)."""
    fault = draw_fault(rec, c.source, c.count)
    if fault:
        raise refuse(rec.rules, fault)
    turn, deal = rec.turn, rec.deal
    if turn.window is not None:
        rec.emit(ev.CallWindowClosed, turn=write_turn(replace(turn, window=None)))
    if c.source == "stock":
        cards = [deal.stock[0]]
    else:
        cards = list(reversed(deal.discard[-c.count :]))
    taken = cards[0] if c.source == "discard" and c.count == 1 else None
    owed = owed_for(rec.rules, c.source, cards)
    rec.emit(
        ev.CardDrawn, seat=turn.seat, source=c.source, count=c.count, cards=[NAMES[f] for f in cards],
        turn=write_turn(play_phase_turn(rec, taken, owed)),
    )  # fmt: skip


def draw_fault(rec: Recorder, source: str, number: int) -> str | None:
    """The code of the first reason that forbids a draw, or None."""
    rules, deal, turn = rec.rules, rec.deal, rec.turn
    several = rules.pile in ("deepest", "matching_pair")
    if source == "stock":
        if not deal.stock:
            return "draw.stock_empty"
        if number > 1:
            return "draw.count_not_allowed"
        return "draw.call_window" if _window_open(rec, turn) else None
    if not deal.discard:
        return "draw.discard_empty"
    if number > 1 and not several:
        return "draw.count_not_allowed"
    if turn.floating:
        return "draw.stock_only"
    if number > len(deal.discard):
        return "draw.too_many"
    hand = deal.hands[turn.seat]
    if rules.pile == "matching_pair" and not _has_pair(hand, deal.discard[-number]):
        return "draw.needs_matching_pair"
    if _window_open(rec, turn):
        return "draw.call_window"
    return _use_fault(rules, deal, turn, hand + pack(deal.discard[-number:]), number)


def _use_fault(rules: RuleSet, deal: Deal, turn: Turn, hand: int, number: int) -> str | None:
    """Whether the cards taken can be used as the pile's rule asks; ``hand`` holds them already."""
    deepest = deal.discard[-number]
    if rules.pile == "playable_top":
        return None if _playable_now(rules, deal, turn, hand, deepest) else "draw.discard_unplayable"
    owed = rules.pile == "matching_pair" or (rules.pile == "deepest" and number > 1)
    # A single card taken is the very one that is owed: nothing else is barred.
    if owed and stuck(rules, deal.wild, turn.seat, hand, deal.melds, (deepest,), None):
        return "draw.deepest_unplayable"
    return None


def takeable_counts(rec: Recorder) -> Iterator[int]:
    """Every number of cards that may be drawn off the pile now (WR-7, FK-6, GE-3)."""
    rules, deal, turn = rec.rules, rec.deal, rec.turn
    if rules.pile not in ("deepest", "matching_pair"):
        if draw_fault(rec, "discard", 1) is None:
            yield 1
        return
    if turn.floating or _window_open(rec, turn):
        return
    held = hand = deal.hands[turn.seat]
    for number, face in enumerate(reversed(deal.discard), 1):
        hand += ONE[face]
        if rules.pile == "matching_pair" and not _has_pair(held, face):
            continue
        if _use_fault(rules, deal, turn, hand, number) is None:
            yield number


def _window_open(rec: Recorder, turn: Turn) -> bool:
    return turn.window is not None and rec.at < turn.window


def _has_pair(hand: int, deepest: int) -> bool:
    """Two natural cards of the deepest card's rank (GE-3)."""
    if deepest == JOKER:
        return False
    return sum(count(hand, s * 13 + RANK[deepest]) for s in range(4)) >= 2


def _playable_now(rules: RuleSet, deal: Deal, turn: Turn, hand: int, face: int) -> bool:
    """WR-7: whether the very next command could play the card just taken, and the turn still end."""
    melds = deal.melds

    def fine(cards: tuple[int, ...], table: Table, freed: int | None = None) -> bool:
        left = removed(hand, cards)
        owed: Pending = ()
        if freed is not None:
            left += ONE[freed]
            owed = (freed,)
        return bool(left) and not stuck(rules, deal.wild, turn.seat, left, table, owed, None)

    fifth = fifth_allowed(rules, hand)
    for meld, card, position in lay_offs(rules, deal.wild, ONE[face], melds, fifth):
        added = add_card(meld, card, position, rules, deal.wild, turn.seat, fifth)
        if fine((card,), with_meld(melds, added.after)):
            return True
    if not deal.wild >> face & 1:
        # One lay-off may lengthen a run by several cards, this one at the end of them.
        before = [reach(rules, deal.wild, hand, m, face) for m in melds]
        if any(n is not None and n < size(hand) - 1 for n in before):
            return True
    if size(hand) > 3 and has_meld_with(rules, deal.wild, hand, face):
        return True  # three cards and one to discard: nothing is owed then
    if rules.swaps:
        for meld in melds:
            for wild, after in read_swaps(meld, face, None, rules, turn.seat):
                if fine((NATURAL[face],), with_meld(melds, after), wild & 63):
                    return True
    return False
