"""A game to look at for whoever starts the server for the first time."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from domain.actions import actions

from .auth import ANYONE
from .games import open_game
from .server import Server
from .shapes import CreateGame, HumanSeat


async def open_demo(server: Server, address: str) -> str:
    """Create a table of two and say how to play at it."""
    body = CreateGame(
        "wild-rummy", options={"first_starter": 0}, seats=[HumanSeat("Ada"), HumanSeat("Bob")], host_seat=0
    )
    made = await open_game(server, ANYONE, body)
    game_id: str = made.game.game_id
    table = await server.service.table(game_id)
    listed: list[Any] = actions(table.state, 0)[0]
    command = msgspec.json.encode(listed[0]).decode() if listed else json.dumps({"type": "resign"})
    url = f"{address}/v1/games/{game_id}"
    return f"""
A game of Wild Rummy for two is open:

  game           {url}
  Ada's token    {made.tokens["0"]}
  Bob's token    {made.tokens["1"]}

Look at the table as Ada, list what she may do, and do the first of it:

  curl -s {url}/view -H 'Authorization: Bearer {made.tokens["0"]}'
  curl -s {url}/actions -H 'Authorization: Bearer {made.tokens["0"]}'
  curl -s {url}/commands -H 'Authorization: Bearer {made.tokens["0"]}' \\
       -H 'Content-Type: application/json' -d '{command}'
"""
