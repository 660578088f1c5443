import { findAgents } from "../agents/find-agents.ts";
import { targetsOf } from "../agents/targets.ts";
import { layout } from "../contract/layout.ts";
import { formatJson } from "../kernel/format/json.ts";
import type { Host } from "../kernel/host.ts";
import { isProblem, type Problem } from "../kernel/problem.ts";
import type { AgentId } from "../policy/event.ts";
import type { OpenProject } from "../project/open/open-project.ts";
import { type Change, planFile } from "../wiring/changes.ts";
import type { HooksRequest, ManagedHooksRequest, PlannedHooks, PolicyTrigger, Target } from "../wiring/target.ts";
import { readSettingsRecord, type SettingsLevel, type WriteRecord } from "../wiring/write-record.ts";
import { EVERY_CALL, type OtherPolicies, otherPolicies } from "./plan/plan-in-force.ts";
import { requireRootOwnedFile } from "./program.ts";

interface WiringRequest {
  host: Host;
  root: string;
  /** The project's key. */
  key: string;
  wiring: SettingsLevel;
  /** The agents to wire. */
  runtimes: readonly AgentId[];
  /** Agents that were guarded so far: drwn takes out entries that nobody wants any more. */
  former: readonly AgentId[];
  policies: readonly PolicyTrigger[];
  shared: HooksRequest["shared"];
  /** For what root wants for every user: whether users' mods may be loaded beside it; undefined: as it was. */
  hasMods?: boolean | undefined;
  /** Leave out an agent whose file cannot be edited, if others can be wired: its guards aren't in force, and that is said. */
  leavesOut?: boolean;
  /** What the other projects need, if the caller has read that. */
  others?: OtherPolicies;
  /** Plan it as if no other project had lost its state, which makes that project need every call. */
  isBeforeLoss?: boolean;
}

/** An agent that calls the hook for this project, and the file that makes it do so. */
export interface WiredAgent {
  runtime: AgentId;
  file: string;
}

interface PlannedWiring {
  agents: WiredAgent[];
  /**
   * What drwn did to which file. It is written before the files: a record of a change that was never made does no harm,
   * but nobody could undo a change without a record.
   */
  records: Change[];
  settings: Change[];
}

/** The entries for drwn in the settings of agents. */
export function planWiring({ runtimes, former, leavesOut = false, ...request }: WiringRequest): PlannedWiring {
  const { drwnHome: home } = request.host;
  // If a file loses its last entry, its origin stays until the next change: it serves to undo a half-made one.
  const files = { ...readSettingsRecord(home).files };
  const agents: WiredAgent[] = [];
  const settings: Change[] = [];
  const refused: Problem[] = [];
  const others = request.others ?? otherPolicies(home, request.key);
  for (const target of targetsOf([...runtimes, ...former])) {
    const isWanted = runtimes.includes(target.runtime);
    const originalOf = (path: string) => files[path];
    const planned = planUnlessUneditable(() => planFor(target, { ...request, others, isWanted, originalOf }));
    if (isProblem(planned)) {
      if (!leavesOut || !isWanted) throw planned;
      refused.push(planned);
      continue;
    }
    if (planned === undefined) continue;
    const { file, changes, originals } = planned;
    if (isWanted) agents.push({ runtime: target.runtime, file });
    settings.push(...changes);
    for (const [path, origin] of originals) files[path] = origin;
  }
  const [first] = refused;
  if (first !== undefined && agents.length === 0) throw first;
  if (settings.length === 0) return { agents, records: [], settings };
  const after = Buffer.from(formatJson({ version: 1, files }));
  const note = planFile({ path: layout.wiring(home), after, what: "record of what was wired", mode: 0o600 });
  return { agents, records: note === undefined ? [] : [note], settings };
}

interface TargetRequest extends Omit<WiringRequest, "former" | "leavesOut" | "runtimes"> {
  others: OtherPolicies;
  isWanted: boolean;
  originalOf: HooksRequest["originalOf"];
}

/** Undefined: root has no entry in it, and never had one. */
function planFor(target: Target, request: TargetRequest): PlannedHooks | undefined {
  const { host, root, wiring, isWanted, originalOf, hasMods } = request;
  const own = isWanted ? request.policies : [];
  if (host.scope === "system") {
    return planSystemFile(target, { home: host.drwnHome, policies: own, originalOf, hasMods });
  }
  const others = request.others(target.runtime);
  return target.planHooks({
    ...{ host, root, wiring, own, originalOf },
    isGuarded: isWanted,
    shared: isWanted ? request.shared : "take-out",
    others: request.isBeforeLoss === true ? others.filter((policy) => policy !== EVERY_CALL) : others,
  });
}

function planSystemFile({ planManaged }: Target, request: ManagedHooksRequest): PlannedHooks | undefined {
  const planned = planManaged?.(request);
  if (planned === undefined || planned.changes.length === 0) return planned;
  requireRootOwnedFile(planned.file);
  return planned;
}

/** Which agents a person asked `write` to guard from now on. */
export interface AgentChoice {
  /** Exactly these; `all`: no choice any more, so those that are asked for or found. */
  runtimes?: readonly (AgentId | "all")[] | undefined;
  /** These, too. */
  also?: readonly AgentId[] | undefined;
}

export interface WantedAgents {
  /** The agents to guard. */
  runtimes: AgentId[];
  /** The same, if a person chose them. */
  chosen: AgentId[] | undefined;
  /** Agents of this machine, or for every user, those that drwn can guard. */
  found: AgentId[];
}

interface WantedRequest {
  written: Pick<WriteRecord, "chosen" | "runtimes">;
  choice?: AgentChoice | undefined;
}

/**
 * A person's choice decides; without one, the agents that are found, those that the project asks for, and those that are
 * wired: a checkout must not end a guard.
 */
export function wantedAgents(
  host: Host,
  { root, isGlobal, config }: Pick<OpenProject, "config" | "isGlobal" | "root">,
  { written, choice: { runtimes: asked, also = [] } = {} }: WantedRequest,
): WantedAgents {
  const found = findAgents(host, { root, isGlobal });
  const isFreed = asked?.includes("all") === true;
  const named = asked?.filter((runtime) => runtime !== "all");
  const former = isGlobal ? config.runtimes : written.chosen;
  const exact = isFreed ? undefined : (named ?? former);
  if (exact !== undefined) {
    const chosen = sorted([...exact, ...also]);
    return { runtimes: chosen, chosen, found };
  }
  const wired = isFreed ? [] : written.runtimes;
  const requested = isGlobal ? [] : (config.runtimes ?? []);
  return { runtimes: sorted([...found, ...requested, ...wired, ...(named ?? []), ...also]), chosen: undefined, found };
}

function sorted(runtimes: readonly AgentId[]): AgentId[] {
  return [...new Set(runtimes)].sort();
}

const UNEDITABLE: ReadonlySet<string> = new Set([
  "DRWN_FILE_TOO_LARGE",
  "DRWN_SETTINGS_INVALID",
  "DRWN_SETTINGS_UNSAFE",
  "DRWN_TARGET_UNWRITABLE",
]);

/** A file that cannot be edited comes back as the problem that it is. */
export function planUnlessUneditable<T>(plan: () => T): T | Problem {
  try {
    return plan();
  } catch (error) {
    if (isProblem(error) && UNEDITABLE.has(error.code)) return error;
    throw error;
  }
}
