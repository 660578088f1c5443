import fs from "node:fs";
import {
  FIXED_HASH_SEED_FLAG,
  LIMIT_FLAGS,
  LOADER,
  SINGLE_CALL_FLAGS,
  SINGLE_THREAD_FLAG,
} from "../contract/code-cache.ts";
import { DEADLINES } from "../contract/deadlines.ts";
import { layout } from "../contract/layout.ts";
import { ANSWERED, HANDED_OVER, SUPERSEDED } from "../contract/protocol.ts";
import { GLOBAL_KEY, isManagedHome } from "../contract/scopes.ts";
import type { LifecycleAdapter } from "../hook-base/adapter/adapter.ts";
import { AGENT_IDS, type AgentId } from "../policy/event.ts";
import { isLifecycleEvent, type LifecycleEvent } from "../policy/lifecycle-events.ts";

/** When the hook is called: before or after a tool call, or at an event of the session, by its canonical name. */
export type HookPhase = "pre" | "post" | LifecycleEvent;

export interface HookCommand {
  home: string;
  runtime: AgentId | "runner";
  phase: HookPhase;
  /** What holds the event, for an agent that takes no exit code for it: said when the hook did not answer. */
  fallbackAnswer?: string | undefined;
  /** The same for `drwn explain`: the hook also says how it comes to its answer, and leaves the journal alone. */
  isExplained?: boolean;
}

interface LauncherFacts {
  nodePath: string;
  /** As `process.versions.node` says it; of this process when absent. */
  nodeVersion?: string;
  /** Milliseconds that all policies of one event may take together. */
  totalMs?: number;
  /** It is root's, for every user. */
  isSystem?: boolean;
}

/** The launcher's text for this machine. A shell reads it anew for each call, so the comments stay behind. */
export function renderLauncher(template: string, facts: LauncherFacts): string {
  const [before = "", examples, after = ""] = template.split(VALUES);
  const values = valuesOf(facts);
  const named = examples?.match(/^\w+(?==)/gmu);
  if (`${named}` !== `${values.map(([name]) => name)}`) throw new Error("the launcher's template names other values");
  const lines = values.map(([name, value]) => `${name}=${quote(value)}\n`);
  return [withoutComments(before), ...lines, withoutComments(after)].join("");
}

/** The template has examples between these two lines, so that it is a whole script for whoever reads or checks it. */
const VALUES = /^# (?:Values of this machine|End of values)\n/mu;

const withoutComments = (text: string) => text.replaceAll(/^ *# .*\n/gmu, "");

/** Variables of the launcher. */
function valuesOf({
  nodePath,
  nodeVersion,
  totalMs,
  isSystem = false,
}: LauncherFacts): [name: string, value: string][] {
  const isOld = Number.parseInt(nodeVersion ?? process.versions.node, 10) < 22;
  return [
    ["node", nodePath],
    ["permission", isOld ? "--experimental-permission" : "--permission"],
    ["system", isSystem ? "system" : ""],
    ["total_ms", `${totalMs ?? DEADLINES.total}`],
    ["global_key", GLOBAL_KEY],
    ["loader", LOADER],
    ["limits", LIMIT_FLAGS],
    ["single_thread", SINGLE_THREAD_FLAG],
    ["single_call_flags", SINGLE_CALL_FLAGS],
    ["fixed_seed_flag", FIXED_HASH_SEED_FLAG],
    ["answered_status", `${ANSWERED}`],
    ["superseded_status", `${SUPERSEDED}`],
    ["handed_over_status", `${HANDED_OVER}`],
  ];
}

/** How an agent starts the hook: Claude Code a program with words, others a shell with a line. */
export function hookStart(request: HookCommand): { program: string; args: string[] } {
  const { home, runtime, phase, isExplained = false } = request;
  return runtime === "claude-code"
    ? { program: layout.launcher(home), args: [runtime, phase, ...(isExplained ? ["explain"] : [])] }
    : { program: "/bin/sh", args: ["-c", hookCommand(request)] };
}

/**
 * The line for an agent's settings, where the agent starts hooks with a shell: the same for every project and every version
 * of drwn. What can be held is held unless the launcher says that it did its work.
 */
export function hookCommand(request: HookCommand): string {
  const { home, phase, fallbackAnswer } = request;
  const start = launcherLine(request);
  if (fallbackAnswer !== undefined) return unlessAnswered(start, inShell('echo "$*"', quote(fallbackAnswer)));
  if (phase !== "pre" && !isHeldAtStart(phase)) return start;
  return unlessAnswered(
    start,
    blocking(
      `the hook does not work, so this is blocked. Run: ${isManagedHome(home) ? "sudo drwn write --system" : "drwn write"}`,
    ),
  );
}

/** The launcher and its words, for a shell. */
export function launcherLine({ home, runtime, phase, isExplained = false }: HookCommand): string {
  return [quote(layout.launcher(home)), runtime, phase, ...(isExplained ? ["explain"] : [])].join(" ");
}

/**
 * Nothing that is in the launcher's place by accident ends with this status. The agent's own shell may have taken options and
 * functions from its environment: so it gets words of the language, and programs by their path. It gets no variable with a
 * name: Gemini CLI puts the environment's values into the texts of its settings, whatever shell would read them later.
 */
function unlessAnswered(start: string, otherwise: string): string {
  return `${start} ${ANSWERED} && ! s=0 || case $? in ${ANSWERED}) ;; *) ${otherwise};; esac`;
}

/** If the launcher itself blocks, it has said why. */
function blocking(what: string): string {
  const text = `[ "$*" = 2 ] || echo "drwn: ${what} (or remove this hook)" >&2; exit 2`;
  return inShell(text, '"$?"');
}

/** The text, run by a shell that takes nothing from its environment. Yash has `echo` only on the PATH. */
function inShell(text: string, word: string): string {
  return `/usr/bin/env -i PATH=/bin /bin/sh -c ${quote(text)} sh ${word}`;
}

/**
 * Whether a hook that does not even start holds the event. The end of a turn is not: it would never come. The launcher has
 * the same list.
 */
export function isHeldAtStart(phase: HookPhase): boolean {
  return phase === "prompt.submit" || phase === "approval.before" || phase === "compact.before";
}

/**
 * The line of the entry that a project commits for everybody: it works on every machine where drwn is set up in its own
 * place, whoever the user is, and blocks with what to do where it is not. No variable leads it elsewhere but HOME.
 */
export function committedCommand(runtime: AgentId): string {
  const how = "this project requires hook policies. Run: drwn init";
  return unlessAnswered(`${SHARED} ${runtime} require`, blocking(how));
}

const SHARED = '"$HOME/.agents/drwn/bin/hook"';

export function isCommittedCommand(command: string): boolean {
  return command.startsWith(`${SHARED} `);
}

/** Whether a command in an agent's settings is one of ours for this home, possibly of another version of drwn. */
export function isHookCommand(command: string, home: string): boolean {
  const launcher = layout.launcher(home);
  return command === launcher || command.startsWith(`${quote(launcher)} `);
}

/** The homes whose hook the entries in this text ask: the text of a settings file in JSON, TOML or JavaScript. */
export function homesNamedIn(text: string): string[] {
  return [...text.matchAll(ENTRIES)].flatMap((found) => found.slice(1).filter(Boolean));
}

/** As a line; as a program, with words or in a plugin. */
const ENTRIES = new RegExp(
  [
    String.raw`'([^'\\\n]+)/bin/hook' (?:${AGENT_IDS.join("|")}) `,
    String.raw`"([^"\\\n]+)/bin/hook"(?:;|,\s*"args":\s*\[\s*"claude-code")`,
  ].join("|"),
  "gu",
);

/**
 * Whether the launcher is gone, or can't tell a project from another folder: then every call is blocked, in every folder,
 * until a person's `drwn write` or `drwn uninstall`.
 */
export function isHomeLost(home: string): boolean {
  const isGone = (place: string) => !fs.existsSync(place);
  return isGone(layout.launcher(home)) || (isGone(layout.roots(home)) && isGone(layout.inodes(home)));
}

/** For a POSIX shell: nothing between the quotes means anything. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const REASON = "[drwn] the hook does not work, so this is held. Run: drwn doctor (or remove this hook)";

/**
 * The answer with which an agent holds this event that takes a refusal as an answer, not as an exit code, for a hook that
 * cannot even say that it failed; undefined: the event must not or cannot be held. The end of a turn isn't held, since it
 * would never come.
 */
export function fallbackAnswerAt(lifecycleAdapter: LifecycleAdapter, phase: HookPhase): string | undefined {
  if (!isLifecycleEvent(phase)) return undefined;
  const at = lifecycleAdapter.powersAt(phase);
  const isHeld = isHeldAtStart(phase) || phase === "model.before";
  if (at === undefined || !at.holds || !isHeld) return undefined;
  const said = { action: "deny", reason: REASON, context: null, updatedInput: null } as const;
  return lifecycleAdapter.encode({ ...said, powers: at, notice: null, isFailure: true }).text.trim();
}
