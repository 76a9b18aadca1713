"""How far a log can be trusted: the three verdicts.

*Intact*: the chain of the header over the event lines, and the fold (``domain.intact``).
*Fair*: the commitment to the seed, and every shuffle recomputed from it (K-11).
*Lawful*: every commit decided again at its recorded time, its events compared byte for byte.  Where
the log is of an older revision of the rules, a difference is one of rules and no fault of the log's.

The log comes from anyone: nothing in it is believed, and whatever it makes go wrong is a finding.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain import events as ev
from domain.cards import names
from domain.commands import Rejected
from domain.consistency import Inconsistent, check_after, check_before
from domain.decide import NewGame, create, execute, sandbox_deck
from domain.evolve import NEW, evolve
from domain.intact import Code, Divergence, Finding, Reader, header_of, invalid_log, lines_of
from domain.positions import Position, write_position
from domain.replay import Header, NoCommand, command_of, encode_event
from domain.rules import RULES_VERSION, RuleSet
from domain.shapes import MatchResult
from domain.shuffle import client_hash, commitment, first_seat, shuffle
from domain.state import Match
from domain.turns.deals import deal_cards, full_deck
from domain.variants import VARIANTS

#: A deck that cannot serve is rare (FK-21); that many in a row are no rules of ours.
_MOST_REDEALS = 1000


class ShuffleCheck(Struct, frozen=True):
    """One shuffle of the log: the event that records it, its number of K-11, whether the seed gives it."""

    seq: int
    draw: int
    ok: bool


class Verification(Struct, frozen=True):
    """What is to be said of a log.

    ``ok``: intact, fair and lawful.  ``complete``: the game is over and its seed revealed.
    """

    ok: bool
    complete: bool
    events: int
    rules_version: int
    intact: bool
    fair: bool
    lawful: bool
    shuffles: list[ShuffleCheck]
    divergence: Divergence | None
    result: MatchResult | None
    position: Position | None


def verify(data: bytes | Iterable[bytes], at: int | None = None) -> Verification:
    """Verify an exported log, given whole or line by line; ``at``: the position after that event, too.

    Raises ``Rejected``: ``log.invalid`` where this is no log at all or one of rules that are yet to
    come, ``request.invalid`` where it has no event ``at``.
    """
    return examine(data, at)[0]


def examine(data: bytes | Iterable[bytes], at: int | None = None) -> tuple[Verification, frozenset[str]]:
    """The same, and which of ``fair`` and ``lawful`` are false only because a damaged log left them open."""
    lines = lines_of(data)
    verifier = _Verifier(header_of(next(lines, b"")), at)
    for line in lines:
        verifier.read(line)
    verdict = verifier.verdict()
    found = {"fair" if f.code in ("commitment", "shuffle") else "lawful" for f in verifier.findings
             if f.code in ("commitment", "shuffle", "unlawful")}  # fmt: skip
    return verdict, frozenset({"fair", "lawful"} - found if verifier.broken else ())


#: Of several findings at one event the first of these is told.
_ORDER: tuple[Code, ...] = (
    "chain", "fold", "commitment", "shuffle", "unlawful", "differs_from_current_rules"
)  # fmt: skip


class _Verifier(Reader):
    """Finds whether it is fair and lawful, too."""

    def __init__(self, header: Header, at: int | None) -> None:
        super().__init__(header)
        self.at = at
        self.last: Any = None
        self.commit: list[Any] = []
        self.before = NEW
        self.shuffles: list[ShuffleCheck] = []
        self.position: Position | None = None

    def fold(self, event: Any) -> None:
        """The same, and what the seed and the rules say of it."""
        check_before(self.state, event)
        if event.commit != self.state.commit:
            self._decide()
            self.commit, self.before = [], self.state
        self._check_fair(event)
        self.state = evolve(self.state, event)
        self.commit.append(event)
        self.last = event
        check_after(self.state, event)
        if event.seq == self.at:
            self.position = write_position(self.state)

    # -------------------------------------------------------------------- verdict

    def verdict(self) -> Verification:
        """What is to be said now that all lines are read."""
        if not self.lines:
            raise invalid_log("The log has no events.")
        if not self.broken:
            self._decide()
        version = self.state.rules_version or self.header.rules_version
        damage = self.damage()
        if version > RULES_VERSION and not damage:
            raise invalid_log(f"The log is of revision {version} of the rules, and this is {RULES_VERSION}.")
        if self.at is not None and not 1 <= self.at <= self.lines:
            raise Rejected("request.invalid", f"The log has no event {self.at}.")
        codes = {f.code for f in self.findings}
        intact = damage is None and not codes & {"fold", "chain"}
        # What could not be read is neither fair nor lawful: nobody can say.
        fair = not self.broken and not codes & {"commitment", "shuffle"}
        lawful = not self.broken and "unlawful" not in codes
        ok = intact and fair and lawful
        return Verification(
            ok=ok,
            complete=self._complete() and damage is None,
            events=self.lines,
            rules_version=version,
            intact=intact,
            fair=fair,
            lawful=lawful,
            shuffles=self.shuffles,
            divergence=self._divergence(damage, ok),
            result=self.state.match_result,
            position=self.position,
        )

    def _complete(self) -> bool:
        over = self.state.status in ("finished", "cancelled")
        return over and not self.broken and type(self.last) is ev.SeedRevealed

    def _divergence(self, damage: Divergence | None, ok: bool) -> Divergence | None:
        if damage is not None:
            return damage
        serious = [f for f in self.findings if ok or f.code != "differs_from_current_rules"]
        if not serious:
            return None
        first = min(serious, key=lambda f: (f.seq, _ORDER.index(f.code)))
        return Divergence(first.seq, first.code, first.detail)

    # ----------------------------------------------------------------------- fair

    def _find(self, event: Any, code: Code, detail: str) -> None:
        self.findings.append(Finding(event.seq, code, detail))

    def _check_fair(self, e: Any) -> None:
        s = self.state
        if type(e) is ev.GameCreated:
            if e.game_id and e.game_id != self.header.game_id:
                self._find(e, "chain", "The header names another game than the first event.")
            if e.commitment != self.header.commitment:
                self._find(e, "commitment", "The header's commitment is not that of the first event.")
            if e.seed is None or e.commitment != commitment(bytes.fromhex(e.seed)):
                self._find(e, "commitment", "The commitment is not the SHA-256 of the seed.")
        elif type(e) is ev.SeedRevealed:
            if e.seed != s.seed.hex():
                self._find(e, "commitment", "The seed revealed is not the one that was committed to.")
        elif type(e) is ev.GameStarted:
            self._start(s, e)
        elif type(e) is ev.DealStarted:
            self._deal(s, e)
        elif type(e) is ev.StockRebuilt:
            assert s.deal is not None
            cards = shuffle(s.seed, s.client, s.next_draw, s.deal.discard[:-1])
            self._shuffle(e, e.draw == s.next_draw and e.cards == names(cards))

    def _start(self, s: Match, e: ev.GameStarted) -> None:
        if e.client != client_hash(x.entropy for x in s.seats):
            self._find(e, "shuffle", "The seats' entropies give another hash.")
        assert s.rules is not None
        fixed = s.first_wanted is not None or s.rules.options.get(VARIANTS[s.rules.variant].first) is not None
        if not fixed and e.first != first_seat(s.seed, bytes.fromhex(e.client), len(s.seats)):
            self._find(e, "shuffle", "Draw 0 gives another first seat.")

    def _deal(self, s: Match, e: ev.DealStarted) -> None:
        assert s.rules is not None
        setup = (s.setup or {}) if s.deal is None else {}
        if e.draw is None:  # a sandbox's position: nothing was shuffled
            if setup.get("position") is None:
                self._find(e, "shuffle", "The deal comes from no shuffle.")
            return
        if setup.get("deck") is not None:  # it stands for draw 1
            draw, order = 1, sandbox_deck(s.rules, setup["deck"])
        else:
            draw, order = _serving_deck(s, s.rules, e)
        self._shuffle(e, e.draw == draw and e.deck == names(order))

    def _shuffle(self, e: Any, ok: bool) -> None:
        self.shuffles.append(ShuffleCheck(e.seq, e.draw, ok))
        if not ok:
            self._find(e, "shuffle", f"Draw {e.draw} of this seed gives another order.")

    # --------------------------------------------------------------------- lawful

    def _decide(self) -> None:
        """Decide the commit that has just been read to its end once more."""
        commit = self.commit
        if not commit:
            return
        older = (self.state.rules_version or RULES_VERSION) < RULES_VERSION
        try:
            found = _difference(commit, self.before, older)
        except Rejected as refusal:
            found = Finding(commit[0].seq, "unlawful", f"Refused by {refusal.code}: {refusal.detail}")
        except NoCommand as error:
            found = Finding(commit[0].seq, "unlawful", str(error))
        except Exception:  # whatever a made-up log can bring about
            found = Finding(commit[0].seq, "unlawful", "Its command names what is not there.")
        if found is not None:
            code: Code = "differs_from_current_rules" if older else "unlawful"
            self.findings.append(found._replace(code=code))


def _serving_deck(s: Match, rules: RuleSet, e: ev.DealStarted) -> tuple[int, Sequence[int]]:
    """The first draw from the next one on that can serve the deal, and its deck (FK-21)."""
    for draw in range(s.next_draw, s.next_draw + _MOST_REDEALS):
        order = shuffle(s.seed, s.client, draw, full_deck(rules))
        if deal_cards(rules, len(s.seats), e.deal.dealer, e.deal.starter, order) is not None:
            return draw, order
    raise Inconsistent("No deck can serve such a deal.")


def _difference(commit: list[Any], before: Match, older: bool) -> Finding | None:
    """The first event of a commit that is not what its command causes today."""
    command, actor = command_of(commit, before)
    at = commit[0].at
    if isinstance(command, NewGame):
        decided = _create(command, commit[0], older)
    else:
        decided = execute(before, command, actor, at).events
    for recorded, event in zip(commit, decided, strict=False):
        if encode_event(recorded) != encode_event(event):
            detail = f"The rules give another {msgspec.to_builtins(event)['type']} here."
            return Finding(recorded.seq, "unlawful", detail)
    if len(decided) > len(commit):
        return Finding(commit[-1].seq, "unlawful", "More follows from this command than is recorded.")
    if len(decided) < len(commit):
        return Finding(commit[len(decided)].seq, "unlawful", "Nothing of the kind follows from the command.")
    return None


def _create(game: NewGame, created: ev.GameCreated, older: bool) -> list[Any]:
    """Create the game again.  A log of older rules keeps those that it records."""
    seats = VARIANTS[game.variant].seats
    if not seats.min <= len(game.seats) <= seats.max:
        raise Rejected("request.invalid", "The game does not take so many seats.")
    if older:
        game = replace(game, rules=created.rules)
    first, *rest = create(game, created.at).events
    return [replace(first, rules_version=created.rules_version), *rest]
