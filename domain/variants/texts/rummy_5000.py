"""5000 Rummy (`rummy-5000`): melds score, a face-up card sets the hand's size, 5,000 wins."""

from domain.variants.texts import Rule

RULES: tuple[Rule, ...] = (
    Rule(
        "FK-1",
        "The deck is single, 52 cards, for 3 or 4 seats. For 5 to 8 seats it is double, 104 cards.",
        decision=False,
    ),
    Rule(
        "FK-2",
        "The dealer's left neighbour deals the next hand. Nobody cuts: by our choice the entropy that seats "
        "contribute (K-11) does the job of the dealer's right neighbour.",
        decision=True,
    ),
    Rule(
        "FK-3",
        "Seats are served one after another from the dealer's left, the dealer at the end. A seat first "
        "gets an open card, visible to all (`upcard`), and right after it a number of hidden cards off the "
        "stock: for 2 to 9 that number, for J, Q or K ten, for an ace eleven, and for a 10, by our choice, "
        "ten.",
        decision=True,
    ),
    Rule(
        "FK-4",
        "The rank of the dealer's upcard is wild for this hand.",
        decision=False,
    ),
    Rule(
        "FK-5",
        "After the hands one card starts the pile. No seat is taken to have discarded it. Play begins at "
        "the dealer's left.",
        decision=False,
    ),
    Rule(
        "FK-6",
        "Take one card from the stock, or as many as you want from the pile downwards, in one draw; `count` "
        "gives the number. From two cards on, the lowest of them is pending: it must be part of a meld "
        "before your turn ends, and you keep the others. By our choice the game checks beforehand. If there "
        "is no way to play that lowest card and still end your turn, the answer is "
        "`draw.deepest_unplayable`.",
        decision=True,
    ),
    Rule(
        "FK-7",
        "You may lay sets and runs and extend any on the table, your own or not. Points for a card go to "
        "whoever played it, not to the owner of the meld.",
        decision=False,
    ),
    Rule(
        "FK-8",
        "Sets have three cards or more of equal rank, and in a double deck both copies of a card can be "
        "among them. By our choice four cards per deck is the most that a set can have, and each suit "
        "occurs at most once per deck. Runs have three cards or more of one suit, with the ace below the 2 "
        "or above the king but not in between.",
        decision=True,
    ),
    Rule(
        "FK-9",
        "Wilds represent whatever card is missing. K-4 sets the only limit to their number, apart from "
        "option `max_wilds_per_meld`.",
        decision=False,
    ),
    Rule(
        "FK-10",
        "Beside a run. If a wild in a run represents a card and you have that same card, you can lay it "
        "next to the run and score it. Use `lay_off` with position `beside`; you can leave the position out "
        "when there is nowhere else for the card. The wild keeps its place and the run is no longer than "
        "before. This counts as melding for FK-6, FK-13 and FK-14, and as having played a card for FK-12. "
        "In a double deck there is room beside the run for both copies.",
        decision=False,
    ),
    Rule(
        "FK-11",
        "You end a turn by discarding one card. If you took exactly one card from the pile, you may not "
        "discard that card in the same turn.",
        decision=False,
    ),
    Rule(
        "FK-12",
        "Calling rummy. A discard may be called until somebody draws, provided that it can make a table "
        "meld longer (beside a run is not enough). A call can come from every seat except the one that "
        "discarded it, if the seat has brought at least one card to the table in this hand. When several "
        "call, the first valid call counts. You receive the card and put it on the meld of your choice. "
        "Then you discard, unless you have no card that you may: if your only card is one that FK-13 bars, "
        "you keep it. If the discard was your last card you are out; if the call leaves you no card at all, "
        "you float. After that the seat whose turn it was carries on. What you discard after a call can be "
        "called as well, but nothing below it. Option `rummy_window`, from 0 to 30 seconds with 0 as "
        "default, holds up the next draw for that time when a call is possible; it does not hold up a "
        "`pass`, and it is not applied to the opening situation of a sandbox. Independently of it, a bot "
        "waits a little before it draws whenever a human seat might call (2 seconds, which can be changed "
        "in the server's settings).",
        decision=False,
    ),
    Rule(
        "FK-13",
        "To go out (`went_out`), discard the only card you have left. It has to be useless: if it could be "
        "put anywhere on the table, or beside a wild, the answer is `discard.last_card_playable`. Places "
        "that would come into being through a split are not considered.",
        decision=False,
    ),
    Rule(
        "FK-14",
        "Floating. Melding your last card ends your turn without putting you out: you remain in the hand "
        "with no cards, as a floating seat. You then have only the stock to draw from. A card you draw must "
        "be melded if there is a way (otherwise `discard.must_play`), and you float again. If there is none "
        "you discard it and are out.",
        decision=False,
    ),
    Rule(
        "FK-15",
        "An exhausted stock is not renewed. From then on you may take from the pile in your turn or `pass`, "
        "and the first pass finishes the hand with nobody out (`passed`). If it is a floating seat's turn "
        "and no stock remains, the hand finishes on its own (`stock_exhausted`).",
        decision=False,
    ),
    Rule(
        "FK-16",
        "Each card you have melded gives `points`: 100 for an ace and 100 for any wild, but 200 for an ace "
        "if aces are the wilds; 10 for a king, queen, jack or ten; 5 for 2 to 9. Going out adds a `bonus`: "
        "the cards that all other seats hold, counted at the same rates.",
        decision=False,
    ),
    Rule(
        "FK-17",
        "The match lasts until some total has reached `target`, which is 5,000 unless set to another number "
        "from 100 to 100,000. The highest total is then the winner, and it does not matter who reached the "
        "target.",
        decision=False,
    ),
    Rule(
        "FK-18",
        "Option `crossing` says who wins when the target is passed. By default it is `highest`, as in "
        "FK-17. The alternative is `out_first`. If two or more seats reach the target in the same hand and "
        "one of these went out, that one wins. If the seat that went out did not get that far, the best of "
        "the rest is the winner (or winners, on a tie). If no seat went out, `highest` applies. In the "
        "places the winners stand ahead of all others, who are ranked by total.",
        decision=False,
    ),
    Rule(
        "FK-19",
        "Option `permanent_wilds` adds wilds that stay wild in all hands, together with whatever rank is "
        "dealt, and that score 100: `twos`, or `jokers` (`JK`, two for every deck); the default is `none`. "
        "If your upcard is such a card you get 15 further cards, or 20 with option `permanent_wild_cards` "
        "at 20 (15 and 20 are its only values), and `upcard_counts` has no influence on that. If it is the "
        "dealer's upcard, this hand has no other wild rank.",
        decision=False,
    ),
    Rule(
        "FK-20",
        "Option `upcard_counts` has two values. By default it is `extra`: your upcard comes on top of the "
        "number that it calls for. With `total` your upcard is counted in, and the number is all you hold.",
        decision=False,
    ),
    Rule(
        "FK-21",
        "A deal must leave at least two cards, the pile's first and one of stock. When the hands would take "
        "more than that, all cards are shuffled again and the deal is repeated. It can occur with permanent "
        "wilds and in George, nowhere else.",
        decision=False,
    ),
    Rule(
        "FK-22",
        "Option `deadwood` says what becomes of cards left in hands. With `to_winner`, the default, FK-16 "
        "applies. With `subtract` they bring nothing to anybody: you lose the value of your own, shown as a "
        "negative `bonus`, and your total may fall below zero.",
        decision=False,
    ),
    Rule(
        "FK-23",
        "Option `max_wilds_per_meld` limits the wilds of a meld to a number from 1 to 8; null, the default, "
        "is no limit. When it is set, you may divide long melds in your play phase with `split`: any meld "
        "on the table, with six cards at least, becomes two with three at least. Both parts must be lawful "
        "melds, and the limit holds for each separately. The front part goes on under the old id and the "
        "rear part receives the next free one. Each card takes along who played it (`by`) and what lies "
        "`beside` it, and both parts have the old owner.",
        decision=False,
    ),
    Rule(
        "FK-24",
        "A hand to check the arithmetic. Wild rank: six. Melded by the seat that goes out: 9C TC JC, worth "
        "25, and K K K, worth 30. In the hands of the others: 8, 7 and AC, worth 110; a 6, a Q and a 3, "
        "worth 115. The score is 280, and every point of it must come out.",
        decision=False,
    ),
)
