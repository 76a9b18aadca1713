"""Tables for the properties: random options, random play with slips, and what a client gets of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

import msgspec
import pytest

from domain import commands as cmd
from domain.actions import actions
from domain.cards import NAMES, names, unpack
from domain.commands import Actor, Rejected
from domain.decide import Decision, NewGame, NewSeat, create, execute
from domain.record import later
from domain.rules import CLOCK_SCHEMA, Option
from domain.state import Match
from domain.variants import VARIANTS
from domain.views import view

AT = "2026-01-01T12:00:00.000Z"
VARIANT_SLUGS = tuple(sorted(VARIANTS))
SERVER = Actor(server=True)
#: Limits that keep random matches short, where the game's own are long.
_SHORT = {"deals": (1, 3), "rounds": (1, 4), "target": (100, 500), "rummy_window": (0, 2)}
HOST = Actor(host=True)
OPERATOR = Actor(operator=True)
SEED = "7" * 64
#: A hand that wins with any card to set aside, and one that is worth more than the cap.
COMPLETE = ["3C", "4C", "5C", "8S", "9S", "TS", "QC", "QD", "QH", "KC", "KD", "KH", "KS"]
JUNK = ["AC", "TC", "JD", "TH", "9H", "8C", "6D", "6S", "5H", "4D", "3S", "2H", "2D"]


class Step(NamedTuple):
    """One accepted command of a random match."""

    before: Match
    command: Any
    actor: Actor
    events: list[Any]
    after: Match


def plain(x: Any) -> Any:
    """What goes over the wire, as plain values."""
    return msgspec.json.decode(msgspec.json.encode(x))


def see(state: Match, viewer: int | None) -> dict[str, Any]:
    """The view of a seat or a spectator, as plain values."""
    return plain(view(state, viewer, "game", [None] * len(state.seats)))


def random_value(option: Option, rng: Random, seats: int) -> Any:
    """A lawful value of an option."""
    schema = option.schema
    if schema is CLOCK_SCHEMA:
        return rng.choice([None, {"turn": 30}, {"draw": 5, "discard": 9}])
    if "enum" in schema:
        return rng.choice(schema["enum"])
    if schema["type"] == "boolean":
        return rng.random() < 0.5
    if option.name.startswith("first_"):
        return rng.choice([None, *range(seats)])
    if option.name in _SHORT:
        return rng.randint(*_SHORT[option.name])
    return rng.choice([option.default, rng.randint(schema["minimum"], schema["maximum"])])


def random_options(variant: str, rng: Random, seats: int) -> dict[str, Any]:
    """Some of the options of a game, each with a lawful value; the long matches are cut short."""
    return {
        o.name: random_value(o, rng, seats)
        for o in VARIANTS[variant].options
        if o.name in _SHORT or rng.random() < 0.5
    }


def random_game(variant: str, rng: Random, *, sandbox: dict[str, Any] | None = None) -> NewGame:
    """A table of any lawful size with any lawful options, all seats human."""
    room = VARIANTS[variant].seats
    seats = rng.randint(room.min, room.max)
    return NewGame(
        variant, rng.randbytes(32).hex(), random_options(variant, rng, seats),
        tuple(NewSeat("human", None, str(rng.random())) for _ in range(seats)), sandbox=sandbox,
    )  # fmt: skip


# ------------------------------------------------------------------- random play


def clumsy_declare(state: Match, rng: Random) -> cmd.Declare | None:
    """Fourteen cards shown as they come: hardly ever right."""
    deal = state.deal
    assert deal is not None
    assert deal.turn is not None
    hand = names(unpack(deal.hands[deal.turn.seat]))
    if len(hand) != 14:
        return None
    rng.shuffle(hand)
    return cmd.Declare([hand[1:4], hand[4:7], hand[7:10], hand[10:]], hand[0])


def step(state: Match, rng: Random, manage: bool = True) -> Step:
    """One accepted command of whoever may send one: mostly plays, now and then something unusual."""
    deal = state.deal
    assert deal is not None
    assert state.rules is not None
    at = later(state.at, 1)
    if state.status == "paused":
        return _send(state, cmd.Resume(), Actor(host=True), later(state.at, 7))
    turn = deal.turn
    assert turn is not None
    if manage and rng.random() < 0.03:
        if turn.deadline is not None and rng.random() < 0.6:
            return _send(state, cmd.TimeOut(), SERVER, turn.deadline)
        left = sum(not x.resigned for x in state.seats)
        if left > 2 and rng.random() < 0.2 and not state.seats[turn.seat].resigned:
            return _send(state, cmd.Resign(), Actor(turn.seat), at)
        return _send(state, cmd.Pause(), Actor(host=True), at)
    if turn.window is not None and rng.random() < 0.5:
        return _send(state, cmd.CloseWindow(), SERVER, max(turn.window, at))
    if state.rules.family == "declare" and turn.phase == "play" and rng.random() < 0.02:
        slip = clumsy_declare(state, rng)
        if slip is not None and state.rules.invalid_declaration == "penalty":
            try:
                return _send(state, slip, Actor(turn.seat), at)
            except Rejected:
                pass  # a barred card set aside
    order = list(range(len(state.seats)))
    rng.shuffle(order)
    found = [(turn.seat, c) for c in actions(state, turn.seat)[0]]
    if state.rules.calls and turn.discarder is not None and rng.random() < 0.5:
        found = [(i, c) for i in order for c in actions(state, i)[0]]
    if not found:
        assert turn.window is not None, "somebody always has a legal command (K-7)"
        return _send(state, cmd.CloseWindow(), SERVER, max(turn.window, at))
    keen = [x for x in found if not isinstance(x[1], (cmd.Discard, cmd.Draw, cmd.Pass))]
    seat, command = rng.choice(keen if keen and rng.random() < 0.7 else found)
    return _send(state, command, Actor(seat), at)


def _send(state: Match, command: Any, actor: Actor, at: str) -> Step:
    decision = execute(state, command, actor, at)
    return Step(state, command, actor, decision.events, decision.state)


def random_match(game: NewGame, rng: Random, most: int, manage: bool = True) -> Iterator[Step]:
    """The steps of a match, the creation first (its command is the game)."""
    decision = create(game, AT)
    yield Step(Match(), game, SERVER, decision.events, decision.state)
    state = decision.state
    for _ in range(most):
        if state.status not in ("playing", "paused"):
            return
        done = step(state, rng, manage)
        yield done
        state = done.after


# --------------------------------------------------------------- commands to try


def attempts(state: Match, seat: int, rng: Random, number: int) -> list[Any]:
    """Commands of every kind, lawful or not, that a client in this seat might send."""
    deal = state.deal
    assert deal is not None
    hand = names(unpack(deal.hands[seat]))
    anything = [*hand, *hand, *NAMES]
    melds = len(deal.melds) + 1

    def cards(low: int, high: int) -> list[str]:
        picked = rng.sample(hand, min(len(hand), rng.randint(low, high)))
        if rng.random() < 0.2 or not picked:
            picked = [*picked, rng.choice(anything)]
        return [c if rng.random() < 0.9 else f"{c}={rng.choice(NAMES[:52])}" for c in picked]

    def one() -> Any:
        kind = rng.randrange(11)
        if kind == 0:
            return cmd.Draw("stock", rng.choice([1, 1, 2]))
        if kind == 1:
            return cmd.Draw("discard", rng.choice([1, 1, 2, 3, 9]))
        if kind in (2, 3):
            return cmd.Meld(cards(2, 5), rng.choice([None, None, "set", "run"]))
        if kind == 4:
            return cmd.LayOff(rng.randint(1, melds), cards(1, 2), rng.choice([None, "low", "high", "beside"]))
        if kind == 5:
            wild = rng.choice([None, rng.choice(anything)])
            return cmd.Swap(rng.randint(1, melds), rng.choice(anything), wild)
        if kind == 6:
            return cmd.Discard(rng.choice(anything))
        if kind == 7:
            shuffled = rng.sample(hand, len(hand))
            return cmd.Declare([shuffled[i : i + 4] for i in range(1, len(hand), 4)], (shuffled or ["AC"])[0])
        if kind == 8:
            return cmd.CallRummy(rng.randint(1, melds), rng.choice([None, rng.choice(anything)]),
                                 rng.choice([None, "low", "high", "beside"]))  # fmt: skip
        if kind == 9:
            return cmd.Split(rng.randint(1, melds), rng.randint(0, 7))
        return rng.choice([cmd.Pass(), cmd.Pause(), cmd.Resume(), cmd.Start(), cmd.Cancel()])

    return [one() for _ in range(number)]


def answer(
    state: Match, command: Any, actor: Actor, at: str, dry: bool = False
) -> tuple[Any, list[Any], Match]:
    """What the sender is told (None, or the refusal in full), the events, and the state afterwards."""
    try:
        decision = execute(state, command, actor, at, dry)
    except Rejected as r:
        said = [r.code, r.detail, r.rule, r.choices, r.errors]
        return plain(said), [], state
    return None, decision.events, decision.state


# ------------------------------------------------------------- tables to order


def seats_of(kinds: str) -> tuple[NewSeat, ...]:
    """``h`` a human, ``b`` a bot, ``o`` an open seat."""
    made = {"h": NewSeat("human"), "b": NewSeat("bot", "easy"), "o": NewSeat()}
    return tuple(made[k] for k in kinds)


def table(kinds: str, variant: str = "wild-rummy", *, start: str = "auto", **more: Any) -> Match:
    return create(NewGame(variant, SEED, seats=seats_of(kinds), start=start, **more), AT).state


def position(
    hands: Sequence[Sequence[str]], turn: dict[str, Any] | None = None, variant: str = "thirteen-card-rummy",
    options: dict[str, Any] | None = None, **more: Any,
) -> Match:  # fmt: skip
    told = {"hands": hands, "turn": {"seat": 0, "phase": "draw", **(turn or {})}, **more}
    if variant not in ("wild-rummy", "two-player-rummy"):
        told.setdefault("wild_indicator", "7H")
    game = NewGame(variant, SEED, options or {}, seats_of("h" * len(hands)), sandbox={"position": told})
    return create(game, AT).state


def do(state: Match, command: Any, actor: Actor | int = SERVER, at: str = AT) -> Decision:
    return execute(state, command, Actor(actor) if isinstance(actor, int) else actor, at)


def code(state: Match, command: Any, actor: Actor | int = SERVER, at: str = AT) -> str:
    with pytest.raises(Rejected) as refusal:
        do(state, command, actor, at)
    return refusal.value.code


def types(events: Sequence[Any]) -> list[str]:
    return [plain(e)["type"] for e in events]
