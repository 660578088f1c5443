import type { AskFallback, OptionValue, Terms } from "../../contract/ledger.ts";
import type { Capability } from "../../contract/plan.ts";
import { clean, plural, shellQuote } from "../../kernel/text.ts";
import {
  DEFAULT_TERMS,
  describeDifference,
  printOption,
  type Review,
  type ReviewedHook,
  type ReviewedSkill,
} from "../../operations/project/trust.ts";
import type { ShadowOfCard } from "../../operations/report/report.ts";
import type { Console } from "../terminal/console.ts";
import { localTime, type Style } from "../terminal/style.ts";
import { listProof } from "./card-test.ts";
import { describeIsolationGaps, describeKind, describeSight } from "./hook.ts";
import { FEW, proveLittle } from "./replay.ts";

/** Everything that drwn knows about a consent. What the card says about itself is cleaned and quoted. */
export function renderWholeReview(review: Review, style: Style): string[] {
  const { tree, range, later, publishedBy, description, hooks, leftOut } = review;
  return [
    describeTitle(review, style),
    ...(description === "" ? [] : [`  says of itself: ${quote(description)}`]),
    ...renderOrigin(review, style),
    ...renderPublisher(review, style),
    `  contents      ${clean(tree)}`,
    ...(publishedBy === "agent" ? [style.warn(PUBLISHED_BY_AGENT)] : []),
    `  consent for   ${clean(range)}: ${describeLater(later)}`,
    ...(review.restrictOnly ? ["  mode          the card binds itself to saying no"] : []),
    ...renderTerms(review, style),
    ...review.unasked.map((what) => style.warn(`  not seen      ${what}`)),
    ...hooks.flatMap((hook) => [...renderHook(hook, style), ...renderOptions(hook, review, style)]),
    ...review.skills.flatMap((skill) => renderSkill(skill, style)),
    ...(leftOut.length === 0 ? [] : ["", `  not part of this consent: ${clean(leftOut.join(", "))}`]),
    ...renderDifferences(review, style),
    ...renderCodeSummary(review),
    "",
  ];
}

export function describeTitle(review: Review, style: Style): string {
  const title = `${describeParts(review)} of ${clean(review.card)}@${clean(review.version)}`;
  return `${style.bold(title)}${renderWarnings(review, style)}`;
}

/** Whose word the source is: this machine's, or only that of the repository. */
export function renderOrigin({ source, isSourceSeen }: Review, style: Style): string[] {
  if (isSourceSeen) return [`  from          ${clean(source)}`];
  return [
    "  from          this project's own copy",
    style.warn(`                card.lock says from ${clean(source)}; this machine never got it from there`),
  ];
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

const PUBLISHED_BY_AGENT = "  published     inside an agent's tool call: nobody is known to have read it before you";

/** What happens to a later version in the range; it promises no more than `write` does. */
function describeLater({ join, afterHours }: Review["later"]): string {
  const facts = "that differs in none of the facts below";
  const when =
    afterHours === 0 ? "joins by itself" : `joins by itself ${afterHours} hours after this machine saw it first`;
  switch (join) {
    case "same-key":
      return `a later version in this range with the same key ${facts} ${when}`;
    case "published-here":
      return `a later version in this range that a person publishes on this machine and ${facts} ${when}`;
    case "with-drwn":
      return `a later version in this range that a newer drwn brings and ${facts} ${when}`;
    case "none":
      return "each later version waits for your review, since nobody signs this card";
    case "no-others":
      return "this version alone";
  }
}

/** Who makes the card, in a line; a second one if that is somebody else than in the version in force. */
export function describePublisher(review: Review, style: Style): string[] {
  const [line = "", ...more] = renderPublisher(review, style);
  const from = review.isSourceSeen && review.publishedBy !== "drwn" ? `, from ${clean(review.source)}` : "";
  return [`${line.replace("publisher     ", "by           ")}${from}`, ...more];
}

function renderPublisher({ publisher, publishedBy, formerPublisher, replaces }: Review, style: Style): string[] {
  if (publishedBy === "drwn") return ["  publisher     drwn itself: this card is part of the installed package"];
  const shown = (key: string | null) => (key === null ? "not signed" : clean(key));
  const line = `  publisher     ${shown(publisher)}`;
  if (replaces === null || publisher === formerPublisher) return [line];
  return [line, style.warn(`                not the publisher that the consent is for: ${shown(formerPublisher)}`)];
}

/** The terms that differ from the default, or from the consent that is in force. */
export function renderTerms(review: Review, style: Style, titleWidth = 14): string[] {
  const { terms, formerTerms } = review;
  const former = formerTerms ?? DEFAULT_TERMS;
  return [
    ...renderLostBond(review, style, titleWidth),
    ...(["mode", "askFallback", "expiresAt", "onYank", "runtimes"] as const).flatMap((term) => {
      const [was, is] = [describeTerm(former, term), describeTerm(terms, term)];
      if (was === is && is === describeTerm(DEFAULT_TERMS, term)) return [];
      const line = `  ${TERM_TITLES[term].padEnd(titleWidth)}${is}`;
      return [was === is || formerTerms === null ? line : style.warn(`${line} (so far: ${was})`)];
    }),
  ];
}

/** The card doesn't restrict itself any more to less than the mode allows. */
function renderLostBond(
  { terms, restrictOnly, formerRestrictOnly }: Review,
  style: Style,
  titleWidth: number,
): string[] {
  const lost = "the card does not bind itself to saying no, as the version in force does";
  return terms.mode === "enforce" && !restrictOnly && formerRestrictOnly === true
    ? [style.warn(`  ${TERM_TITLES.mode.padEnd(titleWidth)}${lost}`)]
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

/** How much of the code differs; `--diff` shows it. */
function renderCodeSummary({ code }: Review): string[] {
  if (code === null) return [];
  if (code.files === null) return [`  Code: that of ${clean(code.from ?? "")} is not on this machine any more`];
  const lines = code.files.flatMap(({ hunks }) => hunks?.flatMap((hunk) => hunk.lines) ?? []);
  const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length;
  if (code.from === null)
    return [
      "",
      `  Code: ${plural(code.files.length, "file")}, ${plural(count("+"), "line")}; card trust --diff shows them`,
    ];
  const size = `+${count("+")} −${count("-")} lines`;
  return [
    `  Code: ${plural(code.files.length, "file")} differ from ${clean(code.from)}, ${size}; card trust --diff shows them`,
    ...code.files.slice(0, MOST_FILES).map(({ path, change }) => `    ${change} ${clean(path)}`),
    ...(code.files.length > MOST_FILES ? [`    and ${code.files.length - MOST_FILES} more`] : []),
  ];
}

const MOST_FILES = 20;

function renderHook(hook: ReviewedHook, style: Style): string[] {
  const { name, matcher, phases, timeoutMs, capabilities, size, digest, files, summary } = hook;
  return [
    "",
    `  ${style.bold(clean(name))}${summary === "" ? "" : ` ${quote(summary)}`}`,
    `    kind        ${describeKind(hook)}`,
    `    sees        ${describeSight(matcher, phases)}`,
    `    time        ${timeoutMs} ms`,
    `    may use     ${capabilities.length === 0 ? "nothing but the event" : capabilities.map((name) => CAPABILITY_MEANS[name]).join(", ")}`,
    `    source      ${plural(files.length, "file")}, ${size} bytes, ${clean(digest)}`,
    ...renderCases(hook, style),
    ...describeIsolationGaps(capabilities).map((leak) => `    ${style.warn("note")}        ${leak}`),
  ];
}

/** The cases, which anybody can run: without them there is only the author's word for a guard. */
function renderCases({ cases, kind, proof }: ReviewedHook, style: Style): string[] {
  if (cases === null) return [`    cases       ${style.warn("they cannot be read")}`];
  if (cases.cases === 0) return kind === "observer" ? [] : [`    cases       ${style.warn("no cases")}`];
  const { refused, rewritten } = cases;
  const passed = cases.cases - refused - rewritten;
  const changed = rewritten === 0 ? "" : `, ${rewritten} rewritten`;
  return [
    `    cases       ${plural(cases.cases, "case")}: ${refused} refused${changed}, ${passed} let through; drwn card test`,
    ...(proof === undefined ? [] : [`                its publisher says: ${listProof(proof).join(", ")}`]),
  ];
}

export function renderDifferences(review: Review, style: Style): string[] {
  const { differences, replaces, goesBack, version, skills, code } = review;
  if (replaces === null) return [];
  if (differences.length === 0 && code === null)
    return ["", `  Already approved: this is the content of ${clean(replaces)} that was consented to.`];
  const back = `  Goes back from ${clean(replaces)}, which is in force, to ${clean(version)}, without later fixes.`;
  const lines = goesBack ? ["", style.warn(back)] : [];
  if (differences.length === 0 && skills.some(({ change }) => change !== "same")) return lines;
  if (differences.length === 0)
    return [...lines, "", `  Replaces ${clean(replaces)}: the same facts, ${describeCode(review)}.`];
  return [
    ...lines,
    "",
    style.warn(`  Differs from ${clean(replaces)}:`),
    ...differences.map((one) => `    ${clean(describeDifference(one))}`),
  ];
}

/** If only the version number or a page differs, the code is the same. */
function describeCode({ code, hooks }: Review): string {
  const isOther = code?.files?.every(({ path }) => hooks.every(({ files }) => !files.includes(path))) !== true;
  return isOther ? "other code" : "and the same code in its hooks";
}

export const CAPABILITY_MEANS: Readonly<Record<Capability, string>> = {
  env: "env (reads your environment variables)",
  exec: "exec (starts programs, which may do what you may)",
  "fs-read": "fs-read (reads the files of the project and of its repository)",
  "fs-write": "fs-write (writes the files of the project)",
  net: "net (connects to anywhere)",
  wasm: "wasm (runs a WebAssembly module)",
};

export function quote(text: string): string {
  return `“${clean(text, 120)}”`;
}

/** Lines are shown whole, in chunks of this width: the part cut off could be the one that matters. */
const WIDTH = 160;

/** What a skill would make an agent do, line by line. */
function renderSkill({ name, code, digest, change }: ReviewedSkill, style: Style): string[] {
  const how = change === null || change === "same" ? "" : ` ${style.warn(CHANGES[change])}`;
  return [
    "",
    `  ${style.bold(`skill ${clean(name)}`)}${how}`,
    `    would make an agent do something by itself, by ${plural(code.length, "line")}:`,
    ...code.flatMap(({ file, line, why, text }) => [
      `    ${clean(file, 2000)}:${line} (${MEANS[why]})`,
      ...chunksOf(clean(text, Number.MAX_SAFE_INTEGER)).map((chunk) => `      | ${chunk}`),
    ]),
    `    contents    ${clean(digest)}`,
  ];
}

const CHANGES = {
  added: "(not part of the consent in force)",
  other: "(other lines than those of the consent in force)",
} as const;

const MEANS: Readonly<Record<ReviewedSkill["code"][number]["why"], string>> = {
  shell: "agents run it when the skill is used; only Claude Code asks a hook, since 2.1.332",
  reference: "agents put a file of this name in its place, and ask no hook",
  frontmatter: "agents may permit, start or change something by it",
  file: "agents may act on a file in this place",
  reached: "what the skill runs or permits may reach this file",
};

function chunksOf(text: string): string[] {
  const characters = [...text];
  const chunks: string[] = [];
  for (let at = 0; at < characters.length; at += WIDTH) chunks.push(characters.slice(at, at + WIDTH).join(""));
  return chunks;
}

/**
 * The values that a hook's options will have, their defaults, their values so far, and those that the project asks for.
 */
function renderOptions({ name, options = {} }: ReviewedHook, review: Review, style: Style): string[] {
  return Object.entries(options).flatMap(([option, declared]) => {
    const value = review.options[name]?.[option] ?? declared.default;
    const former = review.formerOptions[name]?.[option];
    const isDefault = show(value) === show(declared.default);
    const notes = [
      isDefault ? "the default" : `default: ${show(declared.default)}`,
      ...(former === undefined || show(former) === show(value) ? [] : [`so far: ${show(former)}`]),
      ...("tightens" in declared && review.isOfProject ? ["this project may tighten it by itself"] : []),
    ];
    const line = `    option      ${clean(option)}: ${show(value)} (${notes.join("; ")})`;
    return [
      isDefault ? line : style.warn(line),
      `                “${clean(declared.description, 200)}”`,
      ...renderAsked({ name, option }, review, style),
    ];
  });
}

/** The options that have another value than their default, or than before, and what the project asks for. */
export function renderSetOptions({ name, options = {} }: ReviewedHook, review: Review, style: Style): string[] {
  return Object.entries(options).flatMap(([option, declared]) => {
    const value = review.options[name]?.[option] ?? declared.default;
    const former = review.formerOptions[name]?.[option];
    const isSame = former === undefined || show(former) === show(value);
    const asked = renderAsked({ name, option }, review, style);
    if (isSame && show(value) === show(declared.default) && asked.length === 0) return [];
    const was = isSame ? "" : ` (so far: ${show(former)})`;
    return [style.warn(`  option       ${clean(name)}.${clean(option)}: ${show(value)}${was}`), ...asked];
  });
}

/** What the project asks for and this consent doesn't give. */
function renderAsked(
  { name, option }: { name: string; option: string },
  { askedOptions }: Review,
  style: Style,
): string[] {
  return askedOptions.flatMap((asked) => {
    if (asked.hook !== name || asked.option !== option || asked.outcome === "in-force") return [];
    if (asked.outcome === "invalid") {
      return [style.warn(`                the project asks for ${show(asked.value)}, which it cannot have`)];
    }
    const items = typeof asked.value === "object" && asked.value.length > 0 ? asked.value : [asked.value];
    const flags = items.map((one) => `--set ${shellQuote(clean(printOption(name, option, one), 400))}`).join(" ");
    return [style.warn(`                the project asks for ${show(asked.value)}; to agree to that: ${flags}`)];
  });
}

function show(value: OptionValue): string {
  if (typeof value === "object") return value.length === 0 ? "none" : clean(value.join(", "), 2_000);
  return value === "" ? "empty" : clean(String(value), 400);
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
