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

/** The processes in which the policies of one call run. This process runs none of them: it asks, and composes. */
export interface Workers {
  /** The answer comes once, perhaps at once. */
  ask: (policy: PreparedPolicy, call: WorkerCall, onAnswer: (answer: PolicyAnswer) => void) => void;
  /** Ends all of them. */
  end: () => void;
}

/** Whom to ask about what: each policy about the event at the same place. */
export interface Work {
  policies: readonly PreparedPolicy[];
  events: readonly EventText[];
  callback: PolicyCall["callback"];
  /** Of lifecycle hooks, what the event can take; null of tool policies. */
  powers: EventPowers | null;
}

export interface WorkPlace extends Ends {
  ground: Ground;
}

export type StartWorkers = (work: Work, place: WorkPlace) => Workers;

/** A policy in its worker, by its place there. */
interface Seat {
  worker: Worker;
  place: number;
}

/** What is asked of a policy in another process, where what it may answer is looked at. */
export type WorkerCall = Omit<PolicyCall, "read"> & { powers: EventPowers | null };

/** Starts a process for each group of policies that may share one, all at once, each with its first policy and this call. */
export function startWorkers(spawn: SpawnWorker, work: Work, { ground, ...ends }: WorkPlace): Workers {
  const seats = new Map<PreparedPolicy, Seat>();
  const faults = new Map<PreparedPolicy, string>();
  const workers: Worker[] = [];
  for (const group of groupsOf(work.policies)) {
    const permissions = tryPermissions(group[0]?.capabilities ?? [], ground);
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
  // A policy may be asked about several parts of a call.
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

/** Loaded while the first worker starts. */
function nonce(): string {
  const { randomBytes } = require("node:crypto") as typeof import("node:crypto");
  return randomBytes(16).toString("hex");
}
