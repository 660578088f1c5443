import { allAdapters, findAdapter } from "../../agents/adapters.ts";
import { targetsOf } from "../../agents/targets.ts";
import type { CaseCall, HookCase } from "../../card/hooks/cases.ts";
import type { ProvingQuestion } from "../../contract/protocol.ts";
import type { AgentId } from "../../policy/event.ts";
import { canaryCall } from "../../wiring/canary-call.ts";

/** The folder of calls in cases that name none. */
export const FOLDER = "/home/me/project";

/** A call as one agent reports it. */
export interface SimulatedCall {
  agent: AgentId;
  /** The agent's own name for the tool; "" for a lifecycle event. */
  tool: string;
  /** Earlier calls of the session first. */
  questions: ProvingQuestion[];
}

/**
 * The call of a case as agents report it: the one that the case names, or each one that has another name for the tool.
 */
export function simulateCalls({
  agent,
  tool = "",
  input,
  cwd,
  home,
  phase = "pre-tool",
  session = [],
}: HookCase): SimulatedCall[] {
  if (phase !== "pre-tool" && phase !== "post-tool") {
    const wire = { input, cwd: cwd ?? FOLDER, sessionId: SESSION };
    return [{ agent: agent ?? "claude-code", tool: "", questions: [{ runtime: "runner", phase, wire }] }];
  }
  const speakers = speakersOf(tool, agent);
  return speakers.map((speaker) => {
    const toQuestion = (call: CaseCall, at: ProvingQuestion["phase"]) =>
      simulateCall(
        { ...speaker, tool: call.tool === tool ? speaker.tool : ownName(speaker.agent, call.tool) },
        call,
        at,
      );
    const main = { tool, input, ...(cwd === undefined ? {} : { cwd }), ...(home === undefined ? {} : { home }) };
    return { ...speaker, questions: [...session.map((call) => toQuestion(call, "pre-tool")), toQuestion(main, phase)] };
  });
}

const SESSION = "drwn-proving";

interface SimulatedAgent {
  agent: AgentId;
  tool: string;
}

/** A call as this agent reports it. */
export function simulateCall(
  { agent, tool }: SimulatedAgent,
  { input, cwd = FOLDER, home }: Pick<CaseCall, "input" | "cwd" | "home">,
  phase: ProvingQuestion["phase"] = "pre-tool",
): ProvingQuestion {
  const [target] = targetsOf([agent]);
  if (target === undefined) throw new Error(`${agent} reports no calls`);
  const at = phase === "post-tool" ? phase : "pre-tool";
  const { event } = canaryCall(target.calls, { root: cwd, tool, input, phase: at });
  // What only the environment says: the process that asks policies has none.
  const folder = agent === "polytoken" ? { cwd } : {};
  return { runtime: agent, phase, wire: { ...event, ...folder }, ...(home === undefined ? {} : { userHome: home }) };
}

/** Claude Code's names are the canonical ones. If several agents have the same name for the tool, one is enough. */
function speakersOf(tool: string, agent: AgentId | undefined): SimulatedAgent[] {
  if (agent !== undefined) return [{ agent, tool: ownName(agent, tool) }];
  const owners = allAdapters().filter(({ canonicalTools }) => Object.hasOwn(canonicalTools, tool));
  // It is already some agent's own name.
  if (owners.length > 0) return owners.map(({ runtime }) => ({ agent: runtime, tool }));
  const others = allAdapters().flatMap(({ runtime }) => {
    const own = ownName(runtime, tool);
    return own === tool ? [] : [{ agent: runtime, tool: own }];
  });
  const speakers: SimulatedAgent[] = [{ agent: "claude-code", tool }, ...others];
  return speakers.filter(
    (speaker, at) =>
      targetsOf([speaker.agent]).length > 0 && speakers.findIndex((other) => other.tool === speaker.tool) === at,
  );
}

const MCP = /^mcp__(.+?)__(.+)$/u;

/** This agent's own name for the tool with this canonical name. */
function ownName(agent: AgentId, tool: string): string {
  const adapter = findAdapter(agent);
  const own = Object.entries(adapter?.canonicalTools ?? {}).find(([, canonical]) => canonical === tool)?.[0];
  if (own !== undefined) return own;
  const [, server, name] = MCP.exec(tool) ?? [];
  if (server === undefined || name === undefined) return tool;
  if (agent === "copilot-cli") return `${server}-${name}`;
  return agent === "opencode" ? `${server}_${name}` : tool;
}
