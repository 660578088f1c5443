import fs from "node:fs";
import path from "node:path";
import { type EntryManners, type HookPhase, hookCommand } from "../../materialize/launcher.ts";
import { planServers } from "../../materialize/targets/servers.ts";
import { AGENT_TIMEOUT_SECONDS, type WantingPolicy, wantedMoments } from "../../materialize/wanted.ts";
import type { HookEntry } from "../hook-file/plan-entries.ts";
import { planUserFile } from "../hook-file/user-file.ts";
import { wantedTools } from "../hook-file/wanted-tools.ts";
import { checkProgramVersion } from "../program-version.ts";
import { refusalOf } from "../refusal.ts";
import type { CheckRequest, HooksRequest, PlannedHooks, Target } from "../target.ts";
import { geminiCli } from "./adapter.ts";
import { geminiMoments } from "./adapter-moments.ts";
import { checkGemini, type GeminiSettings, HOOK_NAME } from "./check.ts";
import { GEMINI_FORMAT } from "./format.ts";
import { runGeminiLive } from "./live.ts";
import { geminiSettingsFile, projectSettingsFile, projectSkillsFolder, systemSettingsFiles } from "./places.ts";
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
  skillsFolder: projectSkillsFolder,
  startsServers: "starts MCP servers in a folder that you trust, without asking about each",
  planServers: ({ servers, ...request }) =>
    planServers({ ...request, servers: toGeminiServers(servers), file: projectSettingsFile(request.root) }),
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
    env: { CLAUDE_PROJECT_DIR: root, GEMINI_PROJECT_DIR: root },
  }),
};

function settingsThatHold({ host, root, file }: CheckRequest): GeminiSettings {
  const { settings, defaults } = systemSettingsFiles(host);
  return [
    { file: defaults, isManaged: true },
    { file, isManaged: false },
    { file: projectSettingsFile(root), isManaged: false },
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
  return { type: "command", name: HOOK_NAME, command, timeout: AGENT_TIMEOUT_SECONDS * 1_000 };
}

function mannersAt(phase: HookPhase): EntryManners {
  const refusal = refusalOf(geminiMoments, phase);
  return refusal === null ? {} : { refusal };
}
