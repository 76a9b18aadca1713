"""Score sheets: a pad for people at a real table (SS-1). Not a game of its own."""

from domain.variants.texts import Rule

RULES: tuple[Rule, ...] = (
    Rule(
        "SS-1",
        "If you play with real cards, a score sheet does the adding for you. It consists of columns with "
        "names; in each round every column takes one number, and the sheet shows running totals and, if "
        "there is one, the target. You can write and correct in your own column; the host can do so in all. "
        "Each of you can `end` the sheet, and then the result and the standing are kept. Only whole numbers "
        "can be entered. They may be negative, since one way to play 5000 Rummy subtracts what is left in "
        "hand.",
        decision=False,
    ),
)
