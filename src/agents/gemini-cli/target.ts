import fs from "node:fs";
import path from "node:path";
import type { HookEntry } from "../../wiring/entries/plan-entries.ts";
import { planUserFile } from "../../wiring/entries/user-file.ts";
import { wantedTools } from "../../wiring/entries/wanted-tools.ts";
import { type EntryManners, type HookPhase, hookCommand } from "../../wiring/launcher.ts";
import { refusalOf } from "../../wiring/refusal.ts";
import { planServers } from "../../wiring/servers.ts";
import type { CheckRequest, HooksRequest, PlannedHooks, Target } from "../../wiring/target.ts";
import { AGENT_TIMEOUT_SECONDS, type WantingPolicy, wantedMoments } from "../../wiring/wanted.ts";
import { checkProgramVersion } from "../live/program-version.ts";
import { geminiCli } from "./adapter/calls.ts";
import { geminiMoments } from "./adapter/moments.ts";
import { checkGemini, GEMINI_HOOK_NAME, type GeminiSettings } from "./check.ts";
import { GEMINI_FORMAT } from "./format.ts";
import { runGeminiLive } from "./live.ts";
import { geminiProjectSettingsFile, geminiSettingsFile, geminiSkillsFolder, systemSettingsFiles } from "./places.ts";
import { toGeminiServers } from "./servers.ts";

const GEMINI_TOOLS = [
  ...Object.entries(geminiCli.canonicalTools).flat(),
  "ask_user",
  "enter_plan_mode",
  "exit_plan_mode",
  "get_internal_docs",
  "read_many_files",
  "save_memory",
];

const PROGRAM = { title: "Gemini CLI", program: "gemini", from: "@google/gemini-cli", tried: "0.61.0" };

export const geminiCliTarget: Target = {
  runtime: "gemini-cli",
  tools: GEMINI_TOOLS,
  isInUse: ({ host, root }) =>
    fs.existsSync(path.dirname(geminiSettingsFile(host))) || fs.existsSync(path.join(root, ".gemini")),
  planHooks,
  skillsFolder: geminiSkillsFolder,
  startsServers: "starts MCP servers in a folder that you trust, without asking about each",
  planServers: ({ servers, ...request }) =>
    planServers({ ...request, servers: toGeminiServers(servers), file: geminiProjectSettingsFile(request.root) }),
  check: async ({ host, root, file }) => [
    ...checkGemini(settingsThatHold({ host, root, file }), host.drwnHome),
    ...checkProgramVersion(PROGRAM, host.env),
  ],
  mannersAt,
  live: { run: runGeminiLive },
  canaryCall: (root, tool, { input, phase } = { input: {}, phase: "pre-tool" }) => ({
    event: {
      hook_event_name: phase === "pre-tool" ? "BeforeTool" : "AfterTool",
      tool_name: tool,
      tool_input: input,
      ...(phase === "pre-tool" ? {} : { tool_response: { llmContent: "", returnDisplay: "" } }),
      cwd: root,
      session_id: "drwn-doctor",
    },
    env: { GEMINI_PROJECT_DIR: root },
  }),
};

function settingsThatHold({ host, root, file }: CheckRequest): GeminiSettings {
  const { settings, defaults } = systemSettingsFiles(host);
  return [
    { file: defaults, isManaged: true },
    { file, isManaged: false },
    { file: geminiProjectSettingsFile(root), isManaged: false },
    { file: settings, isManaged: true },
  ];
}

/** The user's own settings alone: those of a project are committed, and run in folders that the user trusts only. */
function planHooks(request: HooksRequest): PlannedHooks {
  const { host, own, others } = request;
  return planUserFile(request, {
    format: GEMINI_FORMAT,
    settingsFile: geminiSettingsFile(host),
    entries: desiredEntries(host.drwnHome, [...own, ...others]),
  });
}

function desiredEntries(home: string, policies: readonly WantingPolicy[]): HookEntry[] {
  const events = [
    ["BeforeTool", "pre-tool", "pre"],
    ["AfterTool", "post-tool", "post"],
  ] as const;
  const tools = events.flatMap(([event, wants, phase]) => {
    const names = wantedTools(policies, wants, geminiCli);
    if (names === undefined) return [];
    const matcher = names === null ? {} : { matcher: `^(?:${names.join("|")})$` };
    return [{ event, value: { ...matcher, hooks: [handlerOf(home, phase)] } }];
  });
  const moments = wantedMoments(geminiMoments, policies).map(([phase, event]) => ({
    event,
    value: { hooks: [handlerOf(home, phase)] },
  }));
  return [...tools, ...moments];
}

/** Gemini CLI counts in milliseconds. */
function handlerOf(home: string, phase: HookPhase): Record<string, unknown> {
  const command = hookCommand({ home, runtime: "gemini-cli", phase, ...mannersAt(phase) });
  return { type: "command", name: GEMINI_HOOK_NAME, command, timeout: AGENT_TIMEOUT_SECONDS * 1_000 };
}

function mannersAt(phase: HookPhase): EntryManners {
  const refusal = refusalOf(geminiMoments, phase);
  return refusal === null ? {} : { refusal };
}
