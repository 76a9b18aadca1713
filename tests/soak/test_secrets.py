"""No byte of any answer names a card that its reader cannot know, in the middle of games with bots."""

from __future__ import annotations

import asyncio
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from tests.api.harness import OPERATOR_KEY, Game, bearer, sqlite_url
from tests.streams.harness import Site, served

from .harness import BOTS, HUMAN, amounts

#: What stands behind a = is what a wild is placed as, which says nothing about where that card is; TC-5 is a rule.
CARD = re.compile(rb"(?<![=\w])(?:[A23456789TJQK][CDHS]|JK)\b(?!-\d)")
SEATS: dict[str, list[dict[str, Any]]] = {
    "wild-rummy": [HUMAN, BOTS[0], HUMAN, BOTS[1]],
    "two-player-rummy": [HUMAN, BOTS[0]],
    "thirteen-card-rummy": [HUMAN, BOTS[0], HUMAN],
    "single-deck-rummy": [HUMAN, BOTS[1], HUMAN],
    "rummy-5000": [HUMAN, BOTS[0], HUMAN],
    "george": [HUMAN, BOTS[0], HUMAN],
}
Who = int | str | None


def known(log: list[dict[str, Any]], who: Who) -> set[bytes]:
    """The faces that somebody has been shown by the rules, from the true log of a first deal."""
    shown: set[bytes] = set()
    for event in log:
        kind = event["type"]
        if kind == "deal_started":
            parts = {k: event[k] for k in ("deal", "upcards", "melds", "discard")}
            shown |= faces(parts)
            if isinstance(who, int):
                shown |= faces(event["hands"][who])
        elif kind == "card_drawn":
            if event["source"] == "discard" or event["seat"] == who:
                shown |= faces(event["cards"])
        elif kind not in ("game_created", "stock_rebuilt", "seat_taken"):
            shown |= faces(event)
    return shown


def faces(part: Any) -> set[bytes]:
    return set(CARD.findall(json.dumps(part).encode()))


def hidden(position: dict[str, Any], who: Who) -> set[bytes]:
    """The faces in the other hands and in the stock."""
    hands = [hand for seat, hand in enumerate(position["hands"]) if seat != who]
    return faces(hands) | faces(position["stock"])


async def truth(site: Site, game: Game) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The log, and every card of the table."""
    text = (await game.get("/log", OPERATOR_KEY)).content
    log = [json.loads(line) for line in text.splitlines()[1:]]
    answer = await site.http.post(f"/v1/replays?at={len(log)}", content=text,
                                  headers={"Content-Type": "application/x-ndjson"})  # fmt: skip
    assert answer.json()["ok"], answer.text
    return log, answer.json()["position"]


async def streamed(site: Site, game: Game, who: Who, version: int) -> bytes:
    async with site.stream(game, who, last=0) as stream:
        if stream.answer.status_code != 200:
            return await stream.answer.aread()
        found = b""
        while (message := await stream.next()) is not None and (message.id or 0) < version:
            found += message.data + b"\n"
        return found


async def everything(site: Site, game: Game, who: Who, version: int, guesses: list[str]) -> bytes:
    """Whatever can be asked for, headers included."""
    answers = [
        await game.get(path, who, headers=headers)
        for path in (
            "", "/view", f"/view?at={version - 1}", "/actions", "/events?after=0&limit=500", "/scores", "/log",
            f"/events?after={version}&wait=0", "/view?at=999999", "/nothing",
        )
        for headers in ({}, {"If-None-Match": '"1"'})
    ]  # fmt: skip
    answers.append(await site.http.get("/v1/games?status=playing", headers=bearer(game.token(who))))
    # Refusals must not tell more than acceptances: the guess of a hidden card comes back as it was sent, and
    # whichever card it is the answer is the same.
    answers += [
        await game.send(who, command, "?dry_run=true")
        for command in ({"type": "draw", "source": "stock"}, {"type": "draw", "source": "discard"}, {"type": "pass"})
    ]
    for make in (
        lambda card: {"type": "declare", "groups": [], "discard": card},
        lambda card: {"type": "discard", "card": card},
        lambda card: {"type": "meld", "cards": [card, card, card]},
        lambda card: {"type": "lay_off", "meld": 1, "cards": [card]},
        lambda card: {"type": "call_rummy", "meld": 1, "discard": card},
    ):
        same = set()
        for card in guesses:
            refused = await game.send(who, make(card), "?dry_run=true")
            assert refused.status_code != 200
            same.add((refused.status_code, refused.json()["code"], refused.text.replace(card, "…")))
        assert len({(status, code) for status, code, _ in same if not code.startswith("meld.")}) <= 1, same
    parts = [repr(sorted(a.headers.items())).encode() + a.content for a in answers]
    parts.append(await streamed(site, game, who, version))
    return b"\n".join(parts)


async def look(site: Site, game: Game, stranger: str, chance: random.Random) -> int:
    """Read the game as everybody. Returns how many hidden faces there were to be found; -1 if the game went on
    meanwhile (a bot called rummy), so that nothing can be said."""
    log, position = await truth(site, game)
    if sum(event["type"] == "deal_started" for event in log) != 1 or log[-1]["type"] == "seed_revealed":
        return -1
    version = len(log)
    found = 0
    secret = next(e["seed"] for e in log if e["type"] == "game_created")
    viewers: list[Who] = [*game.tokens, None, game.host, stranger]
    shown: list[tuple[Who, set[bytes], bytes]] = []
    for who in viewers:
        forbidden = hidden(position, who) - known(log, who)
        found += len(forbidden)
        guesses = [c.decode() for c in sorted(forbidden) if c != b"JK"]
        guesses = chance.sample(guesses, min(4, len(guesses)))
        shown.append((who, forbidden, await everything(site, game, who, version, guesses)))
    if (await game.view(0))["version"] != version:
        return -1
    for who, forbidden, text in shown:
        leaked = set(CARD.findall(text)) & forbidden
        where = [text[max(0, m.start() - 300) : m.end() + 100] for m in CARD.finditer(text) if m[0] in leaked]
        assert not leaked, (who, leaked, version, where[:2])
        assert secret.encode() not in text
        for token in {game.host, stranger, *game.tokens.values()}:
            assert token.encode() not in text
    return found


@amounts(1, 12)
@pytest.mark.parametrize("variant", SEATS)
@pytest.mark.asyncio
async def test_no_byte_tells_a_hidden_card(variant: str, tmp_path: Path, amount: int) -> None:
    chance = random.Random(f"{variant} {amount}")
    async with served(sqlite_url(tmp_path), bot_delay=0.0, call_pause=0.0) as site:
        stranger = (await site.game()).host
        found = looks = 0
        options = {"clock": None}
        while looks < amount:
            game = await site.game(variant=variant, seats=SEATS[variant], options=options, spectators="public")
            for _ in range(3):
                await play_on(game, chance)
                got = await look(site, game, stranger, chance)
                if got < 0:
                    break
                found, looks = found + got, looks + 1
                if looks >= amount:
                    break
        assert found > 20 * amount


async def play_on(game: Game, chance: random.Random) -> None:
    """A few commands of people, until one is on turn and the bots rest."""
    left = chance.randint(2, 5)
    async with asyncio.timeout(30):
        while True:
            view = await game.view(0)
            if view["turn"] is None:
                return
            seat = view["turn"]["seat"]
            if seat not in game.tokens:
                await game.get(f"/events?after={view['version']}&wait=5", 0)
                continue
            if left <= 0:
                return
            listed = await game.actions(seat)
            plain = [c for c in listed if c["type"] in ("draw", "discard")] or listed
            answer = await game.send(seat, chance.choice(plain))
            assert answer.status_code == 200, answer.text
            left -= 1
