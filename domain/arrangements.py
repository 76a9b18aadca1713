"""Arranging a hand on its own, without a game: the best way, or judging groups that are given."""

from __future__ import annotations

from collections import Counter
from typing import Any

from domain.arrange import winning
from domain.arrange_groups import charge, faults, judge
from domain.cards import FACE, NAMES, PLACED, PLACED_NAME, names, pack, size, unpack
from domain.commands import Declare, Rejected
from domain.decide import resolve
from domain.refusals import refuse
from domain.rules import RuleSet
from domain.scoring import value_table
from domain.state import wild_mask
from domain.turns.deals import full_deck
from domain.turns.declare import HAND
from domain.variants import VARIANTS
from domain.views import ArrangementShape, arrangement


def arrange_hand(
    variant: str, options: dict[str, Any], hand: list[str], wild: str | None, groups: list[list[str]] | None
) -> ArrangementShape:
    """The best arrangement of 1–14 cards (TC-12, SD-7), or the judgement of ``groups``.

    ``wild`` is the turned card; None: printed jokers alone are wild.  Raises ``request.invalid``
    for a game without arrangements or a hand that cannot be.
    """
    if VARIANTS[variant].family != "declare":
        raise Rejected("request.invalid", "This game has no arrangements of a hand.")
    rules = resolve(variant, options, VARIANTS[variant].seats.default)
    if not 1 <= len(hand) <= HAND + 1:
        raise Rejected("request.invalid", f"A hand has 1 to {HAND + 1} cards.")
    if unknown := [c for c in [*hand, *([] if wild is None else [wild])] if c not in FACE]:
        raise Rejected("request.invalid", f"There is no card {unknown[0]!r}.")
    if any(c not in PLACED for g in groups or [] for c in g):
        raise Rejected("request.invalid", "A group names a card that does not exist.")
    faces = [FACE[c] for c in hand]
    turned = [] if wild is None else [FACE[wild]]
    if extra := Counter(faces + turned) - Counter(full_deck(rules)):
        raise Rejected("request.invalid", f"There is one {NAMES[next(iter(extra))]} too many.")
    mask = wild_mask(rules, 1, turned[0] if turned else None)
    packed = pack(faces)
    if groups is None:
        found = winning(packed, mask) if len(hand) == HAND + 1 else None
        declare = None
        if found is not None:
            declare = Declare([[PLACED_NAME[c] for c in g] for g in found.groups], NAMES[found.discard])
        return arrangement(rules, packed, mask, declare)
    return _judged(rules, packed, mask, [[PLACED[c] for c in g] for g in groups])


def _judged(rules: RuleSet, hand: int, wild: int, groups: list[list[int]]) -> ArrangementShape:
    shown = Counter(c & 63 for g in groups for c in g)
    if extra := shown - Counter(unpack(hand)):
        raise refuse(rules, "card.not_in_hand", card=NAMES[next(iter(extra))])
    judged = judge(groups, wild)
    points, _, deadwood = charge(hand, judged, wild, value_table(rules, wild), rules.lives, rules.cap or 0)
    left = list((Counter(unpack(hand)) - shown).elements())
    placed = [[PLACED_NAME[c] for c in g] for g in judged.groups]
    declare = None
    if judged.wins and size(hand) == HAND + 1 and len(left) == 1:
        declare = Declare(placed, NAMES[left[0]])
    return ArrangementShape(
        points, placed, list(judged.kinds), names(deadwood), judged.lives, judged.pure, declare,
        faults(judged, VARIANTS[rules.variant].numbers["declare.wrong_cards"]),
    )  # fmt: skip
