"""K-11, K-13, K-14: every deck recomputed from the log alone, and how it is dealt."""

from __future__ import annotations

import hashlib
import hmac
from struct import pack as pack_words

import pytest

from domain import commands as cmd
from domain.decide import NewGame, NewSeat, create
from domain.variants import VARIANTS
from domain.views import redact
from tests.rules.tables import AT, SEED, VARIANT_SLUGS, do, plain, position, seats_of, see, types


def _shuffle(seed: bytes, client: bytes, k: int, items: list[str]) -> list[str]:
    """K-11 in other words than the domain's."""
    words: list[int] = []
    block = 0

    def uniform(top: int) -> int:
        nonlocal block
        while True:
            if not words:
                digest = hmac.new(seed, client + pack_words(">II", k, block), hashlib.sha256).digest()
                words.extend(int.from_bytes(digest[n : n + 4], "big") for n in range(0, 32, 4))
                block += 1
            word = words.pop(0)
            if word < 2**32 - 2**32 % (top + 1):
                return word % (top + 1)

    for i in range(len(items) - 1, 0, -1):
        j = uniform(i)
        items[i], items[j] = items[j], items[i]
    return items


ONE_DECK = [r + s for s in "CDHS" for r in "A23456789TJQK"]
DECKS = {
    "wild-rummy": ONE_DECK, "two-player-rummy": ONE_DECK, "rummy-5000": ONE_DECK,
    "thirteen-card-rummy": [*ONE_DECK, "JK", *ONE_DECK, "JK"], "single-deck-rummy": [*ONE_DECK, "JK", "JK"],
    "george": [c for c in ONE_DECK if c[0] != "2"] * 2,
}  # fmt: skip


@pytest.mark.parametrize("variant", VARIANT_SLUGS)
def test_k_11_every_deck_can_be_recomputed_from_the_log(variant: str) -> None:
    number = VARIANTS[variant].seats.min
    entropies = ["", "ü", "x" * 64][:number]
    seats = tuple(NewSeat("human", None, e) for e in entropies)
    events, _ = create(NewGame(variant, SEED, seats=seats), AT)
    log = plain(events)
    seed = bytes.fromhex(SEED)
    assert log[0]["commitment"] == hashlib.sha256(seed).hexdigest()
    said = b"".join(pack_words(">I", len(e.encode())) + e.encode() for e in entropies)
    client = hashlib.sha256(said).digest()
    started, dealt = log[-2:]
    assert (started["type"], started["client"]) == ("game_started", client.hex())
    word = hmac.new(seed, client + pack_words(">II", 0, 0), hashlib.sha256).digest()
    assert started["first"] == int.from_bytes(word[:4], "big") % number
    assert (dealt["type"], dealt["draw"]) == ("deal_started", 1)
    assert dealt["deck"] == _shuffle(seed, client, 1, list(DECKS[variant]))


def test_k_11_decks_of_more_seats_and_permanent_jokers() -> None:
    for variant, seats, options, deck in (
        ("rummy-5000", 5, {}, ONE_DECK * 2),
        ("rummy-5000", 5, {"permanent_wilds": "jokers"}, [*ONE_DECK, "JK", "JK"] * 2),
        ("rummy-5000", 4, {"permanent_wilds": "jokers"}, [*ONE_DECK, "JK", "JK"]),
        ("george", 3, {"permanent_wilds": "jokers"}, [*(c for c in ONE_DECK if c[0] != "2"), "JK", "JK"] * 2),
    ):  # fmt: skip
        dealt = plain(create(NewGame(variant, SEED, options, seats_of("h" * seats)), AT).events[-1])
        client = hashlib.sha256(bytes(4 * seats)).digest()
        assert dealt["deck"] == _shuffle(bytes.fromhex(SEED), client, dealt["draw"], list(deck))


def test_k_13_a_reshuffle_takes_the_pile_oldest_first() -> None:
    state = position(
        [["KS", "QS"], ["JS", "TS"]],
        {"phase": "play"},
        "two-player-rummy",
        stock=[],
        discard=["2C", "3D", "4H", "5S"],
    )
    events, state = do(state, cmd.Discard("KS"), 0)
    assert types(events) == ["card_discarded", "stock_rebuilt"]
    rebuilt = plain(events[1])
    client = hashlib.sha256(bytes(8)).digest()
    assert rebuilt["draw"] == 2  # a position stands for draw 1
    assert rebuilt["cards"] == _shuffle(bytes.fromhex(SEED), client, 2, ["2C", "3D", "4H", "5S"])
    assert rebuilt["discard"] == ["KS"]
    assert rebuilt["stock"] == {"count": 4, "reshuffles": 1, "draws": 0}
    assert plain(redact(events[1], 0))["cards"] is None


def test_k_14_cards_are_dealt_one_at_a_time() -> None:
    """From the dealer's left, or from the starter (WR-4); the larger hand's extra card last (TP-2)."""
    for variant, options, first, extra in (
        ("wild-rummy", {"first_starter": 1}, 1, 1),
        ("two-player-rummy", {"first_dealer": 1}, 0, 1),
        ("thirteen-card-rummy", {"first_dealer": 2}, 0, None),
    ):
        seats = 2 if variant == "two-player-rummy" else 3
        events, state = create(
            NewGame(variant, SEED, options, seats_of("h" * seats), sandbox={"deck": []}), AT
        )
        deck = list(DECKS[variant])
        size = 13 if extra is None else 7
        hands = [deck[(seat - first) % seats : size * seats : seats] for seat in range(seats)]
        rest = deck[size * seats :]
        if extra is not None:
            hands[extra].append(rest.pop(0))
        for seat in range(seats):
            assert sorted(see(state, seat)["hand"]) == sorted(hands[seat])
        dealt = plain(events[-1])
        if variant == "thirteen-card-rummy":
            assert dealt["deal"]["wild"]["indicator"] == rest.pop(0)
            assert dealt["discard"] == [rest.pop(0)]
        assert dealt["stock"]["count"] == len(rest)
        assert dealt["counts"] == [len(h) for h in hands]
