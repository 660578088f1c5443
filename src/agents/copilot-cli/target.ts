import path from "node:path";
import { findOtherHooks, pathsIn } from "../../wiring/entries/other-hooks.ts";
import { planUserFile } from "../../wiring/entries/user-file.ts";
import type { EntryForm } from "../../wiring/entries/wanted-entries.ts";
import { fallbackAnswerAt } from "../../wiring/fallback-answer.ts";
import type { HookPhase } from "../../wiring/launcher.ts";
import { AGENT_TIMEOUT_SECONDS } from "../../wiring/policy-triggers.ts";
import { checkProgramVersion } from "../../wiring/program-version.ts";
import type { HooksRequest, PlannedHooks, Target } from "../../wiring/target.ts";
import { copilotCli } from "./adapter/copilot-cli-calls.ts";
import { copilotLifecycle } from "./adapter/copilot-cli-lifecycle.ts";
import { checkCopilot } from "./check.ts";
import { COPILOT_FORMAT } from "./format.ts";
import { copilotHome } from "./paths.ts";

const COPILOT_TOOLS = [
  ...Object.entries(copilotCli.canonicalTools).flat(),
  "apply_patch",
  "ask_user",
  "list_agents",
  "list_bash",
  "powershell",
  "read_agent",
  "read_bash",
  "report_intent",
  "sql",
  "stop_bash",
  "store_memory",
  "update_todo",
  "write_agent",
  "write_bash",
  "write_powershell",
];

const PROGRAM = { title: "Copilot CLI", program: "copilot", from: "@github/copilot", tried: "1.0.102" };

export const copilotCliTarget: Target = {
  runtime: "copilot-cli",
  tools: COPILOT_TOOLS,
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

/**
 * A file of drwn's own beside other hooks files: Copilot CLI reads them all. drwn doesn't use the project's `.github`,
 * which is committed.
 */
function planHooks(request: HooksRequest): PlannedHooks {
  const settingsFile = path.join(copilotHome(request.host), "hooks", "drwn.json");
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
