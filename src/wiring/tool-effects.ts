import type { LifecycleAdapter } from "../hook-base/adapter/adapter.ts";

/** What a tool does that a guard may have to judge, or to whom it leaves that: `nothing` if only the session knows of it. */
export type ToolEffect =
  | "runs a command"
  | "reads"
  | "writes"
  | "uses the network"
  | "starts an agent"
  | "speaks with a person"
  | "nothing";

/** Tools by what they do. */
export type ToolsByEffect = Readonly<Partial<Record<ToolEffect, readonly string[]>>>;

/** The tools that several agents have under these names. */
const COMMON: ToolsByEffect = {
  "runs a command": ["Bash", "PowerShell"],
  reads: ["Glob", "Grep", "LS", "LSP", "ListMcpResourcesTool", "Read", "ReadMcpResourceTool", "Skill"],
  writes: ["Edit", "MultiEdit", "NotebookEdit", "Write"],
  "uses the network": ["Artifact", "WebFetch", "WebSearch"],
  "starts an agent": ["Agent"],
  "speaks with a person": ["AskUserQuestion"],
  nothing: ["TodoRead", "TodoWrite"],
};

const BY_NAME = effectsOf(COMMON);

/** What each tool of an agent does: those with canonical names, and its others. */
export function judgeTools(
  canonical: Readonly<Record<string, string>>,
  others: ToolsByEffect = {},
): Readonly<Record<string, ToolEffect>> {
  const named = Object.entries(canonical).flatMap(([own, name]) => {
    const effect = BY_NAME[name];
    return effect === undefined ? [] : [[own, effect] as const, [name, effect] as const];
  });
  return { ...Object.fromEntries(named), ...effectsOf(others) };
}

function effectsOf(tools: ToolsByEffect): Readonly<Record<string, ToolEffect>> {
  const entries = Object.entries(tools) as [ToolEffect, readonly string[]][];
  return Object.fromEntries(entries.flatMap(([effect, names]) => names.map((name) => [name, effect])));
}

/** What drwn does at each event of an agent. `calls` are about a tool call, and drwn has a reason to do nothing at the others. */
export function judgeEvents(
  { names }: Pick<LifecycleAdapter, "names">,
  calls: readonly string[],
  others: Readonly<Record<string, readonly string[]>> = {},
): Readonly<Record<string, string>> {
  return Object.fromEntries([
    ...names.map(([event, name]) => [name, `asks hooks of ${event}`]),
    ...calls.map((name) => [name, "asks policies"]),
    ...Object.entries(others).flatMap(([reason, events]) => events.map((name) => [name, reason])),
  ]);
}
