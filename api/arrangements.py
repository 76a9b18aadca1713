"""Arranging a hand without a game."""

from __future__ import annotations

import msgspec

from domain.arrangements import arrange_hand
from domain.commands import Rejected
from domain.variants import VARIANTS
from domain.views import ArrangementShape

from .operations import Answer, Operation, operation
from .problems import invalid, of_rejection
from .replies import Reply, json_reply
from .requests import Call, public_caller, read_json
from .shapes import ArrangeHand

_decoder = msgspec.json.Decoder(ArrangeHand)


@operation("POST", "/v1/arrangements", Operation(
    "arrangeHand", "Arrange a hand", "variants",
    (Answer(200, ArrangementShape, "The best arrangement, or the judgement of the groups given."),),
    ("options.invalid", "card.not_in_hand"), body=ArrangeHand,
    description="For games where a hand is declared. With `groups` those are judged.",
))  # fmt: skip
async def arrange(request: Call) -> Reply:
    """The best arrangement of a hand, or what given groups of it are worth."""
    await public_caller(request)
    body = await read_json(request, _decoder)
    if body.variant not in VARIANTS:
        raise invalid("#/variant", f"One of {', '.join(VARIANTS)}.")
    try:
        return json_reply(arrange_hand(body.variant, body.options, body.hand, body.wild, body.groups))
    except Rejected as refusal:
        if refusal.code == "request.invalid":
            raise invalid("#/hand", refusal.detail) from None
        raise of_rejection(refusal, None) from None


HANDLERS = (arrange,)
