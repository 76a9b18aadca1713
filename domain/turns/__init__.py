"""What a turn is: two families of games, each a table {(phase, command): handler}."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from domain import commands as cmd
from domain.record import Recorder
from domain.rules import RuleSet
from domain.turns import calls, declare, table_melds

Handler = Callable[[Recorder, Any], None]


@dataclass(frozen=True)
class Family:
    """A way of taking turns."""

    handlers: dict[tuple[str, type], Handler]
    #: the commands that a rule set has at all
    commands_of: Callable[[RuleSet], tuple[type, ...]]
    #: the code for a command in the wrong phase, where it is not ``turn.wrong_phase``
    wrong_phase: dict[type, str]
    #: a call out of turn (FK-12)
    call: Callable[[Recorder, cmd.CallRummy, int], None]


FAMILIES: dict[str, Family] = {
    "table_melds": Family(table_melds.HANDLERS, table_melds.commands_of, {}, calls.call_rummy),
    "declare": Family(
        declare.HANDLERS, declare.commands_of, {cmd.Declare: "declare.needs_draw"}, calls.call_rummy
    ),
}
