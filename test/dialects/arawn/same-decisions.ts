import { expect } from "vitest";
import { type Compared, compare, type Way } from "../compare.ts";
import { randomOf } from "../random.ts";
import { arawnBy } from "./compared.ts";
import { someFiles } from "./generated-files.ts";

/** A generated plugin decides and is told the same directly, as a card in Arawn, and as one in Claude Code. */
export async function expectSameInArawn(seed: string): Promise<void> {
  const random = randomOf(seed);
  const { generations, ...plugin } = someFiles(random);
  const generation = random.from(generations);
  const { compared, report } = await compare(arawnBy(generation), plugin);
  const reported = report.differences.map(({ what }) => what);
  const about = () => `${generation}\n${JSON.stringify(plugin, null, 1)}\n${JSON.stringify(report.differences)}`;
  for (const one of compared) {
    expectReported(one, reported);
    const direct = plainly(one.direct);
    const own = plainly(one.own);
    const claude = one.claude === undefined ? undefined : plainly(one.claude);
    expect(expectedOf(one, withoutLater(own, direct)), about()).toEqual(expectedOf(one, direct));
    if (claude === undefined) continue;
    expect(inClaude(one, withoutLater(claude, direct)), about()).toEqual(inClaude(one, direct));
  }
}

/** What is let pass below for one of these events, the import has reported of this very file. */
function expectReported({ told: { event }, direct, claude }: Compared, reported: readonly string[]): void {
  const isSaid = (words: string): boolean => reported.some((what) => what.includes(words));
  if (direct.text !== "" && event === "SessionEnd")
    expect(isSaid("nobody is told what it prints: the session is over")).toBe(true);
  if (direct.text !== "" && event === "SubagentStop") expect(isSaid("nobody is told what it prints")).toBe(true);
  if (direct.text !== "" && claude?.text === "" && event.endsWith("Compact"))
    expect(isSaid("claude-code (no text)") || isSaid("nobody is told what it prints")).toBe(true);
}

/** Without what the import report and the page of dialects say is otherwise in a card. */
function expectedOf({ told: { event } }: Compared, way: Way): Way {
  // A no without words has others there: they do not name the file, which lies nowhere.
  const reason = way.reason.replace(/^the hook `[^`]*` (ended .*) and gave no reason$/u, "the hook $1");
  // When a session is over nobody is left to be told, and what is said at a subagent's end is for nobody.
  const trace = linesOf(way.trace).sort().join("\n");
  return { ...way, reason, trace, text: event === "SessionEnd" || event === "SubagentStop" ? "" : way.text };
}

function plainly(way: Way): Way {
  return { ...way, trace: linesOf(way.trace).map(withoutPlace).join("\n") };
}

/** A hook of settings is told whatever the agent tells besides, its folder first of all. */
function withoutPlace(line: string): string {
  const [, at = "", json = "{}"] = /^(\d+) (\{.*)$/u.exec(line) ?? [];
  const { hook_event, ...told } = JSON.parse(json);
  if (hook_event === undefined) return line;
  const known = TOLD.flatMap((name) => (name in told ? [[name, told[name]]] : []));
  return `${at} ${hook_event} ${JSON.stringify(Object.fromEntries(known))}`;
}

const TOLD = [
  "session_id",
  "tool_name",
  "tool_input",
  "tool_response",
  "response",
  "prompt",
  "trigger",
  "agent_type",
  "stop_hook_active",
];

/** Hooks of a card may run at the same time: behind one that holds others have run already. */
function withoutLater(asked: Way, direct: Way): Way {
  if (direct.ends !== "held") return asked;
  const known = linesOf(direct.trace);
  return {
    ...asked,
    trace: linesOf(asked.trace)
      .filter((line) => known.includes(line))
      .join("\n"),
  };
}

function linesOf(trace: string): string[] {
  return trace.split("\n").filter((line) => line !== "");
}

/** And what is otherwise in Claude Code besides. */
function inClaude(compared: Compared, asked: Way): Way {
  const way = expectedOf(compared, asked);
  const { event } = compared.told;
  // Around a compaction Claude Code takes no text.
  if (event.endsWith("Compact") && way.ends === "proceeds") return { ...way, text: "" };
  // Only Arawn counts turns.
  if (event === "SessionEnd") return { ...way, trace: way.trace.replaceAll(/,?"turn_count":\d+/gu, "") };
  return way;
}
