"""The rule texts are numbered as they should be, and docs/rules.md says what they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from domain.variants.texts import (
    Rule,
    george,
    kernel,
    rummy_5000,
    score_sheet,
    single_deck_rummy,
    thirteen_card_rummy,
    two_player_rummy,
    wild_rummy,
)
from tools import rules_page

OWN: dict[str, tuple[Rule, ...]] = {
    "K": kernel.RULES,
    "WR": wild_rummy.RULES,
    "TP": two_player_rummy.RULES,
    "TC": thirteen_card_rummy.RULES,
    "FK": rummy_5000.RULES,
    "GE": george.OWN,
    "SD": single_deck_rummy.RULES,
    "SS": score_sheet.RULES,
}
COUNTS = {"K": 15, "WR": 18, "TP": 15, "TC": 15, "FK": 24, "GE": 3, "SD": 10, "SS": 1}
NUMBER = re.compile(r"\b(?:K|WR|TP|TC|FK|GE|SD|SS)-\d+\b")
EVERY = tuple(rule for rules in OWN.values() for rule in rules)


def test_the_page_is_up_to_date() -> None:
    assert rules_page.PAGE.read_text(encoding="utf-8") == rules_page.page(), (
        "run `python -m tools.rules_page --write`"
    )


@pytest.mark.parametrize("prefix", OWN)
def test_numbers_are_unique_and_without_gaps(prefix: str) -> None:
    assert [rule.number for rule in OWN[prefix]] == [f"{prefix}-{n}" for n in range(1, COUNTS[prefix] + 1)]


def test_no_two_rules_say_the_same() -> None:
    texts = [rule.text for rule in EVERY]
    assert len(texts) == len(set(texts))


def test_a_rule_that_speaks_of_our_choice_is_marked() -> None:
    """The converse does not hold: a rule may be a decision as a whole (K-4, K-10)."""
    says_so = {rule.number for rule in EVERY if re.search(r"(?i)\b(our choice|we cho)", rule.text)}
    assert says_so <= {rule.number for rule in EVERY if rule.decision}


def test_references_lead_somewhere() -> None:
    known = {rule.number for rule in EVERY}
    for rule in EVERY:
        assert set(NUMBER.findall(rule.text)) <= known - {rule.number}, rule.number


def test_george_lists_the_shared_rules_unchanged() -> None:
    assert george.RULES == george.OWN + george.SHARED
    assert set(george.SHARED) <= set(rummy_5000.RULES)
    assert {rule.number for rule in rummy_5000.RULES} >= george.WITHOUT_PLACE
    numbers = [rule.number for rule in george.RULES]
    assert len(numbers) == len(set(numbers))


def test_every_link_of_the_page_has_its_anchor() -> None:
    page = rules_page.page()
    assert set(re.findall(r"\]\(#([^)]+)\)", page)) <= set(re.findall(r'<a id="([^"]+)">', page))


def test_check_and_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(rules_page, "PAGE", tmp_path / "rules.md")
    assert rules_page.main(["--check"]) == 1
    assert "--write" in capsys.readouterr().err
    assert rules_page.main(["--write"]) == 0
    assert rules_page.main(["--check"]) == 0
