import path from "node:path";
import type { LifecycleEvent } from "../../../policy/lifecycle-events.ts";
import { planDrwnFile } from "../../../wiring/drwn-file.ts";
import { rootAround } from "../../../wiring/file-location.ts";
import { type HookPhase, hookCommand } from "../../../wiring/launcher.ts";
import { AGENT_TIMEOUT_SECONDS, type HooksRequest, type PlannedHooks, type Target } from "../../../wiring/target.ts";
import { judgeTools } from "../../../wiring/tool-effects.ts";
import { astrid, astridLifecycle } from "../adapter.ts";
import { formatHook, idFor } from "../hook/emit.ts";
import { userHooks } from "../hook/paths.ts";
import { type AstridEvent, isAstridEvent } from "../words/hook.ts";

interface Asking {
  event: AstridEvent;
  phase: HookPhase;
  /** The name of the hook's folder. */
  name: string;
}

const CALLS: readonly (readonly [AstridEvent, "pre" | "post"])[] = [
  ["pre_tool_call", "pre"],
  ["post_tool_call", "post"],
  ["tool_error", "post"],
];

/** All hooks that there may be. After a call, one hook asks tool policies and another asks lifecycle hooks. */
const ASKED: readonly Asking[] = [
  ...CALLS.map(([event, phase]) => ({ event, phase, name: nameOf(event) })),
  ...astridLifecycle.names.flatMap(([phase, event]) => {
    if (!isAstridEvent(event)) return [];
    const isOfCall = CALLS.some(([called]) => called === event);
    return [{ event, phase, name: `${nameOf(event)}${isOfCall ? "-event" : ""}` }];
  }),
];

/** How our files begin. */
const HEAD = "# Made by `drwn write`";

/** Before everybody else's hooks, so that no other hook ends the chain before drwn was asked. */
const PRIORITY = -1000;

export const astridTarget: Target = {
  runtime: "astrid",
  tools: judgeTools(astrid.canonicalTools),
  planHooks,
  skillsFolder: () => null,
  planServers: () => null,
  // Nothing in a workspace can turn a user's hook off, and `write --check` checks that the files are as they should be.
  check: () => [],
  calls: {
    events: ["pre_tool_call", "post_tool_call"],
    fields: ({ event, tool, input, session }) => ({
      event,
      session_id: session,
      data: { tool_name: tool, server_name: "builtin", arguments: input },
    }),
  },
};

/**
 * A folder for each event among the user's own hooks. A workspace's hooks are committed, and ours hold paths of this
 * machine.
 */
function planHooks({ host, own, others }: HooksRequest): PlannedHooks {
  const folder = userHooks(host);
  const wanted = new Set<string>([...own, ...others].flatMap(({ phases }) => phases));
  const changes = ASKED.flatMap((asking) =>
    planDrwnFile({
      root: rootAround(folder, host.home),
      file: path.join(folder, asking.name, "HOOK.toml"),
      text: wanted.has(isOfTools(asking.phase) ? `${asking.phase}-tool` : asking.phase)
        ? hookFile(host.drwnHome, asking)
        : null,
      isOurs: (text) => text.startsWith(HEAD),
      what: `${asking.event} hook`,
      mode: 0o600,
      outermost: path.dirname(folder),
    }),
  );
  return { file: path.join(folder, nameOf("pre_tool_call"), "HOOK.toml"), changes, originals: new Map() };
}

function nameOf(event: AstridEvent): string {
  return `drwn-${event.replaceAll("_", "-")}`;
}

function isOfTools(phase: HookPhase): boolean {
  return phase === "pre" || phase === "post";
}

/** Whether a hook that doesn't work holds the event. Holding `subagent.stop` would keep the subagent going for ever. */
function isHeld(phase: HookPhase): boolean {
  if (isOfTools(phase)) return phase === "pre";
  return phase !== "subagent.stop" && astridLifecycle.powersAt(phase as LifecycleEvent)?.holds === true;
}

function hookFile(home: string, { event, phase, name }: Asking): string {
  const text = formatHook({
    id: idFor(name),
    name,
    description: "Asks the hook policies that were consented to with drwn.",
    event,
    matcher: null,
    handler: {
      type: "command",
      command: "/bin/sh",
      args: ["-c", commandFor(home, phase)],
      env: {},
      workingDir: null,
    },
    timeoutSecs: AGENT_TIMEOUT_SECONDS,
    failAction: isHeld(phase) ? "block" : "warn",
    asyncMode: false,
    enabled: true,
    priority: PRIORITY,
  });
  return `${HEAD}; what you change here is lost. \`drwn uninstall\` takes it out.\n${text}`;
}

/** Only code 0 makes an answer count, and versions of Astrid let a call run if its hook has failed: so a hook that fails says block. */
function commandFor(home: string, phase: HookPhase): string {
  const request = { home, runtime: "astrid", phase } as const;
  const refusal = "block: drwn: the hook does not work, so this is blocked. Run: drwn doctor (or remove this hook)";
  return isHeld(phase) ? hookCommand({ ...request, fallbackAnswer: refusal }) : `${hookCommand(request)}; exit 0`;
}
