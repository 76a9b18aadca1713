"""Shuffles that are fair and can be checked (K-11).

The secret seed is 32 random bytes; its SHA-256 is published as the commitment before anyone sits
down.  ``client`` is the SHA-256 of all seats' entropies.  Random draw ``k`` of a match reads a
stream of u32 words: block ``i`` is HMAC-SHA-256(seed, client ‖ u32(k) ‖ u32(i)).
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from struct import iter_unpack, pack


def commitment(seed: bytes) -> str:
    """SHA-256 of the seed, hex."""
    return hashlib.sha256(seed).hexdigest()


def client_hash(entropies: Iterable[str]) -> str:
    """SHA-256 of the seats' entropies, each as a u32 length and its UTF-8 bytes, hex."""
    digest = hashlib.sha256()
    for text in entropies:
        raw = text.encode()
        digest.update(pack(">I", len(raw)) + raw)
    return digest.hexdigest()


def _words(seed: bytes, client: bytes, draw: int) -> Iterator[int]:
    prefix = client + pack(">I", draw)
    i = 0
    while True:
        block = hmac.digest(seed, prefix + pack(">I", i), "sha256")
        for (word,) in iter_unpack(">I", block):
            yield word
        i += 1


def _uniform(words: Iterator[int], top: int) -> int:
    """Uniform over 0..top: the next word below the largest multiple of top+1."""
    span = top + 1
    limit = 2**32 - 2**32 % span
    while True:
        word = next(words)
        if word < limit:
            return word % span


def first_seat(seed: bytes, client: bytes, seats: int) -> int:
    """Draw 0: the first dealer or starter, uniform over the seats."""
    return _uniform(_words(seed, client, 0), seats - 1)


@lru_cache(maxsize=256)
def _shuffled(seed: bytes, client: bytes, draw: int, items: tuple[int, ...]) -> tuple[int, ...]:
    cards = list(items)
    words = _words(seed, client, draw)
    for i in range(len(cards) - 1, 0, -1):
        j = _uniform(words, i)
        cards[i], cards[j] = cards[j], cards[i]
    return tuple(cards)


def shuffle(seed: bytes, client: bytes, draw: int, items: Sequence[int]) -> tuple[int, ...]:
    """Draw ``draw`` ≥ 1: the items shuffled; item 0 is the next card."""
    return _shuffled(seed, client, draw, tuple(items))
