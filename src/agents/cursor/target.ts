import path from "node:path";
import type { Server } from "../../card/server.ts";
import { advise, drwn } from "../../kernel/advice.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import type { HookFormat } from "../../wiring/entries/groups.ts";
import { type EntryForm, planUserFile } from "../../wiring/entries/plan-entries.ts";
import { type HookPhase, isHeldAtStart } from "../../wiring/launcher.ts";
import { planServers } from "../../wiring/servers.ts";
import { AGENT_TIMEOUT_SECONDS, type HooksRequest, type PlannedHooks, type Target } from "../../wiring/target.ts";
import { cursorLifecycle } from "./adapter.ts";
import { cursorPlaces } from "./paths.ts";

/** According to Cursor's documentation, it ignores unknown events. */
const CURSOR_FORMAT: HookFormat = {
  events: new Set([
    "afterAgentResponse",
    "afterAgentThought",
    "afterFileEdit",
    "afterMCPExecution",
    "afterShellExecution",
    "beforeMCPExecution",
    "beforeReadFile",
    "beforeShellExecution",
    "beforeSubmitPrompt",
    "postToolUse",
    "postToolUseFailure",
    "preCompact",
    "preToolUse",
    "sessionEnd",
    "sessionStart",
    "stop",
    "subagentStart",
    "subagentStop",
  ]),
  items: "handlers",
  commands: ["command"],
  // Cursor ignores a file without it.
  requiredFields: { path: ["version"], value: 1 },
};

export const cursorTarget: Target = {
  runtime: "cursor",
  planHooks,
  skillsFolder: (root) => path.join(root, ".agents", "skills"),
  planServers: ({ servers, ...request }) =>
    planServers({
      ...request,
      servers: toCursorServers(servers),
      file: path.join(request.root, ".cursor", "mcp.json"),
    }),
  check: ({ file }) => [
    {
      code: "agent-untested",
      severity: "warning",
      subject: file,
      message: "the entry for Cursor follows Cursor's documentation, and was never tried with the program",
      hint: "deny a harmless command with a policy, and see in Cursor whether it runs",
    },
  ],
  calls: {
    events: ["preToolUse", "postToolUse"],
    fields: ({ event, tool, input, root, session }) => ({
      hook_event_name: event,
      conversation_id: session,
      workspace_roots: [root],
      tool_name: tool,
      tool_input: input,
    }),
    result: { tool_output: "" },
    rootVariable: "CURSOR_PROJECT_DIR",
  },
};

/** The user's own file. There is no matcher, since nobody has tried how Cursor compares one with the names of tools. */
function planHooks(request: HooksRequest): PlannedHooks {
  const settingsFile = cursorPlaces.entry(request.host);
  return planUserFile(request, { format: CURSOR_FORMAT, settingsFile, form: FORM });
}

const FORM: EntryForm = {
  runtime: "cursor",
  toolEvents: { pre: ["preToolUse"], post: ["postToolUse", "postToolUseFailure"] },
  lifecycleAdapter: cursorLifecycle,
  toValue: ({ phase, command }) => ({
    command,
    timeout: AGENT_TIMEOUT_SECONDS,
    ...(isStrict(phase) ? { failClosed: true } : {}),
  }),
};

/** Whether Cursor must not go on without the hook's answer. */
function isStrict(phase: HookPhase): boolean {
  if (phase === "pre" || phase === "post") return phase === "pre";
  return isHeldAtStart(phase) && cursorLifecycle.powersAt(phase)?.holds === true;
}

/**
 * Cursor has its own notation for a user's variable. Any other notation stays text, and would reach the server
 * unchanged.
 */
function toCursorServers(servers: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(servers as Record<string, Server>).map(([name, server]) => [
      name,
      mapTexts(server, (text) => toCursorText(name, text)),
    ]),
  );
}

/** Changes each string of a server, wherever it is, but no names of fields. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((inner) => mapTexts(inner, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapTexts(inner, change)]));
}

function toCursorText(server: string, text: string): string {
  return text.replaceAll(/\$\{([A-Za-z_]\w*)(:-[^}]*)?\}/gu, (whole, name: string, fallback: string | undefined) => {
    if (fallback === undefined) return `\${env:${name}}`;
    throw new Problem(
      "DRWN_SERVER_REFUSED",
      `the MCP server \`${clean(server, 80)}\` has \`${clean(whole, 120)}\`, and Cursor has no defaults for variables`,
      { hint: advise`remove the card that brings it: \`${drwn("remove")}\` with its name` },
    );
  });
}
