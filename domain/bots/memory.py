"""What an attentive player remembers of the deal: who threw and who took what.

Built from the events that the seat may see, and from nothing else; without them it is empty.
Events are read by their tag: this package does not import them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domain.cards import FACE, FACES, PLACED


class Memory:
    """Seat by seat: ``holds``, how many of each face it is known to hold; ``thrown``, its discards,
    oldest first; ``taken``, what it took from the pile."""

    def __init__(self, seats: int, upcards: Sequence[int | None], history: Sequence[Any]) -> None:
        self.holds = [[0] * FACES for _ in range(seats)]
        self.thrown: list[list[int]] = [[] for _ in range(seats)]
        self.taken: list[list[int]] = [[] for _ in range(seats)]
        start = len(history) - 1
        while start >= 0 and _tag(history[start]) != "deal_started":
            start -= 1
        if start < 0:
            return
        for seat, face in enumerate(upcards):
            if face is not None:
                self.holds[seat][face] += 1
        for event in history[start + 1 :]:
            self._note(event)

    def _note(self, event: Any) -> None:
        tag, seat = _tag(event), int(getattr(event, "seat", 0))
        if tag == "card_drawn":
            if event.source == "discard":
                for card in event.cards:
                    self.holds[seat][FACE[card]] += 1
                    self.taken[seat].append(FACE[card])
        elif tag == "card_discarded":
            self.thrown[seat].append(FACE[event.card])
            self._gone(seat, FACE[event.card])
        elif tag in ("meld_laid", "cards_laid_off"):
            for card in event.cards:
                self._gone(event.seat, PLACED[card] & 63)
        elif tag == "wild_swapped":
            self._gone(event.seat, FACE[event.card])
            self.holds[event.seat][PLACED[event.wild] & 63] += 1

    def _gone(self, seat: int, face: int) -> None:
        if self.holds[seat][face]:
            self.holds[seat][face] -= 1

    def known(self, seat: int) -> list[int]:
        """The different faces that a seat is known to hold."""
        return [f for f, n in enumerate(self.holds[seat]) if n]


def _tag(event: Any) -> str:
    return event.__struct_config__.tag
