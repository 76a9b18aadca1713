"""What every game of this house shares: cards, melds, secrets, shuffles (K-1 to K-15)."""

from domain.variants.texts import Rule

RULES: tuple[Rule, ...] = (
    Rule(
        "K-1",
        "A card is written as its rank and then its suit. The ranks are A 2 3 4 5 6 7 8 9 T J Q K, where T "
        "is the ten; the suits are C clubs, D diamonds, H hearts, S spades. So `4C` is the four of clubs, "
        "`TS` the ten of spades, `QD` the queen of diamonds. `JK` is a printed joker. In a double deck "
        "nothing tells the two copies of a card apart: a hand, a pile or a meld knows only how many of each "
        "it holds, while piles and runs remember their order as well. The canonical order is clubs, "
        "diamonds, hearts, spades, each from ace to king, and after them the jokers. Where a rule speaks of "
        "discarding the card just taken, it means a card of which your hand held no copy before you took "
        "it, and of which you have played no copy since.",
        decision=False,
    ),
    Rule(
        "K-2",
        "A card on the table is written either plain or as `WILD=CARD`, which is to say that the wild in "
        "front represents the card behind: `2C=6H` is a wild two of clubs used as the six of hearts. A card "
        "of the wild rank used as itself is written plain (`6H`; you may also write `6H=6H`). It is then "
        "natural in every respect: where wilds are limited, where purity is asked for, and under K-4. "
        "Printed jokers are natural never. Only wilds may represent another card. Put into a set of its own "
        "rank, a card of the wild rank is natural whatever you write: there `6C=6S` becomes `6C`, with its "
        "true suit.",
        decision=False,
    ),
    Rule(
        "K-3",
        "A set consists of cards of the same rank. A run (or sequence) consists of cards of the same suit, "
        "their ranks following each other without a repeat. Every game allows the ace below the two "
        "(A-2-3); some also allow it above the king (Q-K-A), as their rules say. A run that uses the ace "
        "both ways does not exist, and neither does K-A-2.",
        decision=False,
    ),
    Rule(
        "K-4",
        "No game accepts a meld that consists of wilds only: one card at least has to be natural, because "
        "that is what tells the rank of a set or the suit of a run.",
        decision=True,
    ),
    Rule(
        "K-5",
        "A wild in a set represents its rank; the suit is a label without much meaning. A suit counts as "
        "open while the natural cards in the set leave room for it, and the room is one card for each suit "
        "(5000 Rummy and George: one for each suit and deck). If you name a suit for a wild, it gets that "
        "suit. The suit has to be open after the natural cards have found their places, and you may not "
        "name one slot for two wilds in a single command; breaking this gives `meld.repeated_suit` for a "
        "new meld, `lay_off.does_not_fit` for an addition. If you name none, the wild goes to the earliest "
        "suit in the order C D H S where a slot is occupied by neither a natural card nor a wild; several "
        "are placed one by one as you sent them. A wild that lies in the set already makes way, to the "
        "first free slot, when a natural card or another wild is named into its place. Wilds that share a "
        "slot are shown in canonical order. A wild in a run represents one definite rank and suit.",
        decision=False,
    ),
    Rule(
        "K-6",
        "How the game reads a meld. Send a card of the wild rank plain, and it is taken as itself where "
        "this gives a lawful meld; elsewhere the game looks for its place. When a run has several plain "
        "wilds, they take its places from the lowest upwards, in your order. The game then compares all "
        "lawful readings. It keeps the ones with the largest number of natural cards, and out of these it "
        "strikes every reading that another rule, K-7 included, forbids. Do the remaining ones matter in "
        "play, because one is a set and another a run, because rank or suit of the meld differ, or because "
        "the wilds of a run represent other ranks? Then you get `meld.ambiguous` and a list with one "
        "complete command for each reading. With a single reading remaining, that is what is played. With "
        "none remaining, you learn why the first was forbidden (sets are looked at before runs, lower "
        "places before higher ones). Melds, lay-offs, swaps and rummy calls are all read like this. "
        "Differences in the suits of a set's wilds do not matter. A thirteen-card run shows its ace at the "
        "low end, and adding that ace raises no question. A lay-off with two possible places does raise "
        "one, and so does a swap that might release one wild or a different one. Declarations raise none: "
        "they stand if their groups can lawfully be read at all.",
        decision=False,
    ),
    Rule(
        "K-7",
        "No dead ends. Nothing you send may leave you owing a pending card for which there is no play, or "
        "unable to finish your turn lawfully. Such a command is turned down before it has any effect, with "
        "`pending.unplayable` or, if it was a draw, with the code that belongs to that draw. So whoever is "
        "to act always has something legal to do; the one exception is a running rummy window (FK-12).",
        decision=False,
    ),
    Rule(
        "K-8",
        "Seats have numbers from 0 upwards. Your left neighbour has the next number; the left neighbour of "
        "the last seat is seat 0. Turns pass to the left.",
        decision=False,
    ),
    Rule(
        "K-9",
        "Three things are secret from those not entitled to them: how the stock is ordered, what a hand "
        "holds, how a reshuffle came out. Anything else is open to all. A deal's hands are opened at its "
        "end; the cards remaining in its stock stay secret until the seed of the match is published.",
        decision=False,
    ),
    Rule(
        "K-10",
        "To keep any table from running on for ever, the turn limit of a deal is 1,000 turns: there it "
        "stops with no winner (`turn_limit`) and is scored like any deal nobody wins. Turns are counted as "
        "they end; rummy calls are not counted. Should more than one ending apply at the same moment, they "
        "rank like this: going out or declaring, then the draw limit, then a stalemate or exhausted stock, "
        "last the turn limit. (What would be a floating seat's turn does not begin any more.) The score of "
        "a deal without a winner is: Wild Rummy, every hand counts and no bonus is given; two-player rummy, "
        "nothing at all; 13-card rummy, a charge for each seat under TC-12; single-deck rummy, likewise "
        "under SD-7; 5000 Rummy and George, what each seat melded.",
        decision=True,
    ),
    Rule(
        "K-11",
        "Shuffles are fair, and you can verify that. A match has a secret seed of 32 random bytes. The "
        "event `game_created` carries the hex SHA-256 of it as `commitment`, and at the end of the match "
        "`seed_revealed` publishes it. Whoever takes a seat may contribute `entropy`, any text of no more "
        "than 64 characters (for bots it is empty). Write all entropies in the order of the seats, each in "
        "UTF-8 with the number of its bytes, as a u32, in front: the SHA-256 of this is called `client`, "
        "and `game_started` fixes it. A u32 has four bytes, big end first. The match makes random draws "
        "with numbers k. Each has its own stream of u32 words, and the stream's block number i is "
        "HMAC-SHA-256 keyed with the seed over the concatenation of client, u32(k) and u32(i). To pick a "
        "uniform number between 0 and m inclusive, skip words until one, w, is smaller than 2^32 - (2^32 "
        "mod (m+1)); the number is w mod (m+1). With k = 0 the first dealer or starter is picked among the "
        "seats, all equally likely. From k = 1 on there is one draw for every deal, every repeated deal and "
        "every reshuffle. It runs i from n-1 down to 1, picks j between 0 and i, and swaps items i and j. "
        "Item 0 will be the next card. Before a deal the items are the decks one behind the other, each in "
        "canonical order, with its own jokers after the spades: 13-card rummy has one joker to a deck, "
        "single-deck rummy two, and so have 5000 Rummy and George where jokers are in play. Before a "
        "reshuffle they are the pile's cards from the oldest to the newest. The log therefore lets anyone "
        "recalculate every deck.",
        decision=False,
    ),
    Rule(
        "K-12",
        "All cards of the discard pile are open to everybody. The one that arrived last is on top.",
        decision=False,
    ),
    Rule(
        "K-13",
        "Reshuffling is done between turns only: when a turn is over and no stock remains, provided that "
        "the deal is not over too. The top of the pile stays where it is and is the new pile; everything "
        "below is shuffled to make a stock. Wilds from the pile go into the stock like any other card; "
        "wilds on the table are not touched.",
        decision=False,
    ),
    Rule(
        "K-14",
        "Dealing. Card by card round the table, the dealer's left neighbour first (Wild Rummy: the starter "
        "first), up to the size of the hands; a hand that is one larger gets its additional card at the "
        "very end. Then, in 13-card and single-deck rummy, a card is turned. Then, in these two and in 5000 "
        "Rummy and George, one card opens the discard pile. All others form the stock. How 5000 Rummy and "
        "George deal their hands is told in FK-3. Games with a dealer take the first one from draw 0 of "
        "K-11, or from option `first_dealer` if it is set; after each deal the left neighbour is next.",
        decision=False,
    ),
    Rule(
        "K-15",
        "A match can have several winners: all seats that tie for first place win it together.",
        decision=False,
    ),
)
