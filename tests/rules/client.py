"""A client that knows the contract only: it folds the events that its viewer gets into a view.

Nothing of the domain is used here.  What it cannot know from events is left out: names, presence,
``may`` and ``arrangement``.
"""

from __future__ import annotations

from typing import Any

ORDER = {r + s: i for i, (s, r) in enumerate((s, r) for s in "CDHS" for r in "A23456789TJQK")} | {"JK": 52}
#: In these games a seat has melded once it has played any card to the table.
ANY_CARD = ("rummy-5000", "george")


class Client:
    """The view of one seat, or of a spectator (None), rebuilt event by event."""

    def __init__(self, you: int | None) -> None:
        self.you = you
        self.view: dict[str, Any] = {
            "you": you, "deal": None, "turn": None, "hand": None if you is None else [], "stock": None,
            "discard": [], "melds": [], "result": None,
        }  # fmt: skip

    def hear(self, e: dict[str, Any]) -> None:
        """Fold one event as it was received."""
        self.view["version"] = e["seq"]
        getattr(self, "_" + e["type"])(e)
        if "turn" in e:
            self.view["turn"] = e["turn"]
        if self.view["hand"] is not None:
            self.view["hand"].sort(key=ORDER.__getitem__)
        every = self.view["variant"] in ANY_CARD
        for seat in self.view["seats"]:
            mine = [
                m for m in self.view["melds"]
                if (seat["seat"] in m["by"] or seat["seat"] in [b["by"] for b in m["beside"]] if every
                    else m["owner"] == seat["seat"])
            ]  # fmt: skip
            seat["melded"] = bool(mine)

    # ------------------------------------------------------------------ helpers

    def _seat(self, number: int) -> dict[str, Any]:
        return self.view["seats"][number]

    def _gains(self, seat: int, cards: list[str] | None, number: int) -> None:
        self._seat(seat)["cards"] += number
        if seat == self.you:
            assert cards is not None
            self.view["hand"] += cards

    def _loses(self, seat: int, placed: list[str]) -> None:
        self._seat(seat)["cards"] -= len(placed)
        if seat == self.you:
            for card in placed:
                self.view["hand"].remove(card.split("=")[0])

    def _meld(self, meld: dict[str, Any]) -> None:
        melds = self.view["melds"]
        if meld["id"] > len(melds):
            melds.append(meld)
        else:
            melds[meld["id"] - 1] = meld

    # ------------------------------------------------------------------- events

    def _game_created(self, e: dict[str, Any]) -> None:
        self.view |= {
            "variant": e["variant"], "status": "waiting", "sandbox": e["sandbox"],
            "seats": [
                {"seat": i, "kind": s["kind"], "level": s["level"], "cards": 0, "score": 0, "streak": 0,
                 "melded": False, "upcard": None, "resigned": False, "played_by": None}
                for i, s in enumerate(e["seats"])
            ],
        }  # fmt: skip

    def _seat_taken(self, e: dict[str, Any]) -> None:
        self._seat(e["seat"]).update(kind="human", level=None)

    def _seat_left(self, e: dict[str, Any]) -> None:
        if e["reason"] == "left":
            self._seat(e["seat"]).update(kind="open", level=None)
        else:
            self._seat(e["seat"]).update(resigned=e["reason"] == "resigned", played_by=e["bot"])

    def _seat_returned(self, e: dict[str, Any]) -> None:
        self._seat(e["seat"])["played_by"] = None

    def _game_started(self, e: dict[str, Any]) -> None:
        self.view["status"] = "playing"
        for i, seat in enumerate(e["seats"]):
            self._seat(i).update(kind=seat["kind"], level=seat["level"])

    def _deal_started(self, e: dict[str, Any]) -> None:
        self.view |= {k: e[k] for k in ("deal", "melds", "discard", "stock")}
        for i, seat in enumerate(self.view["seats"]):
            seat.update(cards=e["counts"][i], score=e["scores"][i], streak=e["streaks"][i],
                        upcard=e["upcards"] and e["upcards"][i])  # fmt: skip
            assert (e["hands"][i] is not None) == (i == self.you)
        if self.you is not None:
            self.view["hand"] = list(e["hands"][self.you])

    def _card_drawn(self, e: dict[str, Any]) -> None:
        if e["source"] == "stock":
            assert (e["cards"] is not None) == (e["seat"] == self.you)
            self.view["stock"]["count"] -= 1
        else:
            for card in e["cards"]:
                assert self.view["discard"].pop() == card
        self.view["stock"]["draws"] += 1
        self._gains(e["seat"], e["cards"], e["count"])

    def _meld_laid(self, e: dict[str, Any]) -> None:
        self._loses(e["seat"], e["cards"])
        assert e["meld"] == e["after"]["id"]
        self._meld(e["after"])

    _cards_laid_off = _meld_laid

    def _wild_swapped(self, e: dict[str, Any]) -> None:
        self._loses(e["seat"], [e["card"]])
        self._gains(e["seat"], [e["wild"].split("=")[0]], 1)
        self._meld(e["after"])

    def _meld_split(self, e: dict[str, Any]) -> None:
        self._meld(e["after"])
        self._meld(e["new"])

    def _card_discarded(self, e: dict[str, Any]) -> None:
        self._loses(e["seat"], [e["card"]])
        self.view["discard"].append(e["card"])

    def _rummy_called(self, e: dict[str, Any]) -> None:
        assert self.view["discard"].pop() == e["card"].split("=")[0]
        self._meld(e["after"])

    def _call_window_closed(self, e: dict[str, Any]) -> None:
        pass

    def _hand_declared(self, e: dict[str, Any]) -> None:
        self._loses(e["seat"], [e["discard"]])
        self.view["discard"].append(e["discard"])
        self.view["turn"] = None

    def _turn_passed(self, e: dict[str, Any]) -> None:
        pass

    def _turn_timed_out(self, e: dict[str, Any]) -> None:
        assert self.view["turn"]["seat"] == e["seat"]
        assert self.view["turn"]["phase"] == e["phase"]

    def _stock_rebuilt(self, e: dict[str, Any]) -> None:
        assert e["cards"] is None
        self.view["stock"] = e["stock"]
        self.view["discard"] = e["discard"]

    def _deal_ended(self, e: dict[str, Any]) -> None:
        self.view["turn"] = None
        self.view["result"] = {"deal": e["result"], "match": None}
        for seat in e["result"]["seats"]:
            self._seat(seat["seat"]).update(score=seat["score"], streak=seat["streak"])
            if seat["seat"] == self.you:
                assert seat["hand"] == self.view["hand"]
            assert len(seat["hand"]) == self._seat(seat["seat"])["cards"]

    def _match_ended(self, e: dict[str, Any]) -> None:
        self.view["status"] = "finished"
        self.view["result"]["match"] = e["result"]

    def _seed_revealed(self, e: dict[str, Any]) -> None:
        pass

    def _game_paused(self, e: dict[str, Any]) -> None:
        self.view["status"] = "paused"

    def _game_resumed(self, e: dict[str, Any]) -> None:
        self.view["status"] = "playing"

    def _game_cancelled(self, e: dict[str, Any]) -> None:
        self.view["status"] = "cancelled"
        self.view["turn"] = None
