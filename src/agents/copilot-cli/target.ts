import { createHash } from "node:crypto";
import path from "node:path";
import { type Finding, isProblem } from "../../kernel/problem.ts";
import type { HookFormat } from "../../wiring/entries/groups.ts";
import { findOtherHooks, pathsIn } from "../../wiring/entries/other-hooks.ts";
import { type EntryForm, planUserFile } from "../../wiring/entries/plan-entries.ts";
import { isObject, openJsonFile, valueAt } from "../../wiring/json-file.ts";
import { fallbackAnswerAt, type HookPhase } from "../../wiring/launcher.ts";
import { checkProgramVersion } from "../../wiring/program-version.ts";
import {
  AGENT_TIMEOUT_SECONDS,
  type CheckRequest,
  type HooksRequest,
  type PlannedHooks,
  type Target,
} from "../../wiring/target.ts";
import { judgeEvents, judgeTools } from "../../wiring/tool-effects.ts";
import { copilotCli, copilotLifecycle } from "./adapter.ts";
import { copilotPlaces } from "./paths.ts";

const COPILOT_TOOLS = judgeTools(copilotCli.canonicalTools, {
  "runs a command": ["powershell", "write_bash", "write_powershell"],
  // An extension runs the workflow that the last one writes.
  writes: ["apply_patch", "store_memory", "dynamic_workflows_manage"],
  "uses the network": ["fetch_copilot_cli_documentation"],
  "starts an agent": ["manage_schedule", "run_dynamic_workflow", "write_agent"],
  "speaks with a person": ["ask_user", "exit_plan_mode", "report_intent"],
  nothing: [
    ...["list_agents", "list_bash", "read_agent", "read_bash", "stop_bash", "task_complete", "update_todo"],
    ...["context_board", "read_inbox", "send_inbox", "session_store_sql", "sql"],
    ...["generic_tool_search", "tool_search_tool"],
  ],
});

const COPILOT_EVENTS = judgeEvents(copilotLifecycle, ["preToolUse"], {
  "nothing: it sets `_meta` of an MCP call, which preToolUse has before that": ["preMcpToolCall"],
  "nothing: it is only for programs that embed Copilot CLI": ["postResult", "prePRDescription"],
});

const PROGRAM = { title: "Copilot CLI", program: "copilot", from: "@github/copilot", tried: "1.0.102" };

export const copilotCliTarget: Target = {
  runtime: "copilot-cli",
  tools: COPILOT_TOOLS,
  events: COPILOT_EVENTS,
  planHooks,
  skillsFolder: (root) => path.join(root, ".agents", "skills"),
  // Copilot CLI reads the project's `.mcp.json`, and no other file if that one exists.
  serversOf: "claude-code",
  startsServers: "starts MCP servers in a folder that you trust, without asking about each",
  planServers: () => null,
  // The user's other hooks change nothing that drwn's hook judges: measured with 1.0.102.
  checkBeside: (place) =>
    findOtherHooks({
      place,
      runtime: "copilot-cli",
      title: PROGRAM.title,
      format: COPILOT_FORMAT,
      event: "preToolUse",
      files: pathsIn(path.join(place.root, ".github", "hooks")),
    }),
  check: (request) => [...checkCopilot(request), ...checkProgramVersion(PROGRAM, request.host.env)],
  refusalAt: copilotRefusalAt,
  calls: {
    events: ["preToolUse", "postToolUse"],
    fields: ({ tool, input, root, session }) => ({ sessionId: session, cwd: root, toolName: tool, toolArgs: input }),
    result: { toolResult: { resultType: "success", textResultForLlm: "" } },
    rootVariable: "COPILOT_PROJECT_DIR",
  },
};

/** drwn doesn't use the project's `.github`, which is committed. */
function planHooks(request: HooksRequest): PlannedHooks {
  const settingsFile = copilotPlaces.entry(request.host);
  return planUserFile(request, { format: COPILOT_FORMAT, settingsFile, form: FORM });
}

/** Copilot CLI ignores a hook that ends with an error, except before a tool call. */
const FORM: EntryForm = {
  runtime: "copilot-cli",
  toolEvents: { pre: ["preToolUse"], post: ["postToolUse", "postToolUseFailure"] },
  lifecycleAdapter: copilotLifecycle,
  fallbackAnswerAt: copilotRefusalAt,
  toValue: ({ command }) => ({
    type: "command",
    bash: command,
    timeoutSec: AGENT_TIMEOUT_SECONDS,
  }),
};

function copilotRefusalAt(phase: HookPhase): string | undefined {
  return fallbackAnswerAt(copilotLifecycle, phase);
}

/** Settings of the machine's owner that users cannot change. Nobody has tried where a Mac keeps them. */
const MANAGED_SETTINGS = "/etc/github-copilot/managed-settings.json";

/**
 * Finds what keeps Copilot CLI from running the hook. A project can switch off its users' hooks with any of these
 * files.
 */
export function checkCopilot({ root, file }: CheckRequest, managed = MANAGED_SETTINGS): Finding[] {
  const files = [
    file,
    ...[".github/copilot", ".claude"].flatMap((folder) => [
      path.join(root, folder, "settings.json"),
      path.join(root, folder, "settings.local.json"),
    ]),
  ];
  const settings = path.join(path.dirname(file), "..", "settings.json");
  return [
    ...files.flatMap((one) => checkFile(one, checkSwitch)),
    ...checkFile(settings, (_, text) => checkDisabled(settings, text, file)),
    ...checkFile(managed, checkManaged),
  ];
}

function checkFile(file: string, check: (file: string, text: string) => Finding[]): Finding[] {
  try {
    return check(file, openJsonFile({ root: path.parse(file).root, file }).text);
  } catch (error) {
    if (!isProblem(error)) throw error;
    const { message } = error;
    return [{ code: "settings-unreadable", severity: "error", subject: file, message, hint: `correct ${file}` }];
  }
}

function checkSwitch(file: string, text: string): Finding[] {
  if (valueAt(text, ["disableAllHooks"]) !== true) return [];
  const message = "`disableAllHooks` keeps Copilot CLI from running drwn's hook";
  const hint = `take disableAllHooks out of ${file}`;
  return [{ code: "hooks-disabled", severity: "error", subject: file, message, hint }];
}

/**
 * Finds hooks that somebody turned off one by one. Copilot CLI remembers their content, so any change to an entry turns
 * it on again.
 */
function checkDisabled(settings: string, text: string, file: string): Finding[] {
  const disabled = valueAt(text, ["disabledHooks"]);
  if (!Array.isArray(disabled)) return [];
  return checkFile(file, (_, entries) => {
    const off = handlersIn(entries).filter(([event, handler]) => disabled.includes(disableKey(event, handler)));
    return off.map(([event]) => ({
      code: "hooks-disabled",
      severity: "error",
      subject: settings,
      message: `\`disabledHooks\` keeps Copilot CLI from running drwn's hook (${event})`,
      hint: `turn it on again in Copilot CLI, or take disabledHooks out of ${settings}`,
    }));
  });
}

function handlersIn(text: string): [event: string, handler: Record<string, unknown>][] {
  const hooks = valueAt(text, ["hooks"]);
  if (!isObject(hooks)) return [];
  return Object.entries(hooks).flatMap(([event, handlers]) =>
    (Array.isArray(handlers) ? handlers : []).flatMap((one) => (isObject(one) ? [[event, one] as const] : [])),
  ) as [string, Record<string, unknown>][];
}

/** The key that Copilot CLI 1.0.102 computes, whatever the order of the fields in the file. */
function disableKey(event: string, { type, bash, timeoutSec, matcher }: Record<string, unknown>): string {
  return createHash("sha256")
    .update(`${event}\0${JSON.stringify({ type, bash, timeoutSec, matcher })}`)
    .digest("hex");
}

const LOCK = "strictPluginOnlyCustomization";

function checkManaged(file: string, text: string): Finding[] {
  const locked = valueAt(text, [LOCK]);
  const said = [
    ...(valueAt(text, ["allowManagedHooksOnly"]) === true ? ["allowManagedHooksOnly"] : []),
    ...(locked === true || (Array.isArray(locked) && locked.includes("hooks")) ? [LOCK] : []),
  ];
  return said.map((name) => ({
    code: "hooks-managed",
    severity: "error",
    subject: file,
    message: `the settings that manage this machine: \`${name}\` keeps Copilot CLI from running hooks of users and projects`,
    hint: "ask whoever manages this machine to allow it",
  }));
}

/** A Copilot CLI hooks file, which must name its version. Copilot CLI ignores unknown events. */
const COPILOT_FORMAT: HookFormat = {
  events: new Set(Object.keys(COPILOT_EVENTS)),
  items: "handlers",
  commands: ["bash", "command"],
  // Copilot CLI ignores a file without it.
  requiredFields: { path: ["version"], value: 1 },
};
