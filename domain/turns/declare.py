"""Turns of the declare games: draw one, then discard one or declare (TC, SD).

``HANDLERS`` is the table of turns: (phase, command) → handler.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from domain import commands as cmd
from domain import events as ev
from domain.arrange import winning
from domain.arrange_groups import faults, judge
from domain.cards import FACE, NAMES, ONE, PLACED, PLACED_NAME, count, pack, size
from domain.record import Recorder, write_turn
from domain.refusals import refuse
from domain.rules import RuleSet
from domain.state import Deal, Turn
from domain.turns.deals import barred_card, end_deal, finish_turn, play_phase_turn
from domain.variants import VARIANTS

HAND = 13


def draw_fault(rec: Recorder, source: str, number: int) -> str | None:
    """The code of the first reason that forbids a draw, or None."""
    deal = rec.deal
    if source == "stock":
        if not deal.stock:
            return "draw.stock_empty"
        return "draw.count_not_allowed" if number > 1 else None
    if not deal.discard:
        return "draw.discard_empty"
    if number > 1:
        return "draw.count_not_allowed"
    if not rec.rules.may_take_jokers and deal.wild >> deal.discard[-1] & 1:
        return "draw.joker_not_takeable"
    return None


def takeable_counts(rec: Recorder) -> Iterator[int]:
    """Every number of cards that may be drawn off the pile now: one, or none."""
    if draw_fault(rec, "discard", 1) is None:
        yield 1


def draw(rec: Recorder, c: cmd.Draw) -> None:
    """Draw the stock's top or the pile's top (TC-4, TC-15, SD-3)."""
    if fault := draw_fault(rec, c.source, c.count):
        raise refuse(rec.rules, fault)
    deal = rec.deal
    taken = None if c.source == "stock" else deal.discard[-1]
    card = deal.stock[0] if taken is None else taken
    rec.emit(
        ev.CardDrawn, seat=rec.turn.seat, source=c.source, count=1, cards=[NAMES[card]],
        turn=write_turn(play_phase_turn(rec, taken, ())),
    )  # fmt: skip


def discard_fault(rules: RuleSet, deal: Deal, turn: Turn, face: int) -> str | None:
    """The code of the reason that forbids a discard, or None."""
    del deal
    return "discard.just_taken" if barred_card(rules, turn) == face else None


def discard(rec: Recorder, c: cmd.Discard) -> None:
    """End the turn with a discard (TC-4, SD-3)."""
    face, seat = FACE[c.card], rec.turn.seat
    if not count(rec.deal.hands[seat], face):
        raise refuse(rec.rules, "card.not_in_hand", card=c.card)
    if fault := discard_fault(rec.rules, rec.deal, rec.turn, face):
        raise refuse(rec.rules, fault)
    finish_turn(
        rec, seat, lambda t: rec.emit(ev.CardDiscarded, seat=seat, card=c.card, turn=write_turn(t)),
        out=False, discarded=face,
    )  # fmt: skip


def declare(rec: Recorder, c: cmd.Declare) -> None:
    """Show thirteen cards in groups and set the fourteenth aside (TC-5, TC-8, SD-5, SD-6)."""
    rules, deal, turn = rec.rules, rec.deal, rec.turn
    seat = turn.seat
    hand = deal.hands[seat]
    aside = FACE[c.discard]
    groups = [[PLACED[x] for x in g] for g in c.groups]
    shown = [x & 63 for g in groups for x in g]
    _must_hold(rules, hand, [*shown, aside])
    if size(hand) != HAND + 1 or pack(shown) + ONE[aside] != hand:
        raise refuse(rules, "declare.wrong_cards")
    if barred_card(rules, turn) == aside:
        raise refuse(rules, "discard.just_taken")
    judged = judge(groups, deal.wild)
    found = faults(judged, VARIANTS[rules.variant].numbers["declare.wrong_cards"])
    if found and (rec.dry or rules.invalid_declaration == "reject"):
        raise refuse(rules, "declare.invalid", errors=found)
    rec.emit(
        ev.HandDeclared, seat=seat, groups=[[PLACED_NAME[x] for x in g] for g in judged.groups],
        discard=c.discard, valid=not found, errors=found,
    )  # fmt: skip
    if found:
        end_deal(rec, "invalid_declaration", None, declarer=seat)
    else:
        end_deal(rec, "declared", seat, declarer=seat, groups=judged.groups)


def _must_hold(rules: RuleSet, hand: int, faces: list[int]) -> None:
    for f in faces:
        if not count(hand, f):
            raise refuse(rules, "card.not_in_hand", card=NAMES[f])
        hand -= ONE[f]


def ready_declaration(rules: RuleSet, deal: Deal, turn: Turn) -> cmd.Declare | None:
    """The declaration that wins now, if there is one."""
    hand = deal.hands[turn.seat]
    if turn.phase != "play" or size(hand) != HAND + 1:
        return None
    found = winning(hand, deal.wild, barred_card(rules, turn))
    if found is None:
        return None
    return cmd.Declare([[PLACED_NAME[x] for x in g] for g in found.groups], NAMES[found.discard])


Handler = Callable[[Recorder, Any], None]

HANDLERS: dict[tuple[str, type], Handler] = {
    ("draw", cmd.Draw): draw,
    ("play", cmd.Discard): discard,
    ("play", cmd.Declare): declare,
}


def commands_of(rules: RuleSet) -> tuple[type, ...]:
    """The commands of the family (``command.not_in_variant``)."""
    del rules
    return (cmd.Draw, cmd.Discard, cmd.Declare)


