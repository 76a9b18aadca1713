"""Calling rummy: the top discard taken out of turn onto a meld (FK-12)."""

from __future__ import annotations

from domain import commands as cmd
from domain import events as ev
from domain.additions import read_addition
from domain.cards import FACE, NATURAL, ONE, PLACED_NAME, count, distinct, size
from domain.melds import Meld
from domain.plays import Table, can_use, extensible, with_meld
from domain.record import Recorder, write_meld, write_turn
from domain.refusals import refuse
from domain.rules import RuleSet
from domain.state import Deal
from domain.turns.deals import end_deal, turn_after, window_for
from domain.turns.table_melds import choose_reading, find_meld, has_melded


def call_rummy(rec: Recorder, c: cmd.CallRummy, seat: int) -> None:
    """Take the top discard out of turn onto a meld, and discard (FK-12)."""
    rules, deal, turn = rec.rules, rec.deal, rec.turn
    if turn.discarder is None or turn.phase != "draw" or not deal.discard:
        raise refuse(rules, "rummy.nothing_to_call")
    hand = deal.hands[seat]
    thrown = None if c.discard is None else FACE[c.discard]
    if thrown is not None and not count(hand, thrown):
        raise refuse(rules, "card.not_in_hand", card=c.discard or "")
    if not has_melded(rules, deal, seat):
        raise refuse(rules, "rummy.must_meld_first")
    if seat == turn.discarder:
        raise refuse(rules, "rummy.own_discard")
    target = find_meld(rec, c.meld)
    card = NATURAL[deal.discard[-1]]
    readings = [
        a for a in read_addition(target, (card,), c.position, rules, deal.wild, seat)
        if a.position != "beside"
    ]  # fmt: skip
    if not readings:
        raise refuse(rules, "rummy.does_not_fit")
    chosen = choose_reading(
        rules, readings, lambda a: call_fault(rules, deal, hand, thrown, with_meld(deal.melds, a.after)),
        lambda a: cmd.CallRummy(c.meld, c.discard, a.position),  # type: ignore[arg-type]
    )  # fmt: skip
    table = with_meld(deal.melds, chosen.after)
    now = turn_after(rec, turn.seat, floating=turn.floating, discarder=None)
    rec.emit(
        ev.RummyCalled, seat=seat, meld=c.meld, card=PLACED_NAME[chosen.cards[0]], position=chosen.position,
        after=write_meld(table[c.meld - 1]), turn=write_turn(now),
    )  # fmt: skip
    if thrown is None:
        return
    if hand == ONE[thrown]:
        rec.emit(ev.CardDiscarded, seat=seat, card=c.discard, turn=None)
        end_deal(rec, "went_out", seat)
        return
    window = window_for(rec, thrown, seat)
    now = turn_after(rec, turn.seat, floating=turn.floating, discarder=seat, window=window)
    rec.emit(ev.CardDiscarded, seat=seat, card=c.discard, turn=write_turn(now))


def call_fault(rules: RuleSet, deal: Deal, hand: int, thrown: int | None, table: Table) -> str | None:
    """What forbids a caller's discard, or going without one (FK-12, FK-13)."""
    alone = size(hand) == 1
    if thrown is None:
        if not hand or (alone and can_use(rules, deal.wild, distinct(hand)[0], table)):
            return None
        return "rummy.must_discard"
    if alone and can_use(rules, deal.wild, thrown, table):
        return "discard.last_card_playable"
    return None


def callable_melds(rec: Recorder) -> list[Meld]:
    """The melds that the top discard can extend."""
    deal = rec.deal
    if not deal.discard:
        return []
    return [m for m in deal.melds if extensible(rec.rules, deal.wild, deal.discard[-1], m)]


