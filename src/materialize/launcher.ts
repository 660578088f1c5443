import { layout } from "../contract/layout.ts";
import type { Runtime } from "../policy/event.ts";

export type HookPhase = "pre" | "post";

export interface HookCommand {
  home: string;
  runtime: Runtime;
  phase: HookPhase;
}

/** The launcher's text for this machine. */
export function renderLauncher(template: string, { nodePath }: { nodePath: string }): string {
  return template.replaceAll("__NODE__", () => quote(nodePath));
}

/**
 * The shell command that goes into an agent's settings: one line, the same for every project and every version of drwn. It
 * runs the launcher. When that is missing or dies, calls are blocked inside drwn projects, and nothing happens elsewhere.
 */
export function hookCommand({ home, runtime, phase }: HookCommand): string {
  const repair = "the hook does not work, so no tool call is let through here. Run: drwn write";
  const removal = "(or remove the entry that calls drwn from the hooks in the settings of your agent)";
  return [
    `${opening(home)} if [ -x "$drwn_hook" ]; then "$drwn_hook" ${runtime} ${phase};`,
    `drwn_end=$?; case $drwn_end in 0|2) exit $drwn_end;; esac; fi;`,
    `drwn_dir=$CLAUDE_PROJECT_DIR; [ -d "$drwn_dir" ] || drwn_dir=$PWD;`,
    `while :; do if [ -f "$drwn_dir/.agents/drwn/config.json" ]; then`,
    `echo 'drwn: ${repair} ${removal}' >&2; exit ${phase === "pre" ? 2 : 0}; fi;`,
    `case $drwn_dir in */*) drwn_dir=\${drwn_dir%/*};; *) exit 0;; esac; done`,
  ].join(" ");
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
