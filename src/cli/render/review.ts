import type { AskFallback, Terms } from "../../contract/ledger.ts";
import { clean, plural } from "../../kernel/text.ts";
import {
  DEFAULT_TERMS,
  describeDifference,
  isWeaker,
  type Review,
  type ReviewedHook,
} from "../../operations/project/trust.ts";
import type { ShadowOfCard } from "../../operations/report/report.ts";
import { isLifecycleEvent } from "../../policy/lifecycle-events.ts";
import type { Console } from "../terminal/console.ts";
import { localTime, type Style, widthOf } from "../terminal/style.ts";
import { describeIsolationGaps } from "./hook.ts";
import { FEW, proveLittle } from "./replay.ts";
import {
  CAPABILITY_MEANS,
  listed,
  MOST_LISTED,
  quote,
  renderOptions,
  renderReviewedHook,
  renderSkill,
} from "./review-hook.ts";

/** Of the titles in front of the lines. */
const TITLE_WIDTH = 13;

/**
 * What decides about a consent, in about a dozen lines: who, what for, what it may do, on which calls, how proven, and
 * what is new. Whatever is out of the ordinary adds a line. A whole review has everything else that drwn knows, too.
 */
export function renderReview(review: Review, style: Style, isWhole = false): string[] {
  const { description, hooks, skills, leftOut, publishedBy } = review;
  const evidence = [describeProof(hooks, style), describeSize(review)].filter((part) => part !== null).join("; ");
  const width = Math.max(0, ...hooks.map(({ name }) => widthOf(clean(name))));
  const drawing = { style, isWhole };
  return [
    [describeTitle(review, style), describePowers(review)].filter((part) => part !== "").join("; "),
    ...(description === "" ? [] : [`  ${quote(description)}`]),
    ...renderPublisher(review, style),
    ...(review.isSourceSeen ? [] : renderOrigin(review, style)),
    ...(isWhole ? [`  contents     ${clean(review.tree)}`, `  consent for  ${clean(review.range)}`] : []),
    ...(publishedBy === "agent" ? [style.warn(PUBLISHED_BY_AGENT)] : []),
    ...(hooks.length === 0 ? [] : [`  asked about  ${describeCalls(hooks)}`]),
    ...(isWhole
      ? []
      : listed(hooks, (hook) => `    ${clean(hook.name).padEnd(width)}${describeSummary(hook)}`.trimEnd(), "hook")),
    ...(evidence === "" ? [] : [`  proven       ${evidence}`]),
    ...hooks.flatMap((hook) => renderOptions(hook, review, drawing)),
    ...renderTerms(review, style),
    ...(isWhole ? [] : renderGaps(hooks, style)),
    ...skills.flatMap((skill) => renderSkill(skill, drawing)),
    ...(leftOut.length === 0 ? [] : [`  without      ${clean(leftOut.join(", "), 400)}`]),
    ...renderNews(review, drawing),
    ...(isWhole ? renderCodeChanges(review) : []),
    `  later        ${describeLater(review)}`,
    ...(isWhole ? hooks.flatMap((hook) => renderReviewedHook(hook, style)) : []),
    "",
  ];
}

const PUBLISHED_BY_AGENT = "  published    inside an agent's tool call: nobody is known to have read it before you";

function describeTitle(review: Review, style: Style): string {
  const title = `${describeParts(review)} of ${clean(review.card)}@${clean(review.version)}`;
  return `${style.bold(title)}${renderWarnings(review, style)}`;
}

/** The publisher's own warnings: a person has to read them first. */
function renderWarnings({ yanked, deprecated }: Review, style: Style): string {
  const warnings = [
    yanked ? ["YANKED by its publisher"] : [],
    deprecated === null ? [] : [`DEPRECATED: ${quote(deprecated)}`],
  ];
  return warnings
    .flat()
    .map((warning) => style.warn(`, ${warning}`))
    .join("");
}

/** What the consent is about. */
function describeParts({ hooks, skills }: Review): string {
  const policies = plural(hooks.length, "hook policy", "hook policies");
  if (skills.length === 0) return policies;
  const code = `${plural(skills.length, "skill")} with code`;
  return hooks.length === 0 ? code : `${policies} and ${code}`;
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

/** Whose word the source is, if it is only that of the repository. */
function renderOrigin({ source }: Review, style: Style): string[] {
  return [
    "  from         this project's own copy",
    style.warn(`               card.lock says from ${clean(source)}; this machine never got it from there`),
  ];
}

/** Who makes the card, in a line; a second one if that is somebody else than in the version in force. */
function renderPublisher(review: Review, style: Style): string[] {
  const { publisher, publishedBy, formerPublisher, replaces, isSourceSeen, source } = review;
  if (publishedBy === "drwn") return ["  by           drwn itself: this card is part of the installed package"];
  const shown = (key: string | null) => (key === null ? "not signed" : clean(key));
  const line = `  by           ${shown(publisher)}${isSourceSeen ? `, from ${clean(source)}` : ""}`;
  if (replaces === null || publisher === formerPublisher) return [line];
  return [line, style.warn(`               not the publisher that the consent is for: ${shown(formerPublisher)}`)];
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

function renderGaps(hooks: readonly ReviewedHook[], style: Style): string[] {
  const gaps = new Set(hooks.flatMap(({ capabilities }) => describeIsolationGaps(capabilities)));
  return [...gaps].map((gap) => style.warn(`  note         ${gap}`));
}

/** The terms that differ from the default, or from the consent that is in force. */
function renderTerms(review: Review, style: Style): string[] {
  const { terms, formerTerms } = review;
  const former = formerTerms ?? DEFAULT_TERMS;
  return [
    ...renderLostBond(review, style),
    ...(["mode", "askFallback", "expiresAt", "onYank", "runtimes"] as const).flatMap((term) => {
      const [was, is] = [describeTerm(former, term), describeTerm(terms, term)];
      if (was === is && is === describeTerm(DEFAULT_TERMS, term)) return [];
      const line = `  ${TERM_TITLES[term].padEnd(TITLE_WIDTH)}${is}`;
      return [was === is || formerTerms === null ? line : style.warn(`${line} (so far: ${was})`)];
    }),
  ];
}

/** The card doesn't restrict itself any more to less than the mode allows. */
function renderLostBond({ terms, restrictOnly, formerRestrictOnly }: Review, style: Style): string[] {
  const lost = "the card does not bind itself to saying no, as the version in force does";
  return terms.mode === "enforce" && !restrictOnly && formerRestrictOnly === true
    ? [style.warn(`  ${TERM_TITLES.mode.padEnd(TITLE_WIDTH)}${lost}`)]
    : [];
}

const TERM_TITLES = {
  mode: "mode",
  askFallback: "no asking",
  expiresAt: "ends",
  onYank: "when yanked",
  runtimes: "agents",
} as const;

/** What an ask comes to where the agent cannot ask. */
const ASK_MEANS: Readonly<Record<AskFallback, string>> = {
  allow: "allow, where the agent cannot ask",
  "allow-reversible": "deny what can't be undone, allow the rest, where the agent cannot ask",
  deny: "deny, where the agent cannot ask",
};

function describeTerm(terms: Terms, term: keyof typeof TERM_TITLES): string {
  switch (term) {
    case "mode":
      return MODE_MEANS[terms.mode];
    case "askFallback":
      return ASK_MEANS[terms.askFallback];
    case "expiresAt":
      return terms.expiresAt ?? "never";
    case "runtimes":
      return terms.runtimes?.join(", ") ?? "all that are guarded";
    case "onYank":
      return terms.onYank === "keep"
        ? "a version that is yanked stays in force"
        : "a version that is yanked stands down";
  }
}

const MODE_MEANS: Readonly<Record<Terms["mode"], string>> = {
  enforce: "enforce: what the policies say is applied",
  "restrict-only": "restrict-only: deny and ask; whatever lets more through is dropped",
  shadow: "shadow: asked and journaled, and nothing that they say is applied",
};

/** What is new against the version in force: that it guards less comes first. */
function renderNews(review: Review, { style, isWhole }: { style: Style; isWhole: boolean }): string[] {
  const { differences, replaces, goesBack, version, skills, code } = review;
  if (replaces === null) return [];
  if (differences.length === 0 && code === null)
    return ["", `  Already approved: this is the content of ${clean(replaces)} that was consented to.`];
  const back = `  Goes back from ${clean(replaces)}, which is in force, to ${clean(version)}, without later fixes.`;
  const lines = goesBack ? ["", style.warn(back)] : [];
  if (differences.length === 0 && skills.some(({ change }) => change !== "same")) return lines;
  if (differences.length === 0)
    return [...lines, "", `  Replaces ${clean(replaces)}: the same facts, ${describeCode(review)}.`];
  const isLong = !isWhole && differences.length > MOST_LISTED + 1;
  const byWeight = [...differences.filter(isWeaker), ...differences.filter((one) => !isWeaker(one))];
  const shown = isLong ? byWeight.slice(0, MOST_LISTED) : differences;
  return [
    ...lines,
    "",
    style.warn(`  Differs from ${clean(replaces)}:`),
    ...shown.map((one) => `    ${clean(describeDifference(one))}`),
    ...(isLong ? [style.warn(`    and ${differences.length - MOST_LISTED} more: --verbose`)] : []),
  ];
}

/** If only the version number or a page differs, the code is the same. */
function describeCode({ code, hooks }: Review): string {
  const isOther = code?.files?.every(({ path }) => hooks.every(({ files }) => !files.includes(path))) !== true;
  return isOther ? "other code" : "and the same code in its hooks";
}

/** How much of the code differs from the version in force; `--diff` shows it. */
function renderCodeChanges({ code }: Review): string[] {
  if (code === null || code.from === null) return [];
  if (code.files === null) return [`  Code: that of ${clean(code.from)} is not on this machine any more`];
  const lines = code.files.flatMap(({ hunks }) => hunks?.flatMap((hunk) => hunk.lines) ?? []);
  const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length;
  const size = `+${count("+")} −${count("-")} lines`;
  return [
    `  Code: ${plural(code.files.length, "file")} differ from ${clean(code.from)}, ${size}; card trust --diff shows them`,
    ...code.files.slice(0, MOST_FILES).map(({ path, change }) => `    ${change} ${clean(path)}`),
    ...(code.files.length > MOST_FILES ? [`    and ${code.files.length - MOST_FILES} more`] : []),
  ];
}

const MOST_FILES = 20;

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

const DAY = 86_400_000;

/** What a card did in shadow mode, for a person who is about to enforce it. */
export function renderShadow(card: string, shadow: ShadowOfCard | null, style: Console["style"]): string[] {
  if (shadow === null)
    return [style.warn(`${clean(card)} has looked at no call in shadow mode: nobody knows what it would do`)];
  const { calls, first, last, hooks } = shadow;
  const days = Math.max(1, Math.ceil((Date.parse(last) - Date.parse(first)) / DAY));
  const lines = hooks.map(
    ({ policy, calls: seen, denied, asked }) =>
      `  ${clean(policy)}: of ${plural(seen, "call")} it would have denied ${denied} and asked about ${asked}`,
  );
  const span = `from ${clean(first.slice(0, 10), 20)} to ${clean(last.slice(0, 10), 20)}, ${plural(days, "day")}`;
  return [
    `In shadow mode ${clean(card)} has looked at ${plural(calls, "call")} (${span}):`,
    ...lines,
    ...(calls < FEW ? [style.warn(`  ${proveLittle(calls)}`)] : []),
  ];
}

interface Granted {
  card: string;
  range: string;
  hooks: readonly string[];
  skills: readonly string[];
  terms: { expiresAt: string | null };
}

/** What was consented to, in a line. */
export function describeGranted({ card, range, hooks, skills, terms }: Granted): string {
  const until = terms.expiresAt === null ? "" : `, until ${localTime(terms.expiresAt)}`;
  return `Consented to the ${describeGrantedParts({ hooks, skills })} of ${card} in the range ${range}${until}`;
}

function describeGrantedParts({ hooks, skills }: Pick<Granted, "hooks" | "skills">): string {
  if (skills.length === 0) return "hook policies";
  const named = `${skills.length === 1 ? "skill" : "skills"} ${skills.join(", ")}`;
  return hooks.length === 0 ? named : `hook policies and the ${named}`;
}
