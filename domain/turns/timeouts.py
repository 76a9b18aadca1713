"""TC-9: what is played for a seat whose clock ran out."""

from __future__ import annotations

from itertools import chain

from domain import commands as cmd
from domain import events as ev
from domain.actions import sources
from domain.arrange import best
from domain.cards import FACE
from domain.record import Recorder
from domain.scoring import card_value, value_table
from domain.turns import FAMILIES

#: An owed card is played within this many plays: no hand holds more cards.
_MOST_PLAYS = 120


def time_out(rec: Recorder) -> None:
    """Record the time-out, then the safe default by the ordinary handlers."""
    turn = rec.turn
    seat, number = turn.seat, rec.deal.number
    rec.emit(ev.TurnTimedOut, seat=seat, phase=turn.phase)
    if turn.phase == "draw":
        _play(rec, _draw(rec))
    for _ in range(_MOST_PLAYS):
        if not _mine(rec, seat, number):
            return
        legal = dict(sources(rec.state, seat))
        discards = list(legal["discard"])
        if discards:
            _play(rec, _discard(rec, discards))
            return
        # Something is owed: while it is, no discard is lawful (WR-8, FK-13, FK-14).
        _play(rec, next(chain.from_iterable(legal.values())))


def _mine(rec: Recorder, seat: int, number: int) -> bool:
    deal = rec.state.deal
    return (
        rec.state.status == "playing" and deal is not None and deal.number == number
        and deal.turn is not None and deal.turn.seat == seat and deal.turn.phase != "draw"
    )  # fmt: skip


def _play(rec: Recorder, command: cmd.GameCommand) -> None:
    handler = FAMILIES[rec.rules.family].handlers[rec.turn.phase, type(command)]
    handler(rec, command)


def _draw(rec: Recorder) -> cmd.GameCommand:
    if rec.deal.stock:
        return cmd.Draw("stock")
    return cmd.Pass() if rec.rules.calls else cmd.Draw("discard")


def _discard(rec: Recorder, discards: list[cmd.Discard]) -> cmd.Discard:
    """The card just drawn, or else the costliest lawful one outside the arrangement, of equals the last."""
    rules, deal, turn = rec.rules, rec.deal, rec.turn
    by_face = {FACE[c.card]: c for c in discards}
    if turn.drawn is not None and turn.drawn in by_face:
        return by_face[turn.drawn]
    faces = sorted(by_face)
    if rules.family == "declare":
        values = value_table(rules, deal.wild)
        shown = best(deal.hands[turn.seat], deal.wild, values, rules.lives, rules.cap or 0)
        loose = [f for f in faces if f in shown.deadwood]
        faces = loose or faces
    return by_face[max(faces, key=lambda f: (card_value(rules, deal.wild, f), f))]
