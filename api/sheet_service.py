"""Score sheets in the store (SS-1): load, decide, append, as `api.service` does it for games.

A sheet's commits stand in the same table as those of games, under the sheet's id; there is no game's row,
so no list shows it.  Its columns' names and tokens are rows of seats.  What is kept in memory is folded
states alone: they never change, and every request reads the commits after them, so nothing can be stale
and an append whose outcome is unknown needs no care.  Tokens and names are read each time.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from weakref import WeakValueDictionary

import msgspec
from msgspec import Struct

from domain import score_sheet as ss
from domain.commands import Rejected
from domain.score_sheet import Sheet, SheetCommand, SheetEvent
from persistence.store import Append, Commit, EventStore, Outcome, SeatRow, TokenRow

from . import auth
from .auth import Caller, Role
from .clock import Clock, uuid7
from .problems import Problem, of_rejection
from .repeats import recalled, remembered
from .service import Key

#: Folding goes on in slices of so many commits, so that other requests get their turn.
_SLICE = 200

_encode = msgspec.json.Encoder().encode
_decoder: msgspec.json.Decoder[SheetEvent] = msgspec.json.Decoder(SheetEvent)


class _Tag(Struct):
    type: str


class Found(Struct, frozen=True):
    """A sheet at some version, and the names of its columns."""

    sheet_id: str
    sheet: Sheet
    names: list[str | None]

    @property
    def etag(self) -> str:
        """The version in quotes; after n erasures of names ``"42.n"``."""
        erased = sum(name is None for name in self.names)
        return f'"{self.sheet.version}.{erased}"' if erased else f'"{self.sheet.version}"'

    def shown(self) -> ss.Scoresheet:
        """What its readers get."""
        return ss.view(self.sheet, self.sheet_id, self.names)


class Opened(Struct, frozen=True):
    """A new sheet, or the same again, with its tokens."""

    found: Found
    host_token: str
    tokens: dict[str, str]
    replayed: bool


class Joined(Struct, frozen=True):
    """A column and its token."""

    column: int
    token: str
    replayed: bool


class Written(Struct, frozen=True):
    """A sheet after a command."""

    found: Found
    replayed: bool


class _Done(Struct, frozen=True):
    sheet: Sheet
    role: Role
    commit_no: int
    events: list[SheetEvent]
    token: str
    replayed: bool = False


class Sheets:
    """Score sheets of one store. Raises `Problem` and `StoreUnavailable`."""

    def __init__(self, store: EventStore, clock: Clock, secret: bytes, cache: int = 1_000) -> None:
        self._store = store
        self._clock = clock
        self._secret = secret
        self._size = cache
        self._sheets: OrderedDict[str, Sheet] = OrderedDict()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    # Reading

    async def find(self, sheet_id: str, caller: Caller) -> Found:
        """The sheet as it is now. Raises ``not_found``, and ``auth.unknown_token`` where the caller's is nobody's."""
        return await self._with_names(sheet_id, await self._load(sheet_id, caller))

    async def _load(self, sheet_id: str, caller: Caller) -> Sheet:
        sheet = self._sheets.pop(sheet_id, ss.NEW)
        while commits := await self._store.commits(sheet_id, after=sheet.commit, limit=_SLICE):
            if sheet is ss.NEW and not _is_sheet(commits[0]):
                break  # a game has this id
            for commit in commits:
                sheet = ss.fold(_events(commit), sheet)
            if len(commits) < _SLICE:
                break
        if sheet is ss.NEW:
            await self.prove(caller)
            raise Problem("not_found", "There is no such score sheet.")
        self._keep(sheet_id, sheet)
        return sheet

    def _keep(self, sheet_id: str, sheet: Sheet) -> None:
        """Hold a state in memory; the ones not asked for the longest make room."""
        known = self._sheets.pop(sheet_id, sheet)
        self._sheets[sheet_id] = known if known.commit > sheet.commit else sheet
        while len(self._sheets) > self._size:
            self._sheets.popitem(last=False)

    async def _with_names(self, sheet_id: str, sheet: Sheet) -> Found:
        # Read after the log: names newer than it do no harm, older ones would.
        names: list[str | None] = [None] * sheet.columns
        for row in await self._store.seats(sheet_id):
            if row.seat < sheet.columns:
                names[row.seat] = row.name
        return Found(sheet_id, sheet, names)

    # Who is calling

    async def prove(self, caller: Caller) -> Role:
        """What the caller's token says where it belongs. Raises ``auth.unknown_token`` if it does nowhere."""
        if caller.hash is None or caller.game_id is None:
            return auth.OPERATOR if caller.operator else auth.NOBODY
        role = auth.roles(await self._store.tokens(caller.game_id)).get(caller.hash)
        if role is None:
            raise auth.unknown_token()
        return role

    async def _role(self, sheet_id: str, caller: Caller) -> Role:
        """The host or a column of this sheet. Raises ``auth.required`` and the like for everyone else."""
        role = await self.prove(caller)
        if caller.game_id == sheet_id:
            return role
        if role.known:
            raise Problem("auth.not_your_game", "This is no token of this score sheet.")
        raise Problem("auth.required", "This needs one of the sheet's own tokens.")

    # Creating

    async def create(
        self, names: Sequence[str], target: int | None, caller: Caller, key: Key | None
    ) -> Opened:
        """A new sheet with its tokens, or with a key that was used before the same again."""
        scope = f"createScoresheet:{caller.scope}"
        while True:
            if key is not None and (again := await self._created_before(scope, caller, key)):
                return again
            opened = await self._open(names, target, scope, caller, key)
            if opened is not None:
                return opened
            # The key is taken meanwhile: look again.

    async def _open(
        self, names: Sequence[str], target: int | None, scope: str, caller: Caller, key: Key | None
    ) -> Opened | None:
        sheet_id = uuid7()
        role = auth.OPERATOR if caller.operator else auth.NOBODY
        events = _decide(ss.NEW, ss.Create(len(names), target), role, self._clock())
        sheet = ss.fold(events)
        host_token, tokens = self._tokens(sheet_id, len(names), caller, key)
        rows = [TokenRow(sheet_id, f"seat:{column}", auth.digest(token)) for column, token in tokens.items()]
        append = Append(
            _commit(sheet_id, events, role, None),
            seats=tuple(SeatRow(sheet_id, column, name, None) for column, name in enumerate(names)),
            tokens=(*rows, TokenRow(sheet_id, "host", auth.digest(host_token))),
            remember=remembered(scope, key, sheet.at, sheet_id, len(names)),
        )
        (outcome,) = await self._store.append([append])
        if outcome is not Outcome.COMMITTED:
            return None
        return Opened(Found(sheet_id, sheet, [*names]), host_token, tokens, False)

    async def _created_before(self, scope: str, caller: Caller, key: Key) -> Opened | None:
        """The first answer again, made of the log as it was then; the tokens are derived again."""
        kept = await recalled(self._store, scope, key, self._clock())
        if kept is None:
            return None
        sheet_id, columns = kept
        first = await self._store.commits(sheet_id, limit=1)
        found = await self._with_names(sheet_id, ss.fold(_events(first[0])))
        host_token, tokens = self._tokens(sheet_id, columns, caller, key)
        return Opened(found, host_token, tokens, True)

    def _tokens(
        self, sheet_id: str, columns: int, caller: Caller, key: Key | None
    ) -> tuple[str, dict[str, str]]:
        context = () if key is None else ("createScoresheet", caller.scope, key.key)
        tokens = {str(c): auth.mint(self._secret, sheet_id, f"seat:{c}", *context) for c in range(columns)}
        return auth.mint(self._secret, sheet_id, "host", *context), tokens

    # Writing

    async def join(
        self, sheet_id: str, name: str, caller: Caller, key: Key | None, if_version: int | None
    ) -> Joined:
        """One more column."""
        done = await self._submit(sheet_id, ss.Join(), caller, key, if_version, name)
        joined, token = done.events[0], done.token
        assert isinstance(joined, ss.ColumnJoined)
        if done.replayed:
            token = self._column_token(sheet_id, joined.column, done.role, done.commit_no, key)
        return Joined(joined.column, token, done.replayed)

    async def write(
        self, sheet_id: str, command: SheetCommand, caller: Caller, key: Key | None, if_version: int | None
    ) -> Written:
        """A number entered, or the sheet ended."""
        done = await self._submit(sheet_id, command, caller, key, if_version)
        return Written(await self._with_names(sheet_id, done.sheet), done.replayed)

    async def _submit(
        self,
        sheet_id: str,
        command: SheetCommand,
        caller: Caller,
        key: Key | None,
        if_version: int | None,
        name: str | None = None,
    ) -> _Done:
        """Authority, key, If-Match, rules; a lost race loads what is new and decides again."""
        lock = self._locks.setdefault(sheet_id, asyncio.Lock())
        async with lock:
            while True:
                sheet = await self._load(sheet_id, caller)
                role = await self._role(sheet_id, caller)
                if key is not None and (again := await self._again(sheet_id, sheet, role, key)):
                    return again
                if if_version is not None and if_version != sheet.version:
                    detail = "The sheet is not at the version that If-Match names."
                    raise Problem("version.stale", detail, version=sheet.version)
                events = _decide(sheet, command, role, self._clock())
                if not events:
                    return _Done(sheet, role, sheet.commit, [], "")
                commit, seats, tokens, token = _commit(sheet_id, events, role, key), (), (), ""
                if isinstance(events[0], ss.ColumnJoined):
                    column = events[0].column
                    token = self._column_token(sheet_id, column, role, commit.commit_no, key)
                    seats = (SeatRow(sheet_id, column, name, None),)
                    tokens = (TokenRow(sheet_id, f"seat:{column}", auth.digest(token)),)
                (outcome,) = await self._store.append([Append(commit, seats=seats, tokens=tokens)])
                if outcome is Outcome.COMMITTED:
                    sheet = ss.fold(events, sheet)
                    self._keep(sheet_id, sheet)
                    return _Done(sheet, role, commit.commit_no, events, token)

    async def _again(self, sheet_id: str, sheet: Sheet, role: Role, key: Key) -> _Done | None:
        """The commit that the key is bound to. Raises ``idempotency.mismatch``."""
        commit = await self._store.by_key(sheet_id, role.name, key.key)
        if commit is None:
            return None
        if commit.body_hash != key.body_hash:
            raise Problem("idempotency.mismatch", version=sheet.version)
        # Nothing follows an end, and a join's answer needs no state: the sheet as it is will do.
        return _Done(sheet, role, commit.commit_no, _events(commit), "", True)

    def _column_token(self, sheet_id: str, column: int, role: Role, commit_no: int, key: Key | None) -> str:
        context = () if key is None else ("joinScoresheet", role.name, str(commit_no), key.key)
        return auth.mint(self._secret, sheet_id, f"seat:{column}", *context)


def _decide(sheet: Sheet, command: SheetCommand, role: Role, at: str) -> list[SheetEvent]:
    try:
        return ss.decide(sheet, command, role.actor, at)
    except Rejected as refusal:
        raise of_rejection(refusal, sheet.version or None) from None


def _commit(sheet_id: str, events: list[SheetEvent], role: Role, key: Key | None) -> Commit:
    first, last = events[0], events[-1]
    stored = b"".join([b'{"v":1,%b\n' % _encode(event)[1:] for event in events])
    return Commit(
        sheet_id, first.commit, first.seq, last.seq, last.at, role.name,
        None if key is None else key.key, None if key is None else key.body_hash, ss.REVISION, stored,
    )  # fmt: skip


def _is_sheet(commit: Commit) -> bool:
    line = commit.events.partition(b"\n")[0]
    try:
        return msgspec.json.decode(line, type=_Tag).type == "sheet_created"
    except msgspec.DecodeError:
        return False


def _events(commit: Commit) -> list[SheetEvent]:
    return [_decoder.decode(line) for line in commit.events.splitlines()]
