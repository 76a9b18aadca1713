"""Games: creating them, finding them, sitting down."""

from __future__ import annotations

import asyncio
import hmac
import secrets
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, to_builtins

from domain import commands as cmd
from domain.commands import Rejected
from domain.decide import NewGame, NewSeat, create
from domain.events import SeatTaken
from domain.variants import VARIANTS
from persistence.store import GameRow, SeatRow, TokenRow
from persistence.values import is_id

from . import auth, render
from .auth import Caller, Role
from .clock import uuid7
from .operations import Answer, Operation, operation
from .problems import Problem, invalid, of_rejection
from .repeats import recalled, remembered
from .replies import Reply, json_reply
from .requests import (
    Call,
    caller_of,
    idempotency_key,
    operator_only,
    public_caller,
    read_json,
    read_query,
    server_of,
)  # fmt: skip
from .server import Server
from .service import Beside, Key
from .shapes import (
    BotSeat,
    Created,
    CreateGame,
    Delayed,
    Game,
    GameList,
    HumanSeat,
    OpenSeat,
    SeatGiven,
    TakeSeat,
)  # fmt: skip
from .table import Table

#: No 0 O, 1 I L, 5 S, 2 Z, 8 B, U V: read aloud or by hand, a code stays the same.
ROOM_ALPHABET = "34679ACDEFGHJKMNPQRTWXY"
ROOM_LENGTH = 6

_create = msgspec.json.Decoder(CreateGame)
_take = msgspec.json.Decoder(TakeSeat)


# ---------------------------------------------------------------------- creation


@operation("POST", "/v1/games", Operation(
    "createGame", "Open a table", "games",
    (Answer(201, Created, "The game, and the tokens of everyone who sits there already.",
            ("Location", "Idempotency-Replayed")),),
    ("auth.required", "auth.operator_only", "sandbox.disabled", "options.invalid", "sandbox.bad_position",
     "idempotency.mismatch"),
    body=CreateGame, headers=("Idempotency-Key",),
    description="A game starts as soon as no seat is open, unless `start` is `manual`. Tokens are shown this "
    "once; with an Idempotency-Key the same request gives the same answer for 24 hours.",
), max_bytes=256 * 1024)  # fmt: skip
async def create_game(request: Call) -> Reply:
    """Open a table."""
    server = server_of(request)
    caller = await public_caller(request)
    body = await read_json(request, _create)
    if server.settings.create == "operator":
        operator_only(caller)
    _check(server, caller, body)
    key = idempotency_key(request, "createGame", body, caller, secret=True)
    scope = f"create:{caller.scope}"
    while True:
        if key is not None and (again := await _created_before(server, caller, scope, key)):
            return again
        made = await _open(server, caller, body, scope, key)
        if made is not None:
            return _created(made, replayed=False)
        # The room code or the key is taken meanwhile: look again.


def _check(server: Server, caller: Caller, body: CreateGame) -> None:
    """What a schema alone does not say of a new game."""
    variant = VARIANTS.get(body.variant)
    if variant is None:
        raise invalid("#/variant", f"One of {', '.join(VARIANTS)}.")
    seats = _seats(body)
    if not variant.seats.min <= len(seats) <= variant.seats.max:
        raise invalid("#/seats", f"{variant.name} takes {variant.seats.min} to {variant.seats.max} seats.")
    if body.host_seat is not None and not (
        body.host_seat < len(seats) and isinstance(seats[body.host_seat], HumanSeat)
    ):
        raise invalid("#/host_seat", "The host's seat is one that is created human.")
    given = [seat.external_id for seat in seats if isinstance(seat, HumanSeat)]
    if any(x is not None for x in (*given, body.external_id)) and not caller.operator:
        raise Problem("auth.operator_only", "External ids need an API key.")
    sandbox = body.sandbox
    if sandbox is None:
        return
    if sandbox.seed is None and sandbox.deck is None and sandbox.position is None:
        raise invalid("#/sandbox", "A sandbox has a seed, a deck or a position.")
    if sandbox.deck is not None and sandbox.position is not None:
        raise invalid("#/sandbox", "A sandbox has a deck or a position, not both.")
    if not server.settings.sandbox:
        raise Problem("sandbox.disabled")


def _seats(body: CreateGame) -> list[Any]:
    if body.seats is not None:
        return body.seats
    return [OpenSeat()] * VARIANTS[body.variant].seats.default


def _domain_seat(seat: Any) -> NewSeat:
    if isinstance(seat, HumanSeat):
        return NewSeat("human", entropy=seat.entropy or "")
    return NewSeat("bot", seat.level) if isinstance(seat, BotSeat) else NewSeat("open")


def new_game(body: CreateGame, game_id: str) -> NewGame:
    """The domain's command; its seed is chance unless a sandbox names it."""
    sandbox, setup = body.sandbox, None
    seed = secrets.token_hex(32)
    if sandbox is not None:
        seed = (sandbox.seed or "0" * 64).lower()
        named = None if sandbox.seed is None else seed
        given = {"seed": named, "deck": sandbox.deck, "position": to_builtins(sandbox.position)}
        setup = {name: value for name, value in given.items() if value is not None}
    spectators = body.spectators
    return NewGame(
        body.variant, seed, body.options, tuple(_domain_seat(seat) for seat in _seats(body)), body.host_seat,
        body.start, body.visibility,
        {"delayed": spectators.delayed} if isinstance(spectators, Delayed) else spectators, setup,
        game_id=game_id,
    )  # fmt: skip


async def open_game(server: Server, caller: Caller, body: CreateGame) -> Created:
    """Create a game, for whoever is in the server itself."""
    while True:
        made = await _open(server, caller, body, "", None)
        if made is not None:
            return made


async def _open(
    server: Server, caller: Caller, body: CreateGame, scope: str, key: Key | None
) -> Created | None:
    service = server.service
    game, at = new_game(body, uuid7()), service.clock()
    try:
        if game.sandbox is not None and (body.start == "manual" or any(s.kind == "open" for s in game.seats)):
            # A position that cannot be is refused now, not when the last seat is taken.
            full = tuple(NewSeat("human") for _ in game.seats)
            create(msgspec.structs.replace(game, seats=full, start="auto", host_seat=None), at)
        decision = create(game, at)
    except Rejected as refusal:
        raise of_rejection(refusal, None) from None
    state = decision.state
    table = Table(game.game_id, state)
    table.external_id = body.external_id
    if body.visibility == "private":
        table.room_code = "".join(secrets.choice(ROOM_ALPHABET) for _ in range(ROOM_LENGTH))
    humans = [i for i, seat in enumerate(_seats(body)) if isinstance(seat, HumanSeat)]
    host_token, tokens = _tokens(server, table.game_id, humans, body.host_seat, caller, key)
    rows = [TokenRow(table.game_id, f"seat:{i}", auth.digest(tokens[str(i)])) for i in humans]
    persons = tuple(
        SeatRow(table.game_id, i, seat.name, seat.external_id)
        for i, seat in enumerate(_seats(body))
        if isinstance(seat, HumanSeat)
    )
    beside = Beside(persons, (*rows, TokenRow(table.game_id, "host", auth.digest(host_token))))
    remember = remembered(scope, key, state.at, table.game_id, state.version)
    role = auth.OPERATOR if caller.operator else auth.NOBODY
    if not await service.create(table, role, decision, beside, remember):
        return None
    made = render.game(table, state, service.presence, caller.operator)
    return Created(made, host_token, tokens, table.room_code)


def _tokens(
    server: Server, game_id: str, humans: list[int], host_seat: int | None, caller: Caller, key: Key | None
) -> tuple[str, dict[str, str]]:
    context = () if key is None else ("createGame", caller.scope, key.key)
    tokens = {str(i): auth.mint(server.secret, game_id, f"seat:{i}", *context) for i in humans}
    if host_seat is not None:
        return tokens[str(host_seat)], tokens
    return auth.mint(server.secret, game_id, "host", *context), tokens


def _created(made: Created, replayed: bool) -> Reply:
    headers = {"Location": f"/v1/games/{made.game.game_id}", "Cache-Control": "no-store"}
    if replayed:
        headers["Idempotency-Replayed"] = "true"
    return json_reply(made, 201, headers)


async def _created_before(server: Server, caller: Caller, scope: str, key: Key) -> Reply | None:
    """The first answer again, made of the log as it was then; the tokens are derived again."""
    service = server.service
    found = await recalled(service.store, scope, key, service.clock())
    if found is None:
        return None
    game_id, version = found
    table = await service.table(game_id)
    state = await service.state_at(table, version)
    humans = [i for i, seat in enumerate(state.seats) if seat.kind == "human"]
    host_token, tokens = _tokens(server, game_id, humans, state.host_seat, caller, key)
    # Nobody was connected when it was opened.
    made = render.game(table, state, service.presence, caller.operator, late=True)
    return _created(Created(made, host_token, tokens, table.room_code), replayed=True)


# ----------------------------------------------------------------------- finding


async def game_for(server: Server, table: Table, caller: Caller) -> Game:
    """The Game object as this caller may see it: without a seat perhaps as of some turns ago."""
    role = await server.service.guest(table, caller)
    state = await server.service.state_at(table, table.version_for(role))
    return render.game(table, state, server.service.presence, caller.operator, late=table.late(role))


@operation("GET", "/v1/games/{game_id:str}", Operation(
    "getGame", "A game", "games", (Answer(200, Game, "The game."),), ("not_found",),
))  # fmt: skip
async def get_game(request: Call) -> Reply:
    """A game, for anyone who has its id."""
    server, caller = server_of(request), caller_of(request)
    table = await server.service.table(request.path_params["game_id"], caller)
    over = table.state.status in ("finished", "cancelled")
    if over and table.rematch is None and not server.service.store.exclusive:
        table.game_row(await server.service.store.game(table.game_id))  # another server may have opened it
    return json_reply(await game_for(server, table, caller), headers=_PRIVATE)


_PRIVATE = {"Cache-Control": "private, no-cache", "Vary": "Authorization"}


@operation("GET", "/v1/rooms/{room_code:str}", Operation(
    "findRoom", "The game with a room code", "games", (Answer(200, Game, "The game."),),
    ("room_code.unknown", "rate_limited"),
    description="Upper or lower case. Wrong codes are counted: too many tries in a minute are refused.",
))  # fmt: skip
async def find_room(request: Call) -> Reply:
    """The game with a room code."""
    server, client = server_of(request), client_of(request)
    caller = await public_caller(request)
    server.codes.check(client)
    row = await server.service.store.by_room_code(request.path_params["room_code"].upper())
    if row is None:
        server.codes.fault(client)
        raise Problem("room_code.unknown")
    table = await server.service.table(row.game_id)
    return json_reply(await game_for(server, table, caller), headers=_PRIVATE)


def client_of(request: Call) -> str:
    """Whose tries are counted together."""
    return request.client.host if request.client is not None else ""


class ListQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """What of the lobby to list."""

    status: Literal["waiting", "playing", "paused", "finished", "cancelled"] | None = None
    variant: Annotated[str, Meta(max_length=60)] | None = None
    after: Annotated[str, Meta(max_length=60)] | None = None
    limit: Annotated[int, Meta(ge=1, le=500)] = 100


@operation("GET", "/v1/games", Operation(
    "listGames", "The lobby", "games", (Answer(200, GameList, "Public games, newest first."),),
    query=ListQuery,
))  # fmt: skip
async def list_games(request: Call) -> Reply:
    """Public games, newest first."""
    server = server_of(request)
    caller = await public_caller(request)
    query = read_query(request, ListQuery)
    if query.after is not None and not is_id(query.after):
        raise invalid("?after", "The parameter after is the next of the page before.")
    rows = await server.service.store.games(query.status, query.variant, query.after, query.limit + 1)
    more, rows = len(rows) > query.limit, rows[: query.limit]
    items = await asyncio.gather(*(_listed(server, caller, row) for row in rows))
    return json_reply(GameList(list(items), rows[-1].game_id if more else None), headers=_PRIVATE)


_summary = msgspec.json.Decoder(Game)


async def _listed(server: Server, caller: Caller, row: GameRow) -> Game:
    """A row's own summary where it cannot be out of date, else the game itself."""
    service = server.service
    if row.status in ("playing", "paused"):
        return await game_for(server, await service.table(row.game_id), caller)
    game = _summary.decode(row.summary)
    persons = {person.seat: person for person in await service.store.seats(row.game_id)}
    seats = [
        msgspec.structs.replace(
            seat, name=persons[seat.seat].name, connected=service.presence.connected(row.game_id, seat.seat),
            external_id=persons[seat.seat].external_id if caller.operator else None,
        ) if seat.kind == "human" and seat.seat in persons else seat
        for seat in game.seats
    ]  # fmt: skip
    return msgspec.structs.replace(
        game, seats=seats, external_id=row.external_id if caller.operator else None, rematch=row.rematch
    )


# ------------------------------------------------------------------ sitting down


@operation("POST", "/v1/games/{game_id:str}/seats", Operation(
    "takeSeat", "Sit down", "games",
    (Answer(201, SeatGiven, "The seat and its token, shown this once.", ("Idempotency-Replayed",)),),
    ("not_found", "auth.operator_only", "room_code.wrong", "game.not_waiting", "game.full", "seat.taken",
     "idempotency.mismatch", "rate_limited"),
    body=TakeSeat, body_required=False, headers=("Idempotency-Key",),
    description="The seat named, or the first that is open. The last seat taken starts the game.",
))  # fmt: skip
async def take_seat(request: Call) -> Reply:
    """Sit down at an open seat."""
    server, caller, client = server_of(request), caller_of(request), client_of(request)
    body = await read_json(request, _take, empty=b"{}")
    if body.external_id is not None and not caller.operator:
        await public_caller(request)
        raise Problem("auth.operator_only", "External ids need an API key.")
    key = idempotency_key(request, "takeSeat", body, caller, secret=True)
    token = ""

    def make(table: Table, role: Role) -> tuple[Any, Beside]:
        nonlocal token
        if table.room_code is not None and not caller.operator:
            server.codes.check(client)
            given = (body.room_code or "").upper()
            if not hmac.compare_digest(given.encode(), table.room_code.encode()):
                server.codes.fault(client)
                raise Problem("room_code.wrong", version=table.visible)
        seats = table.state.seats
        if body.seat is not None and body.seat >= len(seats):
            raise invalid("#/seat", f"The game has seats 0 to {len(seats) - 1}.")
        opened = [i for i, seat in enumerate(seats) if seat.kind == "open"]
        seat = body.seat if body.seat is not None else next(iter(opened), 0)
        token = _seat_token(server, table.game_id, seat, role, table.state.commit + 1, key)
        beside = Beside(
            (SeatRow(table.game_id, seat, body.name, body.external_id),),
            (TokenRow(table.game_id, f"seat:{seat}", auth.digest(token)),),
        )
        return cmd.TakeSeat(seat, body.entropy or ""), beside

    done = await server.service.submit(
        request.path_params["game_id"], make, caller, key=key, guest=True
    )
    taken = done.events[0]
    assert isinstance(taken, SeatTaken)
    headers = {"Cache-Control": "no-store"}
    if done.replayed:
        token = _seat_token(server, done.table.game_id, taken.seat, done.role, done.commit_no, key)
        headers["Idempotency-Replayed"] = "true"
    return json_reply(SeatGiven(done.table.game_id, taken.seat, token), 201, headers)


def _seat_token(server: Server, game_id: str, seat: int, role: Role, commit_no: int, key: Key | None) -> str:
    context = () if key is None else ("takeSeat", role.name, str(commit_no), key.key)
    return auth.mint(server.secret, game_id, f"seat:{seat}", *context)


HANDLERS = (create_game, list_games, get_game, find_room, take_seat)
