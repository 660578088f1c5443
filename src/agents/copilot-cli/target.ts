import fs from "node:fs";
import path from "node:path";
import type { HookEntry } from "../../wiring/entries/plan-entries.ts";
import { planUserFile } from "../../wiring/entries/user-file.ts";
import { wantedTools } from "../../wiring/entries/wanted-tools.ts";
import { type EntryManners, type HookPhase, hookCommand } from "../../wiring/launcher.ts";
import { refusalOf } from "../../wiring/refusal.ts";
import type { AgentPlace, HooksRequest, PlannedHooks, Target } from "../../wiring/target.ts";
import { AGENT_TIMEOUT_SECONDS, type WantingPolicy, wantedMoments } from "../../wiring/wanted.ts";
import { checkProgramVersion } from "../live/program-version.ts";
import { copilotCli } from "./adapter/calls.ts";
import { copilotMoments } from "./adapter/moments.ts";
import { checkCopilot } from "./check.ts";
import { COPILOT_FORMAT } from "./format.ts";
import { runCopilotLive } from "./live.ts";

const COPILOT_TOOLS = [
  ...Object.entries(copilotCli.canonicalTools).flat(),
  "apply_patch",
  "ask_user",
  "list_agents",
  "list_bash",
  "read_agent",
  "read_bash",
  "report_intent",
  "sql",
  "stop_bash",
  "store_memory",
  "update_todo",
  "write_agent",
  "write_bash",
];

const PROGRAM = { title: "Copilot CLI", program: "copilot", from: "@github/copilot", tried: "1.0.102" };

export const copilotCliTarget: Target = {
  runtime: "copilot-cli",
  tools: COPILOT_TOOLS,
  isInUse: ({ host, root }) => fs.existsSync(copilotHome(host)) || fs.existsSync(path.join(root, ".github", "copilot")),
  planHooks,
  skillsFolder: (root) => path.join(root, ".agents", "skills"),
  // It reads the project's `.mcp.json`, and with that one there no other.
  serversOf: "claude-code",
  startsServers: "starts MCP servers in a folder that you trust, without asking about each",
  planServers: () => null,
  check: async (request) => [...checkCopilot(request), ...checkProgramVersion(PROGRAM, request.host.env)],
  mannersAt,
  live: { run: runCopilotLive },
  canaryCall: (root, tool, { input, phase } = { input: {}, phase: "pre-tool" }) => ({
    event: {
      sessionId: "drwn-doctor",
      cwd: root,
      toolName: tool,
      toolArgs: input,
      ...(phase === "pre-tool" ? {} : { toolResult: { resultType: "success", textResultForLlm: "" } }),
    },
    env: { COPILOT_PROJECT_DIR: root },
  }),
};

/** `$COPILOT_HOME`, else `~/.copilot`. */
function copilotHome({ env, home }: AgentPlace["host"]): string {
  return path.resolve(home, env["COPILOT_HOME"] || ".copilot");
}

/** A file of drwn beside those of others: Copilot CLI reads them all. What a project has in `.github` is committed. */
function planHooks(request: HooksRequest): PlannedHooks {
  const { host, own, others } = request;
  return planUserFile(request, {
    format: COPILOT_FORMAT,
    settingsFile: path.join(copilotHome(host), "hooks", "drwn.json"),
    entries: desiredEntries(host.drwnHome, [...own, ...others]),
  });
}

const EVENTS = [
  { event: "preToolUse", phase: "pre", wants: "pre-tool" },
  { event: "postToolUse", phase: "post", wants: "post-tool" },
  { event: "postToolUseFailure", phase: "post", wants: "post-tool" },
] as const;

function desiredEntries(home: string, policies: readonly WantingPolicy[]): HookEntry[] {
  const tools = EVENTS.flatMap(({ event, phase, wants }) => {
    const names = wantedTools(policies, wants, copilotCli);
    if (names === undefined) return [];
    return [entryOf(home, { event, phase, more: names === null ? {} : { matcher: matcherOf(names) } })];
  });
  const moments = wantedMoments(copilotMoments, policies).map(([phase, event]) =>
    entryOf(home, { event, phase, more: {} }),
  );
  return [...tools, ...moments];
}

interface Entry {
  event: string;
  phase: HookPhase;
  more: object;
}

/** But before a tool call, whoever ends with an error is passed over. */
function entryOf(home: string, { event, phase, more }: Entry): HookEntry {
  const command = { home, runtime: "copilot-cli", phase, ...mannersAt(phase) } as const;
  return { event, value: { type: "command", bash: hookCommand(command), timeoutSec: AGENT_TIMEOUT_SECONDS, ...more } };
}

/** Calls that come to those of other tools are reported whatever is wanted. */
function matcherOf(tools: readonly string[]): string {
  return `^(?:${[...new Set([...tools, "apply_patch", "write_bash"])].sort().join("|")})$`;
}

function mannersAt(phase: HookPhase): EntryManners {
  const refusal = refusalOf(copilotMoments, phase);
  return refusal === null ? {} : { refusal };
}
