"""Every legal command of a seat, ready to send, and ``may``: the types that have one.

The same checks that commands pass answer here, so lists and refusals cannot disagree.  Each effect
is listed once: wilds written out, defaults left out, lay-offs card by card.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from domain import commands as cmd
from domain.additions import add_card, read_addition, split
from domain.cards import NAMES, NATURAL, PLACED_NAME, distinct, size
from domain.dead_ends import fifth_allowed, kind_of
from domain.melds import SET, Meld, is_natural
from domain.plays import Table, lay_offs, new_melds, splits, swaps, with_meld
from domain.record import Recorder
from domain.state import Deal, Match, Turn
from domain.turns import calls as calling
from domain.turns import declare as declaring
from domain.turns import draws
from domain.turns import table_melds as table
from domain.turns.deals import barred_card

#: The most commands that one list holds.
LIMIT = 500


def actions(state: Match, seat: int, limit: int = LIMIT) -> tuple[list[Any], bool]:
    """Every legal game command of a seat in the contract's order, and whether there were more."""
    found = list(islice(_all(state, seat), limit + 1))
    return found[:limit], len(found) > limit


def may(state: Match, seat: int | None) -> list[str]:
    """The types of which the seat has a legal command, in the contract's order; a first witness each."""
    if seat is None or state.status != "playing" or state.deal is None or state.deal.turn is None:
        return []
    return [name for name, source in sources(state, seat) if next(source, None) is not None]


def _all(state: Match, seat: int) -> Iterator[Any]:
    if state.status != "playing" or state.deal is None or state.deal.turn is None:
        return
    for _, source in sources(state, seat):
        yield from source


def sources(state: Match, seat: int) -> list[tuple[str, Iterator[Any]]]:
    """One iterator a command type, in the contract's order."""
    deal, rules = state.deal, state.rules
    assert deal is not None
    assert deal.turn is not None
    assert rules is not None
    turn = deal.turn
    rec = Recorder(state, "")
    found: list[tuple[str, Iterator[Any]]] = []
    if turn.seat == seat:
        if turn.phase == "draw":
            found.append(("draw", _draws(rec, turn)))
            if rules.calls:
                found.append(("call_rummy", _calls(rec, seat)))
                if not deal.stock:
                    found.append(("pass", iter((cmd.Pass(),))))
        elif rules.family == "declare":
            found.append(("discard", _discards(rec, declaring.discard_fault)))
            found.append(("declare", _declares(rec, deal, turn)))
        elif turn.phase == "discard":
            found.append(("discard", _discards(rec, table.discard_fault)))
        else:
            found.append(("meld", _melds(rec, deal, turn)))
            found.append(("lay_off", _lay_offs(rec, deal, turn)))
            if rules.swaps:
                found.append(("swap", _swaps(rec, deal, turn)))
            found.append(("discard", _discards(rec, table.discard_fault)))
            if rules.splits:
                found.append(("split", _splits(rec, deal, turn)))
    elif rules.calls and turn.discarder is not None:
        found.append(("call_rummy", _calls(rec, seat)))
    return found


# ------------------------------------------------------------------------- draws


def _draws(rec: Recorder, turn: Turn) -> Iterator[Any]:
    if turn.window is not None:
        return  # the window is the server's to close; until then the draw waits (FK-12)
    family = declaring if rec.rules.family == "declare" else draws
    if family.draw_fault(rec, "stock", 1) is None:
        yield cmd.Draw("stock")
    for count in family.takeable_counts(rec):
        yield cmd.Draw("discard", count)


# ------------------------------------------------------------------------- plays


def _free(rec: Recorder, turn: Turn) -> bool:
    """Whether no play can strand the player: nothing owed, nothing barred (K-7)."""
    return not turn.pending and barred_card(rec.rules, turn) is None


def _allowed(rec: Recorder, deal: Deal, turn: Turn, cards: tuple[int, ...], melds: Table,
             freed: int | None = None) -> bool:  # fmt: skip
    after = table.outcome(rec.rules, deal, turn, cards, melds, freed)
    return table.play_fault(rec.rules, deal, turn.seat, after) is None


def _melds(rec: Recorder, deal: Deal, turn: Turn) -> Iterator[Any]:
    hand = deal.hands[turn.seat]
    free = _free(rec, turn)
    most = size(hand) - (rec.rules.last_card == "discard")
    number = len(deal.melds) + 1
    for cards in new_melds(rec.rules, deal.wild, hand):
        if len(cards) > most:
            continue
        if not free:
            laid = Meld(number, turn.seat, kind_of(cards), cards, (turn.seat,) * len(cards))
            if not _allowed(rec, deal, turn, cards, (*deal.melds, laid)):
                continue
        yield cmd.Meld([PLACED_NAME[c] for c in cards])


def _lay_offs(rec: Recorder, deal: Deal, turn: Turn) -> Iterator[Any]:
    rules = rec.rules
    if rules.lay_off_needs_meld and not table.has_melded(rules, deal, turn.seat):
        return
    hand = deal.hands[turn.seat]
    fifth = fifth_allowed(rules, hand)
    free = _free(rec, turn)
    if rules.last_card == "discard" and size(hand) < 2:
        return
    for meld, card, position in lay_offs(rules, deal.wild, hand, deal.melds, fifth):
        if not free:
            added = add_card(meld, card, position, rules, deal.wild, turn.seat, fifth)
            if not _allowed(rec, deal, turn, (card,), with_meld(deal.melds, added.after)):
                continue
        yield cmd.LayOff(meld.id, [PLACED_NAME[card]], position)  # type: ignore[arg-type]


def _swaps(rec: Recorder, deal: Deal, turn: Turn) -> Iterator[Any]:
    rules = rec.rules
    for meld, face, card, after in swaps(rules, deal.hands[turn.seat], deal.melds):
        if _allowed(rec, deal, turn, (NATURAL[face],), with_meld(deal.melds, after), card & 63):
            named = meld.kind == SET and sum(not is_natural(c) for c in meld.cards) > 1
            yield cmd.Swap(meld.id, NAMES[face], NAMES[card & 63] if named else None)


def _splits(rec: Recorder, deal: Deal, turn: Turn) -> Iterator[Any]:
    for meld, at in splits(rec.rules, deal.melds):
        first, second = split(meld, at, len(deal.melds) + 1)
        if _free(rec, turn) or _allowed(rec, deal, turn, (), (*with_meld(deal.melds, first), second)):
            yield cmd.Split(meld.id, at)


def _discards(rec: Recorder, fault: Any) -> Iterator[Any]:
    rules, deal, turn = rec.rules, rec.deal, rec.turn
    if turn.pending:
        return
    for face in distinct(deal.hands[turn.seat]):
        if fault(rules, deal, turn, face) is None:
            yield cmd.Discard(NAMES[face])


def _declares(rec: Recorder, deal: Deal, turn: Turn) -> Iterator[Any]:
    ready = declaring.ready_declaration(rec.rules, deal, turn)
    if ready is not None:
        yield ready


# ------------------------------------------------------------------------- calls


def _calls(rec: Recorder, seat: int) -> Iterator[Any]:
    """Each meld that the top discard extends, each place for it, each discard of the caller (FK-12)."""
    rules, deal, turn = rec.rules, rec.deal, rec.turn
    if turn.discarder is None or seat == turn.discarder or not deal.discard:
        return
    if not table.has_melded(rules, deal, seat):
        return
    hand = deal.hands[seat]
    card = NATURAL[deal.discard[-1]]
    thrown: list[int | None] = [None, *distinct(hand)]
    for meld in calling.callable_melds(rec):
        readings = [
            a for a in read_addition(meld, (card,), None, rules, deal.wild, seat) if a.position != "beside"
        ]  # fmt: skip
        for face in thrown:
            for a in readings:
                if calling.call_fault(rules, deal, hand, face, with_meld(deal.melds, a.after)) is None:
                    position = a.position if len(readings) > 1 else None
                    yield cmd.CallRummy(meld.id, None if face is None else NAMES[face], position)  # type: ignore[arg-type]


