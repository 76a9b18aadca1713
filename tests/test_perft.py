"""Perft: the number of legal command sequences from fixed positions, to the last count.

The positions of ``tests/perft`` came with the contract; those of ``tests/perft/own`` are the project's own.
Beside the numbers, an exhaustive search holds the lists themselves against the decider: every command
that could be spelled is sent, and what it brings about is in the list exactly once.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from api.cli import main
from domain import commands as cmd
from domain import events as ev
from domain.actions import actions
from domain.cards import NAMES, RANK, SUIT, unpack
from domain.commands import Actor, Rejected
from domain.decide import execute
from domain.evolve import evolve
from domain.melds import is_natural
from domain.perft import AT, PerftCase, divide, perft, start, steps
from domain.state import Match

ROOT = Path(__file__).parent / "perft"
FILES = sorted(ROOT.glob("*.json")) + sorted(ROOT.glob("own/*.json"))
CASES = [
    pytest.param(case, id=f"{path.relative_to(ROOT).with_suffix('')}/{i}")
    for path in FILES
    for i, case in enumerate(msgspec.json.decode(path.read_bytes(), type=list[PerftCase]))
]


@pytest.mark.parametrize("case", CASES)
def test_perft(case: PerftCase) -> None:
    assert perft(start(case), len(case.counts)) == case.counts


def test_every_variant_has_four_positions_of_our_own() -> None:
    own = [case.values[0] for case in CASES if str(case.id).startswith("own/")]
    variants = {case.variant for case in own}
    assert len(variants) == 6
    assert all(sum(c.variant == v for c in own) >= 4 for v in variants)


@pytest.mark.parametrize("case", CASES[::5])
def test_divide_adds_up(case: PerftCase) -> None:
    depth = min(3, len(case.counts))
    state = start(case)
    assert sum(number for _, _, number in divide(state, depth)) == case.counts[depth - 1]
    assert len(divide(state, depth)) == case.counts[0]
    assert divide(state, 0) == []


def test_the_command_line_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = ROOT / "wild-rummy.json"
    assert main(["perft", str(file), "--depth", "3", "--divide"]) == 0
    first, *rest = capsys.readouterr().out.splitlines()
    assert first == "wild-rummy, draw, lay off, swap: 2 11 36"
    assert sum(int(line.split()[0]) for line in rest[:2]) == 36
    other = msgspec.json.decode(file.read_bytes())
    other[1]["counts"][2] += 1
    wrong = tmp_path / "wrong.json"
    wrong.write_bytes(msgspec.json.encode(other))
    assert main(["perft", str(wrong), "--depth", "3"]) == 1
    assert "DIFFERS, expected 5 17 22" in capsys.readouterr().out


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b'[{"name": "x"}]',
        b'[{"name": "x", "variant": "chess", "sandbox": {}, "counts": [1]}]',
        b'[{"name": "x", "variant": "wild-rummy", "sandbox": {"position": {"hands": 3}}, "counts": [1]}]',
    ],
)
def test_the_command_line_refuses_what_is_no_position(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "positions.json"
    file.write_bytes(content)
    assert main(["perft", str(file)]) == 1
    assert main(["perft", str(tmp_path / "none.json")]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 2


# --------------------------------------------------------------- the exhaustive search


def _effect(before: Match, events: list[Any]) -> object:
    """What a command brought about, up to differences that are none: where a wild is in a set."""
    state = before
    for event in events:
        if isinstance(event, ev.DealEnded):
            break
        state = evolve(state, event)
    d = state.deal
    assert d is not None
    melds = [
        (m.owner, m.kind,
         tuple(sorted(((c & 63, is_natural(c), w) if m.kind == "set" else (c, w))
                      for c, w in zip(m.cards, m.by, strict=True))), m.beside)
        for m in d.melds
    ]  # fmt: skip
    return type(events[0]), events[0].seat, d.hands, d.discard, d.stock, melds, d.turn


def _subsets(faces: list[int]) -> set[tuple[int, ...]]:
    found: set[tuple[int, ...]] = {()}
    for face in faces:
        found |= {(*s, face) for s in found}
    return {s for s in found if 3 <= len(s) <= 7}


def _spellings(faces: tuple[int, ...], wild: int) -> Iterator[list[str]]:
    """Every way to write these cards: each wild plain, or as anything that the others make likely."""
    yield [NAMES[f] for f in faces]
    plain = [f for f in faces if not wild >> f & 1]
    wilds = sum(bool(wild >> f & 1) for f in faces)
    if wilds > 2 or (len({RANK[f] for f in plain}) > 1 and len({SUIT[f] for f in plain}) > 1):
        return
    near = [NAMES[t] for t in range(52)
            if not plain or any(RANK[t] == RANK[f] or SUIT[t] == SUIT[f] for f in plain)]  # fmt: skip
    choices = [
        [NAMES[f]] + ([f"{NAMES[f]}={t}" for t in near] if wild >> f & 1 else []) for f in faces
    ]
    for spelled in product(*choices):
        yield list(spelled)


def _every_command(state: Match, seat: int) -> Iterator[Any]:
    """Whatever one could send that has one effect: no lay-offs of several cards, no declarations."""
    d = state.deal
    assert d is not None
    hand = unpack(d.hands[seat])
    here = sorted(set(hand))
    melds = range(1, len(d.melds) + 2)
    yield cmd.Draw("stock")
    yield from (cmd.Draw("discard", n) for n in range(1, len(d.discard) + 2))
    yield cmd.Pass()
    yield from (cmd.Discard(NAMES[f]) for f in here)
    for meld, face in product(melds, here):
        names = [NAMES[face]] + [f"{NAMES[face]}={NAMES[t]}" for t in range(52) if d.wild >> face & 1]
        for name, position in product(names, (None, "low", "high", "beside")):
            yield cmd.LayOff(meld, [name], position)  # type: ignore[arg-type]
        yield from (cmd.Swap(meld, NAMES[face], NAMES[w]) for w in range(53) if d.wild >> w & 1)
        yield cmd.Swap(meld, NAMES[face])
    yield from (cmd.Split(meld, at) for meld in melds for at in range(12))
    for meld, face, position in product(melds, [None, *here], (None, "low", "high")):
        yield cmd.CallRummy(meld, None if face is None else NAMES[face], position)  # type: ignore[arg-type]
    for faces in sorted(_subsets(hand)) if len(hand) <= 9 else ():
        for cards in _spellings(faces, d.wild):
            yield cmd.Meld(cards)
        yield cmd.Meld([NAMES[f] for f in faces], "set")
        yield cmd.Meld([NAMES[f] for f in faces], "run")


def _effects(state: Match, seat: int, commands: Iterator[Any]) -> list[object]:
    found: list[object] = []
    for command in commands:
        try:
            found.append(_effect(state, execute(state, command, Actor(seat), AT).events))
        except Rejected:
            continue
    return found


@pytest.mark.parametrize("case", CASES)
def test_lists_hold_every_effect_once(case: PerftCase) -> None:
    rng = Random(1)
    for _ in range(2):
        state: Match | None = start(case)
        for _ in range(7):
            if state is None:
                break
            for seat in range(len(state.seats)):
                listed = [c for c in actions(state, seat)[0] if not isinstance(c, cmd.Declare)]
                found = _effects(state, seat, iter(listed))
                assert len(found) == len(listed), "a listed command is refused"
                texts = [repr(e) for e in found]
                assert len(set(texts)) == len(texts), "an effect is listed twice"
                sent = _effects(state, seat, _every_command(state, seat))
                assert {repr(e) for e in sent} == set(texts)
            state = rng.choice(list(steps(state)))[2]

