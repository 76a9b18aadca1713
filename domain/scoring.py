"""What the variants' scoring functions take and give: an ending in, lines for every seat out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from domain.cards import FACES, JOKER, NAMES, RANK, unpack
from domain.rules import RuleSet
from domain.shapes import ScoreLine
from domain.state import Deal

Groups = tuple[tuple[int, ...], ...]
Part = Literal["points", "bonus"]


class Ending(NamedTuple):
    """How a deal ended."""

    reason: str
    winner: int | None
    #: the seat that declared, and its groups of placed cards (TC-5, SD-5, SD-6)
    declarer: int | None = None
    groups: Groups = ()


class Score(NamedTuple):
    """One seat's score of a deal: lines that sum to points and bonus; its groups in the declare family."""

    lines: list[ScoreLine]
    groups: list[list[str]] | None = None


def card_value(rules: RuleSet, wild: int, face: int) -> int:
    """What one card counts by the game's table."""
    if wild >> face & 1:
        if rules.wild_ace_value is not None and face != JOKER and RANK[face] == 0:
            return rules.wild_ace_value
        return rules.wild_value
    return rules.values[RANK[face]]


def value_table(rules: RuleSet, wild: int) -> tuple[int, ...]:
    """What every face counts in a deal with these wilds."""
    return tuple([card_value(rules, wild, f) if f != JOKER else rules.wild_value for f in range(FACES)])


def lines_for(
    rules: RuleSet, wild: int, faces: Iterable[int], rule: str, part: Part, sign: int = 1
) -> list[ScoreLine]:
    """One line for all cards of one value, the dearest first."""
    by_value: dict[int, list[int]] = {}
    for f in faces:
        by_value.setdefault(card_value(rules, wild, f), []).append(f)
    return [
        ScoreLine(rule, part, [NAMES[f] for f in cards], sign * value * len(cards))
        for value, cards in sorted(by_value.items(), reverse=True)
    ]


def played_by(deal: Deal, seat: int) -> list[int]:
    """Every card that a seat played to the table, on whosever meld (FK-7)."""
    faces = [c & 63 for m in deal.melds for c, by in zip(m.cards, m.by, strict=True) if by == seat]
    faces += [card for m in deal.melds for card, by in m.beside if by == seat]
    return sorted(faces)


def hand_faces(deal: Deal, seat: int) -> list[int]:
    """The cards left in a hand, in canonical order."""
    return unpack(deal.hands[seat])


