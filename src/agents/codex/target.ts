import { drwn } from "../../kernel/advice.ts";
import { type Finding, Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { CLAUDE_CALLS } from "../../wiring/canary-call.ts";
import { findOtherHooks } from "../../wiring/entries/other-hooks.ts";
import { type HookEntry, planFiles } from "../../wiring/entries/plan-entries.ts";
import { isSamePath } from "../../wiring/file-location.ts";
import { type HookPhase, hookCommand, isHookCommand } from "../../wiring/launcher.ts";
import {
  AGENT_TIMEOUT_SECONDS,
  type AgentContext,
  type HooksRequest,
  type PlannedHooks,
  type PolicyTrigger,
  type Target,
  wantedLifecycleEvents,
} from "../../wiring/target.ts";
import { judgeTools } from "../../wiring/tool-effects.ts";
import { codex, codexLifecycle } from "./adapter.ts";
import { areOthersOff, checkCodex, checkCodexFiles, checkCodexSwitches, codexConfigs } from "./check.ts";
import { findRequiredEntry, planCodexManaged, requirementsFile } from "./managed.ts";
import { codexHooksFile, codexHooksRoot, codexProjectHooksFile, codexSkillsFolder } from "./paths.ts";
import { planCodexServers } from "./servers.ts";
import { CODEX_EVENTS, CODEX_FORMAT, hooksFeature } from "./settings.ts";

/** Codex's shell and patches by the names that policies know, and the names that the model uses. */
const CODEX_TOOLS = judgeTools(codex.canonicalTools, {
  "runs a command": ["write_stdin"],
  reads: ["list_mcp_resource_templates", "list_mcp_resources", "read_mcp_resource", "view_image"],
  writes: ["Edit", "Write", "apply_patch"],
  "uses the network": ["web_search"],
  // Hooks get the calls that come of them.
  "starts an agent": ["followup_task", "resume_agent", "send_input", "send_message", "spawn_agent"],
  "speaks with a person": ["request_user_input", "request_user_input_async", "send_message_to_user_async"],
  nothing: [
    ...["clock__curr_time", "close_agent", "create_goal", "get_goal", "interrupt_agent", "list_agents", "sleep"],
    ...["tool_search", "update_goal", "update_plan", "wait", "wait_agent"],
    // A program that calls the others: hooks get these calls.
    "exec",
  ],
});

export const codexTarget: Target = {
  runtime: "codex",
  tools: CODEX_TOOLS,
  events: CODEX_EVENTS,
  variables: {
    title: "Codex",
    file: /(?:^|\/)\.codex\/config\.toml$/u,
    findSwitch: (file) => (hooksFeature(file) === false ? "[features] hooks" : null),
  },
  unasked: { what: "Codex asks no hook about text that it types into a running shell (`write_stdin`)", like: "Bash" },
  planHooks,
  planManaged: (request) =>
    planCodexManaged(request, request.policies.length === 0 ? [] : entriesFor(request.home, request.policies)),
  skillsFolder: codexSkillsFolder,
  startsServers: "starts MCP servers in a folder that you trust, without asking about each",
  planServers: planCodexServers,
  managedEntry: ({ host, root, policies }) => {
    const file = findRequiredEntry(entriesFor(host.drwnHome, policies));
    return file === null ? null : { file, findings: checkOwners({ host, root }) };
  },
  findBypasses: () => [
    {
      message:
        "a user who sets BASH_ENV, LD_PRELOAD or PATH in the environment can run code of their own before every hook, root's too",
      hint: "only a sandbox around the agent, or an environment that its user cannot set, prevents that",
    },
    {
      message: "another process of the user's can kill a hook or write into its answer, and Codex then runs the call",
      hint: "only a sandbox that keeps what the agent starts away from its user's other processes prevents that",
    },
    ...(areOthersOff() ? [] : [REWRITTEN]),
  ],
  checkBeside: (place) =>
    findOtherHooks({
      place,
      runtime: "codex",
      title: "Codex",
      format: CODEX_FORMAT,
      event: "PreToolUse",
      files: areOthersOff() ? [] : [codexProjectHooksFile(place.root)],
    }),
  // Asking the program itself tells more.
  check: (request) => {
    if (request.file === requirementsFile()) return checkOwners(request);
    return request.isAsked ? [] : checkCodexFiles(request);
  },
  question: {
    program: "codex",
    files: ({ host, root, file }) => [file, ...codexConfigs({ host, root })],
    ask: checkCodex,
  },
  calls: CLAUDE_CALLS,
};

/** Finds what undoes even the entries of the machine's owner. */
function checkOwners({ host, root }: AgentContext): Finding[] {
  return checkCodexSwitches({ host, root });
}

const REWRITTEN = {
  message: "a hook of a user can rewrite a call after root's policies have allowed it",
  hint: "set allow_managed_hooks_only = true in /etc/codex/requirements.toml: then only hooks of the machine's owner run",
};

/**
 * Codex remembers the hooks that a person trusts by file, event, position and text. So an entry comes after everybody
 * else's, with one text for every project and version of drwn. A person reviews it once for each machine, and once more
 * for each event that a policy is the first to want.
 */
function planHooks({ host, root, wiring, own, others, originalOf }: HooksRequest): PlannedHooks {
  const { drwnHome: home } = host;
  const user = codexHooksFile(host);
  const personal = codexProjectHooksFile(root);
  // If the home folder is a project, this file holds the user's own hooks, and is wired as such.
  const isOneFile = isSamePath(user, personal);
  if (isOneFile && wiring === "project" && own.length > 0) {
    throw new Problem("DRWN_TARGET_OCCUPIED", `${clean(personal)} holds the user's own hooks for Codex`, {
      hint: drwn("write", "--no-project"),
    });
  }
  const wired = [
    {
      settingsFile: user,
      root: codexHooksRoot(host),
      policies: wiring === "user" ? [...own, ...others] : others,
      isWanted: others.length > 0 || (wiring === "user" && own.length > 0),
    },
    ...(isOneFile
      ? []
      : [{ settingsFile: personal, root, policies: own, isWanted: wiring === "project" && own.length > 0 }]),
  ];
  const entries = wired.map(({ policies, isWanted, ...place }) => ({
    ...place,
    format: CODEX_FORMAT,
    entries: isWanted ? entriesFor(home, policies) : [],
    isOurs: (command: string) => isHookCommand(command, home),
    record: originalOf(place.settingsFile),
  }));
  return planFiles(wiring === "user" ? user : personal, entries);
}

/** The entry before a call is always there; every other is one more thing for a person to trust, if a policy wants it. */
function entriesFor(home: string, policies: readonly PolicyTrigger[]): HookEntry[] {
  const tools: [HookPhase, string][] = [["pre", "PreToolUse"]];
  if (policies.some(({ phases }) => phases.includes("post-tool"))) tools.push(["post", "PostToolUse"]);
  const lifecycleAdapter = wantedLifecycleEvents(codexLifecycle, policies);
  return [...tools, ...lifecycleAdapter].map(([phase, event]) => entryOf(home, { phase, event }));
}

function entryOf(home: string, { phase, event }: { phase: HookPhase; event: string }): HookEntry {
  const command = hookCommand({ home, runtime: "codex", phase });
  return {
    event,
    value: { hooks: [{ type: "command", command, timeout: AGENT_TIMEOUT_SECONDS }] },
  };
}
