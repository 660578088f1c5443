import { clean, plural } from "../../kernel/text.ts";
import { isWeaker, type Review, type ReviewedHook } from "../../operations/project/trust.ts";
import { isLifecycleEvent } from "../../policy/lifecycle-events.ts";
import { type Style, widthOf } from "../terminal/style.ts";
import { describeIsolationGaps } from "./hook.ts";
import {
  CAPABILITY_MEANS,
  describePublisher,
  describeTitle,
  quote,
  renderDifferences,
  renderOrigin,
  renderSetOptions,
  renderTerms,
} from "./review.ts";

/** How many hooks, differences or lines of skills are listed; a longer review says how many more there are. */
const MOST = 5;
/** Of the titles in front of the lines; those of the whole review are a column wider. */
const TITLE_WIDTH = 13;

/**
 * What decides about a consent, in about a dozen lines: who, what for, what it may do, on which calls, how proven, and
 * what is new. Whatever is out of the ordinary adds a line. Everything else is in the whole review.
 */
export function renderReview(review: Review, style: Style): string[] {
  const { description, hooks, skills, leftOut, publishedBy } = review;
  const evidence = [describeProof(hooks, style), describeSize(review)].filter((part) => part !== null).join("; ");
  const width = Math.max(0, ...hooks.map(({ name }) => widthOf(clean(name))));
  return [
    [describeTitle(review, style), describePowers(review)].filter((part) => part !== "").join("; "),
    ...(description === "" ? [] : [`  ${quote(description)}`]),
    ...describePublisher(review, style),
    ...(review.isSourceSeen ? [] : renderOrigin(review, style)),
    ...(publishedBy === "agent" ? [style.warn(PUBLISHED_BY_AGENT)] : []),
    ...(hooks.length === 0 ? [] : [`  asked about  ${describeCalls(hooks)}`]),
    ...listed(hooks, (hook) => `    ${clean(hook.name).padEnd(width)}${describeSummary(hook)}`.trimEnd(), "hook"),
    ...(evidence === "" ? [] : [`  proven       ${evidence}`]),
    ...hooks.flatMap((hook) => renderSetOptions(hook, review, style)),
    ...renderTerms(review, style, TITLE_WIDTH),
    ...gapsOf(hooks).map((gap) => style.warn(`  note         ${gap}`)),
    ...skills.flatMap(({ name, code, change }) => [
      style.warn(
        `  skill ${clean(name)}${change === null || change === "same" ? "" : `, ${CHANGES[change]}`}, does by itself:`,
      ),
      ...listed(code, ({ file, line, text }) => `    ${clean(file, 200)}:${line}  ${clean(text, 400)}`, "line"),
    ]),
    ...(leftOut.length === 0 ? [] : [`  without      ${clean(leftOut.join(", "), 400)}`]),
    ...describeNews(review, style),
    `  later        ${describeLater(review)}`,
    "",
  ];
}

const CHANGES = { added: "not consented to so far", other: "other lines than consented to" } as const;

const PUBLISHED_BY_AGENT = "  published    inside an agent's tool call: nobody is known to have read it before you";

/** A line for each of the first ones, and the number of the rest. */
function listed<T>(all: readonly T[], show: (one: T) => string, what: string): string[] {
  const shown = all.length > MOST + 1 ? all.slice(0, MOST) : all;
  const rest = all.length - shown.length;
  return [
    ...shown.map(show),
    ...(rest === 0 ? [] : [`    and ${plural(rest, `${what} more`, `${what}s more`)}: --verbose`]),
  ];
}

/** `keep-work: no discarded work` in a page named so; its own name isn't said twice. */
function describeSummary({ name, summary }: ReviewedHook): string {
  const own = summary.startsWith(`${name}:`) ? summary.slice(name.length + 1).trim() : summary;
  return own === "" || own === name ? "" : `  ${quote(own)}`;
}

/** What the worst of its hooks could do to a call. */
function describePowers({ hooks, terms, restrictOnly }: Review): string {
  const capabilities = [...new Set(hooks.flatMap((hook) => hook.capabilities))];
  const needs = capabilities.map((name) => CAPABILITY_MEANS[name]).join(", ");
  const may = mayDo(hooks, terms.mode === "restrict-only" || restrictOnly ? "restrict" : terms.mode);
  return [...may, ...(needs === "" ? [] : [`needs ${needs}`])].join("; ");
}

function mayDo(hooks: readonly ReviewedHook[], mode: "restrict" | "enforce" | "shadow"): string[] {
  if (hooks.length === 0) return [];
  if (mode === "shadow") return ["only watches: shadow"];
  const deciding = hooks.filter(({ kind, phases }) => kind === "enforcement" || phases.some(isLifecycleEvent));
  if (deciding.length === 0) return ["only watches"];
  return [mode === "restrict" ? "may only say no" : "may say no, and may rewrite"];
}

/** The tools and events of all hooks together, as their matchers name them. */
function describeCalls(hooks: readonly ReviewedHook[]): string {
  const events = [...new Set(hooks.flatMap(({ phases }) => phases.filter(isLifecycleEvent)))];
  const tools = hooks.filter(({ phases }) => !phases.some(isLifecycleEvent));
  const isEvery = tools.some(({ matcher }) => matcher === null);
  const matchers = tools.flatMap(({ matcher }) => matcher ?? []);
  const [named, excluded] = [namesIn(matchers.filter(isNamed)), matchers.filter((one) => !isNamed(one)).map(toolsOf)];
  // What one hook leaves out, another may look at.
  const open = excluded[0]?.filter((tool) => excluded.every((tools) => tools.includes(tool)) && !named.includes(tool));
  const isAfter = tools.some(({ phases }) => phases.includes("post-tool"));
  const when = isAfter ? " (also after the call)" : "";
  const which =
    isEvery || open?.length === 0
      ? "every tool"
      : clean(open === undefined ? named.join(", ") : `every tool but ${open.join(", ")}`, 1_000);
  return [...(tools.length === 0 ? [] : [`${which}${when}`]), ...events.map((event) => clean(event))].join(", ");
}

function isNamed(matcher: string): boolean {
  return !matcher.startsWith("!");
}

/** Each alternative of some matchers, once. */
function namesIn(matchers: readonly string[]): string[] {
  return [...new Set(matchers.flatMap(toolsOf))];
}

function toolsOf(matcher: string): string[] {
  return matcher.replace(/^!/u, "").split("|");
}

/** Without cases there is only the author's word for a guard. */
function describeProof(hooks: readonly ReviewedHook[], style: Style): string | null {
  if (hooks.length === 0) return null;
  const enforcing = hooks.filter(({ kind }) => kind === "enforcement");
  const guards = enforcing.length === 0 ? hooks : enforcing;
  const none = guards.filter(({ cases }) => cases === null || cases.cases === 0).map(({ name }) => name);
  const sum = (pick: (count: NonNullable<ReviewedHook["cases"]>) => number): number =>
    guards.reduce((total, { cases }) => total + (cases === null ? 0 : pick(cases)), 0);
  const [refused, rewritten, all] = [sum((one) => one.refused), sum((one) => one.rewritten), sum((one) => one.cases)];
  const counts = [
    `${refused} refused`,
    ...(rewritten === 0 ? [] : [`${rewritten} rewritten`]),
    `${all - refused - rewritten} let through`,
  ];
  const missing = none.length === 0 ? "" : style.warn(`no cases of ${clean(none.join(", "), 400)}`);
  if (all === 0) return enforcing.length === 0 ? "no cases" : missing;
  return `${plural(all, "case")}: ${counts.join(", ")}${missing === "" ? "" : `; ${missing}`}`;
}

/** How much there is to read at the first consent; null: there was one before. */
function describeSize({ replaces, code }: Review): string | null {
  if (replaces !== null || code?.files == null) return null;
  const lines = code.files.flatMap(({ hunks }) => hunks?.flatMap((hunk) => hunk.lines) ?? []).length;
  return `${plural(code.files.length, "file")}, ${plural(lines, "line")}`;
}

function gapsOf(hooks: readonly ReviewedHook[]): string[] {
  return [...new Set(hooks.flatMap(({ capabilities }) => describeIsolationGaps(capabilities)))];
}

/** What is new against the version in force: that it guards less comes first. */
function describeNews(review: Review, style: Style): string[] {
  const { replaces, differences } = review;
  if (replaces === null) return [];
  if (differences.length <= MOST + 1) return renderDifferences(review, style);
  const byWeight = [...differences.filter(isWeaker), ...differences.filter((one) => !isWeaker(one))];
  return [
    ...renderDifferences({ ...review, differences: byWeight.slice(0, MOST) }, style),
    style.warn(`    and ${byWeight.length - MOST} more: --verbose`),
  ];
}

/** Which later versions need no other yes; it promises no more than `write` does. */
function describeLater({ range, later: { join, afterHours } }: Review): string {
  const what = clean(range);
  switch (join) {
    case "same-key":
      return `${what} with the same key joins ${afterHours === 0 ? "by itself" : `after ${afterHours} hours`}, if it may do no more`;
    case "published-here":
      return `${what} that a person publishes here joins, if it may do no more`;
    case "with-drwn":
      return `${what} that a newer drwn brings joins, if it may do no more`;
    case "none":
      return `each version waits for you, since nobody signs this card`;
    case "no-others":
      return "this version alone";
  }
}

/** What the agents here make of these guards, which is mostly the same for all cards. */
export function renderAgents(reviews: readonly Review[], style: Style): string[] {
  const guards = reviews.filter(({ hooks }) =>
    hooks.some(({ kind, phases }) => kind === "enforcement" && phases.includes("pre-tool")),
  );
  const asks = [...new Set(guards.map((review) => describeAsks(review.asks)))].filter((line) => line !== "");
  const unasked = new Set(reviews.flatMap((review) => review.unasked));
  return [
    ...asks.map((line) => style.dim(`Where a guard asks: ${line}`)),
    ...[...unasked].map((what) => style.warn(`Not seen: ${what}`)),
  ];
}

function describeAsks(asks: Review["asks"]): string {
  const group = (is: Review["asks"][number]["becomes"]): string[] =>
    asks.flatMap(({ title, becomes, unless }) =>
      becomes === is ? [unless === null ? title : `${title} (unless ${unless})`] : [],
    );
  const [ask, allow, deny] = [group("ask"), group("allow"), group("deny")];
  const reversible = group("allow-reversible");
  return [
    ...(ask.length === 0 ? [] : [`${ask.join(", ")} ${ask.length === 1 ? "asks" : "ask"} you`]),
    ...(deny.length === 0 ? [] : [`${deny.join(", ")} can't ask, and the call is denied`]),
    ...(reversible.length === 0
      ? []
      : [`${reversible.join(", ")} can't ask: the call is denied if it can't be undone, and else goes through`]),
    ...(allow.length === 0 ? [] : [`${allow.join(", ")} can't ask, and the call goes through`]),
  ].join("; ");
}
