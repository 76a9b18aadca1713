"""Bots: easy, medium and hard, for every game (SD-9).

A bot is given what a person in its seat has: the view, the list of legal actions, the events that
the seat may see, the public rule set; and some entropy of its own for ties and slips.  The same of
each gives the same move.  Nothing here imports the state, or anything that could reach it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.bots import arranging, melding
from domain.bots.chance import Chance
from domain.bots.sight import Sight, ViewSeen
from domain.commands import Command
from domain.rules import RuleSet

__all__ = ["choose"]


def choose(
    level: str, view: ViewSeen, actions: Sequence[Command], entropy: bytes, rules: RuleSet,
    history: Sequence[Any] = (),
) -> Command | None:  # fmt: skip
    """The command that a bot of ``level`` sends now: one of ``actions``, as it stands there.

    ``actions``: the legal game commands of the seat ``view.you``.  ``history``: events as that seat
    may see them, oldest first; only ``hard`` looks at it, back to the last ``deal_started``.  None
    where there is no action, and where calling rummy is all there is and the bot does not (FK-12).
    """
    if not actions:
        return None
    family = arranging if rules.family == "declare" else melding
    return family.choose(level, Sight(view, rules), actions, Chance(entropy), history)
