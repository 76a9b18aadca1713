"""A program to be killed: writes as fast as it can and says on its output what was acknowledged."""

import asyncio
import sys

from persistence import store_for
from persistence.store import Append, Outcome, Wakeup
from tests.persistence.build import AT, commit, ids

WRITERS = 16


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


async def main(url: str) -> None:
    store = store_for(url)
    await store.open()
    games = ids(WRITERS)
    say(*games)

    async def write(game_id: str) -> None:
        number = 0
        while True:
            number += 1
            wakeup = Wakeup(game_id, "bot", AT, number)
            outcome = await store.append([Append(commit(game_id, number), wakeup=wakeup)])
            assert outcome == [Outcome.COMMITTED]
            say(game_id, number)

    await asyncio.gather(*[write(game_id) for game_id in games])


asyncio.run(main(sys.argv[1]))
