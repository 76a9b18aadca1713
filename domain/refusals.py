"""Refusals: one sentence and one rule number for every code of the contract.

A rule set may name other numbers for its own game (``Variant.numbers``).
"""

from __future__ import annotations

from typing import Any, Final

from domain.commands import GameCommand, Rejected
from domain.rules import RuleSet
from domain.shapes import Fault
from domain.variants import VARIANTS

#: code → (sentence, the kernel's rule or None)
SENTENCES: Final[dict[str, tuple[str, str | None]]] = {
    "command.not_in_variant": ("This game has no such move.", None),
    "turn.not_yours": ("It is not your turn.", "K-8"),
    "turn.wrong_phase": ("That cannot be done in this part of the turn.", None),
    "game.not_waiting": ("The game is not waiting for players any more.", None),
    "game.not_playing": ("The game is not being played.", None),
    "game.paused": ("The game is paused.", None),
    "game.not_paused": ("The game is not paused.", None),
    "game.seats_open": ("Some seats are still open.", None),
    "game.full": ("Every seat is taken.", None),
    "game.not_finished": ("The game is not over yet.", None),
    "seat.taken": ("That seat is taken.", None),
    "auth.required": ("This needs the token of a seat.", None),
    "auth.host_only": ("Only the host may do that.", None),
    "auth.not_your_game": ("This token belongs to another game.", None),
    "auth.operator_only": ("Only an operator may do that.", None),
    "draw.stock_empty": ("The stock is empty.", None),
    "draw.discard_empty": ("The discard pile is empty.", None),
    "draw.discard_unplayable": ("The top of the pile may only be taken to be played at once.", "WR-7"),
    "draw.deepest_unplayable": ("The deepest card taken could not be melded this turn.", "FK-6"),
    "draw.count_not_allowed": ("Only one card may be drawn.", None),
    "draw.too_many": ("The pile does not hold that many cards.", "FK-6"),
    "draw.joker_not_takeable": ("A joker on the pile may not be taken.", "SD-3"),
    "draw.stock_only": ("A floating seat draws from the stock only.", "FK-14"),
    "draw.needs_matching_pair": (
        "Taking from the pile needs two natural cards of the rank of the deepest card.", "GE-3"),
    "draw.call_window": ("The next draw waits for calls of rummy.", "FK-12"),
    "card.not_in_hand": ("That card is not in your hand.", "K-1"),
    "card.not_wild": ("A card that is not wild cannot stand for another.", "K-2"),
    "meld.too_short": ("A meld needs three cards or more.", "K-3"),
    "meld.too_long": ("That is more cards than such a meld holds.", "K-3"),
    "meld.mixed_ranks": ("The cards of a set have one rank.", "K-3"),
    "meld.repeated_suit": ("There is no room for another card of that suit in the set.", "K-5"),
    "meld.mixed_suits": ("The cards of a run have one suit.", "K-3"),
    "meld.not_consecutive": ("The cards of a run follow each other, each rank once.", "K-3"),
    "meld.ace_high": ("The ace is low in a run: Q-K-A is none.", "WR-10"),
    "meld.ace_wraps": ("A run does not go round the corner: K-A-2 is none.", "K-3"),
    "meld.no_natural": ("A meld needs a card that stands for itself.", "K-4"),
    "meld.too_many_wilds": ("That is more wilds than a meld may hold.", "K-4"),
    "meld.runs_not_allowed": ("This game has no runs.", "GE-1"),
    "meld.ambiguous": ("The cards can be read in several ways: say which.", "K-6"),
    "meld.not_a_meld": ("These cards are neither a set nor a run.", "K-3"),
    "meld.not_found": ("There is no such meld on the table.", None),
    "lay_off.must_meld_first": ("Lay a meld of your own before adding to others.", "TP-9"),
    "lay_off.does_not_fit": ("That does not fit this meld.", None),
    "lay_off.not_beside": ("Only the very card that a wild of a run stands for may lie beside it.", "FK-10"),
    "swap.no_wild": ("There is no such wild in that meld.", "WR-13"),
    "swap.card_does_not_match": ("That card cannot take the wild's place.", "WR-13"),
    "pending.must_play": ("A card taken or freed this turn must be played before the discard.", "WR-8"),
    "pending.unplayable": ("That would leave no lawful way to end the turn.", "K-7"),
    "play.last_card_must_be_discarded": ("The last card may only be discarded.", "WR-14"),
    "discard.just_taken": ("The card just taken from the pile may not be discarded.", "FK-11"),
    "discard.last_card_playable": ("A last card that the table can use may not be discarded.", "FK-13"),
    "discard.must_play": ("A floating seat plays the card that it drew if it can.", "FK-14"),
    "declare.needs_draw": ("Draw before you declare.", "TC-5"),
    "declare.wrong_cards": ("The groups are not exactly the hand less the discard.", "TC-5"),
    "declare.invalid": ("The declaration does not stand.", "TC-8"),
    "rummy.must_meld_first": ("Only a seat that has played a card to the table may call.", "FK-12"),
    "rummy.nothing_to_call": ("No discard may be called now.", "FK-12"),
    "rummy.own_discard": ("Your own discard is not yours to call.", "FK-12"),
    "rummy.does_not_fit": ("The discard does not extend that meld.", "FK-12"),
    "rummy.must_discard": ("A caller that may discard must discard.", "FK-12"),
    "pass.stock_not_empty": ("Only with an empty stock may the hand be ended.", "FK-15"),
    "split.not_allowed": ("Melds are split only where the number of wilds is limited.", "FK-23"),
    "split.too_short": ("Both halves of a split need three cards or more.", "FK-23"),
    "sandbox.bad_position": ("That position cannot be.", None),
    "options.invalid": ("Some options of the game are not lawful.", None),
}  # fmt: skip

#: code → the sentence of the case at hand.  Its words are open to whoever may hear the refusal.
PARTICULAR: Final[dict[str, str]] = {
    "command.not_in_variant": "{game} has no {command}. Its commands are {commands}.",
    "turn.not_yours": "It is not your turn but that of seat {seat}.",
    "turn.wrong_phase": "The turn is in its {phase} phase, which is for {commands}.",
    "card.not_in_hand": "{card} is not in your hand.",
    "meld.not_found": "There is no meld {meld} on the table.",
}


def refuse(
    rules: RuleSet | None,
    code: str,
    *,
    choices: list[GameCommand] | None = None,
    errors: list[Fault] | None = None,
    detail: str | None = None,
    **words: Any,
) -> Rejected:
    """The refusal with this code, its sentence and its rule number in this game."""
    sentence, kernel = SENTENCES[code]
    if words:
        sentence = PARTICULAR.get(code, sentence)
    rule = None if rules is None else VARIANTS[rules.variant].numbers.get(code)
    return Rejected(code, detail or sentence.format(**words), rule or kernel, choices, errors)
