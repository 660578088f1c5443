import path from "node:path";
import { isSystemHome } from "../../contract/system-home.ts";
import { CLAUDE_CALLS } from "../../wiring/canary-call.ts";
import type { Change } from "../../wiring/changes.ts";
import { findHooksBeside } from "../../wiring/entries/hooks-beside.ts";
import { type HookEntry, planEntries } from "../../wiring/entries/plan-entries.ts";
import type { JsonOrigin } from "../../wiring/json-edit.ts";
import {
  type HookCommand,
  hookCommand,
  hookStart,
  isHeldAtStart,
  isHookCommand,
  isSharedCommand,
  sharedCommand,
} from "../../wiring/launcher.ts";
import { planServers } from "../../wiring/servers.ts";
import type { AgentPlace, HooksRequest, PlannedHooks, Target } from "../../wiring/target.ts";
import { AGENT_TIMEOUT_SECONDS, type WantingPolicy } from "../../wiring/wanted.ts";
import { askClaude } from "./ask.ts";
import { checkClaudeSettings } from "./check.ts";
import { CLAUDE_FORMAT, inspectClaudeSettings } from "./inspect.ts";
import { allowsManagedHooksOnly, checkManagedSettings } from "./managed.ts";
import { findManagedEntry } from "./managed-entry.ts";
import { type ManagedPlaces, managedPlaces } from "./managed-places.ts";
import {
  claudeProjectSettingsFile,
  claudeSettingsFile,
  claudeSettingsRoot,
  claudeSkillsFolder,
  projectServersFile,
  sharedSettingsFile,
} from "./places.ts";
import { checkClaudeVersion, readClaudeVersion } from "./program.ts";
import { planClaudeSystem, rootsStart } from "./system.ts";
import { CLAUDE_TOOLS } from "./tools.ts";
import { wantedEvents } from "./wanted-events.ts";

export const claudeCodeTarget: Target = {
  runtime: "claude-code",
  tools: CLAUDE_TOOLS,
  planHooks,
  planSystem: (request) => planClaudeSystem(request, desiredEntries(request.home, request.policies)),
  committedEntry: ({ host, root }) => {
    const file = sharedSettingsFile(root);
    return file !== claudeSettingsFile(host) && hasSharedEntry(file) ? file : null;
  },
  skillsFolder: claudeSkillsFolder,
  startsServers: "asks about each MCP server before it starts it; `claude -p` starts them unasked",
  planServers: (request) => planServers({ ...request, file: projectServersFile(request.root) }),
  check: ({ host, root, file }) => [
    ...checkClaudeSettings({ host, root, settingsFile: file }),
    ...checkManagedSettings(managedPlacesOf(host), false),
  ],
  ownersEntry: ({ host, policies }) => {
    const places = managedPlacesOf(host);
    const file = findManagedEntry(places, desiredEntries(host.drwnHome, policies));
    if (file === null) return null;
    return { file, findings: checkManagedSettings(places, true) };
  },
  waysRound: ({ host }) => [
    {
      message:
        "libraries that a user's environment, or `env` in a user's settings, makes the system load (LD_PRELOAD, LD_AUDIT, LD_LIBRARY_PATH) run in every hook, root's too",
      hint: 'give these variables the value "" in `env` of Claude Code\'s managed settings: that removes them for every user; only a sandbox around Claude Code keeps a library out of Claude Code itself',
    },
    ...(allowsManagedHooksOnly(managedPlacesOf(host)) ? [] : [REWRITTEN]),
  ],
  checkBeside: (place) =>
    findHooksBeside({
      place,
      runtime: "claude-code",
      title: "Claude Code",
      format: CLAUDE_FORMAT,
      event: "PreToolUse",
      files: allowsManagedHooksOnly(managedPlacesOf(place.host))
        ? []
        : [sharedSettingsFile(place.root), claudeProjectSettingsFile(place.root)],
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

function managedPlacesOf(host: AgentPlace["host"]): ManagedPlaces {
  const configFolder = path.dirname(claudeSettingsFile(host));
  return managedPlaces({ platform: process.platform, user: host.env["USER"], configFolder });
}

function planHooks({ host, root, wiring, own, others, shared, originOf }: HooksRequest): PlannedHooks {
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
  const changes: Change[] = [];
  const origins = new Map<string, JsonOrigin>();
  for (const place of wired) {
    const { change, record } = planEntries({
      ...place,
      format: CLAUDE_FORMAT,
      isOurs: (command) => isHookCommand(command, home),
      record: originOf(place.settingsFile),
    });
    if (change === undefined) continue;
    changes.push(change);
    if (record !== undefined) origins.set(place.settingsFile, record);
  }
  const committed = planShared({ root, shared, originOf }, user);
  if (committed?.change !== undefined) {
    changes.push(committed.change);
    if (committed.record !== undefined) origins.set(sharedSettingsFile(root), committed.record);
  }
  return { file: wiring === "user" ? user : personal, changes, origins };
}

/**
 * The entry that everybody shares. If the home folder is a project, that file is the user's own settings, which get
 * none.
 */
function planShared({ root, shared, originOf }: Pick<HooksRequest, "originOf" | "root" | "shared">, user: string) {
  const settingsFile = sharedSettingsFile(root);
  if (settingsFile === user) return undefined;
  if (shared !== "put" && !hasSharedEntry(settingsFile)) return undefined;
  const handler = {
    type: "command",
    command: sharedCommand("claude-code"),
    timeout: AGENT_TIMEOUT_SECONDS,
    onFailure: "block",
  };
  const entry = { event: "PreToolUse", value: { hooks: [handler] } };
  return planEntries({
    settingsFile,
    root,
    format: CLAUDE_FORMAT,
    entries: shared === "take-out" ? [] : [entry],
    isOurs: isSharedCommand,
    record: originOf(settingsFile),
  });
}

function hasSharedEntry(file: string): boolean {
  return inspectClaudeSettings({ file, isOurs: isSharedCommand }).ours.length > 0;
}

/**
 * Claude Code starts the launcher itself, without a shell. Copilot CLI reads the settings of a project, too, and ignores
 * `args`: these have a line for a shell, which starts the same in both.
 */
function desiredEntries(
  home: string,
  policies: readonly WantingPolicy[],
  form: "line" | "program" = "program",
): HookEntry[] {
  return wantedEvents(policies).map(({ event, phase }) => {
    const request: HookCommand = { home, runtime: "claude-code", phase };
    const start = isSystemHome(home)
      ? rootsStart(request)
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
