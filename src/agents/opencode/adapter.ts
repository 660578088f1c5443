import type { Phase } from "../../policy/event.ts";
import { codeUnitAt, quoteJson } from "../../runtime/primordials.ts";
import { BrokenEvent } from "../../runtime/read-input.ts";
import type { Adapter, DecodedEvent, EventView, Reply, Saying, Wire } from "../adapter.ts";
import { viewsOfPatch } from "../codex/adapter-patch.ts";

const PHASES: Readonly<Record<string, Phase>> = {
  "tool.execute.before": "pre-tool",
  "tool.execute.after": "post-tool",
};

const CANONICAL: Readonly<Record<string, string>> = {
  bash: "Bash",
  edit: "Edit",
  glob: "Glob",
  grep: "Grep",
  list: "LS",
  read: "Read",
  skill: "Skill",
  task: "Agent",
  todowrite: "TodoWrite",
  webfetch: "WebFetch",
  websearch: "WebSearch",
  write: "Write",
};

const OPENING_BRACE = 0x7b;

/** OpenCode calls a plugin, and the plugin of drwn sends what this reads: both sides of the line are ours. */
export const opencode: Adapter = {
  runtime: "opencode",
  title: "OpenCode",
  can: {
    deny: true,
    ask: false,
    rewrite: true,
    context: false,
    "synthetic-output": false,
    "after-call": true,
    "after-failure": false,
  },
  canonicalTools: CANONICAL,
  decode,
  encode,
  encodeCanary: (text) => `{"message":${quoteJson(text)}}\n`,
  acceptsInput: (text) => codeUnitAt(text, 0) === OPENING_BRACE,
};

function decode(wire: Wire, phase: Phase): DecodedEvent {
  const { event, tool, args, output, directory, sessionID, ...others } = wire;
  if (event !== undefined && phaseOf(event) !== phase) {
    throw new BrokenEvent(`is of another kind than the hook was asked for (${phase})`);
  }
  if (typeof tool !== "string" || tool === "") throw new BrokenEvent("has no tool");
  if (typeof args !== "object" || args === null || Array.isArray(args)) {
    throw new BrokenEvent("has args that are no object");
  }
  const views = viewsOf(tool, args, typeof directory === "string" ? directory : "/");
  const toolName = Object.hasOwn(CANONICAL, tool) ? String(CANONICAL[tool]) : tool;
  return {
    toolName,
    aliases: toolName === tool ? [] : [tool],
    input: args,
    views,
    rest: {
      ...(output === undefined ? {} : { output }),
      ...(typeof directory === "string" ? { cwd: directory } : {}),
      ...(typeof sessionID === "string" ? { sessionId: sessionID } : {}),
      // A policy that is shown a part of a patch can look at the whole of it.
      metadata: views.length === 0 ? { ...others, tool } : { ...others, tool, args },
    },
  };
}

function phaseOf(name: unknown): Phase | undefined {
  return typeof name === "string" && Object.hasOwn(PHASES, name) ? PHASES[name] : undefined;
}

const PATCHES = new Set(["apply_patch", "patch"]);

function viewsOf(tool: string, args: object, cwd: string): EventView[] {
  if (!PATCHES.has(tool)) return [];
  const views = "patchText" in args && typeof args.patchText === "string" ? viewsOfPatch(args.patchText, cwd) : [];
  if (views.length === 0) throw new BrokenEvent("has a patch that names no file");
  return views;
}

function encode({ action, reason, updatedInput }: Saying): Reply {
  if (action !== "allow") return { text: `{"deny":${quoteJson(reason)}}\n`, effective: "deny" };
  return { text: updatedInput === null ? "" : `{"args":${updatedInput}}\n`, effective: "allow" };
}
