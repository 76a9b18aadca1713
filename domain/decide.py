"""The way in: who may do what when, then the turn's own table.

``execute(state, command, actor, at)`` gives the events that a command causes and the state after
them, or raises ``Rejected``.  Nothing here knows a clock, chance, or which game is played.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from domain import commands as cmd
from domain import events as ev
from domain.cards import FACE
from domain.commands import Actor, Rejected
from domain.evolve import NEW, seat_kinds
from domain.positions import start_position
from domain.record import Recorder, later, parse_time, write_turn
from domain.refusals import refuse
from domain.rules import RULES_VERSION, RuleSet, resolve_options
from domain.shapes import Level, SeatKind
from domain.shuffle import client_hash, commitment, first_seat
from domain.state import Match, Turn
from domain.turns import FAMILIES
from domain.turns.deals import end_deal, full_deck, places, record_match, start_deal
from domain.turns.timeouts import time_out
from domain.variants import VARIANTS


class Decision(NamedTuple):
    """The events of one commit and the state after them."""

    events: list[Any]
    state: Match


class NewSeat(Struct, frozen=True):
    """A seat as a game is created with it; ``entropy`` of a human's seat goes into the shuffles."""

    kind: str = "open"
    level: Level | None = None
    entropy: str = ""


class NewGame(Struct, frozen=True):
    """The command that creates a match.  ``seed`` is its secret, 32 bytes as hex (K-11)."""

    variant: str
    seed: str
    options: dict[str, Any] = {}
    seats: tuple[NewSeat, ...] = ()
    host_seat: int | None = None
    start: str = "auto"
    visibility: str = "public"
    spectators: Any = "public"
    sandbox: dict[str, Any] | None = None
    #: the rematch's first dealer or starter, where an earlier match decides it
    first: int | None = None
    #: resolved already (a rematch, or re-deciding an old log): taken as they are
    rules: RuleSet | None = None
    #: its identifier: a log names its game
    game_id: str = ""


def decide(state: Match, command: Any, actor: Actor, at: str) -> list[Any]:
    """The events that a command causes; see ``execute``."""
    return execute(state, command, actor, at).events


def resolve(variant: str, options: dict[str, Any], seats: int) -> RuleSet:
    """The rule set of a game with these options, or ``options.invalid`` with every fault."""
    game = VARIANTS[variant]
    resolved, faults = resolve_options(game.options, options, seats)
    if faults:
        raise Rejected(
            "options.invalid", " ".join(f.detail for f in faults), faults[0].rule, errors=faults
        )
    return game.rule_set(resolved, seats)


# ---------------------------------------------------------------------- creation


def create(game: NewGame, at: str) -> Decision:
    """Create a match; it starts at once if no seat is open, unless its start is manual.

    A sandbox that cannot be is refused now, not when the last seat is taken.
    """
    if game.rules is None:
        _check_seats(game)
    rules = game.rules or resolve(game.variant, game.options, len(game.seats))
    rec = Recorder(NEW, at)
    rec.emit(
        ev.GameCreated, game_id=game.game_id, variant=game.variant, rules_version=RULES_VERSION, rules=rules,
        seats=[SeatKind(x.kind, x.level) for x in game.seats],  # type: ignore[arg-type]
        visibility=game.visibility, spectators=game.spectators,
        commitment=commitment(bytes.fromhex(game.seed)), sandbox=game.sandbox is not None,
        host_seat=game.host_seat, start=game.start, seed=game.seed, setup=game.sandbox, first=game.first,
    )  # fmt: skip
    for i, seat in enumerate(game.seats):
        if seat.kind == "human":
            rec.emit(ev.SeatTaken, seat=i, entropy=seat.entropy)
    if game.start == "auto" and all(x.kind != "open" for x in game.seats):
        _begin(rec)
    elif game.sandbox is not None:
        _begin(Recorder(rec.state, at))  # a trial: whether it serves does not depend on who sits where
    return Decision(rec.events, rec.state)


def _check_seats(game: NewGame) -> None:
    seats = VARIANTS[game.variant].seats
    if not seats.min <= len(game.seats) <= seats.max:
        number = str(seats.min) if seats.min == seats.max else f"{seats.min} to {seats.max}"
        raise Rejected("request.invalid", f"This game has {number} seats.")
    if game.sandbox and game.sandbox.get("deck") is not None and game.sandbox.get("position") is not None:
        raise Rejected("request.invalid", "A sandbox has a deck or a position, not both.")


def _begin(rec: Recorder) -> None:
    """All seats are filled: fix the shuffles, find who is first, deal (K-11)."""
    state, rules = rec.state, rec.rules
    client = client_hash(x.entropy for x in state.seats)
    first = _first(state, rules, bytes.fromhex(client))
    rec.emit(ev.GameStarted, seats=seat_kinds(state), client=client, first=first)
    dealer = (first - 1) % len(state.seats) if rules.winner_passes_start else first
    setup = state.setup or {}
    if setup.get("position") is not None:
        start_position(rec, setup["position"])
        return
    order = sandbox_deck(rules, setup["deck"]) if setup.get("deck") is not None else None
    if not start_deal(rec, 1, dealer, order):
        raise refuse(rules, "sandbox.bad_position", detail="That deck cannot serve the first deal.")


def _first(state: Match, rules: RuleSet, client: bytes) -> int:
    wanted = rules.options.get(VARIANTS[rules.variant].first)
    if state.first_wanted is not None:
        return state.first_wanted
    if wanted is not None:
        return int(wanted)
    return first_seat(state.seed, client, len(state.seats))


def sandbox_deck(rules: RuleSet, cards: list[str]) -> list[int]:
    """A sandbox's deck: the cards named, then those left out in the canonical order (K-11)."""
    left = full_deck(rules)
    named = [FACE[c] for c in cards]
    for face in named:
        if face not in left:
            raise refuse(rules, "sandbox.bad_position", detail="The deck names a card too often.")
        left.remove(face)
    return named + left


# ----------------------------------------------------------------------- execute


def execute(state: Match, command: Any, actor: Actor, at: str, dry: bool = False) -> Decision:
    """What a command causes, or ``Rejected``.

    ``dry``: an invalid declaration is refused whatever the option (a dry run reveals nothing).
    """
    rec = Recorder(state, at, dry)
    if isinstance(command, cmd.GameCommand):
        _play(rec, command, actor)
    else:
        _MANAGEMENT[type(command)](rec, command, actor)
    return Decision(rec.events, rec.state)


def check_variant(rules: RuleSet, command: Any) -> None:
    """Raises ``command.not_in_variant``, whoever sends it."""
    if not isinstance(command, cmd.GameCommand):
        return
    kinds = FAMILIES[rules.family].commands_of(rules)
    if type(command) not in kinds:
        name, tag = VARIANTS[rules.variant].name, type(command).__struct_config__.tag
        raise refuse(rules, "command.not_in_variant", game=name, command=tag, commands=_listed(kinds))


def _listed(kinds: Iterable[type]) -> str:
    """Kinds of commands as a sentence names them, in the order of the contract."""
    tags = {kind.__struct_config__.tag for kind in kinds}  # type: ignore[attr-defined]
    *first, last = (name for name in cmd.ORDER if name in tags)
    return f"{', '.join(first)} and {last}" if first else last


def _phase_commands(rules: RuleSet, phase: str) -> str:
    """What a phase has commands for.  It is the table of the turn that says so, and not the state: whether one
    is lawful just now may hang on what is hidden."""
    family = FAMILIES[rules.family]
    kinds = [kind for kind in family.commands_of(rules) if (phase, kind) in family.handlers]
    if phase == "draw" and rules.calls:
        kinds.append(cmd.CallRummy)
    return _listed(kinds)


def _play(rec: Recorder, command: Any, actor: Actor) -> None:
    state, rules = rec.state, rec.rules
    family = FAMILIES[rules.family]
    kind: type = type(command)  # pyright: ignore[reportUnknownVariableType]
    check_variant(rules, command)
    if actor.seat is None:
        raise refuse(rules, "auth.not_your_game", detail="Only a seat can play; this token is none's.")
    if state.status == "paused":
        raise refuse(rules, "game.paused")
    if state.status != "playing":
        raise refuse(rules, "game.not_playing")
    if kind is cmd.CallRummy:
        family.call(rec, command, actor.seat)
        return
    turn = rec.turn
    if turn.seat != actor.seat:
        raise refuse(rules, "turn.not_yours", seat=turn.seat)
    handler = family.handlers.get((turn.phase, kind))
    if handler is None:
        code = family.wrong_phase.get(kind, "turn.wrong_phase")
        raise refuse(rules, code, phase=turn.phase, commands=_phase_commands(rules, turn.phase))
    handler(rec, command)


# -------------------------------------------------------------------- management


def _host(rec: Recorder, actor: Actor) -> None:
    if not (actor.host or actor.server):
        raise refuse(rec.rules, "auth.host_only")


def _start(rec: Recorder, command: cmd.Start, actor: Actor) -> None:
    _host(rec, actor)
    state = rec.state
    if state.status != "waiting":
        raise refuse(rec.rules, "game.not_waiting")
    if any(x.kind == "open" for x in state.seats):
        if command.fill is None:
            raise refuse(rec.rules, "game.seats_open")
        seats = tuple(
            replace(x, kind="bot", level=command.fill) if x.kind == "open" else x for x in state.seats
        )
        rec.state = replace(state, seats=seats)
    _begin(rec)


def _take_seat(rec: Recorder, command: cmd.TakeSeat, actor: Actor) -> None:
    del actor
    state = rec.state
    if state.status != "waiting":
        raise refuse(rec.rules, "game.not_waiting")
    open_seats = [i for i, x in enumerate(state.seats) if x.kind == "open"]
    if not open_seats:
        raise refuse(rec.rules, "game.full")
    if command.seat not in open_seats:
        raise refuse(rec.rules, "seat.taken")
    rec.emit(ev.SeatTaken, seat=command.seat, entropy=command.entropy)
    if state.start == "auto" and len(open_seats) == 1:
        _begin(rec)


def _only_human(state: Match, seat: int | None) -> bool:
    return [i for i, x in enumerate(state.seats) if x.kind == "human"] == [seat]


def _may_pause(rec: Recorder, actor: Actor) -> None:
    if not actor.host and not _only_human(rec.state, actor.seat):
        raise refuse(rec.rules, "auth.host_only")


def _pause(rec: Recorder, command: cmd.Pause, actor: Actor) -> None:
    del command
    _may_pause(rec, actor)
    state = rec.state
    if state.status == "paused":
        raise refuse(rec.rules, "game.paused")
    if state.status != "playing":
        raise refuse(rec.rules, "game.not_playing")
    turn = rec.turn
    if turn.deadline is not None:
        left = max(0.0, (parse_time(turn.deadline) - parse_time(rec.at)).total_seconds())
        turn = replace(turn, deadline=None, remaining=round(left, 3))
    rec.emit(ev.GamePaused, by=actor.seat, turn=write_turn(turn))


def _resume(rec: Recorder, command: cmd.Resume, actor: Actor) -> None:
    del command
    _may_pause(rec, actor)
    state = rec.state
    if state.status != "paused":
        raise refuse(rec.rules, "game.not_paused")
    turn = rec.turn
    if turn.remaining is not None:
        turn = replace(turn, deadline=later(rec.at, turn.remaining), remaining=None)
    if turn.window is not None and state.paused_at is not None:
        stood = (parse_time(rec.at) - parse_time(state.paused_at)).total_seconds()
        turn = replace(turn, window=later(turn.window, stood))
    rec.emit(ev.GameResumed, by=actor.seat, turn=write_turn(turn))


def _resign(rec: Recorder, command: cmd.Resign, actor: Actor) -> None:
    del command
    state = rec.state
    seat = actor.seat
    if seat is None or state.seats[seat].kind != "human":
        raise refuse(rec.rules, "auth.not_your_game", detail="Only a person in a seat can resign.")
    if state.status == "waiting":
        rec.emit(ev.SeatLeft, seat=seat, reason="left", bot=None)
        return
    if state.status not in ("playing", "paused") or state.seats[seat].resigned:
        raise refuse(rec.rules, "game.not_playing")
    rec.emit(ev.SeatLeft, seat=seat, reason="resigned", bot="medium")
    humans = [x for x in rec.state.seats if x.kind == "human"]
    staying = sum(not x.resigned for x in humans)
    if staying > (1 if len(humans) > 1 else 0):
        return
    end_deal(rec, "resigned", None)
    scores = [x.score for x in rec.state.seats]
    here = [i for i, x in enumerate(rec.state.seats) if not x.resigned]
    gone = [i for i, x in enumerate(rec.state.seats) if x.resigned]
    record_match(rec, places(rec.rules, scores, here) + places(rec.rules, scores, gone), "resigned")


def _cancel(rec: Recorder, command: cmd.Cancel, actor: Actor) -> None:
    del command
    state = rec.state
    if actor.operator:
        if state.status in ("finished", "cancelled"):
            raise refuse(rec.rules, "game.not_playing")
        _cancelled(rec, "operator")
        return
    _host(rec, actor)
    if state.status != "waiting":
        raise refuse(rec.rules, "game.not_waiting")
    _cancelled(rec, "host")


def _cancelled(rec: Recorder, reason: str) -> None:
    rec.emit(ev.GameCancelled, reason=reason)
    rec.emit(ev.SeedRevealed, seed=rec.state.seed.hex())


def _expire(rec: Recorder, command: cmd.Expire, actor: Actor) -> None:
    del command, actor
    if rec.state.status != "waiting":
        raise refuse(rec.rules, "game.not_waiting")
    _cancelled(rec, "expired")


# --------------------------------------------------------------------- the server


def _time_out(rec: Recorder, command: cmd.TimeOut, actor: Actor) -> None:
    del command, actor
    if rec.state.status != "playing":
        raise refuse(rec.rules, "game.not_playing")
    turn: Turn = rec.turn
    if turn.deadline is None or rec.at < turn.deadline:
        raise refuse(rec.rules, "turn.wrong_phase", detail="The clock has not run out.")
    time_out(rec)


def _close_window(rec: Recorder, command: cmd.CloseWindow, actor: Actor) -> None:
    del command, actor
    turn = rec.turn
    if rec.state.status != "playing" or turn.window is None or rec.at < turn.window:
        raise refuse(rec.rules, "turn.wrong_phase", detail="No window is due to close.")
    rec.emit(ev.CallWindowClosed, turn=write_turn(replace(turn, window=None)))


def _absent(rec: Recorder, command: cmd.Absent, actor: Actor) -> None:
    del actor
    seat = rec.state.seats[command.seat]
    if rec.state.status != "playing" or seat.kind != "human" or seat.played_by is not None:
        raise refuse(rec.rules, "game.not_playing")
    rec.emit(ev.SeatLeft, seat=command.seat, reason="absent", bot=command.level)


def _return(rec: Recorder, command: cmd.Return, actor: Actor) -> None:
    del actor
    seat = rec.state.seats[command.seat]
    if rec.state.status not in ("playing", "paused") or seat.resigned or seat.played_by is None:
        raise refuse(rec.rules, "game.not_playing")
    rec.emit(ev.SeatReturned, seat=command.seat)


_MANAGEMENT: dict[type, Any] = {
    cmd.Start: _start, cmd.Pause: _pause, cmd.Resume: _resume, cmd.Resign: _resign, cmd.Cancel: _cancel,
    cmd.TakeSeat: _take_seat, cmd.TimeOut: _time_out, cmd.CloseWindow: _close_window, cmd.Absent: _absent,
    cmd.Return: _return, cmd.Expire: _expire,
}  # fmt: skip
