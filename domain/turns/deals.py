"""Deals: how they are dealt, how a turn gives way to the next, how they end and a match with them.

Order of endings that fall together (K-10): out or declared, draw limit, stalemate or exhausted
stock, turn limit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from domain import events as ev
from domain.cards import JOKER, NAMES, RANK, deck, names, pack, unpack
from domain.plays import extensible
from domain.record import Recorder, later, seconds_for, write_turn
from domain.rules import TURN_LIMIT, RuleSet
from domain.scoring import Ending, Groups, Score
from domain.shapes import DealResult, DealShape, MatchResult, SeatResult, StockShape, WildShape
from domain.shuffle import shuffle
from domain.state import Match, Turn, wild_mask
from domain.variants import VARIANTS

# ----------------------------------------------------------------------- dealing


class Dealt(NamedTuple):
    """Cards as dealt from a deck."""

    hands: list[list[int]]
    upcards: list[int] | None
    indicator: int | None
    discard: list[int]
    stock: list[int]


def deal_cards(rules: RuleSet, seats: int, dealer: int, starter: int, order: Sequence[int]) -> Dealt | None:
    """Deal a deck (K-14, FK-3); None if it cannot serve the deal (FK-21)."""
    hands: list[list[int]] = [[] for _ in range(seats)]
    cards = list(order)
    upcards: list[int] | None = None
    indicator: int | None = None
    if rules.upcard_hands is not None:
        upcards = [0] * seats
        for i in range(1, seats + 1):
            seat = (dealer + i) % seats
            if not cards:
                return None
            up = cards.pop(0)
            more = _upcard_hand(rules, up) - 1
            if len(cards) < more:
                return None
            upcards[seat] = up
            hands[seat] = [up, *cards[:more]]
            del cards[:more]
        indicator = upcards[dealer]
    else:
        first = starter if rules.extra_card == "starter" else (dealer + 1) % seats
        for i in range(rules.hand_size * seats):
            hands[(first + i) % seats].append(cards.pop(0))
        if rules.extra_card is not None:
            hands[starter if rules.extra_card == "starter" else dealer].append(cards.pop(0))
        if rules.turned_card:
            indicator = cards.pop(0)
    discard: list[int] = []
    if rules.opens_pile:
        if len(cards) < 2:
            return None
        discard.append(cards.pop(0))
    return Dealt(hands, upcards, indicator, discard, cards)


def _upcard_hand(rules: RuleSet, up: int) -> int:
    """How many cards a seat gets by its upcard, the upcard included (FK-3, FK-19, FK-20, GE-2)."""
    permanent = up == JOKER or (rules.permanent_wilds == "twos" and RANK[up] == 1)
    if permanent:
        return 1 + rules.permanent_wild_hand
    assert rules.upcard_hands is not None
    return rules.upcard_hands[RANK[up]]


def seats_of(state: Match) -> int:
    """How many seats the match has."""
    return len(state.seats)


def full_deck(rules: RuleSet) -> list[int]:
    """The canonical order of the game's deck (K-11)."""
    return deck(rules.decks, rules.jokers_per_deck, rules.missing_ranks)


def starter_of(rules: RuleSet, dealer: int, seats: int) -> int:
    """Who begins a deal, from its dealer."""
    return dealer if rules.starter == "dealer" else (dealer + 1) % seats


def start_deal(rec: Recorder, number: int, dealer: int, order: Sequence[int] | None = None) -> bool:
    """Deal and record it; ``order`` is a sandbox's deck, standing for draw 1.  False if it cannot serve."""
    rules, state = rec.rules, rec.state
    seats = seats_of(state)
    starter = starter_of(rules, dealer, seats)
    draw = state.next_draw
    cards = order if order is not None else shuffle(state.seed, state.client, draw, full_deck(rules))
    dealt = deal_cards(rules, seats, dealer, starter, cards)
    while dealt is None:
        if order is not None:
            return False
        draw += 1  # FK-21: shuffled and dealt anew
        cards = shuffle(state.seed, state.client, draw, full_deck(rules))
        dealt = deal_cards(rules, seats, dealer, starter, cards)
    hands = [pack(h) for h in dealt.hands]
    rec.emit(
        ev.DealStarted,
        deal=deal_shape(rules, number, dealer, starter, dealt.indicator),
        counts=[len(h) for h in dealt.hands],
        hands=[names(unpack(h)) for h in hands],
        upcards=None if dealt.upcards is None else names(dealt.upcards),
        melds=[],
        discard=names(dealt.discard),
        stock=StockShape(len(dealt.stock), 0, 0),
        scores=[x.score for x in state.seats],
        streaks=[x.streak for x in state.seats],
        turn=write_turn(clocked(rec, Turn(starter, rules.opening_phase))),
        draw=draw,
        turns=0,
        deck=names(cards),
    )
    return True


def deal_shape(rules: RuleSet, number: int, dealer: int, starter: int, indicator: int | None) -> DealShape:
    """A deal as events and views show it."""
    mask = wild_mask(rules, number, indicator)
    return DealShape(
        number, rules.deals, dealer, starter,
        WildShape([NAMES[f] for f in range(53) if mask >> f & 1],
                  None if indicator is None else NAMES[indicator]),
    )  # fmt: skip


# ------------------------------------------------------------------------- turns


def barred_card(rules: RuleSet, turn: Turn) -> int | None:
    """The card just taken, where it may neither be discarded nor set aside (K-1, FK-11, TP-14, SD-3)."""
    return turn.taken if turn.barred and not rules.may_return_taken else None


def clocked(rec: Recorder, turn: Turn) -> Turn:
    """The turn with its deadline, where the game has a clock (TC-9); a call window comes first."""
    clock = rec.rules.clock
    if clock is None:
        return turn
    start = turn.window or rec.at
    return Turn(
        turn.seat, turn.phase, turn.taken, turn.pending, turn.floating, turn.discarder, turn.window,
        later(start, seconds_for(clock, turn.phase)), None, turn.barred,
    )  # fmt: skip


def turn_after(
    rec: Recorder, seat: int, *, floating: bool, discarder: int | None, window: str | None = None
) -> Turn:
    """The draw phase of a seat's turn, its clock started."""
    return clocked(rec, Turn(seat, "draw", floating=floating, discarder=discarder, window=window))


def play_phase_turn(rec: Recorder, taken: int | None, owed: tuple[int, ...]) -> Turn:
    """The play phase after a draw; with one span for the whole turn the deadline stays."""
    old = rec.turn
    turn = Turn(old.seat, "play", taken, owed, old.floating)
    clock = rec.rules.clock
    if clock is not None and clock.turn is not None:
        return Turn(old.seat, "play", taken, owed, old.floating, deadline=old.deadline)
    return clocked(rec, turn)


def could_call(rec: Recorder, face: int, discarder: int) -> bool:
    """Whether some seat could call this discard (FK-12)."""
    deal = rec.deal
    for seat in range(len(deal.hands)):
        if seat != discarder and any(
            seat in m.by or any(by == seat for _, by in m.beside) for m in deal.melds
        ):
            return any(extensible(rec.rules, deal.wild, face, m) for m in deal.melds)
    return False


def window_for(rec: Recorder, face: int, discarder: int) -> str | None:
    """Until when the next draw waits for calls (FK-12, option ``rummy_window``)."""
    seconds = rec.rules.rummy_window
    if not seconds or not could_call(rec, face, discarder):
        return None
    return later(rec.at, seconds)


def finish_turn(
    rec: Recorder, seat: int, emit: Callable[[Turn | None], None], *, out: bool, discarded: int | None
) -> None:
    """Record a turn's last event by ``emit``, with what comes next, and then what follows from it.

    ``out``: the seat went out with it.  ``discarded``: the card that went on the pile, if one did.
    """
    rules, deal = rec.rules, rec.deal
    following = (seat + 1) % len(deal.hands)
    floating = rules.last_card == "float" and not deal.hands[following]
    top = discarded if discarded is not None else deal.discard[-1] if deal.discard else None
    pile = len(deal.discard) + (discarded is not None)
    reason = "went_out" if out else _ending(rec, pile, top, floating)
    if reason is not None:
        emit(None)
        end_deal(rec, reason, seat if out else None)
        return
    calls = rules.calls and discarded is not None
    window = window_for(rec, discarded, seat) if calls and discarded is not None else None
    emit(turn_after(rec, following, floating=floating, discarder=seat if calls else None, window=window))
    if not rec.deal.stock and rules.reshuffles != "never" and pile > 1:
        _rebuild(rec)


def _ending(rec: Recorder, pile: int, top: int | None, floating: bool) -> str | None:
    rules, deal = rec.rules, rec.deal
    if rules.draw_limit is not None and deal.draws >= rules.draw_limit:
        return "draw_limit"  # TC-13
    last = deal.turns + 1 >= TURN_LIMIT
    if not deal.stock:
        if rules.reshuffles == "never":
            if floating and not last:  # at the limit the turn never comes to the floating seat (K-10)
                return "stock_exhausted"  # FK-15
        elif rules.reshuffles == "once":
            if deal.reshuffles or pile < 2:
                return "stalemate"  # WR-17
        elif pile < 2 and not (rules.pile_saves and _takeable(rules, deal.wild, top)):
            return "stock_exhausted"  # TP-13, TC-10
    return "turn_limit" if last else None  # K-10


def _takeable(rules: RuleSet, wild: int, top: int | None) -> bool:
    return top is not None and (rules.may_take_jokers or not wild >> top & 1)


def _rebuild(rec: Recorder) -> None:
    """K-13: the pile but its top, shuffled, becomes the stock."""
    deal, state = rec.deal, rec.state
    cards = shuffle(state.seed, state.client, state.next_draw, deal.discard[:-1])
    rec.emit(
        ev.StockRebuilt, stock=StockShape(len(cards), deal.reshuffles + 1, deal.draws),
        discard=[NAMES[deal.discard[-1]]], draw=state.next_draw, cards=names(cards),
    )  # fmt: skip


# ----------------------------------------------------------------------- endings


def end_deal(
    rec: Recorder, reason: str, winner: int | None, declarer: int | None = None, groups: Groups = ()
) -> None:
    """Score the deal, then deal the next one or end the match."""
    rules, deal = rec.rules, rec.deal
    ending = Ending(reason, winner, declarer, groups)
    if reason == "resigned":
        scores = [Score([]) for _ in deal.hands]
    else:
        scores = VARIANTS[rules.variant].score(rules, deal, rec.state.seats, ending)
    _record_end(rec, ending, scores)
    if reason == "resigned":
        return
    if match_over(rec):
        _end_match(rec, ending)
    else:
        start_deal(rec, deal.number + 1, _next_dealer(rec, ending))


def _record_end(rec: Recorder, ending: Ending, scores: list[Score]) -> None:
    deal = rec.deal
    seats: list[SeatResult] = []
    for i, score in enumerate(scores):
        seat = rec.state.seats[i]
        points = sum(x.value for x in score.lines if x.part == "points")
        bonus = sum(x.value for x in score.lines if x.part == "bonus")
        streak = seat.streak if ending.reason == "resigned" else seat.streak + 1 if i == ending.winner else 0
        seats.append(
            SeatResult(
                i, names(unpack(deal.hands[i])), score.groups, points, bonus, points + bonus,
                seat.score + points + bonus, streak, score.lines,
            )
        )
    rec.emit(
        ev.DealEnded,
        result=DealResult(deal.number, ending.reason, ending.winner, seats),  # type: ignore[arg-type]
        stock=names(deal.stock),
    )


def _next_dealer(rec: Recorder, ending: Ending) -> int:
    deal, rules = rec.deal, rec.rules
    seats = len(deal.hands)
    if rules.winner_passes_start:  # WR-5: the next starter sits left of the winner, or of the last starter
        starter = ((deal.starter if ending.winner is None else ending.winner) + 1) % seats
        return (starter - 1) % seats
    return (deal.dealer + 1) % seats


def match_over(rec: Recorder) -> bool:
    """Whether the deal just scored was the last (WR-3, TC-14, FK-17)."""
    rules = rec.rules
    if rules.target is not None:
        return any(x.score >= rules.target for x in rec.state.seats)
    return rec.deal.number >= (rules.deals or 1)


def places(rules: RuleSet, scores: Sequence[int], seats: Sequence[int]) -> list[list[int]]:
    """Seats by total, best first, ties together (K-15)."""
    best_first = sorted({scores[i] for i in seats}, reverse=rules.wins == "highest")
    return [[i for i in seats if scores[i] == total] for total in best_first]


def _end_match(rec: Recorder, ending: Ending) -> None:
    rules = rec.rules
    scores = [x.score for x in rec.state.seats]
    everyone = list(range(len(scores)))
    alone: int | None = None
    if rules.deals == 1 and ending.reason == "declared":
        alone = ending.winner  # TC-14: in a match of one deal the declarer wins alone
    elif rules.crossing == "out_first" and rules.target is not None and ending.winner is not None:
        crossed = [i for i in everyone if scores[i] >= (rules.target or 0)]
        if len(crossed) > 1 and ending.winner in crossed:
            alone = ending.winner  # FK-18
    if alone is None:
        order = places(rules, scores, everyone)
    else:
        order = [[alone], *places(rules, scores, [i for i in everyone if i != alone])]
    record_match(rec, order, "completed")


def record_match(rec: Recorder, order: list[list[int]], reason: str) -> None:
    """Record the end of the match, and reveal the seed (K-11)."""
    scores = [x.score for x in rec.state.seats]
    rec.emit(
        ev.MatchEnded, result=MatchResult(order[0], order, scores, reason)  # type: ignore[arg-type]
    )
    rec.emit(ev.SeedRevealed, seed=rec.state.seed.hex())


