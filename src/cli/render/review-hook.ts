import type { OptionValue } from "../../contract/ledger.ts";
import type { Capability } from "../../contract/plan.ts";
import { clean, plural, shellQuote } from "../../kernel/text.ts";
import { printOption, type Review, type ReviewedHook, type ReviewedSkill } from "../../operations/project/trust.ts";
import type { Style } from "../terminal/style.ts";
import { listProof } from "./card-test.ts";
import { describeIsolationGaps, describeKind, describeSight } from "./hook.ts";

/** Everything about one hook. */
export function renderReviewedHook(hook: ReviewedHook, style: Style): string[] {
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

/**
 * The options that have another value than their default, or than before, and what the project asks for; of a whole
 * review all of them, with what they are.
 */
export function renderOptions(
  { name, options = {} }: ReviewedHook,
  review: Review,
  { style, isWhole }: { style: Style; isWhole: boolean },
): string[] {
  return Object.entries(options).flatMap(([option, declared]) => {
    const value = review.options[name]?.[option] ?? declared.default;
    const former = review.formerOptions[name]?.[option];
    const isDefault = show(value) === show(declared.default);
    const isSame = former === undefined || show(former) === show(value);
    const asked = renderAsked({ name, option }, review, style);
    if (!isWhole && isSame && isDefault && asked.length === 0) return [];
    const notes = [
      ...(isWhole ? [isDefault ? "the default" : `default: ${show(declared.default)}`] : []),
      ...(isSame ? [] : [`so far: ${show(former)}`]),
      ...(isWhole && "tightens" in declared && review.isOfProject ? ["this project may tighten it by itself"] : []),
    ];
    const more = notes.length === 0 ? "" : ` (${notes.join("; ")})`;
    const line = `  option       ${clean(name)}.${clean(option)}: ${show(value)}${more}`;
    return [
      isDefault && isSame ? line : style.warn(line),
      ...(isWhole ? [`               “${clean(declared.description, 200)}”`] : []),
      ...asked,
    ];
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
      return [style.warn(`               the project asks for ${show(asked.value)}, which it cannot have`)];
    }
    const items = typeof asked.value === "object" && asked.value.length > 0 ? asked.value : [asked.value];
    const flags = items.map((one) => `--set ${shellQuote(clean(printOption(name, option, one), 400))}`).join(" ");
    return [style.warn(`               the project asks for ${show(asked.value)}; to agree to that: ${flags}`)];
  });
}

function show(value: OptionValue): string {
  if (typeof value === "object") return value.length === 0 ? "none" : clean(value.join(", "), 2_000);
  return value === "" ? "empty" : clean(String(value), 400);
}

/** How many hooks, differences or lines of skills are listed; a longer review says how many more there are. */
export const MOST_LISTED = 5;

/** Lines are shown whole, in chunks of this width: the part cut off could be the one that matters. */
const WIDTH = 160;

/** What a skill would make an agent do, line by line. */
export function renderSkill(
  { name, code, digest, change }: ReviewedSkill,
  { style, isWhole }: { style: Style; isWhole: boolean },
): string[] {
  const how = change === null || change === "same" ? "" : `, ${CHANGES[change]}`;
  const title = style.warn(`  skill ${clean(name)}${how}, does by itself:`);
  const shown = ({ file, line, text }: ReviewedSkill["code"][number]) =>
    `    ${clean(file, 200)}:${line}  ${clean(text, 400)}`;
  if (!isWhole) return [title, ...listed(code, shown, "line")];
  return [
    title,
    ...code.flatMap(({ file, line, why, text }) => [
      `    ${clean(file, 2000)}:${line} (${MEANS[why]})`,
      ...chunksOf(clean(text, Number.MAX_SAFE_INTEGER)).map((chunk) => `      | ${chunk}`),
    ]),
    `    contents    ${clean(digest)}`,
  ];
}

const CHANGES = { added: "not consented to so far", other: "other lines than consented to" } as const;

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

/** A line for each of the first ones, and the number of the rest. */
export function listed<T>(all: readonly T[], show: (one: T) => string, what: string): string[] {
  const shown = all.length > MOST_LISTED + 1 ? all.slice(0, MOST_LISTED) : all;
  const rest = all.length - shown.length;
  return [
    ...shown.map(show),
    ...(rest === 0 ? [] : [`    and ${plural(rest, `${what} more`, `${what}s more`)}: --verbose`]),
  ];
}
