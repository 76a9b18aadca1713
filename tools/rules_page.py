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
CHOICES: tuple[tuple[str, str], ...] = (
    ("A card written as standing for itself", ("`6H=6H` means exactly what plain `6H` means: a card of the wild "
     "rank stands for itself where that is lawful, and may be placed elsewhere where it is not (K-2, K-6).")),
    ("Two equal natural cards and a wild", ("Sent without a `kind` they are of one suit and of one rank; of the "
     "two faults the later in the contract's order is named.")),
    ("Two copies of a card of the wild rank", ("Where one of them could stand for itself, the one sent first does: "
     "alike copies are no reason to ask the player (K-1, K-6; two decks only).")),
    ("One natural card between wilds that disagree", ("Sent without a `kind`, with wilds written out for other "
     "suits and ranks than its own, it is `meld.mixed_suits`: read both as a run and as a set, the later fault is "
     "named.")),
    ("The fifth card in a set with a wild", ("It stands behind the wild that it shares a place with, whatever the "
     "canonical order of the two is: WR-12 goes before K-5.")),
    ("Several cards at once from the pile", ("In Wild Rummy the top of the pile may also be taken when one "
     "lay-off of several cards plays it, as long as a card is left to discard (WR-7).")),
    ("A card beside its own place", ("A card of the wild rank lies beside a wild that stands for it only if "
     "`beside` is said, or if no wild may extend the run (FK-10).")),
    ("A wild that is called", ("Where a discarded wild fits both ends of a run, both calls in the action list "
     "name their `position`; sent without one, a card of the wild rank is read as itself if it fits (FK-12).")),
    ("The thousandth turn and a floating seat", ("The turn limit ends the deal before its turn would come to a "
     "floating seat, so the reason is `turn_limit` even if the stock is empty (K-10, FK-15).")),
    ("Cards left in hand with `subtract`", ("Every seat subtracts its own hand, also in a hand that nobody won "
     "(K-10, FK-22).")),
    ("Both lives missing", ("A declaration without any sequence is told of each life that it misses; one impure "
     "sequence is a second life without a first (TC-5, SD-5).")),
    ("An invalid declaration's set-aside card", ("It goes on the pile; the result shows the thirteen cards that "
     "stay (SD-6).")),
    ("The stock that a position leaves out", ("With two decks it is dealt deck by deck in the canonical order, "
     "less the cards that stand elsewhere (K-11).")),
    ("A position with a card just taken", ("With one copy in hand that copy is the card just taken; with two, "
     "neither is barred (K-1).")),
    ("Clocks and calls", ("A call of rummy starts the clock of the seat to act anew; while a window is open the "
     "clock starts when it closes (FK-12, TC-9). A pause stops a window as it stops the clock.")),
    ("The first legal play of a time-out", ("It is the first play of the action list: sets before runs, then the "
     "lower cards (TC-9).")),
    ("Absent seats", ("Time-outs are counted until the seat does something itself, be it only a draw or a pass: its "
     "owner is there. After three in a row a `medium` bot plays; whatever the owner then sends brings the seat back, "
     "even if it is refused.")),
    ("Bots and wins", ("A win that a bot takes at once is a declaration or, in the games with melds on the table, "
     "going out in the turn under way, the pile's cards included (SD-9). A bot looks through up to 500 positions of "
     "the turn to find it.")),
    ("Who sees a delayed game late", ("Everybody but the seats: spectators, a host without a seat, operators. Who is "
     "connected is of the present, so none of them is told while the game is on.")),
    ("Resigned seats", ("A bot plays on; the old token still sees the hand, but has no moves: a game command is "
     "`game.not_playing`.")),
    ("A rematch", ("The entropies of the match before are used again with a new seed; the first dealer or starter "
     "moves one seat to the left even if an option had fixed it.")),
)


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
