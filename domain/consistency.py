"""What can be checked of a fold without deciding anything: the *intact* of a log.

Each event must fit the state that it is folded into: cards leave the hand that holds them, a draw
takes what lies on top, a meld after a play is the meld before it and the cards played, totals add up,
and every card of the deck is somewhere exactly once.  Whether a move was lawful is another question
(``domain.verify``), which changes with the rules; this one never does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from domain import events as ev
from domain.cards import FACE, ONE, PLACED, count, names, pack, unpack
from domain.shapes import MeldShape, TurnShape
from domain.state import Deal, Match
from domain.turns.deals import full_deck
from domain.variants import VARIANTS

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


class Inconsistent(Exception):
    """An event that cannot have happened in the state before it."""


def _need(condition: bool, detail: str) -> None:
    if not condition:
        raise Inconsistent(detail)


def check_before(s: Match, e: Any) -> None:
    """Whether an event fits the state that it is folded into; ``Inconsistent`` if not.

    A card or a seat that there is none may also surface as ``KeyError`` or ``IndexError``.
    """
    _need(e.seq == s.version + 1, f"Event {s.version + 1} is missing: {e.seq} follows {s.version}.")
    _need(e.commit in (s.commit, s.commit + 1) and e.commit > 0, f"Commit {e.commit} follows {s.commit}.")
    _need(_TIME.fullmatch(e.at) is not None, f"{e.at!r} is no time.")
    _need(e.at >= s.at, "Time runs backwards.")
    states, check = _CHECKS[type(e)]
    _need(s.status in states, f"Such an event has no place in a game that is {s.status}.")
    seat = getattr(e, "seat", None)
    _need(seat is None or 0 <= seat < len(s.seats), f"There is no seat {seat}.")
    check(s, e)


def check_after(s: Match, e: Any) -> None:
    """Whether the state after an event holds together: the turn, and every card exactly once."""
    d = s.deal
    if d is None or type(e) not in _MOVES:
        return
    turn = getattr(e, "turn", None)
    if turn is not None:
        _turn(s, d, turn)
    _cards(s, d)


# ------------------------------------------------------------------- what is shared


def _deal(s: Match) -> Deal:
    if s.deal is None:
        raise Inconsistent("Nothing has been dealt.")
    return s.deal


def _turn(s: Match, d: Deal, t: TurnShape) -> None:
    seats = len(s.seats)
    _need(0 <= t.seat < seats, f"There is no seat {t.seat}.")
    _need(t.discarder is None or 0 <= t.discarder < seats, f"There is no seat {t.discarder}.")
    _holds(d.hands[t.seat], [FACE[c] for c in t.pending], "A card is owed that is not in the hand.")


def _cards(s: Match, d: Deal) -> None:
    """Every card is somewhere exactly once."""
    assert s.rules is not None
    everywhere = sum(d.hands) + pack(d.stock) + pack(d.discard)
    for m in d.melds:
        everywhere += pack(c & 63 for c in m.cards) + pack(face for face, _ in m.beside)
    if s.rules.turned_card and d.indicator is not None:
        everywhere += ONE[d.indicator]
    _need(everywhere == pack(full_deck(s.rules)), "A card is missing, or there is one too many.")


def _holds(hand: int, faces: Iterable[int], detail: str) -> None:
    for face, number in Counter(faces).items():
        _need(count(hand, face) >= number, detail)


def _in_hand(s: Match, seat: int, cards: Iterable[str]) -> None:
    faces = [PLACED[c] & 63 for c in cards]
    _holds(_deal(s).hands[seat], faces, "A card was played that is not in the hand.")


def _acting(s: Match, seat: int) -> None:
    turn = _deal(s).turn
    _need(turn is not None and turn.seat == seat, f"It is not the turn of seat {seat}.")


def _on_table(m: MeldShape) -> Counter[int]:
    """The cards of a meld and beside it."""
    _need(len(m.by) == len(m.cards), "A meld says of too few or too many cards who played them.")
    return Counter([*(PLACED[c] & 63 for c in m.cards), *(FACE[b.card] for b in m.beside)])


def _meld(s: Match, number: int) -> tuple[Counter[int], int, str]:
    melds = _deal(s).melds
    _need(1 <= number <= len(melds), f"There is no meld {number}.")
    m = melds[number - 1]
    return Counter([*(c & 63 for c in m.cards), *(f for f, _ in m.beside)]), m.owner, m.kind


def _same_meld(s: Match, e: Any, gone: Iterable[int], come: Iterable[int], after: Counter[int]) -> None:
    before, owner, kind = _meld(s, e.meld)
    same = (e.after.id, e.after.owner, e.after.kind) == (e.meld, owner, kind)
    _need(same, "It is another meld afterwards.")
    before.subtract(gone)
    before.update(come)
    _need(+before == after and min(before.values()) >= 0, "The meld afterwards holds other cards.")


# ---------------------------------------------------------------------- event by event


def _created(s: Match, e: ev.GameCreated) -> None:
    del s
    _need(e.variant in VARIANTS and e.rules.variant == e.variant, f"There is no game {e.variant!r}.")
    _need(1 <= len(e.seats) <= 8, "No game has so many seats.")


def _seat_taken(s: Match, e: ev.SeatTaken) -> None:
    free = s.seats[e.seat].kind == "open" or (e.commit == s.commit == 1 and s.seats[e.seat].kind == "human")
    _need(free, f"Seat {e.seat} is taken.")


def _seat_left(s: Match, e: ev.SeatLeft) -> None:
    seat = s.seats[e.seat]
    _need(seat.kind == "human" and not seat.resigned, f"Nobody sits in seat {e.seat} who could leave.")
    _need((e.reason == "left") == (s.status == "waiting"), "A seat is left free only while a game waits.")


def _seat_returned(s: Match, e: ev.SeatReturned) -> None:
    _need(s.seats[e.seat].played_by is not None, f"Seat {e.seat} was not left.")


def _started(s: Match, e: ev.GameStarted) -> None:
    _need(len(e.seats) == len(s.seats), "It starts with another number of seats.")
    _need(all(k.kind != "open" for k in e.seats), "It starts with an open seat.")
    _need(0 <= e.first < len(s.seats), f"There is no seat {e.first}.")


def _deal_started(s: Match, e: ev.DealStarted) -> None:
    d, seats = s.deal, len(s.seats)
    _need(d is None or d.turn is None, "The last deal is not over.")
    _need(d is None or e.deal.number == d.number + 1, "A deal is missing.")
    _need(all(len(x) == seats for x in (e.counts, e.hands, e.scores, e.streaks)), "A seat is missing.")
    _need(e.upcards is None or len(e.upcards) == seats, "An upcard is missing.")
    _need(e.counts == [len(h or ()) for h in e.hands], "The counts of the hands are not those of the hands.")
    _need(0 <= e.deal.dealer < seats and 0 <= e.deal.starter < seats, "There is no such seat.")
    deck = e.deck or []
    _need(0 <= e.stock.count <= len(deck), "The stock is larger than the deck.")
    if d is not None:
        _need(e.scores == [x.score for x in s.seats], "The totals are not those of the last deal.")
        _need(e.streaks == [x.streak for x in s.seats], "The streaks are not those of the last deal.")
    assert s.rules is not None
    whole = Counter(full_deck(s.rules))
    placed = Counter(FACE[c] for hand in e.hands for c in hand or ()) + Counter(FACE[c] for c in e.discard)
    placed += Counter(FACE[c] for c in deck[len(deck) - e.stock.count :])
    for number, m in enumerate(e.melds, 1):
        _need(m.id == number, "The melds are not numbered in order.")
        placed += _on_table(m)
    _need(not placed - whole, "There is a card too many.")


def _drawn(s: Match, e: ev.CardDrawn) -> None:
    d = _deal(s)
    _acting(s, e.seat)
    cards = [FACE[c] for c in e.cards or ()]
    source = d.stock if e.source == "stock" else d.discard[::-1]
    counted = e.count == len(cards) > 0 and (e.source == "discard" or e.count == 1)
    _need(counted, "The count is not that of the cards.")
    _need(tuple(cards) == source[: e.count], "Other cards lay on top.")


def _laid(s: Match, e: ev.MeldLaid) -> None:
    _acting(s, e.seat)
    _in_hand(s, e.seat, e.cards)
    number = len(_deal(s).melds) + 1
    _need(e.meld == e.after.id == number, f"The next meld has the number {number}.")
    _need(e.after.owner == e.seat and set(e.after.by) == {e.seat}, "The meld is not its player's.")
    _need(_on_table(e.after) == Counter(PLACED[c] & 63 for c in e.cards), "The meld holds other cards.")


def _laid_off(s: Match, e: ev.CardsLaidOff) -> None:
    _acting(s, e.seat)
    _in_hand(s, e.seat, e.cards)
    _same_meld(s, e, (), [PLACED[c] & 63 for c in e.cards], _on_table(e.after))


def _swapped(s: Match, e: ev.WildSwapped) -> None:
    _acting(s, e.seat)
    _in_hand(s, e.seat, [e.card])
    _same_meld(s, e, [PLACED[e.wild] & 63], [FACE[e.card]], _on_table(e.after))


def _split(s: Match, e: ev.MeldSplit) -> None:
    _acting(s, e.seat)
    _need(e.new.id == len(_deal(s).melds) + 1, "The new meld has another number.")
    _need(e.new.owner == e.after.owner and e.new.kind == e.after.kind, "The halves are of two melds.")
    _same_meld(s, e, (), (), _on_table(e.after) + _on_table(e.new))


def _discarded(s: Match, e: ev.CardDiscarded) -> None:
    if e.commit != s.commit:  # a caller's discard comes in its call's own commit (FK-12)
        _acting(s, e.seat)
    _in_hand(s, e.seat, [e.card])


def _called(s: Match, e: ev.RummyCalled) -> None:
    pile = _deal(s).discard
    face = PLACED[e.card] & 63
    _need(bool(pile) and pile[-1] == face, "Another card lay on the pile.")
    _same_meld(s, e, (), [face], _on_table(e.after))


def _declared(s: Match, e: ev.HandDeclared) -> None:
    _acting(s, e.seat)
    _in_hand(s, e.seat, [e.discard, *(c for g in e.groups for c in g)])


def _passed(s: Match, e: ev.TurnPassed) -> None:
    _acting(s, e.seat)
    _need(not _deal(s).stock, "The stock is not empty.")


def _timed_out(s: Match, e: ev.TurnTimedOut) -> None:
    _acting(s, e.seat)
    turn = _deal(s).turn
    _need(turn is not None and turn.phase == e.phase, "The turn was in another phase.")


def _rebuilt(s: Match, e: ev.StockRebuilt) -> None:
    d = _deal(s)
    _need(not d.stock, "The stock is not empty.")
    _need(e.discard == names(d.discard[-1:]), "The pile's top is another card.")
    _need(Counter(e.cards or ()) == Counter(names(d.discard[:-1])), "The new stock is not the old pile.")
    stock = (len(e.cards or ()), d.reshuffles + 1, d.draws)
    _need((e.stock.count, e.stock.reshuffles, e.stock.draws) == stock, "The stock does not add up.")


def _ended(s: Match, e: ev.DealEnded) -> None:
    d, r = _deal(s), e.result
    _need(r.number == d.number, "It is the result of another deal.")
    _need([x.seat for x in r.seats] == list(range(len(s.seats))), "A seat is missing.")
    _need(r.winner is None or 0 <= r.winner < len(s.seats), f"There is no seat {r.winner}.")
    for x, seat, hand in zip(r.seats, s.seats, d.hands, strict=True):
        _need(x.hand == names(unpack(hand)), f"Seat {x.seat} held other cards.")
        for part, total in (("points", x.points), ("bonus", x.bonus)):
            _need(sum(line.value for line in x.lines if line.part == part) == total,
                  f"The lines of seat {x.seat} do not add up.")  # fmt: skip
        _need(x.delta == x.points + x.bonus and x.score == seat.score + x.delta,
              f"The score of seat {x.seat} does not add up.")  # fmt: skip
    _need(e.stock == names(d.stock), "Other cards were left in the stock.")


def _match_ended(s: Match, e: ev.MatchEnded) -> None:
    r = e.result
    _need(r.scores == [x.score for x in s.seats], "The totals are not those of the last deal.")
    _need(sorted(i for p in r.places for i in p) == list(range(len(s.seats))), "A seat has no place, or two.")
    _need(bool(r.places) and r.winners == r.places[0], "The winners are not those in the first place.")


def _nothing(s: Match, e: Any) -> None:
    """Such an event says nothing that could disagree with the state."""


_PLAYING = ("playing",)
_RUNNING = ("playing", "paused")
_OVER = ("finished", "cancelled")

Check = Callable[[Match, Any], None]
_CHECKS: dict[type, tuple[tuple[str, ...], Check]] = {
    ev.GameCreated: (("new",), _created),
    ev.SeatTaken: (("waiting",), _seat_taken),
    ev.SeatLeft: (("waiting", *_RUNNING), _seat_left),
    ev.SeatReturned: (_RUNNING, _seat_returned),
    ev.GameStarted: (("waiting",), _started),
    ev.DealStarted: (_PLAYING, _deal_started),
    ev.CardDrawn: (_PLAYING, _drawn),
    ev.MeldLaid: (_PLAYING, _laid),
    ev.CardsLaidOff: (_PLAYING, _laid_off),
    ev.WildSwapped: (_PLAYING, _swapped),
    ev.MeldSplit: (_PLAYING, _split),
    ev.CardDiscarded: (_PLAYING, _discarded),
    ev.RummyCalled: (_PLAYING, _called),
    ev.CallWindowClosed: (_PLAYING, _nothing),
    ev.HandDeclared: (_PLAYING, _declared),
    ev.TurnPassed: (_PLAYING, _passed),
    ev.TurnTimedOut: (_PLAYING, _timed_out),
    ev.StockRebuilt: (_PLAYING, _rebuilt),
    ev.DealEnded: (_RUNNING, _ended),
    ev.MatchEnded: (_RUNNING, _match_ended),
    ev.SeedRevealed: (_OVER, _nothing),
    ev.GamePaused: (_PLAYING, _nothing),
    ev.GameResumed: (("paused",), _nothing),
    ev.GameCancelled: (("waiting", *_RUNNING), _nothing),
}

#: Events after which cards may lie elsewhere, or the turn be another's.
_MOVES = frozenset(
    kind for kind, (states, _) in _CHECKS.items() if states == _PLAYING and kind is not ev.TurnTimedOut
)
