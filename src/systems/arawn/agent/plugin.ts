import { formatToml } from "../../../format/toml.ts";
import { formatJson } from "../../../format/write.ts";
import type { Change } from "../../../wiring/changes.ts";
import { hookCommand } from "../../../wiring/launcher.ts";
import { planOwnFile } from "../../../wiring/own-file.ts";

const MADE = "Made by `drwn write` for this machine; what you change here is lost. Keep it out of version control.";

/** Arawn waits ten seconds, and some of its generations then let the call run. */
const SECONDS = 9;

type CallPhase = "pre" | "post";

const EVENTS: Readonly<Record<CallPhase, string>> = { pre: "PreToolUse", post: "PostToolUse" };

/** The folder of the plugin, which Arawn's older generations find in a project. */
function pluginFolder(root: string): string {
  return `${root}/plugins/drwn`;
}

interface PluginRequest {
  root: string;
  home: string;
  /** What some policy wants to hear of; nothing: the plugin goes. */
  phases: readonly CallPhase[];
}

/** What has to change for the project to have this plugin, or none. */
export function planPlugin({ root, home, phases }: PluginRequest): Change[] {
  const texts = filesFor(home, phases);
  return ALL_FILES.flatMap((name) =>
    planOwnFile({
      root,
      file: `${pluginFolder(root)}/${name}`,
      text: texts.get(name) ?? null,
      isOurs: (text) => text.includes(MADE),
      what: "plugin for Arawn",
      mode: name.startsWith("hooks/") && !name.endsWith(".json") ? 0o755 : 0o644,
      outermost: `${root}/plugins`,
    }),
  );
}

const ALL_FILES = ["plugin.toml", ".claude-plugin/plugin.json", "hooks/hooks.json", "hooks/pre", "hooks/post"];

function filesFor(home: string, phases: readonly CallPhase[]): ReadonlyMap<string, string> {
  if (phases.length === 0) return new Map();
  const entries = phases.map((phase) => ({ event: EVENTS[phase], command: `./hooks/${phase}` }));
  const groups = phases.map((phase) => [
    EVENTS[phase],
    [{ hooks: [{ type: "command", command: `\${CLAUDE_PLUGIN_ROOT}/hooks/${phase}` }] }],
  ]);
  return new Map([
    ["plugin.toml", `# ${MADE}\n${formatToml({ plugin: { name: "drwn", version: "0.0.0" }, hooks: entries })}`],
    [".claude-plugin/plugin.json", formatJson({ name: "drwn", version: "0.0.0", description: MADE })],
    ["hooks/hooks.json", formatJson({ description: MADE, hooks: Object.fromEntries(groups) })],
    ...phases.map((phase) => [`hooks/${phase}`, scriptFor(home, phase)] as const),
  ]);
}

/**
 * Runs in the plugin's folder, from where the project is found. A block is exit code 2, with its reason on both outputs: what one
 * generation reads another does not. It answers before Arawn stops waiting.
 */
function scriptFor(home: string, phase: CallPhase): string {
  const inner = hookCommand({ home, runtime: "arawn", phase });
  const isBefore = phase === "pre";
  return `#!/bin/sh
case \${1-}:\${BASH_VERSION-}:$- in --:*) shift ;; *:?*:*hB*) exec /bin/sh -p "$0" -- "$@" ;; esac
# ${MADE}
say() {
  printf '%s\\n' "$1"
  printf '%s\\n' "$1" >&4
}
exec 3<&0 4>&2
# What is left behind when time is up must not hold what Arawn reads from.
(
  said=$(exec 3<&- 4>&-; ${inner})
  ended=$?
  if [ -n "$said" ]; then
    say "$said"
    exit 2
  fi
  [ $ended -eq 0 ] && exit 0
  exit 3
) <&3 2>/dev/null &
asked=$!
(
  command -p sleep ${SECONDS}
  kill -9 $asked
) >/dev/null 2>&1 </dev/null 3<&- 4>&- &
watch=$!
wait $asked 2>/dev/null
ended=$?
kill $watch 2>/dev/null
case $ended in 0 | 2) exit $ended ;; esac
${isBefore ? `say 'drwn: the hook policies of this project cannot be asked, or not within ${SECONDS} seconds, so no tool call is let through. A person can run: drwn doctor'\nexit 2` : "exit 0"}
`;
}
