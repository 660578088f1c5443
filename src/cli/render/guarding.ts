import { type CommandScope, isCommand, sayIn } from "../../kernel/advice.ts";
import { clean, plural } from "../../kernel/text.ts";
import type { HookerReport } from "../../operations/diagnose/diagnose.ts";
import { type AgentState, commandToAdd, type Guarding, NO_AGENT } from "../../operations/project/list.ts";
import type { Console } from "../terminal/console.ts";

/** The words before the agents' names, and those after them if nothing else explains it. */
const WORDS: Readonly<Record<AgentState, { before: string; behind: string; as: "good" | "warn" | "bad" }>> = {
  guarded: { before: "Guarded:", behind: "", as: "good" },
  watched: { before: "Watched, not guarded:", behind: " (no policy here may hold a call)", as: "warn" },
  blocked: { before: "Every tool call is blocked in", behind: "", as: "bad" },
  paused: { before: "NOT GUARDED in", behind: "", as: "bad" },
  unknown: { before: "NOT KNOWN whether guarded in", behind: "", as: "bad" },
  unguarded: { before: "NOT GUARDED in", behind: "", as: "bad" },
};

/**
 * Whether the folder is guarded, in which agents, and if not, why, and what to do: a line for each of these answers. If
 * one says that something isn't guarded, no line that says "Guarded" comes before it. Agents that a person left out are
 * in the first line. An agent that isn't on this machine is never called guarded.
 */
export function renderGuarding(guarding: Guarding, { style, scope }: Pick<Console, "style" | "scope">): string[] {
  const { agents, enclosing, findings, leftOut } = guarding;
  const none = findings.find(({ code }) => code === NO_AGENT);
  if (none !== undefined && agents.length === 0) return [style.bad(`NOT GUARDED: ${explain(none, scope)}`)];
  const left = leftOut.length === 0 ? [] : [style.bad(describeLeftOut(leftOut, scope))];
  if (agents.length === 0)
    return [...left, "Not guarded: nobody on this machine has consented to hook policies here"].slice(0, 1);
  const absent = agents.filter((agent) => !agent.isFound && agent.because === null);
  const lines = new Map<string, { titles: string[]; state: AgentState; behind: string }>();
  for (const { title, state, because } of agents.filter((agent) => !absent.includes(agent))) {
    const holds = state === "guarded" || state === "watched";
    const plain = state === "guarded" ? `${alsoBy(enclosing)}${butFor(findings)}` : WORDS[state].behind;
    const behind = because === null ? plain : `${holds ? ", but" : ":"} ${explain(because, scope)}`;
    // The same fault blocks every call in one agent, and lets them all run in another.
    const key = `${state}${behind}`;
    const line = lines.get(key) ?? { titles: [], state, behind };
    line.titles.push(title);
    lines.set(key, line);
  }
  const isBad = ({ state }: { state: AgentState }) => WORDS[state].as === "bad";
  const inOrder = [...lines.values()].sort((a, b) => Number(isBad(b)) - Number(isBad(a)));
  const said = inOrder.map(({ titles, state, behind }) => {
    const { before, as } = WORDS[state];
    return style[as](`${before} ${titles.join(", ")}${behind}`);
  });
  const [first, ...others] = said;
  const begun = first === undefined ? left : [[first, ...left].join(". "), ...others];
  return absent.length === 0 ? begun : [...begun, style.warn(describeAbsent(absent))];
}

function describeLeftOut(leftOut: Guarding["leftOut"], scope: CommandScope): string {
  const titles = leftOut.map(({ title }) => title).join(", ");
  return `NOT GUARDED: ${titles} (found here, left out by choice). Run: ${sayIn(scope, commandToAdd(leftOut))}`;
}

function describeAbsent(absent: Guarding["agents"]): string {
  const titles = absent.map(({ title }) => title).join(", ");
  return `Not found on this machine: ${titles}. Its entry is written all the same, because the project or a person asks for it`;
}

/** Guards of the projects around this one judge calls here, whatever this one asks for. */
function alsoBy(around: readonly string[]): string {
  return around.length === 0 ? "" : `, also by what holds in ${around.map((root) => clean(root, 1000)).join(" and ")}`;
}

/** The answer includes the ways around that even root's entry cannot close. */
function butFor(findings: Guarding["findings"]): string {
  const ways = findings.filter(({ code }) => code === "bypass").length;
  return ways === 0 ? "" : `, except for ${plural(ways, "way")} around it that \`drwn doctor --system\` names`;
}

function explain({ message, hint }: NonNullable<Guarding["agents"][number]["because"]>, scope: CommandScope): string {
  const what = clean(message, 1000);
  if (hint === null) return what;
  const how = clean(sayIn(scope, hint), 1000);
  return `${what}. ${isCommand(hint) ? "Run:" : /^(?:sudo )?drwn /u.test(how) ? "To fix it, run" : "To fix it,"} ${how}`;
}

/** What `renderGuarding` doesn't say of them: neither that there are ways around it, nor what its command fixes. */
export function beyondGuarding<T extends Guarding["findings"][number]>(
  findings: readonly T[],
  { agents }: Guarding,
): T[] {
  const said = new Set(agents.flatMap(({ because }) => (because === null ? [] : [fixOf(because)])));
  return findings.filter((finding) => finding.code !== "bypass" && !said.has(fixOf(finding)));
}

function fixOf({ message, hint }: Pick<Guarding["findings"][number], "message" | "hint">): string {
  return hint !== null && isCommand(hint) ? sayIn("project", hint) : message;
}

/** What hooker's policies.rb files do and don't, a file at a time. */
export function renderHooker({ files, command }: HookerReport, { out, style }: Console): void {
  if (files.length === 0) out("There is no .claude/policies.rb here or above.");
  for (const { path, error, policies, findings, programs } of files) {
    out(`${clean(path, 2000)}: ${error === null ? plural(policies, "policy", "policies") : style.bad(clean(error))}`);
    for (const { policy, line, level, what } of findings) {
      const mark = level === "error" ? style.bad(level) : style.warn(level);
      out(`  ${mark} line ${line}, ${clean(policy)}: ${clean(what)}`);
    }
    for (const program of programs) out(`  starts ${clean(program)}`);
  }
  out(`To run them instead of hooker: ${clean(command, 4000)}`);
}
