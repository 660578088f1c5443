import type { Terms } from "../../../contract/ledger.ts";
import type { Capability } from "../../../contract/plan.ts";
import { clean, plural } from "../../../kernel/text.ts";
import {
  DEFAULT_TERMS,
  describeDifference,
  type Review,
  type ReviewedHook,
} from "../../../operations/project/trust.ts";
import type { Style } from "../../terminal/style.ts";
import { describeIsolationGaps, describeKind, describeSight } from "../hook.ts";
import { listProof } from "../proving/proof.ts";
import { renderOptions } from "./options.ts";
import { renderSkill } from "./skills.ts";

/** What a person reads before a consent. Everything that the card says about itself is cleaned and quoted. */
export function renderReview(review: Review, style: Style): string[] {
  const { card, version, tree, range, later, publishedBy, description, hooks, leftOut } = review;
  const title = `${describeParts(review)} of ${clean(card)}@${clean(version)}`;
  return [
    `${style.bold(title)}${renderWarnings(review, style)}`,
    ...(description === "" ? [] : [`  says of itself: ${quote(description)}`]),
    ...renderOrigin(review, style),
    ...renderPublisher(review, style),
    `  contents      ${clean(tree)}`,
    ...(publishedBy === "agent" ? [style.warn(PUBLISHED_BY_AGENT)] : []),
    `  consent for   ${clean(range)}: ${describeLater(later)}`,
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

/** Whose word the source is: this machine's, or only that of the repository. */
function renderOrigin({ source, isSourceSeen }: Review, style: Style): string[] {
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

function renderPublisher({ publisher, publishedBy, formerPublisher, replaces }: Review, style: Style): string[] {
  if (publishedBy === "drwn") return ["  publisher     drwn itself: this card is part of the installed package"];
  const shown = (key: string | null) => (key === null ? "not signed" : clean(key));
  const line = `  publisher     ${shown(publisher)}`;
  if (replaces === null || publisher === formerPublisher) return [line];
  return [line, style.warn(`                not the publisher that the consent is for: ${shown(formerPublisher)}`)];
}

/** The terms that differ from the default, or from the consent that is in force. */
function renderTerms(review: Review, style: Style): string[] {
  const { terms, formerTerms } = review;
  const former = formerTerms ?? DEFAULT_TERMS;
  return [
    ...renderBond(review, style),
    ...(["mode", "askFallback", "expiresAt", "onYank", "runtimes"] as const).flatMap((term) => {
      const [was, is] = [describeTerm(former, term), describeTerm(terms, term)];
      if (was === is && is === describeTerm(DEFAULT_TERMS, term)) return [];
      const line = `  ${TERM_TITLES[term].padEnd(13)} ${is}`;
      return [was === is || formerTerms === null ? line : style.warn(`${line} (so far: ${was})`)];
    }),
  ];
}

/** Whether the card itself restricts itself to less than the mode allows. */
function renderBond({ terms, restrictOnly, formerRestrictOnly }: Review, style: Style): string[] {
  if (terms.mode !== "enforce") return [];
  if (restrictOnly) return ["  mode          the card binds itself to saying no"];
  return formerRestrictOnly === true
    ? [style.warn("  mode          the card does not bind itself to saying no, as the version in force does")]
    : [];
}

const TERM_TITLES = {
  mode: "mode",
  askFallback: "no asking",
  expiresAt: "ends",
  onYank: "when yanked",
  runtimes: "agents",
} as const;

function describeTerm(terms: Terms, term: keyof typeof TERM_TITLES): string {
  switch (term) {
    case "mode":
      return MODE_MEANS[terms.mode];
    case "askFallback":
      return `${terms.askFallback}, where the agent cannot ask`;
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
  const passed = cases.cases - cases.refused;
  return [
    `    cases       ${plural(cases.cases, "case")}: ${cases.refused} refused, ${passed} let through; drwn card test`,
    ...(proof === undefined ? [] : [`                its publisher says: ${listProof(proof).join(", ")}`]),
  ];
}

function renderDifferences(review: Review, style: Style): string[] {
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

const CAPABILITY_MEANS: Readonly<Record<Capability, string>> = {
  env: "env (reads your environment variables)",
  exec: "exec (starts programs, which may do what you may)",
  "fs-read": "fs-read (reads the files of the project and of its repository)",
  "fs-write": "fs-write (writes the files of the project)",
  net: "net (connects to anywhere)",
  wasm: "wasm (runs a WebAssembly module)",
};

function quote(text: string): string {
  return `“${clean(text, 120)}”`;
}
