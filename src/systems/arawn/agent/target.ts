import type { Finding } from "../../../kernel/finding.ts";
import type { HookFormat } from "../../../wiring/entries/groups.ts";
import { planUserFile } from "../../../wiring/entries/user-file.ts";
import type { EntryForm } from "../../../wiring/entries/wanted-entries.ts";
import { AGENT_TIMEOUT_SECONDS } from "../../../wiring/policy-triggers.ts";
import type { CheckRequest, HooksRequest, PlannedHooks, Target } from "../../../wiring/target.ts";
import { arawn } from "../adapter/arawn-calls.ts";
import { arawnLifecycle } from "../adapter/arawn-lifecycle.ts";
import { loadArawnHooks } from "../read/load.ts";
import { describeArawnFault } from "../run/dispatcher.ts";
import { arawnUserSettings } from "./paths.ts";
import { planPlugin } from "./plugin.ts";

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
  tools: Object.entries(arawn.canonicalTools).flat(),
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
