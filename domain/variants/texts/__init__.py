"""The rules in plain words, as data: one module a game, and one for the kernel that all games share.

These sentences are what `GET /v1/variants/{variant}` serves and what docs/rules.md is made of
(`python -m tools.rules_page --write`).  Numbers are permanent: errors, score lines and tests refer to them.
"""

from msgspec import Struct


class Rule(Struct, frozen=True):
    """One numbered rule.

    ``number`` is a prefix for the game and a count from 1 without gaps, such as ``WR-7``.  ``decision`` is
    true where older descriptions of the game are silent or unclear, so that some of what the rule says is
    this project's own choice.
    """

    number: str
    text: str
    decision: bool
