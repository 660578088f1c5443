import { layout } from "../contract/layout.ts";

/** The launcher's text for this machine: the template with the Node that drwn runs on. */
export function renderLauncher(template: string, { nodePath }: { nodePath: string }): string {
  return template.replaceAll("__NODE__", () => quoteForShell(nodePath));
}

interface HookCommand {
  home: string;
  runtime: string;
  phase: "pre" | "post";
}

/**
 * The shell command that goes into an agent's settings: constant for a machine, so that upgrades never touch it. Where the
 * launcher is missing or fails it blocks in a drwn project, which it knows by its committed folder, and is silent elsewhere.
 */
export function hookCommand({ home, runtime, phase }: HookCommand): string {
  const failed = `echo "drwn: $h is missing or failed; run: drwn write (or take this hook entry out by hand)" >&2; exit ${phase === "pre" ? 2 : 0}`;
  return [
    `${commandPrefix(home)} s=1`,
    `if [ -x "$h" ]; then "$h" ${runtime} ${phase}; s=$?; fi`,
    `case $s in 0|2) exit $s;; esac`,
    `d=\${CLAUDE_PROJECT_DIR:-$PWD}`,
    `while :; do if [ -e "$d/.agents/drwn/config.json" ]; then ${failed}; fi`,
    `case $d in */*) d=\${d%/*};; *) exit 0;; esac`,
    "done",
  ].join("; ");
}

/** Recognises our own entry in a settings file by its command, whatever else an earlier drwn put into it. */
export function isHookCommand(command: string, home: string): boolean {
  return command.startsWith(commandPrefix(home));
}

function commandPrefix(home: string): string {
  return `h=${quoteForShell(layout.launcher(home))};`;
}

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
