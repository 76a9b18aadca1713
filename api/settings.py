"""Settings, all from the environment.

| variable | meaning | default |
|---|---|---|
| `RUMMY_HOST`, `RUMMY_PORT` | where to listen | `127.0.0.1`, `8000` |
| `RUMMY_DATABASE_URL` | `sqlite+aiosqlite:///file` or `postgresql+asyncpg://…` | `sqlite+aiosqlite:///./rummy.db` |
| `RUMMY_SECRET` | what tokens are derived from when a request is repeated; 32 characters or more | a file beside the SQLite database; required on PostgreSQL, where several servers share it |
| `RUMMY_API_KEYS` (or `RUMMY_API_KEY`) | operators' keys, separated by commas, 22 characters or more each | none |
| `RUMMY_CREATE` | who may create games: `anyone` or `operator` | `anyone` |
| `RUMMY_SANDBOX` | whether games may start from a given seed, deck or position: `on` or `off` | `on` |
| `RUMMY_BOT_DELAY` | seconds before a bot's move | `1.0` |
| `RUMMY_CALL_PAUSE` | seconds that a bot's draw waits while a person could call rummy | `2.0` |
| `RUMMY_POLL` | seconds between two looks at the store for moves and clocks that another server left undone | `2.0` |
| `RUMMY_PING` | seconds between two pings in streams and sockets | `15.0` |
| `RUMMY_PATIENCE` | seconds that a reader of a stream or socket may take for what was sent before it is cut off | `20.0` |
| `RUMMY_NOTIFIER` | how servers hear of each other's games: `memory`, `postgres` or `redis://…` | `postgres` on PostgreSQL, else `memory` |
| `RUMMY_TRUSTED_PROXIES` | the reverse proxies in front, addresses or networks, separated by commas: of a request that comes from one, the client is the last address in `X-Forwarded-For` that is none of them, and its tries at room codes are counted as its own | none |
| `RUMMY_CACHE` | how many games are held folded in memory | `10000` |
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from difflib import get_close_matches
from ipaddress import ip_network
from pathlib import Path

from msgspec import Struct
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

SHORTEST_SECRET = 32
SHORTEST_KEY = 22


#: Every variable that means something; of what else begins like them, a mistyped one is told.
KNOWN = frozenset(
    f"RUMMY_{name}"
    for name in (
        "HOST", "PORT", "DATABASE_URL", "SECRET", "API_KEYS", "API_KEY", "CREATE", "SANDBOX", "BOT_DELAY", "CALL_PAUSE",
        "POLL", "PING", "PATIENCE", "NOTIFIER", "TRUSTED_PROXIES", "CACHE",
    )
)  # fmt: skip


class SettingsError(ValueError):
    """A setting that cannot be; the text is for whoever starts the server."""


class Settings(Struct, frozen=True):
    """What the environment says, checked."""

    host: str = "127.0.0.1"
    port: int = 8000
    database_url: str = "sqlite+aiosqlite:///./rummy.db"
    sandbox: bool = True
    secret: str = ""
    api_keys: tuple[str, ...] = ()
    create: str = "anyone"
    bot_delay: float = 1.0
    call_pause: float = 2.0
    poll: float = 2.0
    ping: float = 15.0
    patience: float = 20.0
    notifier: str = "memory"
    trusted_proxies: tuple[str, ...] = ()
    cache: int = 10_000

    @property
    def api_key_hashes(self) -> frozenset[bytes]:
        """What an operator's key is compared with."""
        return frozenset(hashlib.sha256(key.encode()).digest() for key in self.api_keys)


def _number(env: Mapping[str, str], name: str, default: float, low: float, high: float) -> float:
    text = env.get(name, "")
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        raise SettingsError(f"{name} is a number, not {text!r}") from None
    if not low <= value <= high:
        raise SettingsError(f"{name} lies between {low:g} and {high:g}")
    return value


def _choice(env: Mapping[str, str], name: str, default: str, *allowed: str) -> str:
    value = env.get(name) or default
    if value.lower() not in allowed:
        raise SettingsError(f"{name} is one of {', '.join(allowed)}")
    return value.lower()


def _keys(env: Mapping[str, str]) -> tuple[str, ...]:
    listed = f"{env.get('RUMMY_API_KEYS', '')},{env.get('RUMMY_API_KEY', '')}"
    keys = tuple(key.strip() for key in listed.split(",") if key.strip())
    if any(len(key) < SHORTEST_KEY for key in keys):
        raise SettingsError(f"an API key has {SHORTEST_KEY} characters or more")
    return keys


def _proxies(env: Mapping[str, str]) -> tuple[str, ...]:
    name = "RUMMY_TRUSTED_PROXIES"
    given = tuple(x.strip() for x in env.get(name, "").split(",") if x.strip())
    for text in given:
        try:
            ip_network(text)
        except ValueError:
            raise SettingsError(f"{name} are addresses and networks such as 10.0.0.0/8, not {text!r}") from None
    return given


def mistyped(env: Mapping[str, str] | None = None) -> list[str]:
    """A sentence for each variable that is named like a setting and is none."""
    env = os.environ if env is None else env
    said: list[str] = []
    for name in sorted(x for x in env if x.startswith("RUMMY_") and x not in KNOWN):
        near = get_close_matches(name.removeprefix("RUMMY_"), [x.removeprefix("RUMMY_") for x in KNOWN], 1)
        said.append(f"there is no setting {name}" + (f"; RUMMY_{near[0]} is one" if near else ""))
    return said


def from_environment(env: Mapping[str, str] | None = None) -> Settings:
    """Read and check the settings. Raises `SettingsError`."""
    env = os.environ if env is None else env
    url = env.get("RUMMY_DATABASE_URL") or Settings().database_url
    try:
        postgres = make_url(url).get_backend_name() == "postgresql"
    except ArgumentError:
        raise SettingsError("RUMMY_DATABASE_URL is no database URL") from None
    notifier = env.get("RUMMY_NOTIFIER") or ("postgres" if postgres else "memory")
    if notifier not in ("memory", "postgres") and not notifier.startswith(("redis://", "rediss://")):
        raise SettingsError("RUMMY_NOTIFIER is memory, postgres or redis://…")
    secret = env.get("RUMMY_SECRET", "")
    if secret and len(secret) < SHORTEST_SECRET:
        raise SettingsError(f"RUMMY_SECRET has {SHORTEST_SECRET} characters or more")
    if postgres and not secret:
        raise SettingsError("RUMMY_SECRET is needed on PostgreSQL: every server must have the same")
    return Settings(
        host=env.get("RUMMY_HOST") or "127.0.0.1",
        port=int(_number(env, "RUMMY_PORT", 8000, 0, 65535)),
        database_url=url,
        sandbox=_choice(env, "RUMMY_SANDBOX", "on", "on", "off") == "on",
        secret=secret,
        api_keys=_keys(env),
        create=_choice(env, "RUMMY_CREATE", "anyone", "anyone", "operator"),
        bot_delay=_number(env, "RUMMY_BOT_DELAY", 1.0, 0, 60),
        call_pause=_number(env, "RUMMY_CALL_PAUSE", 2.0, 0, 60),
        poll=_number(env, "RUMMY_POLL", 2.0, 0.01, 60),
        ping=_number(env, "RUMMY_PING", 15.0, 0.05, 3600),
        patience=_number(env, "RUMMY_PATIENCE", 20.0, 0.05, 3600),
        notifier=notifier,
        trusted_proxies=_proxies(env),
        cache=int(_number(env, "RUMMY_CACHE", 10_000, 1, 10_000_000)),
    )


def server_secret(settings: Settings) -> bytes:
    """The secret that repeated requests derive their tokens from.

    Where none is set and the database is a SQLite file, one is made and kept beside it, readable by its
    owner only, so that it outlives a restart. Raises `SettingsError` elsewhere.
    """
    if settings.secret:
        return settings.secret.encode()
    url = make_url(settings.database_url)
    if url.get_backend_name() != "sqlite" or not url.database:
        raise SettingsError("RUMMY_SECRET is needed where the database is no SQLite file")
    path = Path(url.database + ".secret")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError), open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_hex(32))
        secret = path.read_text().strip()
    except (OSError, UnicodeError) as error:
        raise SettingsError(f"{path} can be neither read nor made: {error}") from None
    if len(secret) < SHORTEST_SECRET:
        raise SettingsError(f"{path} holds no secret; remove it to have a new one made")
    return secret.encode()
