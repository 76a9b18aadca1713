// A client made by a generator: it plays a whole match from listActions alone, and checks its log.
//
// The compiler is the first test here: commands and events are told apart by their `type`, a request needs
// nothing but what the contract asks for, and an answer has every member without a question.

import createClient from "openapi-fetch";
import type { components, paths } from "./build/api.js";

type Command = components["schemas"]["Command"];
type Event = components["schemas"]["Event"];

const client = createClient<paths>({ baseUrl: process.argv[2] ?? "http://127.0.0.1:8000" });

function must<T>(answer: { data?: T; error?: components["schemas"]["Problem"] }): T {
  if (answer.data === undefined) {
    throw new Error(`${answer.error?.code ?? "?"}: ${answer.error?.detail ?? ""}`);
  }
  return answer.data;
}

function never(what: never): never {
  throw new Error(`nobody knows ${JSON.stringify(what)}`);
}

/** How much a command is worth to a simple mind. */
function worth(command: Command): number {
  switch (command.type) {
    case "declare":
      return 100 + command.groups.length;
    case "meld":
      return 50 + command.cards.length;
    case "lay_off":
    case "call_rummy":
      return 40 + command.meld;
    case "swap":
      return command.wild == null ? 30 : 31;
    case "draw":
      return command.source === "stock" ? 20 : (command.count ?? 1);
    case "discard":
      return 10 + (command.card.startsWith("A") ? 1 : 0);
    case "split":
      return -command.at;
    case "pass":
      return 0;
    case "start":
      return command.fill == null ? -2 : -1;
    case "pause":
    case "resume":
    case "resign":
    case "cancel":
      return -100;
    default:
      return never(command);
  }
}

/** What an event tells a spectator, if it is worth a line. */
function told(event: Event): string | null {
  switch (event.type) {
    case "deal_ended":
      return `deal ${event.result.number}: ${event.result.seats.map((seat) => seat.score).join(" : ")}`;
    case "match_ended":
      return `won by ${event.result.winners.join(", ")}`;
    case "card_drawn":
      return event.cards === null && event.source !== "stock" ? "a hidden card from the pile" : null;
    case "meld_laid":
    case "cards_laid_off":
    case "wild_swapped":
    case "rummy_called":
      return event.after.cards.length < 3 ? `a short meld ${event.meld}` : null;
    default:
      return null;
  }
}

const created = must(
  await client.POST("/v1/games", {
    body: { variant: "wild-rummy", seats: [{ kind: "human", name: "Ada" }, { kind: "human" }] },
  }),
);
const path = { game_id: created.game.game_id };
const as = (seat: number) => ({ Authorization: `Bearer ${created.tokens[String(seat)] ?? ""}` });

let view = must(await client.GET("/v1/games/{game_id}/view", { params: { path }, headers: as(0) }));
while (view.turn !== null) {
  const headers = as(view.turn.seat);
  const { actions } = must(await client.GET("/v1/games/{game_id}/actions", { params: { path }, headers }));
  const best = actions.reduce((one, other) => (worth(other) > worth(one) ? other : one));
  const done = must(
    await client.POST("/v1/games/{game_id}/commands", {
      params: { path, header: { "If-Match": `"${view.version}"` } }, headers, body: best,
    }),
  );
  if (!("view" in done) || done.view === null) {
    throw new Error("a command's answer has a view");
  }
  view = done.view;
}
if (view.result?.match == null || view.status !== "finished") {
  throw new Error("the match has no result");
}

for (let after = 0, more = true; more; ) {
  const page = must(await client.GET("/v1/games/{game_id}/events", { params: { path, query: { after } } }));
  page.items.map(told).forEach((line) => line !== null && console.log(line));
  ({ next: after, more } = page);
}

const log = must(await client.GET("/v1/games/{game_id}/log", { params: { path }, parseAs: "text" }));
const verdict = must(
  await client.POST("/v1/replays", {
    body: log, bodySerializer: (text) => text, headers: { "Content-Type": "application/x-ndjson" },
  }),
);
if (!(verdict.ok && verdict.complete && verdict.intact && verdict.fair && verdict.lawful)) {
  throw new Error(`the log is not what it should be: ${JSON.stringify(verdict.divergence)}`);
}
console.log(`${verdict.events} events, intact, fair and lawful`);

const refused = await client.POST("/v1/games", { body: { variant: "rummy-5000", options: { target: -1 } } });
if (refused.error?.code !== "options.invalid" || refused.error.errors?.[0]?.pointer !== "#/options/target") {
  throw new Error("a wrong option is refused, and named");
}
