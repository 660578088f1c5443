import fs from "node:fs";
import path from "node:path";
import { type HookFormat, readHookGroups } from "../../../wiring/entries/groups.ts";
import { type HookEntry, type PlannedEntries, planEntries } from "../../../wiring/entries/plan-entries.ts";
import { planUserFile } from "../../../wiring/entries/user-file.ts";
import { openJsonFile } from "../../../wiring/json-file.ts";
import { type HookPhase, hookCommand, isSharedCommand, sharedCommand } from "../../../wiring/launcher.ts";
import type { HooksRequest, PlannedHooks, Target } from "../../../wiring/target.ts";
import { type WantingPolicy, wantedMoments } from "../../../wiring/wanted.ts";
import { polytoken } from "../adapter/calls.ts";
import { polytokenMoments } from "../adapter/moments.ts";
import { globalHooksFile, polytokenProjectHooksFile } from "../read/places.ts";
import { checkPolytoken, entryName } from "./check.ts";

const TOOL_EVENTS = [
  ["pre", "pre_tool_use"],
  ["post", "post_tool_use"],
  ["post", "post_tool_use_failure"],
] as const;

const EVENTS = polytokenMoments.names.map(([, name]) => name);
const FORMAT: HookFormat = { events: new Set(["pre_tool_use", ...EVENTS]), items: "entries", commands: ["bash"] };

const SHARED_NAME = "drwn-required";

export const polytokenTarget: Target = {
  runtime: "polytoken",
  tools: Object.entries(polytoken.canonicalTools).flat(),
  isInUse: ({ host, root }) =>
    [globalHooksFile(host), polytokenProjectHooksFile(root)].some((file) => fs.existsSync(path.dirname(file))),
  planHooks,
  committedEntry: ({ root }) => (hasSharedEntry(root) ? polytokenProjectHooksFile(root) : null),
  skillsFolder: () => null,
  planServers: () => null,
  check: async (request) => checkPolytoken(request),
  live: { cannot: "drwn knows no way to run it with a model of its own" },
  canaryCall: (root, tool, { input, phase } = { input: {}, phase: "pre-tool" }) => {
    const event = phase === "pre-tool" ? "pre_tool_use" : "post_tool_use";
    return {
      event: { event, tool_name: tool, matcher_subject: tool, input, session_id: "drwn-doctor" },
      env: { POLYTOKEN_PROJECT_DIR: root },
    };
  },
};

/** The user's own file: that of a project is committed, and holds nothing of this machine, but what everybody shares. */
function planHooks(request: HooksRequest): PlannedHooks {
  const { host, own, others } = request;
  const { file, changes, origins } = planUserFile(request, {
    format: FORMAT,
    settingsFile: globalHooksFile(host),
    entries: desiredEntries(host.drwnHome, [...own, ...others]),
  });
  const committed = planShared(request);
  if (committed?.change === undefined) return { file, changes, origins };
  const { change, record } = committed;
  const remembered = record === undefined ? [] : [[polytokenProjectHooksFile(request.root), record] as const];
  return { file, changes: [...changes, change], origins: new Map([...origins, ...remembered]) };
}

/** The entry for everybody, in the file that the project commits. */
function planShared({ root, shared, originOf }: HooksRequest): PlannedEntries | undefined {
  const settingsFile = polytokenProjectHooksFile(root);
  if (shared !== "put" && !hasSharedEntry(root)) return undefined;
  const entry = {
    event: "pre_tool_use",
    value: { name: SHARED_NAME, event: "pre_tool_use", handler: { bash: sharedCommand("polytoken") } },
  };
  return planEntries({
    settingsFile,
    root,
    format: FORMAT,
    entries: shared === "take-out" ? [] : [entry],
    isOurs: isSharedCommand,
    record: originOf(settingsFile),
  });
}

function hasSharedEntry(root: string): boolean {
  const file = openJsonFile({ root, file: polytokenProjectHooksFile(root), rootShape: "list" });
  return readHookGroups(file, FORMAT, isSharedCommand).some(({ ours }) => ours.length > 0);
}

/** Without a matcher: a glob of Polytoken names one kind of tool, and policies decide by more than that. */
function desiredEntries(home: string, policies: readonly WantingPolicy[]): HookEntry[] {
  const tools = TOOL_EVENTS.filter(([phase]) => policies.some(({ phases }) => phases.includes(`${phase}-tool`)));
  return [
    ...tools.map(([phase, event]) => entryOf(home, { phase, event, name: entryName(event) })),
    // A moment goes by the name that all agents share: two of them are after a tool's call, as policies may be.
    ...wantedMoments(polytokenMoments, policies).map(([phase, event]) =>
      entryOf(home, { phase, event, name: entryName(phase) }),
    ),
  ];
}

function entryOf(home: string, { phase, event, name }: { phase: HookPhase; event: string; name: string }): HookEntry {
  const bash = hookCommand({ home, runtime: "polytoken", phase });
  return { event, value: { name, event, handler: { bash } } };
}
