"""``evolve``: how an event changes a match.

It decides nothing.  Whose turn it is, what was scored and what was shuffled all stand in the events;
here they are written down, as integers, so that deciding is fast.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from domain import events as ev
from domain.cards import FACE, ONE, PLACED, count, pack
from domain.melds import Meld
from domain.shapes import MeldShape, SeatKind, TurnShape
from domain.state import Deal, Match, Seat, Turn, wild_mask

# ------------------------------------------------------------------ wire → state


def read_turn(t: TurnShape | None, barred: bool = False, drawn: int | None = None) -> Turn | None:
    """A turn as an event carries it, with what only the state knows."""
    if t is None:
        return None
    return Turn(
        t.seat, t.phase, None if t.taken is None else FACE[t.taken],
        tuple([FACE[c] for c in t.pending]) if t.pending else (),
        t.floating, t.discarder, t.window, t.deadline, t.remaining, barred, drawn,
    )  # fmt: skip


def read_meld(m: MeldShape) -> Meld:
    """A meld as an event carries it."""
    return Meld(
        m.id, m.owner, m.kind, tuple([PLACED[c] for c in m.cards]), tuple(m.by),
        tuple([(FACE[b.card], b.by) for b in m.beside]) if m.beside else (),
    )  # fmt: skip


# ------------------------------------------------------------------------ evolve


def _with_hand(d: Deal, seat: int, hand: int) -> tuple[int, ...]:
    return (*d.hands[:seat], hand, *d.hands[seat + 1 :])


def _with_meld(d: Deal, meld: Meld) -> tuple[Meld, ...]:
    i = meld.id - 1
    if i == len(d.melds):
        return (*d.melds, meld)
    return (*d.melds[:i], meld, *d.melds[i + 1 :])


def _deal(s: Match) -> Deal:
    assert s.deal is not None
    return s.deal


def _same_turn(d: Deal, t: TurnShape | None, played: list[str]) -> Turn | None:
    """The turn that an event carries, where it may be the one under way, after these cards were played."""
    old = d.turn
    if t is None or old is None or t.seat != old.seat or t.phase != old.phase:
        return read_turn(t)
    barred = old.barred and all([PLACED[c] & 63 != old.taken for c in played])
    return read_turn(t, barred, old.drawn)


def _there(s: Match, e: Any) -> Match:
    """``s`` after a command of a seat: what was not its clock's doing ends its row of time-outs (TC-9)."""
    seats = s.seats
    actor: int = e.seat
    if not seats[actor].timeouts or e.commit == s.timeout_commit:
        return s
    return replace(s, seats=(*seats[:actor], replace(seats[actor], timeouts=0), *seats[actor + 1 :]))


def _table(
    s: Match, e: Any, d: Deal, hands: tuple[int, ...], melds: tuple[Meld, ...],
    stock: tuple[int, ...], discard: tuple[int, ...], turn: Turn | None, draws: int, turns: int,
) -> Match:  # fmt: skip
    """``s`` with another table: the two structs that nearly every event renews, built in one go."""
    deal = Deal(
        d.number, d.dealer, d.starter, d.indicator, d.wild, d.upcards, hands, stock, discard, melds,
        turn, draws, d.reshuffles, turns,
    )  # fmt: skip
    seats = _there(s, e).seats
    return Match(
        e.seq, e.commit, e.at, s.status, s.rules, s.rules_version, seats, s.visibility, s.spectators,
        s.host_seat, s.start, s.commitment, s.sandbox, s.setup, s.seed, s.client, s.first, s.first_wanted,
        s.next_draw, deal, s.paused_at, s.result, s.match_result, s.created_at, s.started_at, s.ended_at,
        s.timeout_commit,
    )  # fmt: skip


def _game_created(s: Match, e: ev.GameCreated) -> Match:
    del s
    return Match(
        version=e.seq, commit=e.commit, at=e.at, status="waiting", rules=e.rules,
        rules_version=e.rules_version, seats=tuple(Seat(k.kind, k.level) for k in e.seats),
        visibility=e.visibility, spectators=e.spectators, host_seat=e.host_seat, start=e.start,
        commitment=e.commitment, sandbox=e.sandbox, setup=e.setup,
        seed=bytes.fromhex(e.seed) if e.seed else b"", first_wanted=e.first, created_at=e.at,
    )  # fmt: skip


def _stamp(s: Match, e: Any, **changes: Any) -> Match:
    return replace(s, version=e.seq, commit=e.commit, at=e.at, **changes)


def _seat(s: Match, e: Any, seat: int, **changes: Any) -> Match:
    new = replace(s.seats[seat], **changes)
    return _stamp(s, e, seats=(*s.seats[:seat], new, *s.seats[seat + 1 :]))


def _seat_taken(s: Match, e: ev.SeatTaken) -> Match:
    return _seat(s, e, e.seat, kind="human", entropy=e.entropy)


def _seat_left(s: Match, e: ev.SeatLeft) -> Match:
    if e.reason == "left":
        return _seat(s, e, e.seat, kind="open", level=None, entropy="")
    return _seat(s, e, e.seat, resigned=e.reason == "resigned", played_by=e.bot)


def _seat_returned(s: Match, e: ev.SeatReturned) -> Match:
    return _seat(s, e, e.seat, played_by=None, timeouts=0)


def _game_started(s: Match, e: ev.GameStarted) -> Match:
    seats = tuple(replace(x, kind=k.kind, level=k.level) for x, k in zip(s.seats, e.seats, strict=True))
    return _stamp(
        s, e, status="playing", seats=seats, client=bytes.fromhex(e.client), first=e.first, started_at=e.at
    )


def _deal_started(s: Match, e: ev.DealStarted) -> Match:
    assert s.rules is not None
    indicator = e.deal.wild.indicator
    face = None if indicator is None else FACE[indicator]
    hands = tuple(pack(FACE[c] for c in hand or ()) for hand in e.hands)
    deck = [FACE[c] for c in e.deck or ()]
    turn = read_turn(e.turn)
    assert turn is not None
    if turn.taken is not None:
        turn = replace(turn, barred=count(hands[turn.seat], turn.taken) == 1, drawn=turn.taken)
    deal = Deal(
        number=e.deal.number, dealer=e.deal.dealer, starter=e.deal.starter, indicator=face,
        wild=wild_mask(s.rules, e.deal.number, face),
        upcards=None if e.upcards is None else tuple(FACE[c] for c in e.upcards),
        hands=hands, stock=tuple(deck[len(deck) - e.stock.count :]),
        discard=tuple(FACE[c] for c in e.discard), melds=tuple(read_meld(m) for m in e.melds),
        turn=turn, draws=e.stock.draws, reshuffles=e.stock.reshuffles, turns=e.turns,
    )  # fmt: skip
    seats = tuple(
        replace(x, score=score, streak=streak)
        for x, score, streak in zip(s.seats, e.scores, e.streaks, strict=True)
    )
    return _stamp(
        s, e, deal=deal, seats=seats, next_draw=2 if e.draw is None else e.draw + 1
    )


def _card_drawn(s: Match, e: ev.CardDrawn) -> Match:
    d = _deal(s)
    seat, t = e.seat, e.turn
    hand = d.hands[seat]
    cards = [FACE[c] for c in e.cards or ()]
    taken = None if t.taken is None else FACE[t.taken]
    barred = taken is not None and not count(hand, taken)
    for c in cards:
        hand += ONE[c]
    turn = Turn(
        t.seat, t.phase, taken, tuple([FACE[c] for c in t.pending]) if t.pending else (), t.floating,
        t.discarder, t.window, t.deadline, t.remaining, barred, cards[0] if e.count == 1 else None,
    )  # fmt: skip
    if e.source == "stock":
        return _table(
            s, e, d, _with_hand(d, seat, hand), d.melds, d.stock[1:], d.discard, turn, d.draws + 1, d.turns
        )
    pile = d.discard[: len(d.discard) - e.count]
    return _table(s, e, d, _with_hand(d, seat, hand), d.melds, d.stock, pile, turn, d.draws + 1, d.turns)


def _play(s: Match, e: ev.MeldLaid | ev.CardsLaidOff) -> Match:
    d = _deal(s)
    seat = e.seat
    hand = d.hands[seat]
    for c in e.cards:
        hand -= ONE[PLACED[c] & 63]
    turn = _same_turn(d, e.turn, e.cards)
    ended = turn is None or turn.seat != seat or turn.phase == "draw"
    return _table(
        s, e, d, _with_hand(d, seat, hand), _with_meld(d, read_meld(e.after)), d.stock, d.discard, turn,
        d.draws, d.turns + ended,
    )  # fmt: skip


def _wild_swapped(s: Match, e: ev.WildSwapped) -> Match:
    d = _deal(s)
    hand = d.hands[e.seat] - ONE[FACE[e.card]] + ONE[PLACED[e.wild] & 63]
    turn = _same_turn(d, e.turn, [e.card])
    return _table(
        s, e, d, _with_hand(d, e.seat, hand), _with_meld(d, read_meld(e.after)), d.stock, d.discard, turn,
        d.draws, d.turns,
    )  # fmt: skip


def _meld_split(s: Match, e: ev.MeldSplit) -> Match:
    d = _deal(s)
    melds = (*_with_meld(d, read_meld(e.after)), read_meld(e.new))
    turn = _same_turn(d, e.turn, [])
    return _table(s, e, d, d.hands, melds, d.stock, d.discard, turn, d.draws, d.turns)


def _card_discarded(s: Match, e: ev.CardDiscarded) -> Match:
    d = _deal(s)
    face = FACE[e.card]
    hands = _with_hand(d, e.seat, d.hands[e.seat] - ONE[face])
    # A caller's discard ends no turn (FK-12): whose turn it was is nobody's who has yet to draw.
    ended = d.turn is not None and d.turn.seat == e.seat and d.turn.phase != "draw"
    return _table(
        s, e, d, hands, d.melds, d.stock, (*d.discard, face), read_turn(e.turn), d.draws, d.turns + ended
    )


def _rummy_called(s: Match, e: ev.RummyCalled) -> Match:
    d = _deal(s)
    return _table(
        s, e, d, d.hands, _with_meld(d, read_meld(e.after)), d.stock, d.discard[:-1], read_turn(e.turn),
        d.draws, d.turns,
    )  # fmt: skip


def _turn_only(s: Match, e: ev.CallWindowClosed) -> Match:
    d = _deal(s)
    return _stamp(s, e, deal=replace(d, turn=read_turn(e.turn)))


def _hand_declared(s: Match, e: ev.HandDeclared) -> Match:
    d = _deal(s)
    face = FACE[e.discard]
    hands = _with_hand(d, e.seat, d.hands[e.seat] - ONE[face])
    return _table(s, e, d, hands, d.melds, d.stock, (*d.discard, face), None, d.draws, d.turns + 1)


def _turn_passed(s: Match, e: ev.TurnPassed) -> Match:
    d = _deal(s)
    passed = _stamp(s, e, deal=replace(d, turn=read_turn(e.turn), turns=d.turns + 1))
    return _there(passed, e)


def _turn_timed_out(s: Match, e: ev.TurnTimedOut) -> Match:
    marked = replace(s, timeout_commit=e.commit)
    return _seat(marked, e, e.seat, timeouts=s.seats[e.seat].timeouts + 1)


def _stock_rebuilt(s: Match, e: ev.StockRebuilt) -> Match:
    d = replace(
        _deal(s), stock=tuple(FACE[c] for c in e.cards or ()), discard=tuple(FACE[c] for c in e.discard),
        reshuffles=e.stock.reshuffles,
    )  # fmt: skip
    return _stamp(s, e, deal=d, next_draw=e.draw + 1)


def _deal_ended(s: Match, e: ev.DealEnded) -> Match:
    d = replace(_deal(s), turn=None)
    seats = tuple(
        replace(x, score=r.score, streak=r.streak) for x, r in zip(s.seats, e.result.seats, strict=True)
    )
    return _stamp(s, e, deal=d, seats=seats, result=e.result)


def _match_ended(s: Match, e: ev.MatchEnded) -> Match:
    return _stamp(s, e, status="finished", match_result=e.result, ended_at=e.at)


def _seed_revealed(s: Match, e: ev.SeedRevealed) -> Match:
    return _stamp(s, e)


def _game_paused(s: Match, e: ev.GamePaused) -> Match:
    deal = s.deal and replace(s.deal, turn=_same_turn(s.deal, e.turn, []))
    return _stamp(s, e, status="paused", deal=deal, paused_at=e.at)


def _game_resumed(s: Match, e: ev.GameResumed) -> Match:
    deal = s.deal and replace(s.deal, turn=_same_turn(s.deal, e.turn, []))
    return _stamp(s, e, status="playing", deal=deal, paused_at=None)


def _game_cancelled(s: Match, e: ev.GameCancelled) -> Match:
    deal = s.deal and replace(s.deal, turn=None)
    return _stamp(s, e, status="cancelled", deal=deal, ended_at=e.at)


_EVOLVE: dict[type, Callable[[Match, Any], Match]] = {
    ev.GameCreated: _game_created, ev.SeatTaken: _seat_taken, ev.SeatLeft: _seat_left,
    ev.SeatReturned: _seat_returned, ev.GameStarted: _game_started, ev.DealStarted: _deal_started,
    ev.CardDrawn: _card_drawn, ev.MeldLaid: _play, ev.CardsLaidOff: _play, ev.WildSwapped: _wild_swapped,
    ev.MeldSplit: _meld_split, ev.CardDiscarded: _card_discarded, ev.RummyCalled: _rummy_called,
    ev.CallWindowClosed: _turn_only, ev.HandDeclared: _hand_declared, ev.TurnPassed: _turn_passed,
    ev.TurnTimedOut: _turn_timed_out, ev.StockRebuilt: _stock_rebuilt, ev.DealEnded: _deal_ended,
    ev.MatchEnded: _match_ended, ev.SeedRevealed: _seed_revealed, ev.GamePaused: _game_paused,
    ev.GameResumed: _game_resumed, ev.GameCancelled: _game_cancelled,
}  # fmt: skip

NEW = Match()


def evolve(state: Match, event: Any) -> Match:
    """The state after ``event``."""
    return _EVOLVE[type(event)](state, event)


def seat_kinds(state: Match) -> list[SeatKind]:
    """What sits where, as events say it."""
    return [SeatKind(x.kind, x.level) for x in state.seats]  # type: ignore[arg-type]
