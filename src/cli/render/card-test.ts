import type { HookProof } from "../../card/hooks/hook-index.ts";
import { clean, escapeJsonForTerminal, plural } from "../../kernel/text.ts";
import type { CardTest, SourceCardTest } from "../../operations/author/test-card.ts";
import type { DevAnswers, TryRound } from "../../operations/author/try-card.ts";
import type { Console } from "../terminal/console.ts";
import { cut, html } from "./html.ts";
import { renderProblem } from "./problem.ts";

type Result = CardTest["results"][number];

/** The cases that failed, each with a line that can replace it; then the figures of each hook. */
function renderCardTest({ hooks, results, notAsked }: CardTest, console: Console): void {
  const { out, style } = console;
  const failures = results.filter(({ state }) => state === "failed");
  for (const failure of failures.slice(0, MOST_FAILURES)) renderFailure(failure, console);
  if (failures.length > MOST_FAILURES) out(`… and ${failures.length - MOST_FAILURES} more: --json has them all`);
  for (const result of results) {
    if (result.state === "todo") out(`${style.warn("todo")}  ${nameOf(result)}${because(result)}`);
    if (result.state === "done") out(`${style.warn("done")}  ${nameOf(result)}: take \`todo\` out of it`);
  }
  for (const hook of hooks) renderMutants(hook, console);
  for (const { name, notRun, kind, ...tried } of hooks) {
    const { cases, failed } = tried;
    if (cases === 0 && kind === "enforcement") {
      const mark = results.length === 0 ? style.bad("FAIL") : style.warn("--");
      out(`${mark}  ${clean(name)}: no cases; put some into hooks/${clean(name)}/cases.jsonl`);
      continue;
    }
    if (notRun !== null) {
      out(`${style.warn("--")}  ${clean(name)}: ${plural(cases, "case")}, not run: ${clean(notRun)}`);
      continue;
    }
    const mark = failed > 0 ? style.bad("FAIL") : cases === 0 ? style.warn("--") : style.good("ok");
    out(`${mark}  ${clean(name)}: ${sumUp(tried)}`);
  }
  for (const hook of notAsked) {
    out(`${style.warn("--")}  ${clean(hook)}: not asked about ways out, since it needs more than the call`);
  }
  if (hooks.length === 0) out("The card has no hooks");
  if (failures.length > 0) console.talk("A line that follows > is the case as the hook answers it now");
}

/** The same, and the hooks that card.json doesn't list, each with the command that lists it. */
export function renderSourceCardTest(tested: SourceCardTest, console: Console): void {
  renderCardTest(tested, console);
  const { out, style } = console;
  const mark = tested.results.length === 0 ? style.bad("FAIL") : style.warn("--");
  for (const { hook, command } of tested.unlisted) {
    out(`${mark}  ${clean(hook)}: not tested, since card.json doesn't list it: ${clean(command, 2_000)}`);
  }
}

/** Each as a case that can be kept. */
function renderMutants({ mutants }: CardTest["hooks"][number], { out, style }: Console): void {
  for (const { hook, of, how, expected, line } of mutants?.survivors ?? []) {
    const what = expected === "allow" ? "is refused" : "gets through";
    out(`${style.warn("missed")}  ${clean(hook)}: ${clean(of)}, ${clean(how)}, ${what}`);
    out(`      ${toPaste(line)}`);
  }
}

function renderFailure({ differences, corrected, ...result }: Result, { out, style }: Console): void {
  out(`${style.bad("FAIL")}  ${nameOf(result)}${because(result)}`);
  // A case that fails in one agent fails in most.
  for (const [text, agents] of byText(differences)) {
    out(`      ${agents.slice(0, MOST_AGENTS).join(", ")}${agents.length > MOST_AGENTS ? ", …" : ""}`);
    out(text);
  }
  if (corrected !== null) out(`      ${toPaste(corrected)}`);
}

/** A line of `cases.jsonl` that means the same wherever it is pasted: whatever a terminal would act on is escaped as in JSON. */
function toPaste(line: string): string {
  return line.length > LONGEST_LINE
    ? "(the case is too long to be pasted: --json has it)"
    : `> ${escapeJsonForTerminal(line)}`;
}

const LONGEST_LINE = 20_000;

function byText(differences: Result["differences"]): Map<string, string[]> {
  const texts = new Map<string, string[]>();
  for (const { field, expected, received, agent, tool } of differences) {
    const what = field === "expect" ? "" : `${field} `;
    const lines = [`        expected ${what}${clean(expected, 2_000)}`, `        received ${clean(received, 2_000)}`];
    const text = lines.join("\n");
    texts.set(text, [...(texts.get(text) ?? []), clean(tool === "" ? agent : `${tool} (${agent})`)]);
  }
  return texts;
}

const MOST_AGENTS = 4;
const MOST_FAILURES = 25;

function nameOf({ hook, case: { id } }: Pick<Result, "hook" | "case">): string {
  return `${clean(hook)}: ${clean(id)}`;
}

function because({ case: { why } }: Pick<Result, "case">): string {
  return why === undefined ? "" : ` (${clean(why)})`;
}

interface Found {
  mutants: HookProof["mutants"] | null;
}

interface Tried extends Found {
  cases: number;
  passed: number;
  failed: number;
  todo: number;
}

/** `3 cases, 2 passed, 1 to do, 54 of 54 mutants held`. */
export function sumUp({ cases, passed, failed, todo, ...found }: Tried): string {
  const counts = [`${passed} passed`, ...count(failed, "failed"), ...count(todo, "to do")];
  return cases === 0 ? "no cases" : [plural(cases, "case"), ...counts, ...listProof(found)].join(", ");
}

function count(number: number, what: string): string[] {
  return number === 0 ? [] : [`${number} ${what}`];
}

/** How many mutants of the cases were held. */
export function listProof({ mutants }: Found): string[] {
  return mutants === null ? [] : [`${mutants.held} of ${plural(mutants.tried, "mutant")} held`];
}

/** The cases of a card as JUnit XML, which most CI systems read: a suite for each hook. */
export function junitOf({ card, version, hooks, results }: CardTest): string {
  const suites = hooks.map(({ name, cases, failed, todo, notRun }) => {
    const skipped = notRun === null ? todo : cases;
    const own = results.filter(({ hook }) => hook === name);
    return html`  <testsuite name="${`${card}#${name}`}" tests="${cases}" failures="${failed}" errors="0" skipped="${skipped}">
${own.map(
  (
    result,
  ) => html`    <testcase classname="${`${card}#${name}`}" name="${result.case.id}">${outcomeOf(result)}</testcase>
`,
)}  </testsuite>
`;
  });
  const failures = hooks.reduce((sum, { failed }) => sum + failed, 0);
  const document = html`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${`${card}@${version}`}" tests="${results.length}" failures="${failures}">
${suites}</testsuites>
`;
  return document.text;
}

function outcomeOf({ state, differences, case: { why = "not yet" } }: Result) {
  if (state === "todo") return html`<skipped>${why}</skipped>`;
  if (state !== "failed") return "";
  return html`<failure message="${cut(differences[0]?.received ?? "", 500)}">${describeDifferences(differences)}</failure>`;
}

/** `Bash (claude-code): expected deny, received allow`. */
function describeDifferences(differences: Result["differences"]): string {
  return differences
    .map(({ agent, tool, field, expected, received }) => {
      const what = field === "expect" ? "" : `${field} `;
      return `${tool === "" ? agent : `${tool} (${agent})`}: expected ${what}${expected}, received ${received}`;
    })
    .join("; ");
}

/** What SARIF calls rules: the kinds of finding that a case or a mutant gives. */
const RULES = [
  { id: "failed-case", text: "A hook answers a call differently from what its case expects." },
  { id: "missed-mutant", text: "A hook answers a call differently from one that does the same." },
] as const;

/** The failures of a card's cases as SARIF 2.1.0, which code hosts show beside the lines. */
export function sarifOf({ card, hooks, results }: CardTest, drwnVersion: string): string {
  const failures = results.flatMap(({ state, hook, case: { id }, differences }) =>
    state === "failed"
      ? [finding(hook, "failed-case", `${card}#${hook}, ${id}: ${describeDifferences(differences)}`)]
      : [],
  );
  const missed = hooks.flatMap(({ mutants }) =>
    (mutants?.survivors ?? []).map(({ hook, of, how, expected }) =>
      finding(hook, "missed-mutant", `${card}#${hook}, ${of}, ${how}: expected ${expected}`),
    ),
  );
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "drwn",
            version: drwnVersion,
            rules: RULES.map(({ id, text }) => ({ id, shortDescription: { text } })),
          },
        },
        results: [...failures, ...missed],
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function finding(hook: string, ruleId: (typeof RULES)[number]["id"], text: string) {
  const uri = `hooks/${hook}/cases.jsonl`;
  return {
    ruleId,
    level: ruleId === "failed-case" ? "error" : "warning",
    message: { text: clean(text, 4_000) },
    locations: [{ physicalLocation: { artifactLocation: { uri } } }],
  };
}

/** The result of a save: why it doesn't compile, or the answers to the event and the cases. */
export function renderRound(round: TryRound, console: Console): void {
  if (round.problem === null) renderAnswers(round, console);
  renderRest(round, console);
}

export function renderAnswers({ answers, call, answeredMs }: DevAnswers, { out, style }: Console): void {
  const about = call === null ? "" : ` about call ${clean(call)}`;
  out(style.dim(`compiled, and asked${about}, in ${answeredMs} ms`));
  for (const answer of answers) for (const line of describeAnswer(answer, style)) out(line);
}

/** What came after the answers, or instead of them. */
export function renderRest({ problem, tests }: TryRound, console: Console): void {
  for (const line of problem === null ? [] : renderProblem(problem, console)) console.out(line);
  for (const test of tests) renderCardTest(test, console);
}

function describeAnswer({ hook, notRun, judgement }: DevAnswers["answers"][number], style: Console["style"]): string[] {
  const name = style.bold(clean(hook));
  if (notRun !== null) return [`${name}: not asked: ${clean(notRun, 400)}`];
  if (judgement === null || !judgement.isAsked)
    return [`${name}: not asked: its matcher or its phase leaves this call out`];
  const { verdict, reason, isFailure, updatedInput, context } = judgement;
  const paint = verdict === "deny" ? style.bad : verdict === "ask" ? style.warn : style.good;
  const why = reason === "" ? "" : `: ${clean(reason, 2_000)}`;
  return [
    `${name}: ${paint(verdict)}${isFailure ? ", since it failed" : ""}${why}`,
    ...(updatedInput === null ? [] : [`  the input instead: ${clean(JSON.stringify(updatedInput), 2_000)}`]),
    ...(context === null ? [] : [`  the model is told: ${clean(context, 2_000)}`]),
  ];
}
