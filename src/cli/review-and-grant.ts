import { drwn, joinAdvice, placeIn, type Text } from "../kernel/advice.ts";
import { type Host, isTerminal } from "../kernel/host.ts";
import { isProblem, Problem } from "../kernel/problem.ts";
import { clean, plural, shellQuote } from "../kernel/text.ts";
import { replayReviewed, requireFewDenied } from "../operations/diagnose/replay.ts";
import { requireDigest } from "../operations/machine/portable-consents.ts";
import { listCards } from "../operations/project/list.ts";
import {
  type ConsentRequest,
  grantConsents,
  type Review,
  readReviewed,
  reviewConsents,
} from "../operations/project/trust.ts";
import { readShadow } from "../operations/report/report.ts";
import { termsAsFlags } from "./consent-flags.ts";
import { renderCode, renderPolicyCode } from "./render/diff.ts";
import { FEW, proveLittle, renderReplay } from "./render/replay.ts";
import { renderReview, renderShadow } from "./render/review.ts";
import type { Console } from "./terminal/console.ts";
import { pageLines } from "./terminal/pager.ts";
import { askAfterLooks, BrokenOff } from "./terminal/prompt.ts";

interface GrantedCards {
  card: string;
  version: string;
  range: string;
  /** Which later versions in the range will join without another yes. */
  later: Review["later"];
  tree: string;
  hooks: string[];
  /** Skills that are code, and part of the consent. */
  skills: string[];
  terms: Review["terms"];
}

interface Asking {
  yes: boolean;
  /** Show the code that differs, too. */
  diff: boolean;
  /** The content of the one card to consent to, instead of a yes. */
  digest?: string | undefined;
  /** How many of the last 30 days' calls each card may deny: a number, or a share; absent: drwn doesn't count. */
  maxDenied?: string | undefined;
  console: Console;
}

/** Shows the reviews on stderr, asks once unless the yes was given, and records the consents: all of them, or none. */
export async function reviewAndGrant(
  host: Host,
  requests: readonly ConsentRequest[],
  { yes, diff, digest, maxDenied, console }: Asking,
): Promise<GrantedCards[]> {
  const reviews = reviewConsents(host, digest === undefined ? requests : requests.map(toExact));
  for (const line of reviews.flatMap((review) => renderReview(review, console.style))) console.talk(line);
  for (const { card, terms, formerTerms } of reviews) {
    if (formerTerms?.mode !== "shadow" || terms.mode === "shadow") continue;
    for (const line of renderShadow(card, readShadow(host, card), console.style)) console.talk(line);
  }
  if (diff)
    pageLines(
      reviews.flatMap((review) => renderCode(review, console.style)),
      { host, console: console },
    );
  const command = commandFor(reviews, requests);
  if (digest !== undefined) for (const review of reviews) requireDigest(review, digest);
  if (maxDenied !== undefined) for (const review of reviews) await countDenied(host, review, { maxDenied, console });
  const isAccepted = yes || digest !== undefined || (await askToConsent(host, reviews, { command, console }));
  if (!isAccepted) {
    const names = reviews.map(({ card }) => card).join(", ");
    throw new Problem("DRWN_CONSENT_DECLINED", `nothing of ${names} was consented to`, { hint: command });
  }
  const grants = await grantConsents(host, reviews, digest === undefined ? "person" : "digest");
  return grants.flatMap(({ card, range }, at) => {
    const review = reviews[at];
    if (review === undefined) return [];
    const { version, later, tree, hooks, skills, terms } = review;
    const [policies, code] = [hooks, skills].map((parts) => parts.map(({ name }) => name));
    return [{ card, version, range, later, tree, hooks: policies ?? [], skills: code ?? [], terms }];
  });
}

async function countDenied(
  host: Host,
  review: Review,
  { maxDenied, console }: { maxDenied: string; console: Console },
): Promise<void> {
  const { denied, calls, notReplayed } = await requireFewDenied(host, review, maxDenied);
  host.progress("");
  console.talk(`  ${review.card} would have denied ${denied} of ${plural(calls, "call")} of the last 30 days`);
  if (calls < FEW) console.talk(`  ${proveLittle(calls)}`);
  for (const { hook, why } of notReplayed) console.talk(`  ${clean(hook)} was not replayed: ${clean(why)}`);
}

function askToConsent(
  host: Host,
  reviews: readonly Review[],
  { command, console }: { command: Text; console: Console },
): Promise<boolean> {
  const { style } = console;
  const page = (lines: readonly string[]) => pageLines(lines, { host, console: console });
  host.progress("");
  return askAfterLooks(questionFor(reviews, placeIn(host.scope)), {
    flag: "--yes",
    command,
    looks: [
      {
        key: "v",
        label: "view the source",
        show: () => page(reviews.flatMap((review) => renderPolicyCode(readReviewed(host, review), style))),
      },
      {
        key: "d",
        label: "see what differs from the approved version",
        show: () => page(reviews.flatMap((review) => renderCode(review, style))),
      },
      {
        key: "r",
        label: "run it, confined, on your last 30 days",
        show: async () => {
          for (const review of reviews) {
            const replay = await replayReviewed(host, review);
            host.progress("");
            renderReplay(replay, console);
          }
        },
      },
    ],
  });
}

function questionFor(reviews: readonly Review[], place: string): string {
  const [first] = reviews;
  const what = reviews.some(({ skills }) => skills.length > 0) ? "hook policies and skills" : "policies";
  if (reviews.length === 1 && first !== undefined) return `Let these ${what} of ${first.card} run in ${place}?`;
  if (what !== "policies") return `Let these ${what} of ${reviews.length} cards run in ${place}?`;
  const policies = reviews.reduce((count, { hooks }) => count + hooks.length, 0);
  return `Let these ${plural(policies, "policy", "policies")} of ${reviews.length} cards run in ${place}?`;
}

/** The command that asks for the same again: all requests of one command have the same terms. */
function commandFor(reviews: readonly Review[], [request]: readonly ConsentRequest[]): Text {
  const names = reviews.map(({ card }) => card);
  const [only, ...others] = reviews;
  const range = others.length === 0 && only !== undefined ? ["--range", shellQuote(only.range)] : [];
  return drwn(
    "card trust",
    ...names,
    "--hooks",
    ...range,
    ...(request === undefined ? [] : termsAsFlags(request)),
    ...(request?.options ?? []).map(({ hook, option, text }) => `--set ${shellQuote(`${hook}.${option}=${text}`)}`),
  );
}

/** A digest means exactly that content: later versions join only if a range was given, too. */
function toExact(request: ConsentRequest): ConsentRequest {
  return { ...request, range: request.range ?? "installed" };
}

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
