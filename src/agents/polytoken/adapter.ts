import type { Phase } from "../../policy/event.ts";
import { quoteJson } from "../../runtime/primordials.ts";
import { BrokenEvent } from "../../runtime/read-input.ts";
import type { Adapter, DecodedEvent, Reply, Saying, Wire } from "../adapter.ts";
import { polytokenMoments } from "./adapter-moments.ts";
import { CANONICAL_TOOLS, canonicalName } from "./adapter-tools.ts";

const PHASES: Readonly<Record<string, Phase>> = {
  pre_tool_use: "pre-tool",
  post_tool_use: "post-tool",
  post_tool_use_failure: "post-tool",
};

/** Polytoken's hooks say yes or no: an outcome that lets a tool run has no field at all. */
export const polytoken: Adapter = {
  runtime: "polytoken",
  title: "Polytoken",
  can: {
    deny: true,
    ask: false,
    rewrite: false,
    context: false,
    "synthetic-output": false,
    "after-call": true,
    "after-failure": true,
  },
  canonicalTools: CANONICAL_TOOLS,
  decode,
  encode,
  encodeCanary: (text) => `{"outcome":"deny","reason":${quoteJson(text)}}\n`,
  acceptsInput: () => true,
  moments: polytokenMoments,
};

function decode(wire: Wire, phase: Phase): DecodedEvent {
  const { event, tool_name, input, output, error, cwd, session_id, ...others } = wire;
  if (phaseOf(event) !== phase) throw new BrokenEvent(`is of another kind than the hook was asked for (${phase})`);
  if (typeof tool_name !== "string" || tool_name === "") throw new BrokenEvent("has no tool_name");
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    throw new BrokenEvent("has an input that is no object");
  }
  const toolName = canonicalName(tool_name);
  const failure = event === "post_tool_use_failure" ? messageOf(error) : undefined;
  return {
    toolName,
    aliases: toolName === tool_name ? [] : [tool_name],
    input,
    views: [],
    rest: {
      ...(output === undefined ? {} : { output }),
      ...(failure === undefined ? {} : { error: { name: "ToolError", message: failure } }),
      ...(typeof cwd === "string" ? { cwd } : {}),
      ...(typeof session_id === "string" ? { sessionId: session_id } : {}),
      metadata: toolName === tool_name ? others : { ...others, tool_name },
    },
  };
}

function phaseOf(event: unknown): Phase | undefined {
  return typeof event === "string" && Object.hasOwn(PHASES, event) ? PHASES[event] : undefined;
}

function messageOf(error: unknown): string {
  if (typeof error === "string") return error;
  return error === undefined ? "the tool failed" : JSON.stringify(error);
}

function encode({ action, reason }: Saying): Reply {
  if (action === "allow") return { text: "", effective: "allow" };
  return { text: `{"outcome":"deny","reason":${quoteJson(reason)}}\n`, effective: "deny" };
}
