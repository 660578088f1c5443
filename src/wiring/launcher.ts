import { ANSWERED, HANDED_ON, SUPERSEDED, WORD_OUTPUT } from "../contract/hook-status.ts";
import { layout } from "../contract/layout.ts";
import { DEADLINES } from "../contract/plan.ts";
import type { Runtime } from "../policy/event.ts";
import type { LifecycleEvent } from "../policy/taxonomy.ts";

/** When the hook is called: before or after a tool call, or at an event of the session, by its canonical name. */
export type HookPhase = "pre" | "post" | LifecycleEvent;

export interface HookCommand {
  home: string;
  runtime: Runtime | "runner";
  phase: HookPhase;
  /** The variable by which the agent names the folder of the session, where it is not that of Claude Code. */
  folder?: string;
  /** The agent knows a block by exit code 2, with the reason on either output: the answer of the hook is that reason. */
  byExitCode?: boolean;
  /** What holds the event, for an agent that takes no exit code for it: said when the hook did not answer. */
  refusal?: string;
  /** The same for `drwn hook explain`: the hook also says how it comes to its answer, and leaves the journal alone. */
  isExplained?: boolean;
}

/** What the entry of an agent makes of the hook's answer, where that is not passed on as it is. */
export type EntryManners = Pick<HookCommand, "byExitCode" | "refusal">;

export interface LauncherFacts {
  nodePath: string;
  /** As `process.versions.node` says it; of this process when absent. */
  nodeVersion?: string;
  /** Milliseconds that all policies of one event may take together. */
  totalMs?: number;
}

/** The launcher's text for this machine. */
export function renderLauncher(template: string, { nodePath, nodeVersion, totalMs }: LauncherFacts): string {
  const isOld = Number.parseInt(nodeVersion ?? process.versions.node, 10) < 22;
  return template
    .replaceAll("__NODE__", () => quote(nodePath))
    .replaceAll("__PERMISSION__", isOld ? "--experimental-permission" : "--permission")
    .replaceAll("__ANSWERED__", `${ANSWERED}`)
    .replaceAll("__WORD__", `${WORD_OUTPUT}`)
    .replaceAll("__HANDED_ON__", `${HANDED_ON}`)
    .replaceAll("__SUPERSEDED__", `${SUPERSEDED}`)
    .replaceAll("__TOTAL_MS__", `${totalMs ?? DEADLINES.total}`);
}

/**
 * The shell command that goes into an agent's settings: one line, the same for every project and every version of drwn. It
 * runs the launcher. When that is missing, emptied or dies, calls are blocked inside drwn projects, and nothing happens elsewhere.
 */
export function hookCommand(request: HookCommand): string {
  const { home, runtime, phase, folder, byExitCode = false, refusal, isExplained = false } = request;
  // These words are part of what a user of Codex has trusted.
  const isOfTools = phase === "pre" || phase === "post";
  const consequence = isOfTools ? ", so no tool call is let through here" : "";
  // The launcher's own word that it did its work: nothing that is in its place by accident says it.
  const ends = `${ANSWERED}) exit 0;; ${isOfTools ? "2" : "1|2"}) exit $drwn_end;;`;
  const repair = `the hook does not work${consequence}. Run: drwn write`;
  const removal = "(or remove the entry that calls drwn from the hooks in the settings of your agent)";
  const command = [
    opening(home),
    ...passFolder(folder),
    `if [ -x "$drwn_hook" ]; then "$drwn_hook" ${runtime} ${phase} ${ANSWERED}${isExplained ? " explain" : ""};`,
    `drwn_end=$?; case $drwn_end in ${ends} esac; fi;`,
    `drwn_dir=$CLAUDE_PROJECT_DIR; [ -d "$drwn_dir" ] || drwn_dir=$PWD;`,
    `while :; do if [ -f "$drwn_dir/.agents/drwn/config.json" ]; then`,
    `echo 'drwn: ${repair} ${removal}' >&2; exit ${failureStatus(phase)}; fi;`,
    `case $drwn_dir in */*) drwn_dir=\${drwn_dir%/*};; *) exit 0;; esac; done`,
  ].join(" ");
  if (!byExitCode && refusal === undefined) return command;
  const listen = `${opening(home)} drwn_said=$(${command}); drwn_end=$?;`;
  if (refusal !== undefined) {
    const refuse = `[ $drwn_end -eq 0 ] || drwn_said=${quote(refusal)};`;
    return `${listen} ${refuse} [ -z "$drwn_said" ] || printf '%s\\n' "$drwn_said"`;
  }
  const block = `{ printf '%s\\n' "$drwn_said"; printf '%s\\n' "$drwn_said" >&2; exit 2; }`;
  return `${listen} [ -z "$drwn_said" ] || ${block}; exit $drwn_end`;
}

/** Of a hook that does not work: what can be held is held, a person is told of the rest, and a result is not disturbed. */
function failureStatus(phase: HookPhase): number {
  if (phase === "post") return 0;
  return phase === "pre" || isHeldAtStart(phase) ? 2 : 1;
}

/**
 * Whether a hook that does not even start holds the event. The end of a turn is not: it would never come. The launcher has
 * the same list.
 */
export function isHeldAtStart(event: LifecycleEvent): boolean {
  return event === "prompt.submit" || event === "approval.before" || event === "compact.before";
}

/**
 * The command of the entry that a project commits for everybody: it works on every machine where drwn is set up in its own
 * place, whoever the user is, and blocks with what to do where it is not. No variable leads it elsewhere but HOME.
 */
export function sharedCommand(runtime: Runtime, folder?: string): string {
  const setup = "drwn install && drwn trust accept && drwn write";
  return [
    SHARED,
    ...passFolder(folder),
    `if [ -x "$drwn_shared" ]; then "$drwn_shared" ${runtime} require ${ANSWERED};`,
    `drwn_end=$?; case $drwn_end in ${ANSWERED}) exit 0;; 2) exit 2;; esac; fi;`,
    `echo 'drwn: this project requires hook policies, and drwn is not set up on this machine, or not up to date. A person can install drwn and run: ${setup} (or remove the entry that calls drwn from the settings of the project)' >&2; exit 2`,
  ].join(" ");
}

/** The launcher knows the folder of a session by one name, whoever else may have set it. */
function passFolder(folder: string | undefined): string[] {
  return folder === undefined ? [] : [`CLAUDE_PROJECT_DIR=$${folder}; export CLAUDE_PROJECT_DIR;`];
}

const SHARED = 'drwn_shared="$HOME/.agents/drwn/bin/hook";';

export function isSharedCommand(command: string): boolean {
  return command.startsWith(SHARED);
}

/** Whether a command in an agent's settings is one of ours for this home, possibly of another version of drwn. */
export function isHookCommand(command: string, home: string): boolean {
  return command.startsWith(opening(home));
}

function opening(home: string): string {
  return `drwn_hook=${quote(layout.launcher(home))};`;
}

/** For a POSIX shell: nothing between the quotes means anything. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
