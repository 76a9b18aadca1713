"""A second opinion on the games with melds on the table: slow, small, on strings, straight from the ledger.

It shares no code with ``domain``.  A placed card is its text (``6H``, ``6C=7H``); a run is a slice of the
thirteen ranks, a set is counted suit by suit; every play is tried, and K-7 is answered by playing on
until the turn can end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

RANKS = "A23456789TJQK"
SUITS = "CDHS"
FACES = [r + s for s in SUITS for r in RANKS] + ["JK"]


class Game(NamedTuple):
    """What sets one game apart."""

    name: str
    wild: frozenset[str]
    decks: int = 1
    runs: bool = True
    ace_high: bool = True
    four: bool = False  # a set holds four cards, one a suit
    max_wilds: int | None = None
    half: bool = False  # TP-6
    swaps: bool = False
    beside: bool = False
    own_first: bool = False  # TP-9
    last: str = "float"  # "discard", "any", "float"
    returns: bool = False
    pile: str = "deepest"  # "now" (WR-7), "free", "deepest", "pair"


class Meld(NamedTuple):
    """A meld on the table."""

    owner: int
    kind: str
    cards: tuple[str, ...]
    beside: tuple[str, ...] = ()


class Table(NamedTuple):
    """What a seat in its play phase has before it."""

    hand: tuple[str, ...]
    melds: tuple[Meld, ...]
    pending: tuple[str, ...] = ()
    barred: str | None = None


class Play(NamedTuple):
    """One play and the table after it."""

    type: str
    played: tuple[str, ...]
    after: Table


def sort(cards: list[str] | tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(cards, key=FACES.index))


def stands(p: str) -> str:
    return p[-2:]


def natural(p: str) -> bool:
    return "=" not in p and p != "JK"


def rank_of(p: str) -> str:
    """The rank of the card itself; a printed joker has none."""
    return "" if p[:2] == "JK" else p[0]


def show(card: str, as_card: str) -> str:
    return card if card == as_card else f"{card}={as_card}"


def wilds_fit(g: Game, cards: tuple[str, ...]) -> bool:
    wilds = sum(not natural(p) for p in cards)
    if wilds == len(cards) or (g.max_wilds is not None and wilds > g.max_wilds):
        return False
    return not g.half or wilds <= len(cards) - wilds


def is_run(g: Game, cards: tuple[str, ...]) -> bool:
    if not g.runs or not 3 <= len(cards) <= 13 or len({stands(p)[1] for p in cards}) != 1:
        return False
    line = RANKS + "A" if g.ace_high and len(cards) < 13 else RANKS
    return "".join(stands(p)[0] for p in cards) in line and wilds_fit(g, cards)


def ace_low(run: tuple[str, ...]) -> tuple[str, ...]:
    """A run of thirteen is shown with its ace low (K-6)."""
    return (run[-1], *run[:-1]) if len(run) == 13 and stands(run[-1])[0] == "A" else run


def set_size(g: Game) -> int:
    return 4 if g.four else 4 * g.decks


def is_set(g: Game, cards: tuple[str, ...], fifth: bool = False) -> bool:
    if not 3 <= len(cards) <= set_size(g) + fifth or len({stands(p)[0] for p in cards}) != 1:
        return False
    if not fifth and max(Counter(stands(p) for p in cards).values()) > (1 if g.four else g.decks):
        return False
    return wilds_fit(g, cards)


def lawful(g: Game, m: Meld) -> bool:
    return is_set(g, m.cards) if m.kind == "set" else is_run(g, m.cards)


def place_set(
    g: Game, rank: str, naturals: list[str], old: list[str], named: list[str], unnamed: list[str]
) -> tuple[str, ...] | None:
    """K-5: naturals, then wilds that name a suit, then older ones, then the rest; None without room."""
    room = Counter(dict.fromkeys(SUITS, 1 if g.four else g.decks))
    room.subtract(c[1] for c in naturals)
    room.subtract(stands(p)[1] for p in named)
    if min(room.values()) < 0:
        return None
    kept: list[str] = []
    moved: list[str] = []
    for p in old:
        if room[stands(p)[1]] > 0:
            room[stands(p)[1]] -= 1
            kept.append(p)
        else:
            moved.append(p)
    for card in [p[:2] for p in moved] + unnamed:
        free = [s for s in SUITS if room[s] > 0]
        if not free:
            return None
        room[free[0]] -= 1
        kept.append(f"{card}={rank}{free[0]}")
    whole = [*naturals, *named, *kept]
    return tuple(sorted(whole, key=lambda p: (SUITS.index(stands(p)[1]), "=" in p, FACES.index(p[:2]))))


# ---------------------------------------------------------------------------- plays


def new_melds(g: Game, hand: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """(kind, placed, cards) of every new set and run."""
    for n in range(3, len(hand) + 1):
        for cards in sorted(set(combinations(hand, n))):
            for rank in RANKS:
                own = [c for c in cards if rank_of(c) == rank]
                rest = [c for c in cards if rank_of(c) != rank]
                if own and all(c in g.wild for c in rest):
                    placed = place_set(g, rank, own, [], [], rest)
                    if placed is not None and is_set(g, placed):
                        yield "set", placed, cards
    seen: set[tuple[str, ...]] = set()
    for suit in SUITS:
        for low in range(13):
            for run in _runs(g, suit, low, hand):
                if is_run(g, run) and run not in seen:
                    seen.add(run)
                    yield "run", run, tuple(p[:2] for p in run)


def _runs(g: Game, suit: str, place: int, hand: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    yield ()
    if place > 13:
        return
    here = RANKS[place % 13] + suit
    for card in set(hand):
        if card == here or card in g.wild:
            left = list(hand)
            left.remove(card)
            for rest in _runs(g, suit, place + 1, tuple(left)):
                yield (show(card, here), *rest)


def additions(g: Game, m: Meld, card: str, fifth: bool) -> Iterator[tuple[str | None, str, Meld]]:
    """(position, card as sent, meld after) of every way to add one card."""
    if m.kind == "set":
        rank = stands(m.cards[0])[0]
        if len(m.cards) == set_size(g):
            if fifth and card in g.wild and rank_of(card) != rank:
                p = f"{card}={rank}C"
                yield None, p, m._replace(cards=(m.cards[0], p, *m.cards[1:]))
            return
        if rank_of(card) != rank and card not in g.wild:
            return
        naturals = [p for p in m.cards if natural(p)]
        old = [p for p in m.cards if not natural(p)]
        if rank_of(card) == rank:
            cards = place_set(g, rank, [*naturals, card], old, [], [])
        else:
            cards = place_set(g, rank, naturals, old, [], [card])
        if cards is not None and is_set(g, cards):
            yield None, card, m._replace(cards=cards)
        return
    for face in FACES[:52]:
        if card != face and card not in g.wild:
            continue
        p = show(card, face)
        low, high = ace_low((p, *m.cards)), ace_low((*m.cards, p))
        if is_run(g, low):
            yield "low", p, m._replace(cards=low)
        if is_run(g, high) and high != low:
            yield "high", p, m._replace(cards=high)
    if g.beside and card != "JK" and any(not natural(p) and stands(p) == card for p in m.cards):
        yield "beside", card, m._replace(beside=sort([*m.beside, card]))


def swapped(g: Game, m: Meld, card: str) -> Iterator[tuple[str, Meld]]:
    """(wild as it stood, meld after) of every swap for this card."""
    for i, p in enumerate(m.cards):
        if natural(p):
            continue
        rest = [*m.cards[:i], *m.cards[i + 1 :]]
        if m.kind == "run" and stands(p) == card:
            yield p, m._replace(cards=(*m.cards[:i], card, *m.cards[i + 1 :]))
        if m.kind == "set" and stands(p)[0] == card[0]:
            naturals = [q for q in rest if natural(q)]
            cards = place_set(g, card[0], [*naturals, card], [q for q in rest if not natural(q)], [], [])
            if cards is not None:
                yield p, m._replace(cards=cards)


def plays(g: Game, seat: int, t: Table) -> Iterator[Play]:
    """Every play, K-7 and WR-14 apart, lay-offs card by card."""

    def after(played: tuple[str, ...], melds: tuple[Meld, ...], freed: str | None = None) -> Table:
        hand, pending = list(t.hand), list(t.pending)
        for c in played:
            hand.remove(c)
            if c in pending:
                pending.remove(c)
        if freed is not None:
            hand.append(freed)
            pending.append(freed)
        return Table(sort(hand), melds, tuple(pending), None if t.barred in played else t.barred)

    for kind, placed, cards in new_melds(g, t.hand):
        yield Play("meld", cards, after(cards, (*t.melds, Meld(seat, kind, placed))))
    fifth = g.name == "wild-rummy" and len(t.hand) == 2
    may_add = not g.own_first or any(m.owner == seat for m in t.melds)
    for i, m in enumerate(t.melds):

        def table(*new: Meld, at: int = i) -> tuple[Meld, ...]:
            return (*t.melds[:at], new[0], *t.melds[at + 1 :], *new[1:])

        for card in sorted(set(t.hand)):
            for _, _, more in additions(g, m, card, fifth) if may_add else ():
                yield Play("lay_off", (card,), after((card,), table(more)))
            for wild, more in swapped(g, m, card) if g.swaps else ():
                yield Play("swap", (card,), after((card,), table(more), wild[:2]))
        if g.max_wilds is not None:
            for at in range(3, len(m.cards) - 2):
                first = {stands(p) for p in m.cards[:at] if not natural(p)}
                halves = (
                    m._replace(cards=m.cards[:at], beside=tuple(b for b in m.beside if b in first)),
                    m._replace(cards=m.cards[at:], beside=tuple(b for b in m.beside if b not in first)),
                )
                if all(lawful(g, h) for h in halves):
                    yield Play("split", (), after((), table(*halves)))


def usable(g: Game, melds: tuple[Meld, ...], card: str) -> bool:
    """FK-13: whether the table can use a card, beside a wild included."""
    return any(True for m in melds for _ in additions(g, m, card, False))


def discards(g: Game, t: Table) -> list[str]:
    if t.pending:
        return []
    fine = [c for c in sorted(set(t.hand)) if g.returns or c != t.barred]
    if g.last == "float" and len(t.hand) == 1:
        fine = [c for c in fine if not usable(g, t.melds, c)]
    return fine


def can_end(g: Game, seat: int, t: Table, known: dict[Table, bool]) -> bool:
    """K-7: whether some sequence of plays ends the turn."""
    if not t.hand:
        return g.last != "discard"
    if discards(g, t):
        return True
    if t not in known:
        known[t] = False
        known[t] = any(
            can_end(g, seat, p.after, known)
            for p in sorted(plays(g, seat, t), key=lambda p: len(p.after.pending))
        )
    return known[t]


def legal_plays(g: Game, seat: int, t: Table) -> list[Play]:
    known: dict[Table, bool] = {}
    return [p for p in plays(g, seat, t) if can_end(g, seat, p.after, known)]


# ---------------------------------------------------------------------------- draws


def _lengthened(g: Game, seat: int, t: Table, i: int) -> Iterator[tuple[tuple[str, ...], Table]]:
    """Cards laid on one meld and the table after, one card or several."""
    for p in plays(g, seat, t):
        if p.type == "lay_off" and p.after.melds[i] != t.melds[i]:
            yield p.played, p.after
            for more, after in _lengthened(g, seat, p.after, i):
                yield (*p.played, *more), after


def takeable(
    g: Game, seat: int, hand: tuple[str, ...], melds: tuple[Meld, ...], pile: list[str]
) -> list[int]:
    """Every number of cards that may be drawn off the pile (WR-7, FK-6, GE-3)."""
    found: list[int] = []
    for n in range(1, len(pile) + 1 if g.pile in ("deepest", "pair") else 2):
        if n > len(pile):
            break
        taken = pile[-n:]
        deepest = taken[0]
        if g.pile == "pair" and sum(rank_of(c) == deepest[0] for c in hand) < 2:
            continue
        if g.pile == "pair" and deepest == "JK":
            continue
        t = Table(sort([*hand, *taken]), melds, (deepest,))
        if g.pile == "now":
            known: dict[Table, bool] = {}
            one = [(p.played, p.after) for p in plays(g, seat, t) if p.type != "lay_off"]
            one += [x for i in range(len(melds)) for x in _lengthened(g, seat, t, i)]
            if any(deepest in played and can_end(g, seat, after, known) for played, after in one):
                found.append(n)
        elif g.pile == "free" or (g.pile == "deepest" and n == 1) or can_end(g, seat, t, {}):
            found.append(n)
    return found


def calls(
    g: Game, hand: tuple[str, ...], melds: tuple[Meld, ...], top: str
) -> list[tuple[int, tuple[str, ...], str | None]]:
    """(meld, its cards after, discard) of every call that a seat with this hand may make (FK-12, FK-13)."""
    found: list[tuple[int, tuple[str, ...], str | None]] = []
    for i, m in enumerate(melds):
        for where, _, after in additions(g, m, top, False):
            if where == "beside":
                continue
            table = (*melds[:i], after, *melds[i + 1 :])
            barred = len(hand) == 1 and usable(g, table, hand[0])
            thrown = [] if barred else sorted(set(hand))
            found += [(i + 1, after.cards, c) for c in thrown or [None]]
    return found


# ------------------------------------------------------------------------- readings


def readings(g: Game, cards: list[str], kind: str | None) -> list[tuple[str, tuple[str, ...], int]]:
    """(kind, placed, naturals) of every lawful reading of a new meld that differs in play (K-6)."""
    fixed = [p for p in cards if "=" in p or p not in g.wild]
    free = [p for p in cards if p not in fixed]
    if any("=" in p and p[:2] not in g.wild for p in cards):
        return []
    found: list[tuple[str, tuple[str, ...], int]] = []
    for rank in RANKS if kind != "run" else "":
        own = [p[:2] for p in cards if rank_of(p) == rank]
        others = [p for p in cards if rank_of(p) != rank]
        named = [p for p in others if "=" in p]
        if any(p[:2] not in g.wild for p in others) or any(stands(p)[0] != rank for p in fixed):
            continue
        placed = place_set(g, rank, own, [], named, [p for p in others if p not in named])
        if placed is not None and is_set(g, placed):
            found.append(("set", placed, sum(map(natural, placed))))
    for suit in SUITS if kind != "set" else "":
        for low in range(13):
            faces = [RANKS[i % 13] + suit for i in range(low, low + len(cards))]
            run = fill(faces, fixed, free)
            if run is not None and is_run(g, run):
                found.append(("run", run, sum(map(natural, run))))
    return found


def fill(faces: list[str], fixed: list[str], free: list[str]) -> tuple[str, ...] | None:
    """Cards put to these faces: fixed ones where they stand, free ones as themselves or in the order sent."""
    if len(set(faces)) != len(faces):
        return None
    at = {stands(p): p for p in fixed}
    if len(at) != len(fixed) or not set(at) <= set(faces):
        return None
    rest: list[str] = []
    for c in free:
        if c in faces and c not in at:
            at[c] = c
        else:
            rest.append(c)
    open_faces = [f for f in faces if f not in at]
    if len(open_faces) != len(rest):
        return None
    at |= {f: show(c, f) for f, c in zip(open_faces, rest, strict=True)}
    return tuple(at[f] for f in faces)


def layings(g: Game, m: Meld, cards: list[str], position: str | None) -> list[tuple[Meld, int]]:
    """(meld after, naturals) of every lawful reading of a lay-off, beside left out (K-5, K-6)."""
    if any("=" in p and p[:2] not in g.wild for p in cards) or position == "beside":
        return []
    found: list[tuple[Meld, int]] = []
    if m.kind == "set":
        rank = stands(m.cards[0])[0]
        own = [p[:2] for p in cards if rank_of(p) == rank]
        others = [p for p in cards if rank_of(p) != rank]
        named = [p for p in others if "=" in p]
        if any(p[:2] not in g.wild for p in others) or any("=" in p and stands(p)[0] != rank for p in cards):
            return []
        old = [p for p in m.cards if not natural(p)]
        placed = place_set(
            g, rank, [*(p for p in m.cards if natural(p)), *own], old, named,
            [p for p in others if p not in named],
        )  # fmt: skip
        if placed is not None and is_set(g, placed):
            found.append((m._replace(cards=placed), len(own)))
        return found
    fixed = [p for p in cards if "=" in p or p not in g.wild]
    free = [p for p in cards if p not in fixed]
    suit, start = stands(m.cards[0])[1], RANKS.index(stands(m.cards[0])[0])
    for below in range(len(cards), -1, -1):
        above = len(cards) - below
        if (position == "low" and above) or (position == "high" and below) or below > start:
            continue
        faces = [RANKS[i % 13] + suit for i in range(start - below, start)]
        end = start + len(m.cards)
        if end + above > (14 if g.ace_high else 13):
            continue
        faces += [RANKS[i % 13] + suit for i in range(end, end + above)]
        new = fill(faces, fixed, free)
        if new is None:
            continue
        whole = ace_low((*new[:below], *m.cards, *new[below:]))
        if is_run(g, whole) and whole not in [x.cards for x, _ in found]:
            found.append((m._replace(cards=whole), sum(map(natural, new))))
    return found


# --------------------------------------------------------------------------- faults

ORDER = [
    "meld.runs_not_allowed", "card.not_wild", "meld.no_natural", "meld.mixed_ranks", "meld.mixed_suits",
    "meld.repeated_suit", "meld.ace_wraps", "meld.ace_high", "meld.not_consecutive", "meld.too_long",
    "meld.too_many_wilds", "meld.not_a_meld",
]  # fmt: skip


def meld_code(g: Game, cards: list[str], kind: str | None) -> str:
    """The code of a meld that has no lawful reading, by the contract's list."""
    if len(cards) < 3:
        return "meld.too_short"
    own = [p for p in cards if p not in g.wild and "=" not in p]
    if kind is not None:
        return _fault(g, cards, kind)
    misplaced = any("=" in p and p[:2] not in g.wild for p in cards)
    if not own and not misplaced and not any(natural(p) for p in cards):
        return "meld.no_natural"
    both = sorted([_fault(g, cards, "run"), _fault(g, cards, "set")], key=ORDER.index)
    suits, ranks = {p[1] for p in own}, {p[0] for p in own}
    if len(suits) <= 1 and len(ranks) <= 1:
        return both[1]
    if len(suits) == 1:
        return _fault(g, cards, "run")
    return _fault(g, cards, "set") if len(ranks) == 1 else "meld.not_a_meld"


def _fault(g: Game, cards: list[str], kind: str) -> str:
    n = len(cards)
    fixed = [stands(p) for p in cards if "=" in p or p not in g.wild]
    faults: set[str] = set()
    if kind == "run" and not g.runs:
        faults.add("meld.runs_not_allowed")
    if any("=" in p and p[:2] not in g.wild for p in cards):
        faults.add("card.not_wild")
    itself = any(natural(p) or (kind == "set" and "=" in p and rank_of(p) == stands(p)[0]) for p in cards)
    if not itself:
        faults.add("meld.no_natural")
    wilds = [p for p in cards if p[:2] in g.wild]
    if not wilds_fit(g, tuple("JK" if i < len(wilds) - (len(wilds) == n) else "7H" for i in range(n))):
        faults.add("meld.too_many_wilds")
    if kind == "set":
        if len({f[0] for f in fixed}) > 1:
            faults.add("meld.mixed_ranks")
        placed = [p for p in cards if "=" in p or p not in g.wild]
        held = Counter(p[1] if rank_of(p) == stands(p)[0] else stands(p)[1] for p in placed)
        ranks = {f[0] for f in fixed}
        held.update(p[1] for p in cards if p in g.wild and rank_of(p) in ranks)
        if held and max(held.values()) > (1 if g.four else g.decks):
            faults.add("meld.repeated_suit")
        if n > set_size(g):
            faults.add("meld.too_long")
    else:
        if len({f[1] for f in fixed}) > 1:
            faults.add("meld.mixed_suits")
        if n > 13:
            faults.add("meld.too_long")
        ranks_ = [RANKS.index(f[0]) for f in fixed]
        if len(set(ranks_)) < len(ranks_):
            faults.add("meld.not_consecutive")
        elif n <= 13:

            def within(line: str) -> bool:
                return any({f[0] for f in fixed} <= set(line[i : i + n]) for i in range(len(line) - n + 1))

            if not within(RANKS) and not (g.ace_high and within(RANKS + "A")):
                if within(RANKS + "A"):
                    faults.add("meld.ace_high")
                elif within(RANKS + RANKS[:-1]):
                    faults.add("meld.ace_wraps")
                else:
                    faults.add("meld.not_consecutive")
    return min(faults, key=ORDER.index, default="meld.not_a_meld")
