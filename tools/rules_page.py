"""docs/rules.md, made from the rule texts in domain/variants/texts.

    python -m tools.rules_page --check    is the page up to date?  (exit status 1 if it is not)
    python -m tools.rules_page --write    bring it up to date

Only the frame of the page stands here: its introduction, the table of games and the choices that are not a
rule of one game.  The rules themselves are edited where they are data.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from domain.variants.texts import (
    Rule,
    george,
    kernel,
    rummy_5000,
    score_sheet,
    single_deck_rummy,
    thirteen_card_rummy,
    two_player_rummy,
    wild_rummy,
)

PAGE = Path(__file__).resolve().parent.parent / "docs" / "rules.md"


class Game(NamedTuple):
    """A line of the table of games, and the section that belongs to it."""

    name: str
    slug: str
    seats: str
    deck: str
    melds: str
    won_by: str
    prefix: str
    rules: tuple[Rule, ...]
    #: what a reader of the section should know before the first rule
    note: str = ""


GAMES: tuple[Game, ...] = (
    Game(
        name="Wild Rummy",
        slug="wild-rummy",
        seats="2–4 (2)",
        deck="52",
        melds="on the table",
        won_by="lowest total of 13 deals",
        prefix="WR",
        rules=wild_rummy.RULES,
    ),
    Game(
        name="Two-player rummy",
        slug="two-player-rummy",
        seats="2",
        deck="52",
        melds="on the table",
        won_by="highest total of 13 rounds",
        prefix="TP",
        rules=two_player_rummy.RULES,
    ),
    Game(
        name="13-card rummy",
        slug="thirteen-card-rummy",
        seats="2–6 (4)",
        deck="2 × 52 and 2 jokers",
        melds="declared",
        won_by="lowest total of 1 deal",
        prefix="TC",
        rules=thirteen_card_rummy.RULES,
    ),
    Game(
        name="5000 Rummy",
        slug="rummy-5000",
        seats="3–8 (3)",
        deck="52, from 5 seats on 104",
        melds="on the table",
        won_by="highest total at 5,000",
        prefix="FK",
        rules=rummy_5000.RULES,
    ),
    Game(
        name="George",
        slug="george",
        seats="3–8 (3)",
        deck="2 × 48, no twos",
        melds="on the table, sets only",
        won_by="highest total at 2,500",
        prefix="GE",
        rules=george.OWN,
        note="These rules of 5000 Rummy hold here too, as far as GE-1 to GE-3 leave them: "
        + ", ".join(f"[{rule.number}](#{rule.number.lower()})" for rule in george.SHARED)
        + ".",
    ),
    Game(
        name="Single-deck rummy",
        slug="single-deck-rummy",
        seats="2–3 (2)",
        deck="52 and 2 jokers",
        melds="declared",
        won_by="lowest total of 1 deal",
        prefix="SD",
        rules=single_deck_rummy.RULES,
    ),
)

INTRODUCTION = """\
# The rules

Six games are played here, on one kernel of rules that they share. Every rule has a number, and the number
never changes: you meet it again in the `rule` of an error, in the lines that explain a score, and in the
answer to `GET /v1/variants/{variant}`.

A rule marked **°** is a decision. Older descriptions of the game say nothing on the point, or nothing clear,
and we had to choose; where only a part of the rule was open, the words "our choice" show which. Names in
`code letters` are those of the interface: options, error codes, reasons why a deal ended.

*This page is made by `python -m tools.rules_page --write` from the texts in `domain/variants/texts`. Change
them there.*
"""

CHOICES_HEADING = """\
## Choices of this project

What we settled beyond the rules above, and why.
"""

#: (title, text), in the order of the page
CHOICES: tuple[tuple[str, str], ...] = ()


def paragraphs(rules: Iterable[Rule]) -> list[str]:
    """One paragraph a rule, with an anchor such as ``#wr-7`` to link to."""
    return [
        f'<a id="{rule.number.lower()}"></a>**{rule.number}{"°" if rule.decision else ""}** {rule.text}\n'
        for rule in rules
    ]


def table() -> str:
    """The games at a glance."""
    lines = [
        "| game | `variant` | seats (default) | deck | melds | won by | rules |",
        "|---|---|---|---|---|---|---|",
    ]
    for game in GAMES:
        first, last = game.rules[0].number, game.rules[-1].number
        lines.append(
            f"| [{game.name}](#{game.slug}) | `{game.slug}` | {game.seats} | {game.deck} | {game.melds} "
            f"| {game.won_by} | [{first}](#{first.lower()}) to [{last}](#{last.lower()}) |"
        )
    return "\n".join(lines) + "\n"


def page() -> str:
    """The whole page as it should be."""
    parts = [INTRODUCTION, table(), "## The kernel\n", "Common to all games.\n", *paragraphs(kernel.RULES)]
    for game in GAMES:
        parts.append(f'<a id="{game.slug}"></a>\n\n## {game.name}\n')
        if game.note:
            parts.append(game.note + "\n")
        parts += paragraphs(game.rules)
    parts += ["## Score sheets\n", *paragraphs(score_sheet.RULES), CHOICES_HEADING]
    parts += [f"**{title}.** {text}\n" for title, text in CHOICES] or ["Nothing so far.\n"]
    return "\n".join(parts)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.rules_page", description="Make docs/rules.md.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--check", action="store_true", help="exit with 1 if the page is not up to date")
    what.add_argument("--write", action="store_true", help="write the page")
    if parser.parse_args(arguments).write:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == page():
        return 0
    sys.stderr.write("docs/rules.md is out of date: run `python -m tools.rules_page --write`\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
