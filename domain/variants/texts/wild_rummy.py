"""Wild Rummy (`wild-rummy`): 13 deals with changing wilds, melds on the table, lowest total."""

from domain.variants.texts import Rule

RULES: tuple[Rule, ...] = (
    Rule(
        "WR-1",
        "2 to 4 seats; a bot can sit on any that stays open. One ordinary deck is used, 52 cards and no "
        "jokers (our choice).",
        decision=True,
    ),
    Rule(
        "WR-2",
        "A match lasts thirteen deals. The wild rank is the ace in the first deal, the 2 in the second, and "
        "so on upwards to the king in the thirteenth. All four cards of the rank are wild.",
        decision=False,
    ),
    Rule(
        "WR-3",
        "The winner is the seat with the lowest total once thirteen deals have been played.",
        decision=False,
    ),
    Rule(
        "WR-4",
        "The starter gets 8 cards, the others 7. The starter's first turn has no draw: it opens in the play "
        "phase. Until that turn's discard there is nothing on the discard pile.",
        decision=False,
    ),
    Rule(
        "WR-5",
        "Whoever goes out hands the start of the next deal to the left neighbour. What was open we chose: "
        "draw 0 of K-11 determines who starts the match (option `first_starter` can set it), and when a "
        "deal has no winner the start moves one seat to the left of where it was. Views and positions have "
        "a `dealer` here too: the right neighbour of the starter.",
        decision=True,
    ),
    Rule(
        "WR-6",
        "In your turn you draw one card, play as often as you wish or not at all, and finish by discarding "
        "one card.",
        decision=False,
    ),
    Rule(
        "WR-7",
        "You draw from the stock or take the top of the discard pile. The pile is allowed on one condition: "
        "the command that follows must be able to put that card to use, by melding it, by adding it to "
        "something on the table, or by swapping it for a wild (this last is our choice). Without such a use "
        "you get `draw.discard_unplayable`. Uses that K-7 or WR-14 forbid do not count, so you cannot take "
        "what you could not finish your turn with.",
        decision=True,
    ),
    Rule(
        "WR-8",
        "What you took from the pile is pending, meaning that you owe a play with it before your discard. "
        "The same goes for a wild that you have freed by a swap. Pending cards stack: one may come on top "
        "of another, and all are owed.",
        decision=False,
    ),
    Rule(
        "WR-9",
        "Sets have three cards or four, of the same rank. We chose their limits: each suit once at most, "
        "one natural card at least (K-4), and beyond that as many wilds as you like.",
        decision=True,
    ),
    Rule(
        "WR-10",
        "Runs have 3 to 13 cards of the same suit. The ace is always the lowest card, so that Q-K-A is "
        "refused with `meld.ace_high`.",
        decision=False,
    ),
    Rule(
        "WR-11",
        "On your turn every meld on the table is open to you, even if you have laid none yourself. A set "
        "accepts the suit it is missing, or a wild; a run accepts cards below or above.",
        decision=False,
    ),
    Rule(
        "WR-12",
        "The fifth card. Are you down to exactly two cards, one or both of them wild? Then a complete set "
        "of four accepts a wild from you, and the discard of your other card, by which you go out, must "
        "follow. Write the wild as the club of that set (it is shown behind whatever occupies the club's "
        "place); under any other name it does not fit.",
        decision=False,
    ),
    Rule(
        "WR-13",
        "Swap. You may replace a wild on the table by a natural card from your hand; you get the wild, and "
        "it is pending. For a wild in a run you need exactly the card it represents. For a wild in a set, "
        "by our choice, you need any card of that rank in a suit of which the set has no natural card. "
        "Cards of the wild rank used as themselves are natural and stay. The replacement is credited to "
        "your seat as a card you played.",
        decision=True,
    ),
    Rule(
        "WR-14",
        "Discarding your last card means going out and finishes the deal (`went_out`). We chose that there "
        "is no other way: plays that take your whole hand get `play.last_card_must_be_discarded`. Wilds are "
        "allowed as discards.",
        decision=True,
    ),
    Rule(
        "WR-15",
        "At the end of a deal you are charged for what you still hold: 25 for each card of the wild rank, "
        "10 for every other ten, jack, queen or king, 1 for an ace, and for 2 to 9 the number on the card. "
        "Melded cards cost nothing.",
        decision=False,
    ),
    Rule(
        "WR-16",
        "The seat that goes out gets a `bonus` of minus 2. When this is its third win without a break, or "
        "the sixth, ninth and so on, the bonus is minus 12. Any deal in which you do not go out breaks your "
        "streak, and that includes deals nobody wins.",
        decision=False,
    ),
    Rule(
        "WR-17",
        "The deal is a `stalemate` if a turn's end finds the stock empty and this has happened once before "
        "in the deal, or if it is the first time but the pile consists of no more than its top card. Nobody "
        "wins; everybody is charged for their hand, and no bonus is given.",
        decision=False,
    ),
    Rule(
        "WR-18",
        "Public matches are shown in the lobby. Private ones are not, and to join you need their room code.",
        decision=False,
    ),
)
