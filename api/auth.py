"""Who is calling: from an Authorization header to a role in a game.

A token is ``<game id>.<role>.<secret>``, opaque to clients.  It names its game, so that its row is found
without a table of all tokens; what is stored is its SHA-256.  Where a request may be repeated (it has an
Idempotency-Key) the secret is derived from the server's own, so that the repeat gives the same token.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Iterable

import msgspec
from msgspec import Struct

from domain.commands import Actor
from persistence.store import TokenRow
from persistence.values import is_id

from .problems import Problem


class Caller(Struct, frozen=True):
    """What a header alone says. A token is not proved to be anybody's until its game is asked."""

    operator: bool = False
    game_id: str | None = None
    hash: bytes | None = None
    #: tells one operator's key from another's, and one caller's idempotency keys from another's
    scope: str = "anyone"


class Role(Struct, frozen=True):
    """What a caller is in one game. ``name`` is how the log names who sent a command."""

    name: str
    actor: Actor
    #: whether the caller proved to be somebody (a seat, the host, an operator)
    known: bool = True


ANYONE = Caller()
NOBODY = Role("anyone", Actor(), known=False)
OPERATOR = Role("operator", Actor(operator=True))
SERVER = Role("server", Actor(server=True))


def digest(token: str) -> bytes:
    """What is stored of a token."""
    return hashlib.sha256(token.encode()).digest()


def mint(secret: bytes, game_id: str, role: str, *context: str) -> str:
    """A token. With a ``context`` (the request that asks for it) always the same one, else a new one."""
    if context:
        message = msgspec.json.encode([game_id, role, *context])
        tail = hmac.digest(secret, message, "sha256")
    else:
        tail = secrets.token_bytes(32)
    return f"{game_id}.{role.replace(':', '')}.{urlsafe_b64encode(tail).rstrip(b'=').decode()}"


def unknown_token() -> Problem:
    """The answer to a token that is nobody's."""
    return Problem("auth.unknown_token", headers={"Cache-Control": "no-store"})


def read_authorization(header: str | None, keys: frozenset[bytes]) -> Caller:
    """Raises ``auth.unknown_token`` for what cannot be anybody's."""
    if header is None:
        return ANYONE
    scheme, _, token = header.strip().partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token.isascii():
        raise unknown_token()
    found = digest(token)
    # Hashes are compared, so that the time taken says nothing about a key.
    if found in keys:
        return Caller(operator=True, scope=f"operator:{found.hex()[:16]}")
    game_id, _, rest = token.partition(".")
    if not is_id(game_id) or "." not in rest:
        raise unknown_token()
    return Caller(game_id=game_id, hash=found, scope=f"token:{found.hex()}")


def left(rows: Iterable[TokenRow]) -> dict[bytes, Role]:
    """Hash → the seat whose token it was until its owner left. Good for one thing only: hearing again that
    leaving was a success, if that answer was lost."""
    found: dict[bytes, Role] = {}
    for row in rows:
        if row.role.startswith("left:"):
            seat = int(row.role.removeprefix("left:"))
            found[row.hash] = Role(f"seat:{seat}", Actor(seat=seat))
    return found


def roles(rows: Iterable[TokenRow]) -> dict[bytes, Role]:
    """Hash → role. One token may be a seat's and the host's as well."""
    seats: dict[bytes, int] = {}
    hosts: set[bytes] = set()
    for row in rows:
        if row.role == "host":
            hosts.add(row.hash)
        elif row.role.startswith("seat:"):
            seats[row.hash] = int(row.role.removeprefix("seat:"))
    found = {h: Role(f"seat:{seat}", Actor(seat=seat, host=h in hosts)) for h, seat in seats.items()}
    return {**{h: Role("host", Actor(host=True)) for h in hosts}, **found}
