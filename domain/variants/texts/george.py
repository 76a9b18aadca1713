"""George (`george`), or 2500 Rummy: 5000 Rummy without runs. Its own rules, then the shared ones."""

from domain.variants.texts import Rule, rummy_5000

OWN: tuple[Rule, ...] = (
    Rule(
        "GE-1",
        "The rules of 5000 Rummy apply, changed as follows. You can meld sets only; what those rules say "
        "about runs is void. No set may have more than one wild: `max_wilds_per_meld` is always 1 here, and "
        "melds can be divided as in FK-23. The 3 to 8 seats always use two decks from which the twos are "
        "removed, 96 cards. A total of 2,500 ends the match, unless option `target` is set. Options that do "
        "not go with this are refused: `upcard_counts`, and `twos` for `permanent_wilds`.",
        decision=False,
    ),
    Rule(
        "GE-2",
        "Your upcard tells how many cards you have in all, with itself included: the printed number, 11 for "
        "a jack, 12 for a queen, 13 for a king and 14 for an ace. Option `ace_hand` can make the ace 15 "
        "(values 14 and 15, default 14).",
        decision=False,
    ),
    Rule(
        "GE-3",
        "The pile is closed to you unless your hand has two natural cards matching the lowest card you want "
        "to take. Matching means equal rank; for this purpose a card of the wild rank is matched by cards "
        "of the wild rank. And that lowest card is pending as in FK-6 even if you take no other.",
        decision=False,
    ),
)

#: The rules of 5000 Rummy that hold here, in whole or as far as GE-1 to GE-3 leave them.  Those without a
#: place in George are FK-1 (the decks), FK-10 (beside a run), FK-20 (`upcard_counts`) and FK-24 (an example
#: with a run).
WITHOUT_PLACE = frozenset({"FK-1", "FK-10", "FK-20", "FK-24"})
SHARED: tuple[Rule, ...] = tuple(rule for rule in rummy_5000.RULES if rule.number not in WITHOUT_PLACE)

RULES: tuple[Rule, ...] = OWN + SHARED
