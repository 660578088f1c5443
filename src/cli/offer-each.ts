import { drwn, joinAdvice } from "../kernel/advice.ts";
import type { Host } from "../kernel/host.ts";
import { isProblem, Problem } from "../kernel/problem.ts";
import { isTerminal } from "../kernel/terminal.ts";
import { clean, plural } from "../kernel/text.ts";
import { listCards } from "../operations/project/list.ts";
import type { ConsentRequest } from "../operations/project/trust.ts";
import { type Asking, type GrantedCards, reviewAndGrant } from "./review-and-grant.ts";
import type { Console } from "./terminal/console.ts";
import { BrokenOff } from "./terminal/prompt.ts";

/** Lists the cards that wait for a consent, and asks about each in turn: a no to one doesn't answer for the next. */
export async function offerEach(
  host: Host,
  requests: readonly ConsentRequest[],
  asking: Asking,
): Promise<GrantedCards[]> {
  const waiting = describeWaiting(host, requests);
  const commands = requests.map(({ card }) => drwn("card trust", card, "--hooks"));
  const count = `${plural(requests.length, "card")} ${requests.length === 1 ? "waits" : "wait"} for your consent`;
  if (!isTerminal(0) || !isTerminal(2)) {
    throw new Problem("DRWN_CONSENT_NEEDED", `${count}, and there is no terminal to ask at`, {
      details: waiting,
      hint: joinAdvice(commands, " && "),
    });
  }
  asking.console.talk(`${count}:`);
  for (const line of waiting) asking.console.talk(`  ${line}`);
  const consented = await askOneByOne(host, requests, asking);
  if (consented.length > 0) return consented;
  throw new Problem("DRWN_CONSENT_DECLINED", "nothing was consented to", { hint: joinAdvice(commands, " && ") });
}

function describeWaiting(host: Host, requests: readonly ConsentRequest[]): string[] {
  const names = new Set(requests.map(({ card }) => card));
  return listCards(host).cards.flatMap(({ name, version, hooks, consent }) => {
    if (!names.has(name)) return [];
    const why = consent?.reason == null ? "" : `: ${clean(consent.reason, 1000)}`;
    return [`${name}@${version}, ${plural(hooks.length, "hook policy", "hook policies")}${why}`];
  });
}

/** Asks about these cards if a person is at the terminal; otherwise, and after a no, they keep waiting. */
export async function offerAtTerminal(host: Host, cards: readonly string[], console: Console): Promise<GrantedCards[]> {
  if (!isTerminal(0) || !isTerminal(2)) return [];
  const requests = cards.map((card) => ({ card, range: null }));
  return askOneByOne(host, requests, { yes: false, diff: false, console });
}

/** Once a person breaks off, it asks no more. What they said yes to before is recorded and returned. */
export async function askOneByOne(
  host: Host,
  requests: readonly ConsentRequest[],
  asking: Asking,
): Promise<GrantedCards[]> {
  const consented: GrantedCards[] = [];
  for (const request of requests) {
    asking.console.talk();
    try {
      consented.push(...(await reviewAndGrant(host, [request], asking)));
    } catch (error) {
      if (!isProblem(error) || error.code !== "DRWN_CONSENT_DECLINED") throw error;
      if (error instanceof BrokenOff) break;
    }
  }
  return consented;
}
