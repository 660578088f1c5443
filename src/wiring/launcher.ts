import { ANSWERED, HANDED_ON, SUPERSEDED, WORD_OUTPUT } from "../contract/hook-status.ts";
import { BOUNDS, BRIEF, FORETOLD, LOADER, ONE_THREAD } from "../contract/kept-code.ts";
import { layout } from "../contract/layout.ts";
import { DEADLINES } from "../contract/plan.ts";
import { GLOBAL_KEY } from "../contract/scope.ts";
import { isSystemHome } from "../contract/system-home.ts";
import type { Runtime } from "../policy/event.ts";
import type { LifecycleEvent } from "../policy/taxonomy.ts";

/** When the hook is called: before or after a tool call, or at an event of the session, by its canonical name. */
export type HookPhase = "pre" | "post" | LifecycleEvent;

export interface HookCommand {
  home: string;
  runtime: Runtime | "runner";
  phase: HookPhase;
  /** The agent knows a block by exit code 2, with the reason on either output: the answer of the hook is that reason. */
  byExitCode?: boolean;
  /** What holds the event, for an agent that takes no exit code for it: said when the hook did not answer. */
  refusal?: string;
  /**
   * The shell that runs it was chosen by drwn, and is told the launcher's path as its own name: it reads the launcher in place of starting
   * another one. Its own words are the language's, whatever a user's variables say: it was started with -p.
   */
  readBy?: "any shell" | "own shell";
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
  /** It is root's, for every user. */
  isSystem?: boolean;
}

/** The launcher's text for this machine. A shell reads it anew for each call, so the comments stay behind. */
export function renderLauncher(
  template: string,
  { nodePath, nodeVersion, totalMs, isSystem = false }: LauncherFacts,
): string {
  const isOld = Number.parseInt(nodeVersion ?? process.versions.node, 10) < 22;
  return template
    .replaceAll(/^ *# .*\n/gmu, "")
    .replaceAll("__NODE__", () => quote(nodePath))
    .replaceAll("__PERMISSION__", isOld ? "--experimental-permission" : "--permission")
    .replaceAll("__BOUNDS__", BOUNDS)
    .replaceAll("__ONE_THREAD__", ONE_THREAD)
    .replaceAll("__BRIEF__", BRIEF)
    .replaceAll("__FORETOLD__", FORETOLD)
    .replaceAll("__LOADER__", LOADER)
    .replaceAll("__GLOBAL__", GLOBAL_KEY)
    .replaceAll("__SYSTEM__", isSystem ? "system" : "")
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
  const { home, runtime, phase, byExitCode = false, refusal, readBy, isExplained = false } = request;
  // These words are part of what a user of Codex has trusted.
  const isOfTools = phase === "pre" || phase === "post";
  const consequence = isOfTools ? ", so no tool call is let through here" : "";
  // The launcher's own word that it did its work: nothing that is in its place by accident says it.
  const ends = `case $drwn_end in ${ANSWERED}) exit 0;; ${isOfTools ? "2" : "1|2"}) exit $drwn_end;; esac;`;
  const isSystem = isSystemHome(home);
  const repair = `the hook does not work${consequence}. Run: ${isSystem ? "sudo drwn write --system" : "drwn write"}`;
  const removal = isSystem
    ? "(or, as root: drwn uninstall --system)"
    : "(or remove the entry that calls drwn from the hooks in the settings of your agent)";
  // Root's entry is for every folder.
  const rest = [
    ends,
    ...(isSystem ? [] : SEEK_PROJECT),
    `echo "drwn: ${repair} ${removal}" >&2; exit ${failureStatus(phase)}`,
  ].join(" ");
  const folder = sessionFolderOf(runtime);
  const start = (at: string, named: string) => {
    const words = `${runtime} ${phase} ${ANSWERED} "in:${named}"${isExplained ? " explain" : ""}`;
    return readBy !== undefined ? `( set -- ${words}; . "${at}" )` : `"${at}" ${words}`;
  };
  if (readBy === "own shell") return `${started(opening(home), start("$drwn_hook", folder))} ${rest}`;
  if (!byExitCode && refusal === undefined)
    return onceStarted(opening(home), start("$drwn_hook", folder), { rest, folder });
  const core = `drwn_end=3; if [ -x "$2" ]; then ${start("$2", "$4")}; drwn_end=$?; fi; ${rest}`;
  const words = refusal === undefined ? [] : [quote(refusal)];
  return `${opening(home)} ${inShell(withManners(core, { isRefused: refusal !== undefined, tells: !isOfTools }), ['"$drwn_hook"', "3", `"${folder}"`, ...words])}`;
}

interface Rest {
  /** What to do when the launcher hasn't said that it did its work, in a shell that trusts its own words. */
  rest: string;
  folder: string;
}

/**
 * Starts the launcher. The agent's own shell may have taken functions from its environment, and options: so it gets words of the
 * language and programs by their path, and everything else where the launcher did not say that it did its work is for another shell.
 */
function onceStarted(opened: string, start: string, { rest, folder }: Rest): string {
  const [hook = ""] = opened.split("=");
  return [
    started(opened, start),
    `case $drwn_end in ${ANSWERED}) ;; *) ${inShell(`drwn_end=$3; ${rest}`, [`"$${hook}"`, '"$drwn_end"', `"${folder}"`])};; esac`,
  ].join(" ");
}

function started(opened: string, start: string): string {
  const [hook = ""] = opened.split("=");
  const isThere = `{ { case x in x) ;; esac; } <"$${hook}"; } 2>/dev/null`;
  return `${opened} drwn_end=3; if ${isThere}; then if ${start}; then drwn_end=0; else drwn_end=$?; fi; fi;`;
}

/**
 * Of a project the entry knows by itself: its marker, or what is committed in it. Without any list of projects every folder may be one.
 */
const SEEK_PROJECT = [
  `drwn_home=\${2%/bin/hook};`,
  `if [ -x "$drwn_home/roots" ] && [ ! -e "$drwn_home/roots/.drwn-project" ]; then`,
  `for drwn_dir in "$4" "$PWD"; do while [ -n "$drwn_dir" ]; do`,
  `if [ -e "$drwn_home/roots$drwn_dir/.drwn-project" ]; then break 2; fi;`,
  `if [ -d "$drwn_dir/.agents/drwn" ]; then [ "$drwn_dir/.agents/drwn" -ef "$drwn_home" ] || break 2; fi;`,
  `case $drwn_dir in */*) drwn_dir=\${drwn_dir%/*};; *) drwn_dir=;; esac; done; done;`,
  `[ -n "$drwn_dir" ] || exit 0; fi;`,
];

interface Manners {
  isRefused: boolean;
  /** What begins with `+` is text for the agent, and holds nothing. */
  tells: boolean;
}

function withManners(command: string, { isRefused, tells }: Manners): string {
  // Of a closed input bash would make the pipe from which it reads what it is still to write.
  const listen = `{ true 3<&0; } 2>/dev/null || exec </dev/null; drwn_said=$(${command}); drwn_end=$?;`;
  if (isRefused) {
    return `${listen} [ $drwn_end -eq 0 ] || drwn_said=$5; [ -z "$drwn_said" ] || printf "%s\\n" "$drwn_said"`;
  }
  const block = `{ printf "%s\\n" "$drwn_said"; printf "%s\\n" "$drwn_said" >&2; exit 2; }`;
  const tell = tells ? ` case $drwn_said in +*) printf "%s\\n" "\${drwn_said#+}"; exit 0;; esac;` : "";
  return `${listen}${tell} [ -z "$drwn_said" ] || ${block}; exit $drwn_end`;
}

/**
 * The text, run by a shell that takes no function and no option from its environment. Bash is started again with -p, which not every
 * other shell knows, by words that no function can stand for when it is called sh.
 */
function inShell(text: string, words: readonly string[]): string {
  const starter = `case \${BASH_VERSION-}:$- in ?*:*h*B*) exec /bin/sh -p -c "$1" "$0" "$@";; esac; eval "$1"`;
  return ["/bin/sh -c", quote(starter), "sh", quote(text), ...words].join(" ");
}

/**
 * The variable by which each agent names the folder of the session; one that names none starts the hook there. What another agent
 * sets, too, may be an outer session's.
 */
const SESSION_FOLDERS: Readonly<Partial<Record<Runtime | "runner", string>>> = {
  "claude-code": "CLAUDE_PROJECT_DIR",
  "copilot-cli": "COPILOT_PROJECT_DIR",
  cursor: "CURSOR_PROJECT_DIR",
  "gemini-cli": "GEMINI_PROJECT_DIR",
  polytoken: "POLYTOKEN_PROJECT_DIR",
};

/** As an expression of the shell. */
function sessionFolderOf(runtime: Runtime | "runner"): string {
  const name = SESSION_FOLDERS[runtime];
  return name === undefined ? "" : `\${${name}:-}`;
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
export function sharedCommand(runtime: Runtime): string {
  const setup = "drwn install && drwn trust accept && drwn write";
  const rest = [
    `case $drwn_end in ${ANSWERED}) exit 0;; 2) exit 2;; esac;`,
    `echo "drwn: this project requires hook policies, and drwn is not set up on this machine, or not up to date. A person can install drwn and run: ${setup} (or remove the entry that calls drwn from the settings of the project)" >&2; exit 2`,
  ].join(" ");
  const folder = sessionFolderOf(runtime);
  return onceStarted(SHARED, `"$drwn_shared" ${runtime} require ${ANSWERED} "in:${folder}"`, { rest, folder });
}

const SHARED = 'drwn_shared="$HOME/.agents/drwn/bin/hook";';

export function isSharedCommand(command: string): boolean {
  return command.startsWith(SHARED);
}

/** Whether a command in an agent's settings is one of ours for this home, possibly of another version of drwn. */
export function isHookCommand(command: string, home: string): boolean {
  return command.startsWith(opening(home));
}

/** The homes whose hook the entries in this text ask: the text of a settings file in JSON, TOML or JavaScript. */
export function homesNamedIn(text: string): string[] {
  return [...text.matchAll(/drwn_hook='([^'\\\n]+)\/bin\/hook';/gu)].flatMap(([, home]) => home ?? []);
}

function opening(home: string): string {
  return `drwn_hook=${quote(layout.launcher(home))};`;
}

/** For a POSIX shell: nothing between the quotes means anything. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
