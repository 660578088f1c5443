import type { Phase } from "../policy/event.ts";

/** How an agent reports the call of a tool to its hook. */
export interface CallReport {
  /** Its names of the events before and after a call. */
  events: readonly [before: string, after: string];
  /** What both of them hold. */
  fields(call: ReportedCall): Readonly<Record<string, unknown>>;
  /** What the event after a call holds besides. */
  result?: object;
  /** The variable in which the hook finds the project's folder. Absent: the agent sets none. */
  rootVariable?: string;
}

interface ReportedCall {
  event: string;
  tool: string;
  input: object;
  root: string;
  session: string;
}

interface CallToMake {
  /** The project's folder. */
  root: string;
  tool: string;
  /** Absent: nothing. */
  input?: object;
  /** Whether the call is still to be made. Absent: it is. */
  phase?: Phase;
}

/** What an agent sends, and the environment in which it starts the hook. */
interface CanaryCall {
  event: Readonly<Record<string, unknown>>;
  env: Readonly<Record<string, string>>;
}

/** The call of a tool as this agent would report it. */
export function canaryCall(report: CallReport, { root, tool, input = {}, phase = "pre-tool" }: CallToMake): CanaryCall {
  const { events, fields, result, rootVariable } = report;
  const event = fields({ event: events[phase === "pre-tool" ? 0 : 1], tool, input, root, session: "drwn-doctor" });
  return {
    event: phase === "pre-tool" ? event : { ...event, ...result },
    env: rootVariable === undefined ? {} : { [rootVariable]: root },
  };
}

/** As Claude Code does, from which others have it. */
export const CLAUDE_CALLS: CallReport = {
  events: ["PreToolUse", "PostToolUse"],
  fields: ({ event, tool, input, root, session }) => {
    return { hook_event_name: event, tool_name: tool, tool_input: input, cwd: root, session_id: session };
  },
  result: { tool_response: {} },
};
