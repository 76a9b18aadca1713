"""Two-player rummy (`two-player-rummy`): 13 rounds with changing wilds, highest total."""

from domain.variants.texts import Rule

RULES: tuple[Rule, ...] = (
    Rule(
        "TP-1",
        "For two seats, with one ordinary deck: 52 cards and no jokers.",
        decision=False,
    ),
    Rule(
        "TP-2",
        "Eight cards go to the dealer and seven to the other seat. The round begins with a discard by the "
        "dealer and nothing else: neither a draw nor a meld comes before it (the phase is called "
        "`discard`). We chose that the deal changes sides every round. In views the dealer is also the "
        "`starter`.",
        decision=True,
    ),
    Rule(
        "TP-3",
        "Every later turn has three parts: take a card, either from the stock or the top one of the pile; "
        "meld and add whatever you can and wish; discard a card.",
        decision=False,
    ),
    Rule(
        "TP-4",
        "Wild ranks go upwards with the rounds: ace in round 1, 2 in round 2, king in round 13, then from "
        "the ace again. The rank is wild in every suit. A match has as many rounds as option `rounds` says, "
        "1 to 52; the default is 13.",
        decision=False,
    ),
    Rule(
        "TP-5",
        "You may use a wild for what is printed on it. It then counts as a natural card (K-2).",
        decision=False,
    ),
    Rule(
        "TP-6",
        "In no meld may wilds outnumber natural cards. This is checked for new melds and after each "
        "addition.",
        decision=False,
    ),
    Rule(
        "TP-7",
        "Sets have three or four cards of the same rank, each of another suit.",
        decision=False,
    ),
    Rule(
        "TP-8",
        "Runs have three cards or more, all of one suit. An ace fits below the 2 and above the king, but a "
        "run cannot go on past it from king to 2.",
        decision=False,
    ),
    Rule(
        "TP-9",
        "Additions may be made to all melds, whoever laid them. But first you need a meld of your own in "
        "this round; it is enough if you lay it earlier in the same turn. What can be added: to a set the "
        "missing fourth card, or a wild; to a run a card below or above.",
        decision=False,
    ),
    Rule(
        "TP-10",
        "The game never guesses for you where K-6 sees a choice. Take a wild with the 3 and 4 of one suit: "
        "it may be 2-3-4 or 3-4-5, so you have to say which you mean.",
        decision=False,
    ),
    Rule(
        "TP-11",
        "As soon as one player has an empty hand the round is finished (`went_out`). By our choice a meld "
        "or addition can bring this about as well as a discard. The winner's `bonus` is the worth of what "
        "the other player holds, counting 15 for a card of the wild rank, 10 for A, 10, J, Q and K, and the "
        "printed number for the rest. The `points` of both players are 0.",
        decision=True,
    ),
    Rule(
        "TP-12",
        "The higher total wins when all rounds are over. If the totals are equal it is a draw, which counts "
        "as a win for both.",
        decision=False,
    ),
    Rule(
        "TP-13",
        "A stock found empty at a turn's end is renewed from the pile as K-13 says. If the pile is just one "
        "card, or none, there is nothing to renew it from: the round is then a wash (`stock_exhausted`) and "
        "brings no points to anyone.",
        decision=False,
    ),
    Rule(
        "TP-14",
        "By our choice you may discard whatever you like, even the card that you have just picked up. To "
        "rule that out, set option `may_return_taken` to false; it is true by default.",
        decision=True,
    ),
    Rule(
        "TP-15",
        "Swapping for wilds does not exist in this game.",
        decision=False,
    ),
)
