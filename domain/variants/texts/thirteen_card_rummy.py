"""13-card rummy (`thirteen-card-rummy`): Indian rummy, two decks, hands declared, lowest score."""

from domain.variants.texts import Rule

RULES: tuple[Rule, ...] = (
    Rule(
        "TC-1",
        "106 cards: two ordinary decks and a printed joker for each. The usual number of seats is four, but "
        "any from 2 to 6 will do.",
        decision=False,
    ),
    Rule(
        "TC-2",
        "Everybody gets thirteen cards. The next card is turned up and determines what is wild; it lies in "
        "view and nobody can get it. Another one opens the discard pile, and the stock is what remains. By "
        "our choice the dealer's left neighbour begins.",
        decision=True,
    ),
    Rule(
        "TC-3",
        "Cards that share both rank and colour with the turned card are wild. Turning a printed joker makes "
        "the aces wild instead, all eight of them. The printed jokers themselves are wild in every deal. "
        "Below, joker means any wild, printed or not.",
        decision=False,
    ),
    Rule(
        "TC-4",
        "Take exactly one card in your turn, from the stock or the top one of the pile. Then either discard "
        "a card or declare.",
        decision=False,
    ),
    Rule(
        "TC-5",
        "You declare with 14 cards in hand. One goes aside, on to the pile; the remaining thirteen are laid "
        "open in groups. Every card has to belong to a valid group, two or more groups have to be "
        "sequences, and one of these, or more, has to be pure. If all that holds you win at once "
        "(`declared`).",
        decision=False,
    ),
    Rule(
        "TC-6",
        "A sequence is pure when it has three or more neighbouring cards of the same suit and no joker "
        "represents anything but itself. The ace goes below the 2 or above the king, never between them. A "
        "wild card in the place of its own face does no harm to purity.",
        decision=False,
    ),
    Rule(
        "TC-7",
        "In other sequences jokers may take the place of cards in the middle or at an end. Sets have three "
        "or four cards of equal rank and unlike suits, with jokers for missing ones.",
        decision=False,
    ),
    Rule(
        "TC-8",
        "Option `invalid_declaration`. Its default here, by our choice, is `reject`: a declaration that "
        "does not hold is turned down, you are told all reasons, and you lose nothing. The other value is "
        "`penalty`: as SD-6 of single-deck rummy has it, the deal is over, you pay 80 and the others pay 0.",
        decision=True,
    ),
    Rule(
        "TC-9",
        "Clock. You have 15 seconds for the draw, then 22 seconds for the discard. Option `clock` takes "
        'other times, such as `{"draw": 20, "discard": 40}`, or null for no clock. If you let the time '
        "pass, a safe default is played on your behalf: draw a card from the stock, discard that card. The "
        "details are our choice. Did you draw yourself and then run out of time, the card you drew is "
        "discarded. If a rule bars that, it is the most expensive card that your view's arrangement leaves "
        "ungrouped, and among equals the one that comes last in canonical order. Games with melds on the "
        "table can have a clock as well, through the same option. Their default draws from the stock, or "
        "passes (`pass`) when no stock is left; as long as you owe a play it makes the first legal one, "
        "going by the order of commands in the contract and by the canonical order of cards; and then it "
        "discards what was drawn or, if that is not allowed, the most expensive card that is.",
        decision=True,
    ),
    Rule(
        "TC-10",
        "When a turn ends and the stock is gone, a new one is made from the pile (K-13). If the pile has "
        "nothing to give for it, and nobody could take anything off the pile either, the deal stops without "
        "a winner (`stock_exhausted`).",
        decision=False,
    ),
    Rule(
        "TC-11",
        "Aces, kings, queens, jacks and tens are worth 10 each, 2 to 9 the number on them. Jokers are worth "
        "0 wherever they are, inside a group or outside.",
        decision=False,
    ),
    Rule(
        "TC-12",
        "The winner pays 0. The others are charged for their hands, arranged as cheaply as possible: an "
        "arrangement with at least one pure sequence costs the value of its ungrouped cards, while one "
        "without costs the value of all cards. More than 80 is never charged.",
        decision=False,
    ),
    Rule(
        "TC-13",
        "A deal has 100 draws, those of all seats counted together. If nobody declares in the turn of draw "
        "number 100, all seats pay by TC-12. The reason is `draw_limit`, `winner` stays empty, and the "
        "lowest charge takes first place, with equal charges sharing a place.",
        decision=False,
    ),
    Rule(
        "TC-14",
        "By our choice one deal makes a match; option `deals` can make it up to 100 (from 1). Over several "
        "deals scores are added, and the lowest sum wins. With one deal only, the declarer is the sole "
        "winner, even if somebody else had a hand that costs 0.",
        decision=True,
    ),
    Rule(
        "TC-15",
        "You may take any card from the pile, jokers included, and discard any card, the one just picked up "
        "included. Two options, both true unless changed, take these rights away: `may_take_jokers` and "
        "`may_return_taken`.",
        decision=False,
    ),
)
