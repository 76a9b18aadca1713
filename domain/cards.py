"""Cards (K-1, K-2): small integers inside, text at the edges.

Theory
------
A *face* is an integer: ``suit * 13 + rank`` with suits C D H S = 0..3 and ranks A 2 … K = 0..12;
the printed joker ``JK`` is 52.  Integer order is the canonical order of K-1.

A *hand* (any multiset of faces) is one packed integer with three bits a face, so that adding a
card is an addition, copies are alike by construction, and equality is equality of integers.
Three bits are enough: no deck of ours holds more than four copies of a face.

A *placed* card (K-2) is ``stands << 6 | face``.  A card that stands for itself has
``stands == face``; whether a wild-rank card sent plain is natural or waits for a place is decided
where melds are read (K-6).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

RANKS: Final = "A23456789TJQK"
SUITS: Final = "CDHS"
JOKER: Final = 52
FACES: Final = 53
ACE, TWO, QUEEN, KING = 0, 1, 11, 12

NAMES: Final[tuple[str, ...]] = (*(r + s for s in SUITS for r in RANKS), "JK")
FACE: Final[dict[str, int]] = {name: face for face, name in enumerate(NAMES)}

RANK: Final[tuple[int, ...]] = (*(face % 13 for face in range(52)), 13)
SUIT: Final[tuple[int, ...]] = (*(face // 13 for face in range(52)), 4)

#: Ends a pattern: in Python ``$`` alone would let a line break follow.
END: Final = r"$(?!\n)"

#: Pattern of a card and of a placed card on the wire.
CARD_PATTERN: Final = "^([A23456789TJQK][CDHS]|JK)" + END
PLACED_PATTERN: Final = "^([A23456789TJQK][CDHS]|JK)(=[A23456789TJQK][CDHS])?" + END

# ---------------------------------------------------------------- placed cards


def placed(face: int, stands: int) -> int:
    """The placed card ``face`` standing for ``stands`` (K-2)."""
    return stands << 6 | face


NATURAL: Final[tuple[int, ...]] = tuple(f << 6 | f for f in range(FACES))

PLACED_NAME: Final[dict[int, str]] = {
    (s << 6 | f): (NAMES[f] if f == s else f"{NAMES[f]}={NAMES[s]}")
    for f in range(FACES)
    for s in (*range(52), *((JOKER,) if f == JOKER else ()))
}
PLACED: Final[dict[str, int]] = {
    **{name: code for code, name in PLACED_NAME.items()},
    **{f"{NAMES[f]}={NAMES[f]}": f << 6 | f for f in range(52)},
}


def placed_names(cards: Iterable[int]) -> list[str]:
    """Placed cards as text, in the order given."""
    return [PLACED_NAME[c] for c in cards]


def names(faces: Iterable[int]) -> list[str]:
    """Faces as text, in the order given."""
    return [NAMES[f] for f in faces]


# ----------------------------------------------------------------------- hands

ONE: Final[tuple[int, ...]] = tuple(1 << 3 * f for f in range(FACES))
#: Bit 0 of every face's counter.
LOW: Final = sum(ONE)
_MID: Final = LOW << 1
_TOP: Final = LOW << 2


def pack(faces: Iterable[int]) -> int:
    """A multiset of faces as packed counts."""
    hand = 0
    for f in faces:
        hand += ONE[f]
    return hand


def unpack(hand: int) -> list[int]:
    """The faces of a hand in canonical order, copies repeated (K-1)."""
    faces: list[int] = []
    while hand:
        low = ((hand & -hand).bit_length() - 1) // 3
        count = hand >> 3 * low & 7
        faces.extend((low,) * count)
        hand &= ~(7 << 3 * low)
    return faces


@lru_cache(maxsize=1 << 14)
def distinct(hand: int) -> tuple[int, ...]:
    """The different faces of a hand in canonical order."""
    return spread((hand | hand >> 1 | hand >> 2) & LOW)


def spread(present: int) -> tuple[int, ...]:
    """The faces whose low bit is set in a mask of three bits a face."""
    faces: list[int] = []
    while present:
        low = present & -present
        faces.append((low.bit_length() - 1) // 3)
        present ^= low
    return tuple(faces)


def present(hand: int) -> int:
    """One bit a face that the hand holds, at the low bit of its counter."""
    return (hand | hand >> 1 | hand >> 2) & LOW


@lru_cache(maxsize=1 << 14)
def size(hand: int) -> int:
    """How many cards a hand holds."""
    return (hand & LOW).bit_count() + 2 * (hand & _MID).bit_count() + 4 * (hand & _TOP).bit_count()


def count(hand: int, face: int) -> int:
    """How many copies of ``face`` a hand holds."""
    return hand >> 3 * face & 7


def holds(hand: int, cards: int) -> bool:
    """Whether the multiset ``cards`` is part of ``hand``.

    Each three-bit counter is compared at once: a borrow in any of them shows in a guard bit.
    Counters never exceed four, so a difference fits once the counters are spread to four bits;
    a loop over the few cards asked for is simpler and as fast.
    """
    while cards:
        shift = ((cards & -cards).bit_length() - 1) // 3 * 3
        if (hand >> shift & 7) < (cards >> shift & 7):
            return False
        cards &= ~(7 << shift)
    return True


def deck(decks: int, jokers_per_deck: int = 0, missing_ranks: str = "") -> list[int]:
    """The canonical order, deck by deck, a deck's jokers after its spades (K-11)."""
    one = [f for f in range(52) if RANKS[f % 13] not in missing_ranks]
    return (one + [JOKER] * jokers_per_deck) * decks
