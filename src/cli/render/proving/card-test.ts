import { clean, escapeJsonForTerminal, plural } from "../../../kernel/text.ts";
import type { CardTest, SourceCardTest } from "../../../operations/author/test-card.ts";
import type { Console } from "../../terminal/console.ts";
import { sumUp } from "./proof.ts";

type Result = CardTest["results"][number];

/** The cases that failed, each with a line that can replace it; then the figures of each hook. */
export function renderCardTest({ hooks, results, notAsked }: CardTest, console: Console): void {
  const { out, style } = console;
  const failures = results.filter(({ state }) => state === "failed");
  for (const failure of failures.slice(0, MOST_FAILURES)) renderFailure(failure, console);
  if (failures.length > MOST_FAILURES) out(`… and ${failures.length - MOST_FAILURES} more: --json has them all`);
  for (const result of results) {
    if (result.state === "todo") out(`${style.warn("todo")}  ${nameOf(result)}${because(result)}`);
    if (result.state === "done") out(`${style.warn("done")}  ${nameOf(result)}: take \`todo\` out of it`);
  }
  for (const hook of hooks) renderMutants(hook, console);
  for (const { name, notRun, ...tried } of hooks) {
    const { cases, failed } = tried;
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
