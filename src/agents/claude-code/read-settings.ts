import path from "node:path";
import { isProblem } from "../../kernel/problem.ts";
import { type HookFormat, readHookGroups } from "../../wiring/entries/groups.ts";
import { isObject, type JsonFile, openJsonFile, valueAt } from "../../wiring/json-file.ts";
import type { HookPhase } from "../../wiring/launcher.ts";
import { type PolicyTrigger, wantedLifecycleEvents } from "../../wiring/target.ts";
import { judgeEvents } from "../../wiring/tool-effects.ts";
import { claudeLifecycle } from "./adapter.ts";

/** Claude Code ignores any other name and everything below it. */
export const CLAUDE_EVENTS = judgeEvents(claudeLifecycle, ["PreSkillShellCommand", "PreToolUse"], {
  "nothing: a hook makes or removes the worktree in place of Claude Code": ["WorktreeCreate", "WorktreeRemove"],
  "nothing: it changes what a person sees": ["MessageDisplay"],
});

export const CLAUDE_FORMAT: HookFormat = {
  events: new Set(Object.keys(CLAUDE_EVENTS)),
  items: "groups",
  commands: ["command"],
};

export const SHELL_PREFIX = "CLAUDE_CODE_SHELL_PREFIX";

/**
 * One of drwn's entries as found in a settings file. Fields other than the command may hold anything; absent ones are
 * undefined.
 */
interface FoundEntry {
  event: string;
  matcher: unknown;
  command: string;
  timeout: unknown;
  onFailure: unknown;
}

export interface ClaudeSettings {
  exists: boolean;
  /** Claude Code runs no hooks. */
  disablesAllHooks: boolean;
  /** The program that Claude Code starts instead of each hook's command; it gets the command as text. */
  shellPrefix: string | null;
  /** The variable that makes Claude Code start without hooks. Claude Code heeds it only in the user's own settings. */
  minimalBy: string | null;
  /** The variables that the file gives to programs that Claude Code starts. */
  env: Readonly<Record<string, unknown>>;
  ours: FoundEntry[];
  /** Why the file cannot be read as strict JSON or as settings; nothing else about it is known. */
  unreadable: string | null;
}

interface InspectRequest {
  file: string;
  isOurs: (command: string) => boolean;
}

const MINIMAL = ["CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"];

/** The variable that makes Claude Code start without hooks, as `--bare` and `--safe-mode` do; null: none does. */
export function findMinimal(read: (name: string) => unknown): string | null {
  return MINIMAL.find((name) => /^(?:1|true|yes|on)$/iu.test(String(read(name) ?? "").trim())) ?? null;
}

/** Finds drwn's entries in a Claude Code settings file, and what in it keeps hooks from running. It refuses nothing. */
export function inspectClaudeSettings({ file: settingsFile, isOurs }: InspectRequest): ClaudeSettings {
  const nothing = {
    exists: true,
    disablesAllHooks: false,
    shellPrefix: null,
    minimalBy: null,
    env: {},
    ours: [],
    unreadable: null,
  };
  try {
    const file = openJsonFile({ root: path.parse(settingsFile).root, file: settingsFile });
    if (file.before === null) return { ...nothing, exists: false };
    const disablesAllHooks = valueAt(file.text, ["disableAllHooks"]) === true;
    const found = valueAt(file.text, ["env"]);
    const env = isObject(found) ? found : {};
    const prefix = env[SHELL_PREFIX];
    const shellPrefix = typeof prefix === "string" && prefix !== "" ? prefix : null;
    const minimalBy = findMinimal((name) => env[name]);
    return {
      ...nothing,
      disablesAllHooks,
      shellPrefix,
      minimalBy,
      env,
      ours: findOurs(file, isOurs),
    };
  } catch (error) {
    if (isProblem(error)) return { ...nothing, unreadable: error.message };
    throw error;
  }
}

function findOurs(file: JsonFile, isOurs: (command: string) => boolean): FoundEntry[] {
  return readHookGroups(file, CLAUDE_FORMAT, isOurs).flatMap(({ event, value, handlers, ours }) =>
    ours.map((at) => {
      const handler = handlers[at];
      const fields = isObject(handler) ? handler : {};
      return {
        event,
        matcher: value["matcher"],
        command: String(fields["command"]),
        timeout: fields["timeout"],
        onFailure: fields["onFailure"],
      };
    }),
  );
}

/** An event that Claude Code has to report because some policy wants it. */
interface WantedEvent {
  event: string;
  phase: HookPhase;
}

const EVENTS = [
  { event: "PreToolUse", phase: "pre" },
  // An earlier version than 2.1.332 ignores it.
  { event: "PreSkillShellCommand", phase: "pre" },
  { event: "PostToolUse", phase: "post" },
  { event: "PostToolUseFailure", phase: "post" },
] as const;

/**
 * Of every tool, since an entry is shared by all policies of a machine, and a tool may be another under a name of its
 * own: which calls a policy sees is for the hook to decide.
 */
export function wantedEvents(policies: readonly PolicyTrigger[]): WantedEvent[] {
  const tools = EVENTS.flatMap(({ event, phase }): WantedEvent[] => {
    const isWanted = policies.some(({ phases }) => phases.includes(`${phase}-tool`));
    return isWanted ? [{ event, phase }] : [];
  });
  const lifecycleEvents = wantedLifecycleEvents(claudeLifecycle, policies).map(([phase, event]) => ({ event, phase }));
  return [...tools, ...lifecycleEvents];
}
