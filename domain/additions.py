"""Adding to the table: lay-offs, cards beside a wild, swaps, splits (K-5, K-6, WR-11 … WR-13, FK-10, FK-23).

A reading of a lay-off is an interval again: so many cards below, the others above (see ``melds``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from domain.cards import JOKER, NATURAL, RANK, SUIT, placed
from domain.melds import (
    RUN,
    RUN_LIMIT,
    SET,
    Meld,
    fill_places,
    fill_set,
    is_natural,
    run_bounds,
    set_room,
    wild_count,
    wilds_allowed,
)
from domain.rules import RuleSet


class Addition(NamedTuple):
    """One lawful way to add cards to a meld."""

    after: Meld
    cards: tuple[int, ...]
    position: str | None
    naturals: int


# ---------------------------------------------------------------------- lay-offs


def read_addition(
    meld: Meld, cards: Sequence[int], position: str | None, rules: RuleSet, wild: int, by: int,
    fifth: bool = False,
) -> list[Addition]:  # fmt: skip
    """Every lawful way to add ``cards`` to ``meld``, the lower place first (K-5, K-6, FK-10).

    ``fifth``: the player may add a wild to a full set now (WR-12).
    """
    if any(c >> 6 != c & 63 and not wild >> (c & 63) & 1 for c in cards):
        return []
    if position == "beside":
        return _read_beside(meld, cards, rules, by)
    if meld.kind == SET:
        return _add_to_set(meld, cards, rules, wild, by, fifth)
    return _add_to_run(meld, cards, position, rules, wild, by) or (
        _read_beside(meld, cards, rules, by) if position is None else []
    )


def add_card(
    meld: Meld, card: int, position: str | None, rules: RuleSet, wild: int, by: int, fifth: bool = False
) -> Addition:
    """What laying off one card that fits comes to: as itself where it can be (K-6)."""
    return max(read_addition(meld, (card,), position, rules, wild, by, fifth), key=lambda a: a.naturals)


def _add_to_set(
    meld: Meld, cards: Sequence[int], rules: RuleSet, wild: int, by: int, fifth: bool
) -> list[Addition]:
    rank = RANK[meld.cards[0] >> 6]
    if len(meld.cards) + len(cards) > set_room(rules):
        return _fifth_card(meld, cards, wild, by, rank) if fifth else []
    filled = fill_set(rules, wild, rank, list(zip(meld.cards, meld.by, strict=True)), cards, by)
    if filled is None:
        return []
    whole, new = filled
    after = tuple(c for c, _ in whole)
    if not wilds_allowed(rules, wild_count(after), len(after)):
        return []
    return [Addition(Meld(meld.id, meld.owner, SET, after, tuple(w for _, w in whole)), new, None,
                     sum(is_natural(c) for c in new))]  # fmt: skip


def _fifth_card(meld: Meld, cards: Sequence[int], wild: int, by: int, rank: int) -> list[Addition]:
    """WR-12: a wild as the fifth card of a full set, standing for its club, after the club's holder."""
    card = cards[0]
    face = card & 63
    club = placed(face, rank)
    if len(cards) != 1 or len(meld.cards) != 4 or not wild >> face & 1 or RANK[face] == rank:
        return []
    if card >> 6 != face and card != club:
        return []
    after = (meld.cards[0], club, *meld.cards[1:])
    who = (meld.by[0], by, *meld.by[1:])
    return [Addition(Meld(meld.id, meld.owner, SET, after, who), (club,), None, 0)]


def _add_to_run(
    meld: Meld, cards: Sequence[int], position: str | None, rules: RuleSet, wild: int, by: int
) -> list[Addition]:
    low, high = run_bounds(meld.cards)
    n = len(cards)
    if len(meld.cards) + n > RUN_LIMIT:
        return []
    suit = SUIT[meld.cards[0] >> 6]
    top = 13 if rules.ace_high else 12
    found: list[Addition] = []
    for below in range(n, -1, -1):
        if (position == "low" and below != n) or (position == "high" and below):
            continue
        new_low, new_high = low - below, high + n - below
        if new_low < 0 or new_high > top or (new_low == 0 and new_high == 13):
            continue
        full = len(meld.cards) + n == RUN_LIMIT
        if full and position is None and found and new_high == 13:
            continue  # the ace of a run of thirteen: one place, shown low (K-6)
        places = [*range(new_low, low), *range(high + 1, new_high + 1)]
        new = fill_places(suit, new_low, new_high, places, cards, wild)
        if new is None:
            continue
        pairs = [*zip(meld.cards, meld.by, strict=True), *((c, by) for c in new)]
        ace = 0 if new_low == 0 or full else 13
        pairs.sort(key=lambda p: RANK[p[0] >> 6] or ace)
        after = tuple(c for c, _ in pairs)
        if not wilds_allowed(rules, wild_count(after), len(after)):
            continue
        where = "low" if below == n else "high" if not below else None
        whole = Meld(meld.id, meld.owner, RUN, after, tuple(w for _, w in pairs), meld.beside)
        found.append(Addition(whole, tuple(new), where, sum(is_natural(c) for c in new)))
    return found


def _read_beside(meld: Meld, cards: Sequence[int], rules: RuleSet, by: int) -> list[Addition]:
    if not rules.beside or meld.kind != RUN:
        return []
    held = {c >> 6 for c in meld.cards if not is_natural(c)}
    if not all(is_natural(c) and c & 63 in held for c in cards):
        return []
    beside = tuple(sorted((*meld.beside, *((c & 63, by) for c in cards))))
    after = Meld(meld.id, meld.owner, RUN, meld.cards, meld.by, beside)
    return [Addition(after, tuple(cards), "beside", len(cards))]


def addition_fault(
    meld: Meld, cards: Sequence[int], position: str | None, rules: RuleSet, wild: int
) -> str:
    """Why cards that fit a meld in no lawful way do not (the contract's precedence)."""
    if any(c >> 6 != c & 63 and not wild >> (c & 63) & 1 for c in cards):
        return "card.not_wild"
    if position == "beside":
        return "lay_off.not_beside"
    rank = RANK[meld.cards[0] >> 6] if meld.kind == SET else -1
    wilds = sum(1 for c in cards if wild >> (c & 63) & 1 and RANK[c & 63] != rank)
    if wilds and not wilds_allowed(rules, wild_count(meld.cards) + wilds, len(meld.cards) + len(cards)):
        return "meld.too_many_wilds"
    return "lay_off.does_not_fit"


# ------------------------------------------------------------------------- swaps


def read_swaps(meld: Meld, face: int, named: int | None, rules: RuleSet, by: int) -> list[tuple[int, Meld]]:
    """Every (wild as it stood, meld after) that a natural ``face`` can bring about (WR-13).

    ``named``: the wild that the player means, as a placed card; sent plain, any place will do.
    """
    wilds = [
        c for c in meld.cards
        if not is_natural(c) and (named is None or c == named or named == NATURAL[c & 63])
    ]  # fmt: skip
    if face == JOKER:
        return []
    pairs = list(zip(meld.cards, meld.by, strict=True))
    found: list[tuple[int, Meld]] = []
    for card in wilds:
        if meld.kind == RUN:
            if card >> 6 != face:
                continue
            whole = tuple((NATURAL[face], by) if c == card else (c, w) for c, w in pairs)
        else:
            if RANK[face] != RANK[card >> 6]:
                continue
            filled = fill_set(rules, 0, RANK[face], [p for p in pairs if p[0] != card], (NATURAL[face],), by)
            if filled is None:
                continue
            whole = filled[0]
        after = Meld(meld.id, meld.owner, meld.kind, tuple(c for c, _ in whole), tuple(w for _, w in whole),
                     meld.beside)  # fmt: skip
        found.append((card, after))
    return found


# ------------------------------------------------------------------------ splits


def split_fault(meld: Meld, at: int, rules: RuleSet) -> str | None:
    """Why a meld may not be split there (FK-23), or None."""
    if rules.max_wilds is None:
        return "split.not_allowed"
    if len(meld.cards) < 6 or at < 3 or len(meld.cards) - at < 3:
        return "split.too_short"
    for half in (meld.cards[:at], meld.cards[at:]):
        if wild_count(half) == len(half):
            return "meld.no_natural"
        if not wilds_allowed(rules, wild_count(half), len(half)):
            return "meld.too_many_wilds"
    return None


def split(meld: Meld, at: int, new_id: int) -> tuple[Meld, Meld]:
    """The halves: owner, ``by`` and ``beside`` go with the cards (FK-23)."""
    first = {c >> 6 for c in meld.cards[:at] if not is_natural(c)}
    return (
        Meld(meld.id, meld.owner, meld.kind, meld.cards[:at], meld.by[:at],
             tuple(b for b in meld.beside if b[0] in first)),
        Meld(new_id, meld.owner, meld.kind, meld.cards[at:], meld.by[at:],
             tuple(b for b in meld.beside if b[0] not in first)),
    )  # fmt: skip

