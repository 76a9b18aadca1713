"""A bot's own luck: numbers drawn from its entropy bytes, the same for the same bytes."""

from __future__ import annotations

from hashlib import sha256


class Chance:
    """A stream of numbers from 0 up to 1."""

    def __init__(self, entropy: bytes) -> None:
        self._entropy = entropy
        self._drawn = 0

    def number(self) -> float:
        """The next number, 0 ≤ n < 1."""
        self._drawn += 1
        block = sha256(self._drawn.to_bytes(4) + self._entropy).digest()
        return int.from_bytes(block[:6]) / (1 << 48)

    def happens(self, probability: float) -> bool:
        """Whether something of this probability happens."""
        return self.number() < probability
