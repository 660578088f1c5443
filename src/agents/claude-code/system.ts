import { spawnSync } from "node:child_process";
import path from "node:path";
import { layout } from "../../contract/layout.ts";
import { formatJson } from "../../format/write.ts";
import { readTarget } from "../../wiring/changes.ts";
import type { HookEntry } from "../../wiring/entries/plan-entries.ts";
import { type HookCommand, hookCommand } from "../../wiring/launcher.ts";
import { planOwnFile } from "../../wiring/own-file.ts";
import { missingFolders } from "../../wiring/place.ts";
import type { PlannedHooks, SystemHooksRequest } from "../../wiring/target.ts";
import { hasModsSwitch, MODS_SWITCH } from "./managed.ts";
import { managedFolder } from "./managed-places.ts";

/**
 * What keeps a user's variables from the system's shell in root's entry: `env` removes them, or the shell itself heeds
 * none of them.
 */
export type RootsShell = "freed" | "alone";

/**
 * Puts a file of drwn's own beside the owner's settings. Measured with Claude Code 2.1.329: it combines the groups of
 * all files, users cannot switch them off, and mods neither answer in their place nor overrule them.
 */
export function planClaudeSystem(
  { home, below, originOf, hasMods }: SystemHooksRequest,
  entriesFor: (shell: RootsShell) => readonly HookEntry[],
): PlannedHooks {
  const folder = path.join(below, managedFolder(process.platform) ?? "", "managed-settings.d");
  const file = path.join(folder, "50-drwn.json");
  const before = readTarget(file)?.toString("utf8");
  const isClosed = hasMods === undefined ? before !== undefined && hasModsSwitch(before) : !hasMods;
  const known = originOf(file);
  const place = { root: below === "" ? "/" : below, file };
  const freed = entriesFor("freed");
  // Nobody knows the shell of the machines for which files are made below a folder. What came in an image stays.
  const isKept = freed.length === 0 || below !== "" || before === textOf(freed, isClosed);
  const entries = isKept || !needsNoHelp() ? freed : entriesFor("alone");
  const changes = planOwnFile({
    ...place,
    text: entries.length === 0 ? null : textOf(entries, isClosed),
    isOurs: (text) => text.includes(JSON.stringify(layout.launcher(home)).slice(1, -1)),
    what: "entries in the settings that manage this machine",
    mode: 0o644,
    created: known?.folders,
  });
  const origin = known ?? { containers: {}, folders: missingFolders(place) };
  return { file, changes, origins: new Map([[file, origin]]) };
}

/** If one of these isn't a number, mksh ends before its first word, with a status that blocks nothing. */
const NUMBERS = ["COLUMNS", "HISTSIZE", "LINENO", "LINES", "OPTIND", "SECONDS", "TMOUT"];
/** Variables that bash and other shells obey before their first word. */
const TELLING = ["SHELLOPTS", "BASHOPTS", "BASH_ENV", "ENV"];

/**
 * An entry that Claude Code starts without its own shell, and so without CLAUDE_CODE_SHELL_PREFIX, which an agent could
 * write into one of its user's files. It also removes the variables that could make a shell end before its first word.
 * Measured with Claude Code 2.1.329; before 2.1.139 it doesn't know `args`, and starts no hook of this form.
 */
export function withoutAgentsShell(request: HookCommand, shell: RootsShell): { command: string; args: string[] } {
  const launcher = layout.launcher(request.home);
  // The text already runs in the system's shell, which reads the launcher instead of starting a second shell.
  if (shell === "alone")
    return { command: "/bin/sh", args: ["-p", "-c", hookCommand({ ...request, readBy: "own shell" }), launcher] };
  const unset = [...TELLING, ...NUMBERS].flatMap((name) => ["-u", name]);
  const text = hookCommand({ ...request, readBy: "any shell" });
  return { command: "/usr/bin/env", args: [...unset, "/bin/sh", "-c", text, launcher] };
}

/**
 * Whether /bin/sh, started with `-p`, runs its text whatever a user's variables say, or ends with the status that
 * blocks. Busybox and yash refuse the option, and mksh ends with another status.
 */
export function needsNoHelp(): boolean {
  const told = Object.fromEntries([
    ["SHELLOPTS", "noexec"],
    ...["BASH_ENV", "ENV"].map((name) => [name, "/dev/stdin"]),
  ]);
  const odd = Object.fromEntries(NUMBERS.map((name) => [name, "x"]));
  const [heard, ended] = [told, odd].map(startShell);
  return heard?.stdout === WORD && (ended?.stdout === WORD || ended?.status === 2);
}

const WORD = "drwn";

/** A shell that obeys these variables would run the input. */
function startShell(env: Readonly<Record<string, string>>) {
  const taken = { "BASH_FUNC_printf%%": "() { exit 7; }", BASHOPTS: "extdebug", ...env };
  return spawnSync("/bin/sh", ["-p", "-c", `printf ${WORD}`], { env: taken, input: "exit 7\n", encoding: "utf8" });
}

function textOf(entries: readonly HookEntry[], isClosed: boolean): string {
  const hooks: Record<string, unknown[]> = {};
  for (const { event, value } of entries) hooks[event] = [...(hooks[event] ?? []), value];
  const [plugins, plugin, options, name] = MODS_SWITCH;
  const mods = isClosed ? { [plugins]: { [plugin]: { [options]: { [name]: true } } } } : {};
  return formatJson({ hooks, ...mods });
}
