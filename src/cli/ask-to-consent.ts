import { drwn, placeIn, type Text } from "../kernel/advice.ts";
import { type Host, isTerminal } from "../kernel/host.ts";
import { isProblem, Problem } from "../kernel/problem.ts";
import { clean, plural, shellQuote } from "../kernel/text.ts";
import { replayReviewed, requireFewDenied } from "../operations/diagnose/replay.ts";
import { requireDigest } from "../operations/machine/portable-consents.ts";
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
import { renderAgents, renderReview, renderShadow } from "./render/review.ts";
import { type Console, pageLines } from "./terminal/console.ts";
import { askAfterLooks, chooseSome, type Look } from "./terminal/prompt.ts";
import { makeStyle } from "./terminal/style.ts";

export interface GrantedCards {
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
  /** The lines that a person read about it. */
  review: string[];
}

export interface Asking {
  yes: boolean;
  /** Show everything that drwn knows, not only what decides. */
  isVerbose: boolean;
  /** Show the code that differs, too. */
  diff: boolean;
  /** The content of the one card to consent to, instead of a yes. */
  digest?: string | undefined;
  /** How many of the last 30 days' calls each card may deny: a number, or a share; absent: drwn doesn't count. */
  maxDenied?: string | undefined;
  /** What asks for the same again; absent: `card trust` with the names. */
  command?: Text;
  console: Console;
}

/**
 * Shows the reviews on stderr, asks once unless the yes was given, and records the consents to those that a person takes:
 * all of these, or none.
 */
export async function reviewAndGrant(
  host: Host,
  requests: readonly ConsentRequest[],
  { yes, isVerbose, diff, digest, maxDenied, console, ...asking }: Asking,
): Promise<GrantedCards[]> {
  const reviews = reviewConsents(host, digest === undefined ? requests : requests.map(toExact));
  for (const line of reviews.flatMap((review) => renderReview(review, console.style, isVerbose))) console.talk(line);
  for (const line of renderAgents(reviews, console.style)) console.talk(line);
  for (const { card, terms, formerTerms } of reviews) {
    if (formerTerms?.mode !== "shadow" || terms.mode === "shadow") continue;
    for (const line of renderShadow(card, readShadow(host, card), console.style)) console.talk(line);
  }
  if (diff)
    pageLines(
      reviews.flatMap((review) => renderCode(review, console.style)),
      { host, console: console },
    );
  const command = asking.command ?? commandFor(reviews, requests);
  if (digest !== undefined) for (const review of reviews) requireDigest(review, digest);
  if (maxDenied !== undefined) for (const review of reviews) await countDenied(host, review, { maxDenied, console });
  const isGiven = yes || digest !== undefined;
  const taken = isGiven ? reviews : await askToConsent(host, reviews, { command, console });
  if (taken.length === 0) {
    const names = reviews.map(({ card }) => card).join(", ");
    throw new Problem("DRWN_CONSENT_DECLINED", `nothing of ${names} was consented to`, { hint: command });
  }
  const grants = await grantConsents(host, taken, digest === undefined ? "person" : "digest");
  return grants.flatMap(({ card, range }, at) => {
    const review = taken[at];
    if (review === undefined) return [];
    const { version, later, tree, hooks, skills, terms } = review;
    const [policies, code] = [hooks, skills].map((parts) => parts.map(({ name }) => name));
    return [
      {
        card,
        version,
        range,
        later,
        tree,
        hooks: policies ?? [],
        skills: code ?? [],
        terms,
        review: reviewLines(review),
      },
    ];
  });
}

/** What is reviewed before these consents, for a program that reads JSON. */
export function reviewsToJson(host: Host, requests: readonly ConsentRequest[]): object[] {
  return reviewConsents(host, requests).map((review) => {
    const { card, version, hooks, terms } = review;
    return { card, version, hooks: hooks.map(({ name }) => name), terms, review: reviewLines(review) };
  });
}

function reviewLines(review: Review): string[] {
  return renderReview(review, makeStyle(false)).filter((line) => line !== "");
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

/** The reviews that a person says yes to. */
async function askToConsent(
  host: Host,
  reviews: readonly Review[],
  { command, console }: { command: Text; console: Console },
): Promise<readonly Review[]> {
  const about = { flag: "--yes", command };
  host.progress("");
  const answer = await askAfterLooks(questionFor(reviews, placeIn(host.scope)), {
    ...about,
    others: reviews.length > 1 ? [{ value: "c", label: "choose among the cards" }] : [],
    looks: looksAt(host, reviews, console),
  });
  if (answer === "y") return reviews;
  if (answer !== "c") return [];
  const choices = reviews.map(({ card, version, description }) => ({
    value: card,
    label: `${clean(card)}@${clean(version)}`,
    hint: clean(description, 80),
  }));
  const chosen = await chooseSome("Which cards do you consent to?", choices, about);
  return reviews.filter(({ card }) => chosen.includes(card));
}

function looksAt(host: Host, reviews: readonly Review[], console: Console): Look[] {
  const { style } = console;
  const page = (lines: readonly string[]) => pageLines(lines, { host, console });
  const source = (review: Review) => renderPolicyCode(readReviewed(host, review), style);
  const differing = reviews.filter(({ code }) => code !== null && code.from !== null);
  return [
    {
      key: "v",
      label: "view everything, and the source",
      show: () => page(reviews.flatMap((review) => [...renderReview(review, style, true), ...source(review)])),
    },
    ...(differing.length === 0
      ? []
      : [
          {
            key: "d",
            label: "see what differs from the approved version",
            show: () => page(differing.flatMap((review) => renderCode(review, style))),
          },
        ]),
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
  ];
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

/** Reviews cards together if a person is at the terminal; otherwise, and after a no, they keep waiting. */
export async function offerAtTerminal(
  host: Host,
  requests: readonly ConsentRequest[],
  asking: Pick<Asking, "console" | "isVerbose">,
): Promise<GrantedCards[]> {
  if (requests.length === 0 || !isTerminal(0) || !isTerminal(2)) return [];
  asking.console.talk();
  try {
    return await reviewAndGrant(host, requests, { ...asking, yes: false, diff: false });
  } catch (error) {
    if (!isProblem(error) || error.code !== "DRWN_CONSENT_DECLINED") throw error;
    return [];
  }
}
