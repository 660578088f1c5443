import { isManagedHome } from "../../contract/scopes.ts";
import { CLAUDE_CALLS } from "../../wiring/canary-call.ts";
import { findOtherHooks } from "../../wiring/entries/other-hooks.ts";
import { planUserFile } from "../../wiring/entries/plan-entries.ts";
import { checkProgramVersion } from "../../wiring/program-version.ts";
import { planServers } from "../../wiring/servers.ts";
import type { CheckRequest, HooksRequest, PlannedHooks, Target } from "../../wiring/target.ts";
import { judgeTools } from "../../wiring/tool-effects.ts";
import { geminiCli } from "./adapter.ts";
import { checkGemini, GEMINI_HOOK_NAME, type GeminiSettings } from "./check.ts";
import { GEMINI_EVENTS, GEMINI_FORMAT, geminiFallbackAnswerAt, geminiForm } from "./entries.ts";
import { findGeminiBypasses, findGeminiEntry, planGeminiManaged } from "./managed.ts";
import { geminiProjectSettingsFile, geminiSettingsFile, geminiSkillsFolder, systemSettingsFiles } from "./paths.ts";

const GEMINI_TOOLS = judgeTools(geminiCli.canonicalTools, {
  reads: ["get_internal_docs", "list_mcp_resources", "read_many_files", "read_mcp_resource"],
  writes: ["save_memory"],
  "uses the network": ["take_snapshot"],
  "speaks with a person": ["ask_user", "enter_plan_mode", "exit_plan_mode"],
  nothing: [
    "complete_task",
    "list_background_processes",
    "read_background_output",
    "tracker_add_dependency",
    "tracker_create_task",
    "tracker_get_task",
    "tracker_list_tasks",
    "tracker_update_task",
    "tracker_visualize",
    "update_topic",
  ],
});

const PROGRAM = { title: "Gemini CLI", program: "gemini", from: "@google/gemini-cli", tried: "0.61.0" };

export const geminiCliTarget: Target = {
  runtime: "gemini-cli",
  tools: GEMINI_TOOLS,
  events: GEMINI_EVENTS,
  variables: { title: PROGRAM.title, file: /(?:^|\/)\.env$/u, above: ".gemini/.env" },
  planHooks,
  planManaged: planGeminiManaged,
  // drwn doesn't know whether the owner's file holds a user's entry.
  managedEntry: ({ host, policies }) =>
    isManagedHome(host.drwnHome) ? findGeminiEntry(host.drwnHome, policies) : null,
  findBypasses: findGeminiBypasses,
  skillsFolder: geminiSkillsFolder,
  startsServers: "starts MCP servers in a folder that you trust, without asking about each",
  planServers: ({ servers, ...request }) =>
    planServers({
      ...request,
      extras: "comments",
      servers: toGeminiServers(servers),
      file: geminiProjectSettingsFile(request.root),
    }),
  checkBeside: (place) =>
    findOtherHooks({
      place,
      runtime: "gemini-cli",
      title: PROGRAM.title,
      format: GEMINI_FORMAT,
      event: "BeforeTool",
      files: [geminiProjectSettingsFile(place.root)],
    }),
  check: ({ host, root, file }) => [
    ...checkGemini(settingsThatHold({ host, root, file }), host.drwnHome),
    ...checkProgramVersion(PROGRAM, host.env),
  ],
  refusalAt: geminiFallbackAnswerAt,
  calls: {
    ...CLAUDE_CALLS,
    events: ["BeforeTool", "AfterTool"],
    result: { tool_response: { llmContent: "", returnDisplay: "" } },
    rootVariable: "GEMINI_PROJECT_DIR",
  },
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

/** Only the user's own settings: those of a project are committed, and run only in folders that the user trusts. */
function planHooks(request: HooksRequest): PlannedHooks {
  const settingsFile = geminiSettingsFile(request.host);
  return planUserFile(request, { format: GEMINI_FORMAT, settingsFile, form: FORM });
}

const FORM = geminiForm({ name: GEMINI_HOOK_NAME });

/** Other agents have a `type`; Gemini CLI has a field for each way to reach a server. */
export function toGeminiServers(servers: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, toGemini(server)]));
}

function toGemini(server: unknown): unknown {
  if (typeof server !== "object" || server === null) return server;
  const { type, url, ...rest } = server as Record<string, unknown>;
  if (url === undefined) return rest;
  return { ...(type === "sse" ? { url } : { httpUrl: url }), ...rest };
}
