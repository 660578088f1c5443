import { advise, drwn, sayIn } from "../kernel/advice.ts";
import type { Host } from "../kernel/host.ts";
import { Problem } from "../kernel/problem.ts";
import { shellQuote } from "../kernel/text.ts";
import { findExampleCall } from "../operations/diagnose/explain-event.ts";
import { findRequestedHere } from "../operations/machine/consents.ts";
import type { Unfetched } from "../operations/project/install.ts";
import { listAwaitingConsent, listCards } from "../operations/project/list.ts";
import type { ConsentRequest, RequestedTerms } from "../operations/project/trust.ts";
import type { WriteResult } from "../operations/project/write.ts";
import { type Asking, reviewAndGrant } from "./ask-to-consent.ts";
import type { CommandAnswer } from "./command.ts";
import { writeAfterConsent } from "./next-steps.ts";
import { renderGuarding } from "./render/guarding.ts";
import { problemToJson, renderProblem } from "./render/problem.ts";
import { describeGranted } from "./render/review.ts";
import { renderWritten, writeToJson } from "./render/write.ts";
import { type Console, EXIT } from "./terminal/console.ts";

/** What a person has still to decide about here, in the ranges that the project asks for. */
export function requestsWaiting(host: Host): ConsentRequest[] {
  const asked = new Map(findRequestedHere(host).map(({ card, range }) => [card, range]));
  return listAwaitingConsent(host).map((card) => ({ card, range: asked.get(card) ?? null }));
}

/** Whether somebody consented to guards that only `write` puts in force. */
export function awaitsWrite(host: Host): boolean {
  const { cards, guarding } = listCards(host);
  if (guarding.agents.some(({ state }) => state === "paused")) return false;
  return cards.some(({ consent }) => consent?.state === "joins" || consent?.state === "unguarded");
}

interface Trusting {
  asking: Asking;
  terms?: RequestedTerms;
  /** What couldn't be fetched: nobody can review it, and nothing of it is written. */
  unfetched: readonly Unfetched[];
  isWritten: boolean;
  isVerbose: boolean;
}

/** Reviews everything that waits as one, records what a person takes, and writes. */
export async function trustWaiting(
  host: Host,
  { asking, terms = {}, unfetched, isWritten, isVerbose }: Trusting,
): Promise<CommandAnswer> {
  const requests = requestsWaiting(host).map((request) => ({ ...request, ...terms }));
  const command = drwn("trust");
  const cards = requests.length === 0 ? [] : await reviewAndGrant(host, requests, { command, ...asking });
  const written =
    isWritten && (cards.length > 0 || awaitsWrite(host)) ? await writeAfterConsent(host, cards, unfetched) : null;
  const failed = unfetched.map(({ card, version, problem }) => ({ card, version, ...problemToJson(problem) }));
  return {
    json: { cards, unfetched: failed, write: written === null ? null : writeToJson(written) },
    exitCode: unfetched.length === 0 ? EXIT.done : EXIT.problem,
    print: (console) => {
      host.progress("");
      for (const granted of cards) console.out(describeGranted(granted));
      if (written !== null) renderGuarded(host, written, { console, isVerbose });
      else for (const line of renderGuarding(listCards(host).guarding, console)) console.out(line);
      if (cards.length === 0) console.out("No card waits for your consent");
      if (written === null && awaitsWrite(host)) console.out("Next: drwn write");
      for (const { card, version, problem } of unfetched) {
        const { code, details, hint } = problem;
        const message = `${card}@${version} was not fetched, so this review was without it: ${problem.message}`;
        const said = new Problem(code, message, { details, ...(hint === undefined ? {} : { hint }) });
        for (const line of renderProblem(said, console)) console.talk(line);
      }
    },
  };
}

/** What was written, whether that guards, and what a person can do now. */
export function renderGuarded(
  host: Host,
  written: WriteResult,
  { console, isVerbose }: { console: Console; isVerbose: boolean },
): void {
  renderWritten(written, console, { isDryRun: false, isVerbose, drwnHome: host.drwnHome });
  for (const line of renderGuarding(written.guarding, console)) console.out(line);
  if (!written.guarding.agents.some(({ state }) => state === "guarded")) return;
  const example = findExampleCall(host);
  if (example !== null)
    console.out(console.style.dim(sayIn(host.scope, advise`Try it: ${drwn("explain", shellQuote(example))}`)));
  if (host.scope !== "system")
    console.out(console.style.dim(sayIn(host.scope, advise`If a guard denies what you want: ${drwn("allow")}`)));
}
