"""Turns of the games with melds on the table: draw, play, discard (WR TP FK GE). Draws: ``draws``.

``HANDLERS`` is the table of turns: (phase, command) → handler.  A handler checks one command by the
contract's precedence and records its fact; ``deals.finish_turn`` records what follows from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from msgspec.structs import replace

from domain import commands as cmd
from domain import events as ev
from domain.additions import Addition, addition_fault, read_addition, read_swaps, split, split_fault
from domain.cards import FACE, NAMES, NATURAL, ONE, PLACED, PLACED_NAME
from domain.dead_ends import Pending, fifth_allowed, settle, stuck
from domain.melds import Meld, Reading, meld_fault, read_meld
from domain.plays import Table, can_use, removed, with_meld
from domain.record import Recorder, write_meld, write_turn
from domain.refusals import refuse
from domain.rules import RuleSet
from domain.state import Deal, Turn
from domain.turns.deals import barred_card, end_deal, finish_turn
from domain.turns.draws import draw


class _Swapped(NamedTuple):
    wild: int
    after: Meld
    naturals: int = 0


T = TypeVar("T", Reading, Addition, _Swapped)


class Outcome(NamedTuple):
    """What a play leaves: for the checks that every play shares."""

    hand: int
    melds: Table
    pending: Pending
    barred: int | None


# ------------------------------------------------------------------ shared checks


def has_melded(rules: RuleSet, deal: Deal, seat: int) -> bool:
    """Whether a seat has laid a meld of its own (FK, GE: has played any card to the table)."""
    if rules.calls:
        return any(seat in m.by or any(by == seat for _, by in m.beside) for m in deal.melds)
    return any(m.owner == seat for m in deal.melds)


def outcome(
    rules: RuleSet, deal: Deal, turn: Turn, cards: Sequence[int], table: Table, freed: int | None = None
) -> Outcome:
    """Hand, table and debts after a play of ``cards``."""
    played = tuple(cards)
    pending = settle(turn.pending, played)
    hand = removed(deal.hands[turn.seat], played)
    if freed is not None:
        hand += ONE[freed]
        pending = (*pending, freed)
    barred = barred_card(rules, turn)
    if barred is not None and any(c & 63 == barred for c in played):
        barred = None
    return Outcome(hand, table, pending, barred)


def play_fault(rules: RuleSet, deal: Deal, seat: int, after: Outcome) -> str | None:
    """Why a play that is lawful in itself is refused all the same (WR-14, K-7), or None."""
    if not after.hand:
        return "play.last_card_must_be_discarded" if rules.last_card == "discard" else None
    owes = after.pending or after.barred is not None
    if owes and stuck(rules, deal.wild, seat, after.hand, after.melds, after.pending, after.barred):
        return "pending.unplayable"
    return None


def _placed(cards: list[str]) -> tuple[int, ...]:
    return tuple([PLACED[c] for c in cards])


def _need(rec: Recorder, cards: Sequence[int]) -> None:
    """The cards must be in the hand, as often as they are named (K-1)."""
    hand = rec.deal.hands[rec.turn.seat]
    for c in cards:
        if not hand >> 3 * (c & 63) & 7:
            raise refuse(rec.rules, "card.not_in_hand", card=NAMES[c & 63])
        hand -= ONE[c & 63]


def find_meld(rec: Recorder, meld: int) -> Meld:
    """The meld with this number, or ``meld.not_found``."""
    if not 1 <= meld <= len(rec.deal.melds):
        raise refuse(rec.rules, "meld.not_found", meld=meld)
    return rec.deal.melds[meld - 1]


def choose_reading(
    rules: RuleSet, readings: list[T], fault: Callable[[T], str | None], say: Callable[[T], cmd.GameCommand]
) -> T:
    """K-6: of the readings with the most natural cards, the one that is not refused."""
    most = max(r.naturals for r in readings)
    best = [r for r in readings if r.naturals == most]
    faults = [fault(r) for r in best]
    left = [r for r, f in zip(best, faults, strict=True) if f is None]
    if len(left) == 1:
        return left[0]
    if not left:
        raise refuse(rules, faults[0] or "")
    raise refuse(rules, "meld.ambiguous", choices=[say(r) for r in left])


def _turn_now(rec: Recorder, after: Outcome) -> Turn | None:
    """The turn after a play: the seat's own, or, where it now floats, what comes next (FK-14)."""
    if not after.hand and rec.rules.last_card != "discard":
        return None
    return replace(rec.turn, pending=after.pending)


# ------------------------------------------------------------------------- melds


def meld(rec: Recorder, c: cmd.Meld) -> None:
    """Lay a new set or run (WR-9, WR-10, TP-6 … TP-8, FK-8, FK-9, GE-1)."""
    rules, deal, turn = rec.rules, rec.deal, rec.turn
    cards = _placed(c.cards)
    _need(rec, cards)
    readings = read_meld(cards, c.kind, rules, deal.wild)
    if not readings:
        raise refuse(rules, meld_fault(cards, c.kind, rules, deal.wild))
    table = (*deal.melds, None)

    def after(cards: tuple[int, ...], kind: str) -> Outcome:
        laid = Meld(len(table), turn.seat, kind, cards, (turn.seat,) * len(cards))
        return outcome(rules, deal, turn, cards, (*deal.melds, laid))

    chosen = choose_reading(
        rules, readings, lambda r: play_fault(rules, deal, turn.seat, after(r.cards, r.kind)),
        lambda r: cmd.Meld([PLACED_NAME[x] for x in r.cards]),
    )  # fmt: skip
    left = after(chosen.cards, chosen.kind)
    _play(
        rec, left, ev.MeldLaid, meld=len(table), cards=[PLACED_NAME[x] for x in chosen.cards],
        after=write_meld(left.melds[-1]),
    )  # fmt: skip


def _play(rec: Recorder, left: Outcome, kind: type, **members: Any) -> None:
    """Record a play; where it was the last card, the turn ends with it (TP-11, FK-14)."""
    seat = rec.turn.seat
    turn = _turn_now(rec, left)
    if turn is not None:
        rec.emit(kind, seat=seat, turn=write_turn(turn), **members)
        return
    finish_turn(rec, seat, lambda t: rec.emit(kind, seat=seat, turn=write_turn(t), **members),
                out=rec.rules.last_card == "any", discarded=None)  # fmt: skip


# ---------------------------------------------------------------------- lay-offs


def lay_off(rec: Recorder, c: cmd.LayOff) -> None:
    """Add cards to a meld on the table (WR-11, WR-12, TP-9, FK-7, FK-10)."""
    rules, deal, turn = rec.rules, rec.deal, rec.turn
    cards = _placed(c.cards)
    _need(rec, cards)
    target = find_meld(rec, c.meld)
    if rules.lay_off_needs_meld and not has_melded(rules, deal, turn.seat):
        raise refuse(rules, "lay_off.must_meld_first")
    fifth = fifth_allowed(rules, deal.hands[turn.seat])
    readings = read_addition(target, cards, c.position, rules, deal.wild, turn.seat, fifth)
    if not readings:
        raise refuse(rules, addition_fault(target, cards, c.position, rules, deal.wild))

    def after(a: Addition) -> Outcome:
        return outcome(rules, deal, turn, a.cards, with_meld(deal.melds, a.after))

    chosen = choose_reading(
        rules, readings, lambda a: play_fault(rules, deal, turn.seat, after(a)),
        lambda a: cmd.LayOff(c.meld, [PLACED_NAME[x] for x in a.cards]),
    )  # fmt: skip
    _play(
        rec, after(chosen), ev.CardsLaidOff, meld=c.meld, cards=[PLACED_NAME[x] for x in chosen.cards],
        position=chosen.position, after=write_meld(chosen.after),
    )  # fmt: skip


# ------------------------------------------------------------------------- swaps


def swap(rec: Recorder, c: cmd.Swap) -> None:
    """Put a natural card in the place of a wild, which comes to the hand, owed (WR-13)."""
    rules, deal, turn = rec.rules, rec.deal, rec.turn
    face = FACE[c.card]
    _need(rec, (face,))
    target = find_meld(rec, c.meld)
    named = None if c.wild is None else PLACED[c.wild]
    wilds = [x for x in target.cards if x >> 6 != x & 63]
    if not wilds or (named is not None and not any(named in (x, NATURAL[x & 63]) for x in wilds)):
        raise refuse(rules, "swap.no_wild")
    found = read_swaps(target, face, named, rules, turn.seat)
    if not found:
        raise refuse(rules, "swap.card_does_not_match")

    def after(s: _Swapped) -> Outcome:
        return outcome(
            rules, deal, turn, (NATURAL[face],), with_meld(deal.melds, s.after), freed=s.wild & 63
        )

    chosen = choose_reading(
        rules, [_Swapped(w, m) for w, m in found], lambda s: play_fault(rules, deal, turn.seat, after(s)),
        lambda s: cmd.Swap(c.meld, c.card, NAMES[s.wild & 63]),
    )  # fmt: skip
    _play(
        rec, after(chosen), ev.WildSwapped, meld=c.meld, card=c.card, wild=PLACED_NAME[chosen.wild],
        after=write_meld(chosen.after),
    )  # fmt: skip


# ------------------------------------------------------------------------ splits


def split_meld(rec: Recorder, c: cmd.Split) -> None:
    """Split a meld of six or more cards into two (FK-23)."""
    rules, deal, turn = rec.rules, rec.deal, rec.turn
    target = find_meld(rec, c.meld)
    if fault := split_fault(target, c.at, rules):
        raise refuse(rules, fault)
    first, second = split(target, c.at, len(deal.melds) + 1)
    after = outcome(rules, deal, turn, (), (*with_meld(deal.melds, first), second))
    if fault := play_fault(rules, deal, turn.seat, after):
        raise refuse(rules, fault)
    rec.emit(
        ev.MeldSplit, seat=turn.seat, meld=c.meld, split_at=c.at, after=write_meld(first),
        new=write_meld(second), turn=write_turn(turn),
    )  # fmt: skip


# ---------------------------------------------------------------------- discards


def discard(rec: Recorder, c: cmd.Discard) -> None:
    """End the turn with a discard (WR-14, TP-2, TP-11, FK-11, FK-13, FK-14)."""
    face = FACE[c.card]
    _need(rec, (face,))
    if fault := discard_fault(rec.rules, rec.deal, rec.turn, face):
        raise refuse(rec.rules, fault)
    seat = rec.turn.seat
    out = rec.deal.hands[seat] == ONE[face]
    finish_turn(
        rec, seat, lambda t: rec.emit(ev.CardDiscarded, seat=seat, card=c.card, turn=write_turn(t)),
        out=out, discarded=face,
    )  # fmt: skip


def discard_fault(rules: RuleSet, deal: Deal, turn: Turn, face: int) -> str | None:
    """The code of the first reason that forbids a discard, or None."""
    if turn.pending:
        return "pending.must_play"
    if barred_card(rules, turn) == face:
        return "discard.just_taken"
    last = rules.last_card == "float" and deal.hands[turn.seat] == ONE[face]
    if last and can_use(rules, deal.wild, face, deal.melds):
        return "discard.must_play" if turn.floating else "discard.last_card_playable"
    return None


# ------------------------------------------------------------------------ passes


def pass_turn(rec: Recorder, c: cmd.Pass) -> None:
    """With an empty stock the seat to act may end the hand (FK-15)."""
    del c
    if rec.deal.stock:
        raise refuse(rec.rules, "pass.stock_not_empty")
    rec.emit(ev.TurnPassed, seat=rec.turn.seat, turn=None)
    end_deal(rec, "passed", None)


Handler = Callable[[Recorder, Any], None]

#: What each phase allows; anything else is ``turn.wrong_phase``.
HANDLERS: dict[tuple[str, type], Handler] = {
    ("draw", cmd.Draw): draw,
    ("draw", cmd.Pass): pass_turn,
    ("play", cmd.Meld): meld,
    ("play", cmd.LayOff): lay_off,
    ("play", cmd.Swap): swap,
    ("play", cmd.Split): split_meld,
    ("play", cmd.Discard): discard,
    ("discard", cmd.Discard): discard,
}


def commands_of(rules: RuleSet) -> tuple[type, ...]:
    """The commands that a rule set has at all (``command.not_in_variant``)."""
    return (
        cmd.Draw, cmd.Meld, cmd.LayOff, cmd.Discard,
        *((cmd.Swap,) if rules.swaps else ()),
        *((cmd.CallRummy, cmd.Pass, cmd.Split) if rules.calls else ()),
    )  # fmt: skip

