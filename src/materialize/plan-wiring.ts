import { targetsOf } from "../agents/targets.ts";
import { layout } from "../contract/layout.ts";
import { formatJson } from "../format/write.ts";
import type { Host } from "../kernel/host.ts";
import { isProblem, type Problem } from "../kernel/problem.ts";
import { EVERY_CALL, readOtherPolicies } from "../plan/machine-plans.ts";
import type { AgentId } from "../policy/event.ts";
import { type Change, planFile } from "../wiring/changes.ts";
import type { PolicyTrigger } from "../wiring/policy-triggers.ts";
import type { HooksRequest, ManagedHooksRequest, PlannedHooks, Target } from "../wiring/target.ts";
import { readSettingsRecord, type SettingsLevel } from "../wiring/write-record.ts";
import { requireRootOwnedFile } from "./root-owned.ts";
import { planUnlessUneditable } from "./uneditable.ts";

export interface WiringRequest {
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
  /** Plan it as if no other project had lost its state, which makes that project need every call. */
  isBeforeLoss?: boolean;
}

/** An agent that calls the hook for this project, and the file that makes it do so. */
export interface WiredAgent {
  runtime: AgentId;
  file: string;
}

export interface PlannedWiring {
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
  for (const target of targetsOf([...runtimes, ...former])) {
    const isWanted = runtimes.includes(target.runtime);
    const originalOf = (path: string) => files[path];
    const planned = planUnlessUneditable(() => planFor(target, { ...request, isWanted, originalOf }));
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
  isWanted: boolean;
  originalOf: HooksRequest["originalOf"];
}

/** Undefined: root has no entry in it, and never had one. */
function planFor(target: Target, request: TargetRequest): PlannedHooks | undefined {
  const { host, root, wiring, key, isWanted, originalOf, hasMods } = request;
  const own = isWanted ? request.policies : [];
  if (host.scope === "system") {
    return planSystemFile(target, { home: host.drwnHome, policies: own, originalOf, hasMods });
  }
  const others = readOtherPolicies(host.drwnHome, { exceptKey: key, runtime: target.runtime });
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
