import type { Phase } from "../policy/event.ts";

/** How an agent reports a tool call to its hook. */
export interface CallReport {
  /** Its names for the events before and after a call. */
  events: readonly [before: string, after: string];
  /** The fields of both events. */
  fields(call: ReportedCall): Readonly<Record<string, unknown>>;
  /** The additional fields of the event after a call. */
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
  /** Absent: an empty object. */
  input?: object;
  /** Before or after the call. Absent: before. */
  phase?: Phase;
}

/** What an agent sends, and the environment in which it starts the hook. */
interface CanaryCall {
  event: Readonly<Record<string, unknown>>;
  env: Readonly<Record<string, string>>;
}

/** A tool call as this agent would report it. */
export function canaryCall(report: CallReport, { root, tool, input = {}, phase = "pre-tool" }: CallToMake): CanaryCall {
  const { events, fields, result, rootVariable } = report;
  const event = fields({ event: events[phase === "pre-tool" ? 0 : 1], tool, input, root, session: "drwn-doctor" });
  return {
    event: phase === "pre-tool" ? event : { ...event, ...result },
    env: rootVariable === undefined ? {} : { [rootVariable]: root },
  };
}

/** Claude Code's way, which other agents have copied. */
export const CLAUDE_CALLS: CallReport = {
  events: ["PreToolUse", "PostToolUse"],
  fields: ({ event, tool, input, root, session }) => {
    return { hook_event_name: event, tool_name: tool, tool_input: input, cwd: root, session_id: session };
  },
  result: { tool_response: {} },
};
