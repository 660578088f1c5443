import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import type { Readable } from "node:stream";
import { permissionFlag } from "../card/hooks/evaluate.ts";
import { DEADLINES } from "../contract/plan.ts";
import { COUNTS, type CountedFunction, type ProvingOrder, type ProvingQuestion } from "../contract/proving.ts";
import { traceProcess } from "../kernel/trace.ts";
import { readCounts } from "./counts.ts";
import { type Judgement, readJudgement, unanswered } from "./judgement.ts";
import type { ProvingPlace } from "./place.ts";
import type { TriedHook } from "./tried-hook.ts";

const MEMORY_MB = 256;
const LARGEST_ANSWER = 8 * 1024 * 1024;
/** The most open questions at once, and the most questions in one message. */
const MOST_OPEN = 256;
const TOGETHER = 64;
/** More than the policy's own time: for Node to start, and for the engine. */
const GRACE_MS = 5_000;
const DIGITS = 12;

const ASKS_COUNTS = JSON.stringify(COUNTS);

interface Open {
  message: string;
  /** It has its own message: of several in one, nobody knows which one brought the process down. */
  isAlone: boolean;
  /** Takes the answer; false: it isn't one. */
  take: (text: string) => boolean;
  /** There will be no answer. */
  giveUp: (why: string) => void;
}

/**
 * Asks one policy about many calls, in a process that is confined like the hook process: no files, no network, no
 * programs, no environment, and nobody sees what it prints. A call that brings it down is blocked, and the others go to
 * the next process.
 */
export class Prover {
  readonly #place: ProvingPlace;
  readonly #hook: TriedHook;
  readonly #isCounted: boolean;
  #child: ChildProcess | null = null;
  #received = "";
  #waiting: Open[] = [];
  #open: Open[] = [];
  /** Waiting for more questions in this turn, to send them together. */
  #isGathering = false;
  #timer: NodeJS.Timeout | undefined;
  /** How many processes ended without having answered. */
  lost = 0;

  /**
   * `isCounted`: V8 counts what the policy runs. Before Node 24, only drwn then confines the process, and Node doesn't.
   */
  constructor(place: ProvingPlace, hook: TriedHook, isCounted = false) {
    this.#place = place;
    this.#hook = hook;
    this.#isCounted = isCounted;
  }

  ask(question: ProvingQuestion): Promise<Judgement> {
    return this.#ask(JSON.stringify(question), readJudgement, unanswered);
  }

  /** What the policy has run in the current process; null: there is no process. */
  counts(): Promise<CountedFunction[] | null> {
    return this.#ask(ASKS_COUNTS, readCounts, () => null);
  }

  #ask<T>(message: string, read: (text: string) => T | undefined, without: (why: string) => T): Promise<T> {
    return new Promise((resolve) => {
      const take = (text: string): boolean => {
        const answer = read(text);
        if (answer !== undefined) resolve(answer);
        return answer !== undefined;
      };
      const isAlone = message === ASKS_COUNTS;
      this.#waiting.push({ message, isAlone, take, giveUp: (why) => resolve(without(why)) });
      this.#gather();
    });
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#place.signal.removeEventListener("abort", this.#stop);
    const child = this.#child;
    this.#child = null;
    if (child?.pid === undefined) return;
    try {
      // Its process group, so that what it has started dies with it.
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It is gone already.
    }
  }

  /** Somebody has ended the work: no more questions. */
  readonly #stop = (): void => {
    this.end();
    for (const { giveUp } of [...this.#open, ...this.#waiting]) giveUp("was ended");
    this.#open = [];
    this.#waiting = [];
  };

  #gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    queueMicrotask(() => {
      this.#isGathering = false;
      this.#send();
    });
  }

  #send(): void {
    if (this.#place.signal.aborted) this.#stop();
    while (this.#waiting.length > 0 && this.#open.length <= MOST_OPEN - TOGETHER) {
      const group = takeGroup(this.#waiting);
      const isIdle = this.#open.length === 0;
      this.#child ??= this.#start();
      this.#open.push(...group);
      this.#child.stdin?.write(frame(`[${group.map(({ message }) => message).join(",")}]`));
      if (isIdle) this.#wait();
    }
  }

  /** Starts the timer by whose end the first open question must have its answer. */
  #wait(): void {
    clearTimeout(this.#timer);
    if (this.#open.length === 0) return;
    const patience = Math.min(DEADLINES.total, ROUNDS * this.#hook.policy.timeoutMs) + GRACE_MS;
    this.#timer = setTimeout(() => this.#lose("did not end in time"), patience);
  }

  #start(): ChildProcess {
    const { home, root, program } = this.#place;
    const { policy, code } = this.#hook;
    const flags = [
      ...flagsFor(this.#place, wallsOf(policy.capabilities.length === 0, this.#isCounted)),
      program,
      home,
      root,
    ];
    this.#place.signal.addEventListener("abort", this.#stop);
    const ended = traceProcess(process.execPath, flags);
    const child = spawn(process.execPath, flags, {
      cwd: root,
      env: {},
      detached: true,
      stdio: ["pipe", "ignore", "ignore", "pipe"],
    });
    const nonce = randomBytes(16).toString("hex");
    this.#received = "";
    const answers = child.stdio[3] as Readable;
    answers.setEncoding("utf8");
    answers.on("data", (text: string) => {
      if (child === this.#child) this.#receive(text, nonce);
    });
    const onEnd = (): void => {
      if (child === this.#child) this.#lose("ended its process without an answer");
    };
    answers.on("end", onEnd);
    answers.on("error", onEnd);
    child.on("error", onEnd);
    child.on("exit", ended);
    child.stdin?.on("error", () => {});
    const order: ProvingOrder = { nonce, policy, code, isCounted: this.#isCounted };
    child.stdin?.write(frame(JSON.stringify(order)));
    return child;
  }

  #receive(text: string, nonce: string): void {
    const lines = (this.#received + text).split("\n");
    this.#received = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.startsWith(nonce) || this.#open[0]?.take(line.slice(nonce.length)) !== true) {
        this.#lose("says what it must not");
        return;
      }
      this.#open.shift();
      this.#wait();
    }
    if (this.#received.length > LARGEST_ANSWER) this.#lose("says what it must not");
    else this.#send();
  }

  /** The process is gone, or must go. Questions that were asked together have no answer, so each is asked alone. */
  #lose(why: string): void {
    this.end();
    this.lost++;
    const open = this.#open;
    this.#open = [];
    const first = open[0]?.isAlone === true ? open.shift() : undefined;
    if (first === undefined) for (const one of open) one.isAlone = true;
    this.#waiting.unshift(...open);
    first?.giveUp(why);
    this.#send();
  }
}

/** The questions that go together into the next message. */
function takeGroup(waiting: Open[]): Open[] {
  const alone = waiting.slice(0, TOGETHER).findIndex(({ isAlone }) => isAlone);
  const group = waiting.splice(0, alone < 0 ? TOGETHER : Math.max(1, alone));
  const [first, ...others] = group;
  if (first !== undefined && others.length === 0) first.isAlone = true;
  return group;
}

/** A policy may be asked again about its own rewrite, and about the parts of a call. */
const ROUNDS = 6;

/** How Node confines the process; null: it doesn't, since this Node can't let V8 count in a confined process. */
function wallsOf(isConfined: boolean, isCounted: boolean): string[] | null {
  if (!isConfined) return null;
  const wall = permissionFlag(process.versions.node);
  if (!isCounted) return [wall];
  return process.allowedNodeEnvironmentFlags.has(ALLOW_COUNTING) ? [wall, ALLOW_COUNTING] : null;
}

const ALLOW_COUNTING = "--allow-inspector";

function flagsFor({ program }: ProvingPlace, walls: string[] | null): string[] {
  const flags = ["--no-warnings", `--max-old-space-size=${MEMORY_MB}`, "--disallow-code-generation-from-strings"];
  return walls === null ? flags : [...walls, `--allow-fs-read=${program}`, ...flags];
}

function frame(text: string): string {
  return `${Buffer.byteLength(text)}`.padStart(DIGITS, "0") + text;
}
