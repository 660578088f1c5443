import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import type { Capability } from "../../contract/plan.ts";
import type { EventPowers } from "../../policy/lifecycle-events.ts";
import { type EventText, withInput } from "../enter/event.ts";
import { failure, type PolicyAnswer } from "../run/policy-answer.ts";
import type { Callback, PolicyCall } from "../run/policy-code.ts";
import type { PreparedPolicy } from "../verify/read-policy.ts";
import { type Deadlines, deadlineForPolicy } from "./call-deadline.ts";
import { BEGUN, frameMessage, readAnswer } from "./messages.ts";
import { type ProjectPaths, permissionsFor, type SpawnWorker, spawnWorker } from "./spawn-worker.ts";

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

interface WorkerSettings extends Deadlines {
  paths: ProjectPaths;
}

export type StartWorkers = (work: WorkerRequest, index: WorkerSettings) => Workers;

/** A policy's worker, and its index there. */
interface WorkerSlot {
  worker: Worker;
  index: number;
}

/** A question to a policy in another process. That process checks the answer. */
type WorkerCall = Omit<PolicyCall, "read"> & { powers: EventPowers | null };

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

/** At most this many processes are kept waiting for the next call. */
const MOST_SPARES = 4;

/**
 * Starts workers for a process that answers many calls. Each worker serves one call, so that no policy finds traces of
 * an earlier one. Workers without capabilities are started ahead, since they are all alike until they get their order.
 */
export class SpareWorkers {
  readonly #permissions: readonly string[] | undefined;
  readonly #live = new Set<ChildProcess>();
  #spares: ChildProcess[] = [];
  #taken = 0;

  constructor(ground: ProjectPaths) {
    this.#permissions = permissionsFor([], ground);
  }

  readonly take: SpawnWorker = (permissions, capabilities) => {
    if (capabilities.length > 0) return this.#start(permissions, capabilities);
    this.#taken++;
    return this.#spares.shift() ?? this.#start(permissions, capabilities);
  };

  /** Starts as many spares as calls have needed since the last refill. */
  refill(): void {
    if (this.#permissions === undefined) return;
    const wanted = Math.max(1, Math.min(MOST_SPARES, this.#taken));
    this.#taken = 0;
    try {
      while (this.#spares.length < wanted) this.#spares.push(this.#start(this.#permissions, []));
    } catch {
      // The system starts no more processes. The next call tries again, and blocks if it must.
    }
  }

  endAll(): void {
    for (const { pid } of this.#live) endGroup(pid);
  }

  #start(...[permissions, capabilities]: Parameters<SpawnWorker>): ChildProcess {
    const child = spawnWorker(permissions, capabilities);
    this.#live.add(child);
    const forget = (): void => {
      this.#live.delete(child);
      this.#spares = this.#spares.filter((spare) => spare !== child);
    };
    child.on("exit", forget);
    child.on("error", forget);
    child.stdin?.on("error", () => {});
    return child;
  }
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}

/** A process for policies that may share one, as the supervising process sees it. */
interface Worker {
  /**
   * Asks one policy. `onAnswer` is called once, perhaps before this returns. A question that was asked early isn't
   * asked again.
   */
  ask: (question: WorkerQuestion, onAnswer: (answer: PolicyAnswer) => void) => void;
  /** Asks a question before anybody waits for the answer, so that all processes start at the same time. */
  askEarly: (question: WorkerQuestion) => void;
  /** Ends the process and everything that it has started. */
  end: () => void;
}

interface WorkerQuestion {
  /** The policy's index in the order. */
  policy: number;
  callback: Callback;
  /** JSON text. */
  event: string;
  powers: EventPowers | null;
  timeoutMs: number;
  /** When the answer must be there, in milliseconds since this process started. */
  until: number;
}

interface WorkerOrder {
  policies: { name: string; code: string }[];
  capabilities: readonly Capability[];
  /** Flags for Node. */
  permissions: readonly string[];
  spawn: SpawnWorker;
}

/** The worker itself ends a question when its time is over. If it hasn't done so this much later, it is ended. */
const GRACE_MS = 100;
const LARGEST_FRAME = 8 * 1024 * 1024;

const NOT_STARTED = "could not be started in a process of its own";

/** The process starts with the first question, and starts again if a policy has brought it down. */
function createWorker(order: WorkerOrder, nonce: () => string): Worker {
  return new PolicyWorker(order, nonce);
}

interface OpenQuestion extends WorkerQuestion {
  onAnswer: ((answer: PolicyAnswer) => void) | null;
  /** An answer that came before anybody waited for it. */
  early: PolicyAnswer | null;
  timer: NodeJS.Timeout;
  hasBegun: boolean;
}

class PolicyWorker implements Worker {
  readonly #order: WorkerOrder;
  readonly #nonce: () => string;
  #child: ChildProcess | null = null;
  #secret = "";
  #received = "";
  #open: OpenQuestion | null = null;

  constructor(order: WorkerOrder, nonce: () => string) {
    this.#order = order;
    this.#nonce = nonce;
  }

  ask(question: WorkerQuestion, onAnswer: (answer: PolicyAnswer) => void): void {
    const open = this.#open;
    if (open !== null && open.policy === question.policy && open.event === question.event) {
      this.#await(open, onAnswer);
      return;
    }
    // The early answer is useless, since the input has changed.
    if (open !== null && open.early === null) this.end();
    this.#put(question, onAnswer);
  }

  askEarly(question: WorkerQuestion): void {
    this.#put(question, null);
  }

  end(): void {
    const child = this.#child;
    if (this.#open !== null) clearTimeout(this.#open.timer);
    this.#open = null;
    this.#child = null;
    if (child?.pid === undefined) return;
    try {
      // Its process group, so that everything it has started dies with it.
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended already.
    }
  }

  #put(question: WorkerQuestion, onAnswer: ((answer: PolicyAnswer) => void) | null): void {
    // Starting Node and our program may use the whole time of the call; the policy's own time begins when they are
    // ready.
    const timer = setTimeout(() => this.#stop(), left(question.until));
    const open: OpenQuestion = { ...question, onAnswer, early: null, timer, hasBegun: false };
    this.#open = open;
    try {
      const child = this.#child ?? this.#start();
      const { policy, callback, event, powers, timeoutMs } = question;
      child.stdin?.write(frameMessage(JSON.stringify({ policy, callback, event, powers, timeoutMs })));
    } catch {
      this.#lose();
    }
  }

  #await(open: OpenQuestion, onAnswer: (answer: PolicyAnswer) => void): void {
    if (open.early === null) {
      open.onAnswer = onAnswer;
      return;
    }
    this.#open = null;
    onAnswer(open.early);
  }

  #start(): ChildProcess {
    const { policies, capabilities, permissions, spawn } = this.#order;
    const child = spawn(permissions, capabilities);
    this.#child = child;
    this.#received = "";
    const answers = child.stdio[3] as Socket | null | undefined;
    answers?.setEncoding("utf8");
    // The answer may end this process. What the worker printed before is already in its pipe, so that is read before
    // the answer counts.
    const inTurn = (work: () => void): void => {
      const next = (): void => {
        if (child === this.#child) work();
      };
      setImmediate(() => setImmediate(next));
    };
    answers?.on("data", (text: string) => inTurn(() => this.#receive(text)));
    answers?.on("error", () => {});
    const onEnd = (): void => inTurn(() => this.#lose());
    answers?.on("end", onEnd);
    child.on("error", onEnd);
    this.#secret = this.#nonce();
    child.stdin?.on("error", () => {});
    child.stdin?.write(frameMessage(JSON.stringify({ nonce: this.#secret, policies, capabilities })));
    return child;
  }

  #receive(text: string): void {
    this.#received += text;
    if (this.#received.length > LARGEST_FRAME) this.#lose();
    for (;;) {
      const end = this.#received.indexOf("\n");
      if (end < 0) return;
      const line = this.#received.slice(0, end);
      this.#received = this.#received.slice(end + 1);
      if (!line.startsWith(this.#secret)) {
        this.#lose();
        return;
      }
      this.#hear(line.slice(this.#secret.length));
    }
  }

  #hear(said: string): void {
    const open = this.#open;
    if (open === null) return;
    if (said === BEGUN) {
      open.hasBegun = true;
      clearTimeout(open.timer);
      open.timer = setTimeout(() => this.#stop(), Math.min(open.timeoutMs, left(open.until)) + GRACE_MS);
      return;
    }
    const answer = readAnswer(said);
    if (answer === null) this.#lose();
    else this.#answer(open, answer);
  }

  #answer(open: OpenQuestion, answer: PolicyAnswer): void {
    clearTimeout(open.timer);
    if (open.onAnswer === null) {
      open.early = answer;
      this.#open = open;
      return;
    }
    this.#open = null;
    open.onAnswer(answer);
  }

  /** Its time is over. */
  #stop(): void {
    const open = this.#open;
    this.end();
    if (open === null) return;
    this.#answer(open, failure(open.hasBegun ? `did not finish within ${open.timeoutMs} ms` : NOT_STARTED));
  }

  /** The process has ended, or broke the protocol. */
  #lose(): void {
    const open = this.#open;
    this.end();
    if (open === null) return;
    this.#answer(open, failure(open.hasBegun ? "ended its process without an answer" : NOT_STARTED));
  }
}

function left(until: number): number {
  return Math.max(1, until - process.uptime() * 1_000);
}
