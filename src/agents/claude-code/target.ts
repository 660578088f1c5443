import path from "node:path";
import { isManagedHome } from "../../contract/scopes.ts";
import { CLAUDE_CALLS } from "../../wiring/canary-call.ts";
import { findOtherHooks } from "../../wiring/entries/other-hooks.ts";
import { type HookEntry, planFiles, sharedEntries } from "../../wiring/entries/plan-entries.ts";
import {
  committedCommand,
  type HookCommand,
  hookCommand,
  hookStart,
  isCommittedCommand,
  isHeldAtStart,
  isHookCommand,
} from "../../wiring/launcher.ts";
import { planServers } from "../../wiring/servers.ts";
import {
  AGENT_TIMEOUT_SECONDS,
  type AgentContext,
  type HooksRequest,
  type PlannedHooks,
  type PolicyTrigger,
  type Target,
} from "../../wiring/target.ts";
import { askClaude, checkClaudeVersion, readClaudeVersion } from "./ask.ts";
import { checkClaudeSettings } from "./check.ts";
import {
  allowsManagedHooksOnly,
  checkManagedSettings,
  findManagedEntry,
  type ManagedPaths,
  managedHookStart,
  managedPaths,
  planClaudeManaged,
} from "./managed.ts";
import {
  claudeProjectSettingsFile,
  claudeSettingsFile,
  claudeSettingsRoot,
  claudeSkillsFolder,
  committedSettingsFile,
  projectServersFile,
} from "./paths.ts";
import { CLAUDE_EVENTS, CLAUDE_FORMAT, inspectClaudeSettings, wantedEvents } from "./read-settings.ts";
import { CLAUDE_TOOLS } from "./tools.ts";

export const claudeCodeTarget: Target = {
  runtime: "claude-code",
  tools: CLAUDE_TOOLS,
  events: CLAUDE_EVENTS,
  variables: {
    title: "Claude Code",
    file: /(?:^|\/)\.claude\/settings(?:\.local)?\.json$/u,
    findSwitch: (file) =>
      inspectClaudeSettings({ file, isOurs: () => false }).disablesAllHooks ? "disableAllHooks" : null,
  },
  planHooks,
  planManaged: (request) => planClaudeManaged(request, desiredEntries(request.home, request.policies)),
  committedEntry: ({ host, root }) => {
    const file = committedSettingsFile(root);
    return file !== claudeSettingsFile(host) && hasSharedEntry(file) ? file : null;
  },
  skillsFolder: claudeSkillsFolder,
  startsServers: "asks about each MCP server before it starts it; `claude -p` starts them unasked",
  planServers: (request) => planServers({ ...request, file: projectServersFile(request.root) }),
  check: ({ host, root, file }) => [
    ...checkClaudeSettings({ host, root, settingsFile: file }),
    ...checkManagedSettings(managedPathsOf(host), false),
  ],
  managedEntry: ({ host, policies }) => {
    const places = managedPathsOf(host);
    const file = findManagedEntry(places, desiredEntries(host.drwnHome, policies));
    if (file === null) return null;
    return { file, findings: checkManagedSettings(places, true) };
  },
  findBypasses: ({ host }) => [
    {
      message:
        "libraries that a user's environment, or `env` in a user's settings, makes the system load (LD_PRELOAD, LD_AUDIT, LD_LIBRARY_PATH) run in every hook, root's too",
      hint: 'give these variables the value "" in `env` of Claude Code\'s managed settings: that removes them for every user; only a sandbox around Claude Code keeps a library out of Claude Code itself',
    },
    ...(allowsManagedHooksOnly(managedPathsOf(host)) ? [] : [REWRITTEN]),
  ],
  checkBeside: (place) =>
    findOtherHooks({
      place,
      runtime: "claude-code",
      title: "Claude Code",
      format: CLAUDE_FORMAT,
      event: "PreToolUse",
      files: allowsManagedHooksOnly(managedPathsOf(place.host))
        ? []
        : [committedSettingsFile(place.root), claudeProjectSettingsFile(place.root)],
    }),
  question: {
    program: "claude",
    files: ({ file }) => [file],
    ask: async (request) => {
      const [version, said] = await Promise.all([readClaudeVersion(request.host.env), askClaude(request)]);
      const outdated = checkClaudeVersion(version);
      return { findings: [...outdated, ...said.findings], isAnswered: said.isAnswered || outdated.length > 0 };
    },
  },
  calls: { ...CLAUDE_CALLS, rootVariable: "CLAUDE_PROJECT_DIR" },
};

const REWRITTEN = {
  message: "a hook of a user or a repository can rewrite a call after root's policies have allowed it",
  hint: "set allowManagedHooksOnly in Claude Code's managed settings: then only hooks of the machine's owner run",
};

function managedPathsOf(host: AgentContext["host"]): ManagedPaths {
  const configFolder = path.dirname(claudeSettingsFile(host));
  return managedPaths({ platform: process.platform, user: host.env["USER"], configFolder });
}

function planHooks(request: HooksRequest): PlannedHooks {
  const { host, root, wiring, own, others, originalOf } = request;
  const { drwnHome: home } = host;
  const user = claudeSettingsFile(host);
  const personal = claudeProjectSettingsFile(root);
  const wired = [
    {
      settingsFile: user,
      root: claudeSettingsRoot(host),
      entries: desiredEntries(home, wiring === "user" ? [...own, ...others] : others),
    },
    { settingsFile: personal, root, entries: wiring === "project" ? desiredEntries(home, own, "line") : [] },
  ];
  const entries = wired.map((place) => ({
    ...place,
    format: CLAUDE_FORMAT,
    isOurs: (command: string) => isHookCommand(command, home),
    record: originalOf(place.settingsFile),
  }));
  return planFiles(wiring === "user" ? user : personal, [...entries, ...sharedEntry(request, user)]);
}

/**
 * The entry that everybody shares. If the home folder is a project, that file is the user's own settings, which get
 * none.
 */
function sharedEntry(request: HooksRequest, user: string) {
  const settingsFile = committedSettingsFile(request.root);
  if (settingsFile === user) return [];
  const handler = {
    type: "command",
    command: committedCommand("claude-code"),
    timeout: AGENT_TIMEOUT_SECONDS,
    onFailure: "block",
  };
  const entry = { event: "PreToolUse", value: { hooks: [handler] } };
  return sharedEntries(request, { format: CLAUDE_FORMAT, settingsFile, entry, isThere: hasSharedEntry(settingsFile) });
}

function hasSharedEntry(file: string): boolean {
  return inspectClaudeSettings({ file, isOurs: isCommittedCommand }).ours.length > 0;
}

/**
 * Claude Code starts the launcher itself, without a shell. Copilot CLI reads the settings of a project, too, and ignores
 * `args`: these have a line for a shell, which starts the same in both.
 */
function desiredEntries(
  home: string,
  policies: readonly PolicyTrigger[],
  form: "line" | "program" = "program",
): HookEntry[] {
  return wantedEvents(policies).map(({ event, phase }) => {
    const request: HookCommand = { home, runtime: "claude-code", phase };
    const start = isManagedHome(home)
      ? managedHookStart(request)
      : form === "line"
        ? { command: hookCommand(request) }
        : programOf(request);
    const handler = { type: "command", ...start, timeout: AGENT_TIMEOUT_SECONDS };
    const isStrict = phase === "pre" || isHeldAtStart(phase);
    return { event, value: { hooks: [isStrict ? { ...handler, onFailure: "block" } : handler] } };
  });
}

function programOf(request: HookCommand): { command: string; args: string[] } {
  const { program, args } = hookStart(request);
  return { command: program, args };
}
