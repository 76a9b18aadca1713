"""The games with melds on the table against a second opinion, on random small tables.

``oracle_table`` is written from the ledger alone.  Compared are whole action lists, each command played
and its outcome looked at, what may be drawn, and how commands are read or refused.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any, Literal

import pytest

from domain import commands as cmd
from domain.actions import actions
from domain.commands import Actor, Rejected
from domain.decide import NewGame, NewSeat, create, execute
from domain.state import Match
from tests.rules import oracle_table as oracle
from tests.rules.oracle_table import FACES, RANKS, SUITS, Game, Meld, Table
from tests.rules.tables import AT, plain, see


def games(rng: Random, name: str) -> tuple[Game, dict[str, Any], int, str]:
    """A game, its options, its seats, and its wild rank."""
    rank = rng.choice(RANKS)
    wild = {rank + s for s in SUITS}
    options: dict[str, Any] = {}
    if name == "wild-rummy":
        return Game(name, frozenset(wild), ace_high=False, four=True, swaps=True, last="discard",
                    returns=True, pile="now"), options, 2, rank  # fmt: skip
    if name == "two-player-rummy":
        options["may_return_taken"] = rng.random() < 0.5
        return Game(name, frozenset(wild), four=True, half=True, own_first=True, last="any",
                    returns=options["may_return_taken"], pile="free"), options, 2, rank  # fmt: skip
    options["permanent_wilds"] = rng.choice(["none", "jokers"] + ["twos"] * (name != "george"))
    if name == "george" and rank == "2":
        rank = "9"
        wild = {rank + s for s in SUITS}
    if options["permanent_wilds"] == "jokers":
        wild.add("JK")
    if options["permanent_wilds"] == "twos":
        wild |= {"2" + s for s in SUITS}
    if name == "george":
        return Game(name, frozenset(wild), decks=2, runs=False, max_wilds=1, beside=True,
                    pile="pair"), options, 3, rank  # fmt: skip
    seats = rng.choice([3, 5])
    options["max_wilds_per_meld"] = rng.choice([None, None, 1, 2, 3])
    return Game(name, frozenset(wild), decks=1 if seats == 3 else 2, max_wilds=options["max_wilds_per_meld"],
                beside=True), options, seats, rank  # fmt: skip


def deck(game: Game) -> list[str]:
    ranks = RANKS.replace("2", "") if game.name == "george" else RANKS
    jokers = ["JK"] * 2 if "JK" in game.wild else []
    return ([r + s for s in SUITS for r in ranks] + jokers) * game.decks


def random_meld(rng: Random, game: Game, left: list[str], owner: int) -> Meld | None:
    """A lawful meld of cards that are left, some of them wild; its cards are taken out."""
    long = rng.choice([3, 3, 3, 4, 5, 6, 7, 11, 12, 13] if game.max_wilds is None else [3, 4, 6, 7, 8])
    kind = "run" if game.runs and rng.random() < 0.65 else "set"
    if kind == "run":
        suit, low = rng.choice(SUITS), rng.randrange(14)
        wanted = [RANKS[i % 13] + suit for i in range(low, low + long)]
    else:
        rank = rng.choice(RANKS)
        wanted = [rank + s for s in SUITS * game.decks]
        rng.shuffle(wanted)
        wanted = sorted(wanted[: min(long, oracle.set_size(game))], key=FACES.index)
    cards: list[str] = []
    rest = list(left)
    for face in wanted:
        wilds = [c for c in rest if c in game.wild and (kind == "run" or c[0] != face[0])]
        card = rng.choice(wilds) if wilds and (face not in rest or rng.random() < 0.25) else face
        if card not in rest:
            return None
        rest.remove(card)
        cards.append(oracle.show(card, face))
    if kind == "set":
        cards.sort(key=lambda p: (FACES.index(oracle.stands(p)), "=" in p, FACES.index(p[:2])))
    meld = Meld(owner, kind, tuple(cards))
    if not oracle.lawful(game, meld):
        return None
    left[:] = rest
    held = [oracle.stands(p) for p in cards if not oracle.natural(p)]
    if game.beside and kind == "run" and held and rng.random() < 0.2 and held[0] in left:
        left.remove(held[0])
        meld = meld._replace(beside=(held[0],))
    return meld


def near(rng: Random, game: Game, left: list[str], melds: list[Meld], number: int) -> list[str]:
    """A hand in which much goes together, with itself and with the table."""
    anchors = [oracle.stands(p) for m in melds for p in m.cards] + rng.sample(left, 2)
    suits = Counter(a[1] for a in anchors if a != "JK")
    hand: list[str] = []
    while len(hand) < number:
        card = rng.choice(left)
        close = card in game.wild or any(
            card[0] == a[0] or (card[1] == a[1] and abs(RANKS.index(card[0]) - RANKS.index(a[0])) % 11 < 3)
            for a in [*anchors, *hand] if a != "JK"
        )  # fmt: skip
        if (close and (card in game.wild or suits[card[1]] or rng.random() < 0.5)) or rng.random() < 0.15:
            hand.append(card)
            left.remove(card)
    return hand


def position(rng: Random, name: str) -> tuple[Game, dict[str, Any], int, dict[str, Any], Table]:
    """A random table: phase ``play`` or ``draw``, perhaps a card owed or taken."""
    game, options, seats, rank = games(rng, name)
    left = deck(game)
    melds = [m for _ in range(rng.choice([0, 1, 1, 2, 2, 3]))
             if (m := random_meld(rng, game, left, rng.randrange(2))) is not None]  # fmt: skip
    hand = near(rng, game, left, melds, rng.choice([1, 2, 2, 3, 3, 4, 5, 6, 7]))
    others = [[left.pop(rng.randrange(len(left)))] for _ in range(seats - 1)]
    phase = rng.choice(["play", "play", "draw"])
    pile = near(rng, game, left, melds, rng.choice([1, 2, 3])) if phase == "draw" else []
    turn: dict[str, Any] = {"seat": 0, "phase": phase}
    table = Table(oracle.sort(hand), tuple(melds))
    if phase == "play":
        kind = rng.choice(["free", "taken", "pending", "pending"])
        if kind == "taken" or (kind == "pending" and name == "wild-rummy"):
            turn["taken"] = rng.choice(hand)
            table = table._replace(barred=turn["taken"] if hand.count(turn["taken"]) == 1 else None)
        if kind == "pending" and name != "two-player-rummy":
            turn["pending"] = [turn.get("taken", rng.choice(hand))]
            table = table._replace(pending=tuple(turn["pending"]))
    if game.returns:
        table = table._replace(barred=None)
    raw: dict[str, Any] = {
        "hands": [hand, *others], "turn": turn, "discard": pile,
        "melds": [
            {"owner": m.owner, "cards": list(m.cards), "beside": [{"card": b, "by": 0} for b in m.beside]}
            for m in melds
        ],
    }  # fmt: skip
    if name in ("wild-rummy", "two-player-rummy"):
        raw["deal"] = RANKS.index(rank) + 1
    else:
        raw["wild_indicator"] = rank + "C"
    return game, options, seats, raw, table


def begin(name: str, options: dict[str, Any], seats: int, raw: dict[str, Any]) -> Match:
    humans = tuple(NewSeat("human") for _ in range(seats))
    return create(NewGame(name, "0" * 64, options, humans, sandbox={"position": raw}), AT).state


def looked_at(state: Match) -> Any:
    """Hand, melds and debts of seat 0, as the view shows them."""
    shown: Any = see(state, 0)
    melds = tuple(
        (m["kind"], tuple(m["cards"]), oracle.sort([b["card"] for b in m["beside"]])) for m in shown["melds"]
    )
    mine = shown["turn"] is not None and shown["turn"]["seat"] == 0 and shown["turn"]["phase"] == "play"
    return oracle.sort(shown["hand"]), melds, tuple(shown["turn"]["pending"]) if mine else ()


def expected(table: Table) -> Any:
    return table.hand, tuple((m.kind, m.cards, m.beside) for m in table.melds), table.pending


def compare(game: Game, state: Match, table: Table) -> list[tuple[Any, Match, Table]]:
    """The action list against the plays that the second opinion finds; what may be played on."""
    wanted = oracle.legal_plays(game, 0, table)
    effects = [(p.type, expected(p.after)) for p in wanted if p.after.hand or game.last != "any"]
    outs = Counter(p.type for p in wanted if not p.after.hand and game.last == "any")
    thrown = oracle.discards(game, table)
    onward: list[tuple[Any, Match, Table]] = []
    got: list[Any] = []
    listed = actions(state, 0, 10**6)[0]
    for command in listed:
        after = execute(state, command, Actor(0), AT)
        if isinstance(command, cmd.Discard):
            thrown.remove(command.card)
            continue
        kind = plain(command)["type"]
        if any(type(e).__name__ == "DealEnded" for e in after.events):
            outs[kind] -= 1
            assert game.last == "any"
            continue
        got.append((kind, looked_at(after.state)))
        match = [p for p in wanted if (p.type, expected(p.after)) == got[-1]]
        assert match, ("only in the list", plain(command))
        if match[0].after.hand:
            onward.append((command, after.state, match[0].after))
    assert not thrown, ("discards not listed", thrown)
    assert not +outs, ("plays that go out not listed", outs)
    assert Counter(got) == Counter(effects), ("not in the list, or twice", Counter(effects) - Counter(got),
                                              Counter(got) - Counter(effects))  # fmt: skip
    return onward


def compare_calls(game: Game, state: Match, raw: dict[str, Any], table: Table) -> None:
    """What each seat that has played may call of the top discard, and what comes of it."""
    last = len(raw["hands"]) - 1
    for seat, hand in enumerate(raw["hands"]):
        melded = any(m.owner == seat or (m.beside and seat == 0) for m in table.melds)
        wanted = oracle.calls(game, oracle.sort(hand), table.melds, raw["discard"][-1])
        got: list[tuple[int, tuple[str, ...], str | None]] = []
        for command in actions(state, seat, 10**6)[0]:
            if isinstance(command, cmd.CallRummy):
                first: Any = plain(execute(state, command, Actor(seat), AT).events[0])
                got.append((command.meld, tuple(first["after"]["cards"]), command.discard))
        assert Counter(got) == (Counter(wanted) if melded and seat != last else Counter())


def one_table(seed: int, name: str) -> None:
    rng = Random(f"{name} {seed}")
    game, options, seats, raw, table = position(rng, name)
    if raw["turn"]["phase"] == "draw":
        state = begin(name, options, seats, raw)
        listed = [plain(c) for c in actions(state, 0, 10**6)[0]]
        piles = sorted(c.get("count", 1) for c in listed if c["type"] == "draw" and c["source"] == "discard")
        hand = oracle.sort(raw["hands"][0])
        assert piles == oracle.takeable(game, 0, hand, table.melds, raw["discard"])
        for n in range(1, len(raw["discard"]) + 1):
            try:
                execute(state, cmd.Draw("discard", n), Actor(0), AT)
            except Rejected:
                assert n not in piles
            else:
                assert n in piles
        if game.last == "float":
            compare_calls(game, state, raw, table)
        if not piles:
            return
        n = rng.choice(piles)
        taken = raw["discard"][-n:]
        state = execute(state, cmd.Draw("discard", n), Actor(0), AT).state
        owed = game.pile in ("now", "pair") or (game.pile == "deepest" and n > 1)
        barred = taken[0] if n == 1 and taken[0] not in raw["hands"][0] and not game.returns else None
        table = Table(oracle.sort([*hand, *taken]), table.melds, (taken[0],) if owed else (), barred)
    else:
        if not oracle.legal_plays(game, 0, table) and not oracle.discards(game, table):
            with pytest.raises(Rejected, match=r"sandbox\.bad_position"):
                begin(name, options, seats, raw)
            return
        state = begin(name, options, seats, raw)
    for _ in range(3):
        onward = compare(game, state, table)
        if not onward:
            return
        _, state, table = rng.choice(onward)


GAMES = ("wild-rummy", "two-player-rummy", "rummy-5000", "george")


@pytest.mark.parametrize("name", GAMES)
def test_k_7_action_lists_hold_every_play_and_none_that_strands(name: str) -> None:
    for seed in range(250):
        one_table(seed, name)


@pytest.mark.soak
@pytest.mark.parametrize("name", GAMES)
def test_k_7_action_lists_at_length(name: str) -> None:
    for seed in range(250, 6000):
        one_table(seed, name)


# ------------------------------------------------------------------------- readings


Kind = Literal["set", "run"] | None
Where = Literal["low", "high", "beside"] | None
KINDS: tuple[Kind, ...] = (None, None, "set", "run")
PLACES: tuple[Where, ...] = (None, None, None, "low", "high", "beside")


def spelled(rng: Random, game: Game, cards: list[str], likely: list[str]) -> list[str]:
    """Cards as a client may write them: wilds plain or as anything, a natural card as another."""
    written: list[str] = []
    for c in cards:
        odds = 0.5 if c in game.wild else 0.03
        written.append(f"{c}={rng.choice(likely)}" if rng.random() < odds else c)
    rng.shuffle(written)
    return written


def plainly(cards: list[str]) -> list[str]:
    """``6H=6H`` means ``6H`` (K-2)."""
    return [p[:2] if p[:2] == p[-2:] else p for p in cards]


def answer(state: Match, command: Any) -> Any:
    """A refusal's code, the choices' cards, or the events."""
    try:
        return execute(state, command, Actor(0), AT).events
    except Rejected as refusal:
        if refusal.code != "meld.ambiguous":
            return refusal.code
        return sorted(tuple(sorted(c.cards)) for c in refusal.choices or ())  # type: ignore[union-attr]


def judged(game: Game, table: Table, found: list[tuple[Table, int, tuple[str, ...]]], fault: str) -> Any:
    """K-6: code, choices (the cards of each), or the one table."""
    if not found:
        return fault
    best = [x for x in found if x[1] == max(n for _, n, _ in found)]
    known: dict[Table, bool] = {}
    codes = [
        "play.last_card_must_be_discarded" if not t.hand and game.last == "discard"
        else None if oracle.can_end(game, 0, t, known) else "pending.unplayable"
        for t, _, _ in best
    ]  # fmt: skip
    left = [x for x, code in zip(best, codes, strict=True) if code is None]
    if len(left) == 1:
        return left[0][0]
    return sorted(tuple(sorted(x[2])) for x in left) if left else codes[0]


def played_from(table: Table, cards: list[str], melds: tuple[Meld, ...]) -> Table:
    hand, pending = list(table.hand), list(table.pending)
    for p in cards:
        hand.remove(p[:2])
        if p[:2] in pending:
            pending.remove(p[:2])
    barred = None if table.barred in [p[:2] for p in cards] else table.barred
    return Table(oracle.sort(hand), melds, tuple(pending), barred)


def meld_outcome(game: Game, table: Table, cards: list[str], kind: str | None) -> Any:
    found = [
        (played_from(table, cards, (*table.melds, Meld(0, k, placed))), naturals, placed)
        for k, placed, naturals in oracle.readings(game, cards, kind)
    ]
    return judged(game, table, found, oracle.meld_code(game, cards, kind) if not found else "")


def lay_off_outcome(game: Game, table: Table, number: int, cards: list[str], position: str | None) -> Any:
    if number > len(table.melds):
        return "meld.not_found"
    if game.own_first and not any(m.owner == 0 for m in table.melds):
        return "lay_off.must_meld_first"
    m = table.melds[number - 1]
    wanted = oracle.layings(game, m, cards, position)
    full = m.kind == "set" and len(m.cards) == oracle.set_size(game)
    if full and game.swaps and len(cards) == 1 and len(table.hand) == 2 and position != "beside":  # WR-12
        rank = oracle.stands(m.cards[0])[0]
        wanted = [
            (after, 0) for _, _, after in oracle.additions(game, m, cards[0][:2], True)
            if "=" not in cards[0] or cards[0][2:] == f"={rank}C"
        ]  # fmt: skip
    held = [oracle.stands(p) for p in m.cards if not oracle.natural(p)]
    beside = game.beside and m.kind == "run" and all(p[:2] == p[-2:] and p[:2] in held for p in cards)
    not_wild = any("=" in p and p[:2] != p[-2:] and p[:2] not in game.wild for p in cards)
    if beside and (position == "beside" or (position is None and not wanted)):
        wanted = [(m._replace(beside=oracle.sort([*m.beside, *(p[:2] for p in cards)])), len(cards))]
    found: list[tuple[Table, int, tuple[str, ...]]] = []
    for after, naturals in wanted:
        new = list((Counter(after.cards) - Counter(m.cards)).elements())
        melds = (*table.melds[: number - 1], after, *table.melds[number:])
        found.append((played_from(table, cards, melds), naturals, tuple(new)))
    fault = "lay_off.does_not_fit"
    rank = oracle.stands(m.cards[0])[0] if m.kind == "set" else None
    wilds = sum(p[:2] in game.wild and oracle.rank_of(p) != rank for p in cards)
    had = sum(not oracle.natural(p) for p in m.cards)
    total = tuple("JK" if i < had + wilds else "7H" for i in range(len(m.cards) + len(cards)))
    if not_wild:
        fault = "card.not_wild"
    elif position == "beside":
        fault = "lay_off.not_beside"
    elif wilds and not oracle.wilds_fit(game, total):
        fault = "meld.too_many_wilds"
    return judged(game, table, found, fault)


def one_sending(seed: int, name: str) -> None:
    rng = Random(f"sending {name} {seed}")
    game, options, seats, raw, table = position(rng, name)
    if raw["turn"]["phase"] != "play":
        return
    try:
        state = begin(name, options, seats, raw)
    except Rejected:
        return
    for _ in range(12):
        hand = list(table.hand)
        number = rng.randint(1, len(table.melds) + 1)
        m = table.melds[number - 1] if number <= len(table.melds) else None
        if rng.random() < 0.5:
            cards = rng.sample(hand, min(len(hand), rng.choice([2, 3, 3, 3, 4, 4, 5])))
            around = rng.choice([c for c in cards if c != "JK"] or ["8H"])
            likely = [f for f in FACES[:52] if f[0] == around[0] or f[1] == around[1]]
            cards = spelled(rng, game, cards, likely)
            kind: Kind = rng.choice(KINDS)
            got = answer(state, cmd.Meld(cards, kind))
            wanted = meld_outcome(game, table, plainly(cards), kind)
            sent: Any = (cards, kind)
        else:
            cards = rng.sample(hand, min(len(hand), rng.choice([1, 1, 1, 2, 2, 3])))
            likely = FACES[:52]
            if m is not None:
                seen = [oracle.stands(p) for p in m.cards]
                low = RANKS.index(seen[0][0])
                places = range(low - 2, low + len(seen) + 2)
                likely = [seen[0][0] + s for s in SUITS]
                if m.kind == "run":
                    likely = [RANKS[i % 13] + seen[0][1] for i in places]
            cards = spelled(rng, game, cards, likely)
            where: Where = rng.choice(PLACES)
            got = answer(state, cmd.LayOff(number, cards, where))
            wanted = lay_off_outcome(game, table, number, plainly(cards), where)
            sent = (number, cards, where)
        if isinstance(wanted, Table):
            first: Any = got[0]
            assert not isinstance(first, (tuple, str)), (sent, got, wanted)
            after = plain(first)["after"]
            melds = [m for m in wanted.melds if m not in table.melds] or [wanted.melds[after["id"] - 1]]
            assert tuple(after["cards"]) in [m.cards for m in melds], (sent, after, wanted)
            beside = tuple(b["card"] for b in after["beside"])
            assert beside in [m.beside for m in melds], (sent, after, wanted)
        else:
            assert got == wanted, (sent, got, wanted)


@pytest.mark.parametrize("name", GAMES)
def test_k_6_cards_are_read_or_refused_as_the_ledger_says(name: str) -> None:
    for seed in range(800):
        one_sending(seed, name)


@pytest.mark.soak
@pytest.mark.parametrize("name", GAMES)
def test_k_6_readings_at_length(name: str) -> None:
    for seed in range(800, 20000):
        one_sending(seed, name)
