import type { PolicyPhase } from "../../../contract/ledger.ts";
import { ANSWERED } from "../../../contract/protocol.ts";
import { formatJson } from "../../../kernel/format/json.ts";
import { formatToml } from "../../../kernel/format/toml.ts";
import type { Finding } from "../../../kernel/problem.ts";
import type { Change } from "../../../wiring/changes.ts";
import { planDrwnFile } from "../../../wiring/drwn-file.ts";
import type { HookFormat } from "../../../wiring/entries/groups.ts";
import { type EntryForm, planUserFile } from "../../../wiring/entries/plan-entries.ts";
import { type HookPhase, launcherLine } from "../../../wiring/launcher.ts";
import {
  AGENT_TIMEOUT_SECONDS,
  type CheckRequest,
  type HooksRequest,
  type PlannedHooks,
  type Target,
} from "../../../wiring/target.ts";
import { judgeTools } from "../../../wiring/tool-effects.ts";
import { arawn, arawnLifecycle } from "../adapter.ts";
import type { CORE_EVENTS } from "../hook/hook.ts";
import { loadArawnHooks } from "../read/load.ts";
import { describeArawnFault } from "../run/dispatcher.ts";
import { arawnUserSettings } from "./paths.ts";

const FORMAT: HookFormat = {
  events: new Set(["PreToolUse", ...arawnLifecycle.names.map(([, name]) => name)]),
  items: "groups",
  commands: ["command"],
};

/**
 * Generations that look for plugins get a plugin in the project, and start its hooks in the plugin's folder. The newest
 * generation reads the user's settings, and gets one entry there.
 */
export const arawnTarget: Target = {
  runtime: "arawn",
  isProjectOnly: true,
  tools: judgeTools(arawn.canonicalTools),
  planHooks,
  skillsFolder: () => null,
  planServers: () => null,
  check: checkArawn,
  calls: {
    events: ["PreToolUse", "PostToolUse"],
    fields: ({ event, tool, input, root, session }) => ({
      hook_event: event,
      tool_name: tool,
      tool_input: input,
      cwd: root,
      session_id: session,
    }),
  },
};

function planHooks(request: HooksRequest): PlannedHooks {
  const { host, root, own } = request;
  const planned = planUserFile(request, { format: FORMAT, settingsFile: arawnUserSettings(host), form: FORM });
  const plugin = planPlugin({ root, home: host.drwnHome, wanted: new Set(own.flatMap(({ phases }) => phases)) });
  return { ...planned, changes: [...planned.changes, ...plugin] };
}

/** Without a matcher, since Arawn compares the globs of settings only with its own names of tools. */
const FORM: EntryForm = {
  runtime: "arawn",
  toolEvents: { pre: ["PreToolUse"], post: ["PostToolUse"] },
  lifecycleAdapter: arawnLifecycle,
  toValue: ({ command }) => ({ hooks: [{ type: "command", command, timeout: AGENT_TIMEOUT_SECONDS }] }),
};

/** Arawn skips a plugin whose file it cannot read, along with everything that the plugin would block. */
function checkArawn({ host, root }: CheckRequest): Finding[] {
  const { faults } = loadArawnHooks({ home: host.home, root });
  return faults
    .filter(({ isNote }) => !isNote)
    .map((fault) => ({
      code: "settings-unreadable",
      severity: "error" as const,
      subject: fault.file,
      message: `Arawn does not use its hooks: ${describeArawnFault(fault)}`,
      hint: "correct the file",
    }));
}

const MADE = "Made by `drwn write` for this machine; what you change here is lost. Keep it out of version control.";

/** Arawn waits ten seconds, and some of its generations then let the call run. */
const SECONDS = 9;

type CoreEvent = (typeof CORE_EVENTS)[number];

interface Asking {
  phase: HookPhase;
  event: CoreEvent;
  /** The name of the script that asks. */
  script: string;
}

/**
 * What the plugin asks for each thing that a policy wants. Every generation with plugins knows these events; no others
 * are certain.
 */
const ASKED: ReadonlyMap<PolicyPhase, Asking> = new Map([
  ["pre-tool", { phase: "pre", event: "PreToolUse", script: "pre" }],
  ["post-tool", { phase: "post", event: "PostToolUse", script: "post" }],
  ["tool.after", { phase: "tool.after", event: "PostToolUse", script: "after" }],
  ["session.start", { phase: "session.start", event: "SessionStart", script: "start" }],
  ["session.end", { phase: "session.end", event: "SessionEnd", script: "end" }],
  ["turn.stop", { phase: "turn.stop", event: "Stop", script: "stop" }],
]);

/** The plugin's folder, which Arawn's older generations find in a project. */
function pluginFolder(root: string): string {
  return `${root}/plugins/drwn`;
}

interface PluginRequest {
  root: string;
  home: string;
  /** What some policy wants to hear about. If a plugin hears about none of it, the plugin goes. */
  wanted: ReadonlySet<PolicyPhase>;
}

/** What has to change for the project to have this plugin, or not to have it. */
export function planPlugin({ root, home, wanted }: PluginRequest): Change[] {
  const texts = filesFor(
    home,
    [...ASKED].flatMap(([phase, asking]) => (wanted.has(phase) ? [asking] : [])),
  );
  return ALL_FILES.flatMap((name) =>
    planDrwnFile({
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

const ALL_FILES = [
  "plugin.toml",
  ".claude-plugin/plugin.json",
  "hooks/hooks.json",
  ...[...ASKED.values()].map(({ script }) => `hooks/${script}`),
];

function filesFor(home: string, asked: readonly Asking[]): ReadonlyMap<string, string> {
  if (asked.length === 0) return new Map();
  const entries = asked.map(({ event, script }) => ({ event, command: `./hooks/${script}` }));
  const groups = new Map<CoreEvent, object[]>();
  for (const { event, script } of asked) {
    const action = { type: "command", command: `\${CLAUDE_PLUGIN_ROOT}/hooks/${script}` };
    groups.set(event, [...(groups.get(event) ?? []), { hooks: [action] }]);
  }
  return new Map([
    ["plugin.toml", `# ${MADE}\n${formatToml({ plugin: { name: "drwn", version: "0.0.0" }, hooks: entries })}`],
    [".claude-plugin/plugin.json", formatJson({ name: "drwn", version: "0.0.0", description: MADE })],
    ["hooks/hooks.json", formatJson({ description: MADE, hooks: Object.fromEntries(groups) })],
    ...asked.map(({ phase, script }) => [`hooks/${script}`, scriptFor(home, phase)] as const),
  ]);
}

/**
 * Arawn runs the script in the plugin's folder; the hook runs in the project's and knows nothing of a plugin. A block
 * is exit code 2, with its reason on both outputs, since each generation reads only one of them. For a lifecycle event, text for
 * the agent begins with `+`. The script answers before Arawn stops waiting.
 */
function scriptFor(home: string, phase: HookPhase): string {
  const isBefore = phase === "pre";
  return `#!/bin/sh
case \${1-}:\${BASH_VERSION-}:$- in --:*) shift ;; *:?*:*hB*) exec /bin/sh -p "$0" -- "$@" ;; esac
# ${MADE}
say() {
  printf '%s\\n' "$1"
  printf '%s\\n' "$1" >&4
}
unset ARAWN_PLUGIN_DIR CLAUDE_PLUGIN_ROOT
cd "\${0%/*}/../../.." >/dev/null 2>&1
exec 3<&0 4>&2
# What is left behind when time is up must not hold what Arawn reads from.
(
  said=$(exec 3<&- 4>&-; ${launcherLine({ home, runtime: "arawn", phase })} ${ANSWERED})
  case $?:$said in
    ${ANSWERED}:) exit 0 ;;
    ${ANSWERED}:*) printf '%s\\n' "$said"; exit 0 ;;
    2:?*) say "$said"; exit 2 ;;
  esac
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
