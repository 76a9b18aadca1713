"""Single-deck rummy (`single-deck-rummy`): 54 cards, two lives, hands declared, lowest score."""

from domain.variants.texts import Rule

RULES: tuple[Rule, ...] = (
    Rule(
        "SD-1",
        "54 cards: an ordinary deck and two printed jokers. It is a game for two seats and accepts three.",
        decision=False,
    ),
    Rule(
        "SD-2",
        "Everybody gets thirteen cards, and one card determines the wild rank. Wild are all cards of that "
        "rank and both printed jokers. The following is our choice: if that card is itself a printed joker, "
        "aces are wild; it takes no further part in the deal; the card after it opens the discard pile; the "
        "dealer's left neighbour begins. Below, joker means any wild, printed or not.",
        decision=True,
    ),
    Rule(
        "SD-3",
        "In your turn take one card, from the stock or the top one of the pile, and discard one. If it came "
        "from the pile, you cannot give that card back in the same turn, neither as a discard nor as the "
        "card put aside by a declaration (`discard.just_taken`). Jokers of both sorts have to stay on the "
        "pile; this also holds for the card that opened it.",
        decision=False,
    ),
    Rule(
        "SD-4",
        "Three sorts of groups are valid. A pure sequence has three or more neighbouring cards of one suit, "
        "the ace below the 2 or above the king, and no joker that represents another card; a wild card in "
        "the place of its own face does no harm. An impure sequence has jokers in place of missing cards. A "
        "set has three or four cards of equal rank and unlike suits, jokers allowed. A pure sequence is "
        "your first life, and another sequence, pure or not, your second.",
        decision=False,
    ),
    Rule(
        "SD-5",
        "To declare you need 14 cards. Name the one that you discard; the thirteen others have to be in "
        "valid groups, none left over, with the first and the second life among them.",
        decision=False,
    ),
    Rule(
        "SD-6",
        "A declaration that is wrong costs you 80, shown as `bonus`; the others pay 0, and that is the end "
        "of the deal (`invalid_declaration`). It is wrong if some group is not valid, which covers a "
        "natural card standing for another, or if a life is missing. It is only turned down, at no cost, if "
        "you name cards you do not have, leave some out, or put aside a card that SD-3 does not let you "
        "discard.",
        decision=False,
    ),
    Rule(
        "SD-7",
        "Aces, kings, queens, jacks and tens are worth 10 each, 2 to 9 the number on them, and jokers 0 "
        "wherever they are. The winner pays 0. The others are charged for their hands, arranged as cheaply "
        "as possible: with both lives an arrangement costs the value of its ungrouped cards, without them "
        "the value of all cards. More than 80 is never charged.",
        decision=False,
    ),
    Rule(
        "SD-8",
        'The game is played without a clock, unless you set option `clock`; most often that is `{"turn": '
        "30}`, half a minute for a turn. When just one human is at the table, the game can be paused and "
        "resumed, and no time runs in between.",
        decision=False,
    ),
    Rule(
        "SD-9",
        "Bots have three strengths. `easy` plays for what it can group right away and now and then holds on "
        "to a card that helps it less. `medium` leaves its complete groups alone and works on pairs that "
        "may become groups. `hard` does so too, remembers what was discarded and picked up, works out which "
        "cards may still come to complete a pair, and avoids giving its opponent a card for a group that it "
        "has seen grow. No bot knows more than a person on its seat would, and every bot wins as soon as it "
        "validly can.",
        decision=False,
    ),
    Rule(
        "SD-10",
        "Shared with 13-card rummy are the following. When a turn ends and the stock is gone, a new one is "
        "made from the pile; if the pile has nothing to give for it, and nobody could take anything off the "
        "pile either, the deal stops without a winner with `stock_exhausted` (TC-10). One deal makes a "
        "match, or up to 100 with option `deals`; scores are added, the lowest sum wins, and the declarer "
        "of a single deal is its sole winner (TC-14). Three options exist here with stricter defaults: "
        "`may_take_jokers` and `may_return_taken` are false (TC-15), `invalid_declaration` is `penalty` "
        "(TC-8).",
        decision=False,
    ),
)
