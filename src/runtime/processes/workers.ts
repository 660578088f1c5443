import type { Capability } from "../../contract/plan.ts";
import type { EventPowers } from "../../policy/taxonomy.ts";
import { type EventText, withInput } from "../enter/event.ts";
import { failure, type PolicyAnswer } from "../run/answer-of-policy.ts";
import type { PolicyCall } from "../run/policy-code.ts";
import type { PreparedPolicy } from "../verify/prepare.ts";
import { type Ground, permissionsFor } from "./child-permissions.ts";
import { type Ends, endFor } from "./ends.ts";
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
export interface Work {
  policies: readonly PreparedPolicy[];
  events: readonly EventText[];
  callback: PolicyCall["callback"];
  /** For lifecycle hooks: which answers the event allows. Null for tool policies. */
  powers: EventPowers | null;
}

export interface WorkPlace extends Ends {
  ground: Ground;
}

export type StartWorkers = (work: Work, place: WorkPlace) => Workers;

/** A policy's worker, and its index there. */
interface Seat {
  worker: Worker;
  place: number;
}

/** A question to a policy in another process. That process checks the answer. */
export type WorkerCall = Omit<PolicyCall, "read"> & { powers: EventPowers | null };

/**
 * Starts a process for each group of policies that may share one, all at once. Each begins by asking its first policy
 * about this call.
 */
export function startWorkers(spawn: SpawnWorker, work: Work, { ground, ...ends }: WorkPlace): Workers {
  const seats = new Map<PreparedPolicy, Seat>();
  const faults = new Map<PreparedPolicy, string>();
  const workers: Worker[] = [];
  for (const group of groupsOf(work.policies)) {
    const permissions = tryPermissions(group[0]?.capabilities ?? [], {
      ...ground,
      root: group[0]?.root ?? ground.root,
    });
    if (permissions === undefined) {
      for (const policy of group) faults.set(policy, UNCONFINED);
      continue;
    }
    const worker = createWorker({ ...orderOf(group), permissions, spawn }, () => nonce());
    workers.push(worker);
    for (const [place, policy] of group.entries()) seats.set(policy, { worker, place });
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
      until: endFor(ends, first),
    });
  }
  return {
    ask: (policy, { callback, event, powers }, onAnswer) => {
      const seat = seats.get(policy);
      if (seat === undefined) onAnswer(failure(faults.get(policy) ?? "has no process"));
      else {
        const { timeoutMs } = policy;
        const until = endFor(ends, policy);
        seat.worker.ask({ callback, event, powers, policy: seat.place, timeoutMs, until }, onAnswer);
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

function tryPermissions(capabilities: readonly Capability[], ground: Ground): string[] | undefined {
  try {
    return permissionsFor(capabilities, ground);
  } catch {
    return undefined;
  }
}

/** Loads the module only here, so that it loads while the first worker starts. */
function nonce(): string {
  const { randomBytes } = require("node:crypto") as typeof import("node:crypto");
  return randomBytes(16).toString("hex");
}
