import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import type { Capability } from "../../contract/plan.ts";
import type { EventPowers } from "../../policy/taxonomy.ts";
import { failure, type PolicyAnswer } from "../run/policy-answer.ts";
import type { Callback } from "../run/policy-code.ts";
import { BEGUN, readAnswer } from "./answer-frame.ts";
import { frameMessage } from "./messages.ts";
import type { SpawnWorker } from "./spawn-worker.ts";

/** A process for policies that may share one, as the supervising process sees it. */
export interface Worker {
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

export interface WorkerQuestion {
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

export interface WorkerOrder {
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
export function createWorker(order: WorkerOrder, nonce: () => string): Worker {
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
