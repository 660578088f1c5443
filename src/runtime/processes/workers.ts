import type { Capability } from "../../contract/plan.ts";
import type { EventPowers } from "../../policy/taxonomy.ts";
import { type EventText, withInput } from "../enter/event.ts";
import { failure, type PolicyAnswer } from "../run/policy-answer.ts";
import type { PolicyCall } from "../run/policy-code.ts";
import type { PreparedPolicy } from "../verify/prepare.ts";
import { type ProjectPaths, permissionsFor } from "./child-permissions.ts";
import { type Deadlines, deadlineForPolicy } from "./deadlines.ts";
import type { SpawnWorker } from "./spawn-worker.ts";
import { createWorker, type Worker } from "./worker.ts";

/**
 * The processes in which the policies of one call run. This process runs no policy: it asks, and composes the answers.
 */
export interface Workers {
  /** `onAnswer` is called once, perhaps before this returns. */
  ask: (policy: PreparedPolicy, call: WorkerCall, onAnswer: (answer: PolicyAnswer) => void) => void;
  /** Ends all of them. */
  end: () => void;
}

/** Which policies to ask about which events: both lists have the same order. */
export interface WorkerRequest {
  policies: readonly PreparedPolicy[];
  events: readonly EventText[];
  callback: PolicyCall["callback"];
  /** For lifecycle hooks: which answers the event allows. Null for tool policies. */
  powers: EventPowers | null;
}

export interface WorkerSettings extends Deadlines {
  paths: ProjectPaths;
}

export type StartWorkers = (work: WorkerRequest, index: WorkerSettings) => Workers;

/** A policy's worker, and its index there. */
interface WorkerSlot {
  worker: Worker;
  index: number;
}

/** A question to a policy in another process. That process checks the answer. */
export type WorkerCall = Omit<PolicyCall, "read"> & { powers: EventPowers | null };

/**
 * Starts a process for each group of policies that may share one, all at once. Each begins by asking its first policy
 * about this call.
 */
export function startWorkers(spawn: SpawnWorker, work: WorkerRequest, { paths, ...ends }: WorkerSettings): Workers {
  const slots = new Map<PreparedPolicy, WorkerSlot>();
  const faults = new Map<PreparedPolicy, string>();
  const workers: Worker[] = [];
  for (const group of groupsOf(work.policies)) {
    const permissions = tryPermissions(group[0]?.capabilities ?? [], {
      ...paths,
      root: group[0]?.root ?? paths.root,
    });
    if (permissions === undefined) {
      for (const policy of group) faults.set(policy, UNCONFINED);
      continue;
    }
    const worker = createWorker({ ...orderOf(group), permissions, spawn }, () => nonce());
    workers.push(worker);
    for (const [index, policy] of group.entries()) slots.set(policy, { worker, index });
    const [first] = group;
    const event = first === undefined ? undefined : work.events[work.policies.indexOf(first)];
    if (first === undefined || event === undefined) continue;
    const { callback, powers } = work;
    worker.askEarly({
      callback,
      powers,
      event: withInput(event, event.input, first.options),
      policy: 0,
      timeoutMs: first.timeoutMs,
      until: deadlineForPolicy(ends, first),
    });
  }
  return {
    ask: (policy, { callback, event, powers }, onAnswer) => {
      const slot = slots.get(policy);
      if (slot === undefined) onAnswer(failure(faults.get(policy) ?? "has no process"));
      else {
        const { timeoutMs } = policy;
        const until = deadlineForPolicy(ends, policy);
        slot.worker.ask({ callback, event, powers, policy: slot.index, timeoutMs, until }, onAnswer);
      }
    },
    end: () => {
      for (const worker of workers) worker.end();
    },
  };
}

const UNCONFINED = "cannot be confined to its project: a path there has a comma or a star in it, or cannot be read";

function groupsOf(policies: readonly PreparedPolicy[]): PreparedPolicy[][] {
  const groups = new Map<string, PreparedPolicy[]>();
  // The set, since a policy that is asked about several parts of a call is listed several times.
  for (const policy of new Set(policies)) {
    if (policy.program.where === "nowhere") continue;
    const group = groups.get(policy.process);
    if (group === undefined) groups.set(policy.process, [policy]);
    else group.push(policy);
  }
  return [...groups.values()];
}

function orderOf(group: readonly PreparedPolicy[]): {
  policies: { name: string; code: string }[];
  capabilities: readonly Capability[];
} {
  const policies = group.map(({ name, program }) => {
    const code = program.where === "here" ? program.code.code : "";
    return { name, code: typeof code === "string" ? code : "" };
  });
  return { policies, capabilities: group[0]?.capabilities ?? [] };
}

function tryPermissions(capabilities: readonly Capability[], paths: ProjectPaths): string[] | undefined {
  try {
    return permissionsFor(capabilities, paths);
  } catch {
    return undefined;
  }
}

/** Loads the module only here, so that it loads while the first worker starts. */
function nonce(): string {
  const { randomBytes } = require("node:crypto") as typeof import("node:crypto");
  return randomBytes(16).toString("hex");
}
