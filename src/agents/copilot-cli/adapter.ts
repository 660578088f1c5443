import type { Phase } from "../../policy/event.ts";
import { codeUnitAt, quoteJson } from "../../runtime/primordials.ts";
import { BrokenEvent } from "../../runtime/read-input.ts";
import type { Adapter, DecodedEvent, EventView, Reply, Saying, Wire } from "../adapter.ts";
import { viewsOfPatch } from "../codex/adapter-patch.ts";

const CANONICAL: Readonly<Record<string, string>> = {
  bash: "Bash",
  create: "Write",
  edit: "Edit",
  glob: "Glob",
  grep: "Grep",
  skill: "Skill",
  task: "Agent",
  view: "Read",
  web_fetch: "WebFetch",
  web_search: "WebSearch",
};

const OPENING_BRACE = 0x7b;

/** Copilot CLI heeds no context before a call. */
export const copilotCli: Adapter = {
  runtime: "copilot-cli",
  title: "Copilot CLI",
  can: {
    deny: true,
    ask: true,
    rewrite: true,
    context: false,
    "synthetic-output": false,
    "after-call": true,
    "after-failure": true,
  },
  canonicalTools: CANONICAL,
  decode,
  encode,
  encodeCanary: (text) => `{"systemMessage":${quoteJson(text)}}\n`,
  acceptsInput: (text) => codeUnitAt(text, 0) === OPENING_BRACE,
};

/** Its events do not say of which kind they are. One with a result is none from before the call. */
function decode(wire: Wire, phase: Phase): DecodedEvent {
  const { toolName: tool, toolArgs, toolResult, error, cwd, sessionId, ...others } = wire;
  if (phase === "pre-tool" && (toolResult !== undefined || error !== undefined)) {
    throw new BrokenEvent(`is of another kind than the hook was asked for (${phase})`);
  }
  if (typeof tool !== "string" || tool === "") throw new BrokenEvent("has no toolName");
  const input = readInput(tool, toolArgs);
  const views = viewsOf(tool, input, typeof cwd === "string" ? cwd : "/");
  const toolName = Object.hasOwn(CANONICAL, tool) ? String(CANONICAL[tool]) : tool;
  return {
    toolName,
    aliases: toolName === tool ? [] : [tool],
    input,
    views,
    rest: {
      ...(toolResult === undefined ? {} : { output: toolResult }),
      ...(error === undefined ? {} : { error: { name: "ToolError", message: textOf(error) } }),
      ...(typeof cwd === "string" ? { cwd } : {}),
      ...(typeof sessionId === "string" ? { sessionId } : {}),
      // A policy that is shown a part of a call can look at the whole of it.
      metadata: views.length > 0 ? { ...others, toolName: tool, toolArgs } : { ...others, toolName: tool },
    },
  };
}

/** Older versions send the arguments as JSON text; a tool that takes text gets it as it is. */
function readInput(tool: string, given: unknown): object {
  const value = typeof given === "string" ? parse(given) : given;
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  if (tool === "apply_patch" && typeof given === "string") return { input: given };
  throw new BrokenEvent("has toolArgs that are no object");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What is typed into a shell that runs already is a command, too. */
function viewsOf(tool: string, input: object, cwd: string): EventView[] {
  if (tool === "write_bash") {
    const command = "input" in input ? input.input : undefined;
    return [{ toolName: "Bash", aliases: ["bash"], input: { command } }];
  }
  if (tool !== "apply_patch") return [];
  const patch = "input" in input ? input.input : "patch" in input ? input.patch : undefined;
  const views = typeof patch === "string" ? viewsOfPatch(patch, cwd) : [];
  if (views.length === 0) throw new BrokenEvent("has a patch that names no file");
  return views;
}

function textOf(error: unknown): string {
  return typeof error === "string" ? error : JSON.stringify(error);
}

/** `allow` is never said: it would skip the question that Copilot CLI itself would ask. */
function encode({ action, reason, updatedInput }: Saying): Reply {
  if (action !== "allow") {
    const text = `{"permissionDecision":"${action}","permissionDecisionReason":${quoteJson(reason)}}\n`;
    return { text, effective: action };
  }
  return { text: updatedInput === null ? "" : `{"modifiedArgs":${updatedInput}}\n`, effective: action };
}
