import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { ANSWERED, SERVING_VERSION, type ServedAnswer, type ServedQuestion } from "../contract/protocol.ts";

/** Nobody could be asked; the message is for the model. */
class Unanswered extends Error {}

/** A process that has answered its share hands over to the next. */
const MOST_PROCESSES = 3;

/** Asks the policies of one project, in one process for the whole app. The first question starts it. */
export class Engine {
  readonly #place: () => HookPaths;
  #process: AnsweringProcess | null = null;

  constructor(place: () => HookPaths) {
    this.#place = place;
  }

  /** Null: no policy has anything to say. Throws an `Unanswered`. */
  async ask(about: ServedQuestion["about"], event: string): Promise<ServedAnswer | null> {
    for (let attempt = 0; attempt < MOST_PROCESSES; attempt++) {
      const outcome = await this.#put(about, event);
      if (outcome.kind === "answered") return outcome.answer;
      if (outcome.kind === "failed") throw new Unanswered(outcome.why);
    }
    throw new Unanswered("drwn: the hook process keeps being replaced, so the call is blocked");
  }

  end(): void {
    this.#process?.retire();
    this.#process = null;
  }

  #put(about: ServedQuestion["about"], event: string): Promise<ProcessOutcome> {
    if (this.#process?.isOpen !== true) this.#process = new AnsweringProcess(this.#place());
    return this.#process.ask(about, event);
  }
}

/** Where drwn's launcher is, and the project whose consents count. Both paths are absolute. */
export interface HookPaths {
  hook: string;
  project: string;
}

/** How a question ended. `retired`: the process hasn't looked at it and takes no more questions. */
type ProcessOutcome =
  | { kind: "answered"; answer: ServedAnswer | null }
  | { kind: "retired" }
  | { kind: "failed"; why: string };

/** How long to wait for Node and the engine to start. */
const START_MS = 15_000;
/** The process enforces the policies' deadlines; this much later it is killed. */
const GRACE_MS = 3_000;
const LONGEST_COMPLAINT = 2_000;

const DIED =
  "drwn: the hook process died without an answer, so the call is blocked; if it happens again, run: drwn write";

interface Open {
  onOutcome: (outcome: ProcessOutcome) => void;
  timer: NodeJS.Timeout;
}

/** The process that answers for this app. It ends with the app, and doesn't keep the app from ending. */
class AnsweringProcess {
  readonly #child: ChildProcess;
  readonly #open = new Map<number, Open>();
  #lastId = 0;
  /** Known once the process has greeted. */
  #totalMs: number | null = null;
  #pieces: string[] = [];
  #complaint = "";
  #isRetired = false;
  #hasEnded = false;

  constructor({ hook, project }: HookPaths) {
    // By its name, which a link may have now: the shell asks for it.
    const env = { ...process.env, PWD: project };
    this.#child = spawn(hook, ["mastra", "serve", `${ANSWERED}`], { cwd: project, env, detached: true, stdio: "pipe" });
    this.#child.on("error", () => this.#end("drwn: the hook is not there, so the call is blocked; run: drwn write"));
    // After everything that it said has been read: whether it has greeted tells silence from a death.
    this.#child.on("close", (code) => this.#exit(code));
    this.#child.stdin?.on("error", () => {});
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => this.#receive(text));
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => this.#relay(text));
    this.#child.unref();
    for (const stream of this.#child.stdio) (stream as Socket | null)?.unref();
  }

  /** Whether it takes questions. */
  get isOpen(): boolean {
    return !this.#hasEnded && !this.#isRetired;
  }

  ask(about: ServedQuestion["about"], event: string): Promise<ProcessOutcome> {
    const id = ++this.#lastId;
    return new Promise((onOutcome) => {
      // Keeps the app running until the question is answered.
      (this.#child.stdout as Socket | null)?.ref();
      this.#open.set(id, { onOutcome, timer: this.#limit() });
      this.#child.stdin?.write(`{"id":${id},"about":"${about}","event":${event}}\n`);
    });
  }

  /** Takes no more questions, and ends once the open ones are answered. */
  retire(): void {
    this.#isRetired = true;
    if (this.#open.size === 0) this.#child.stdin?.end();
  }

  #limit(): NodeJS.Timeout {
    const patience = this.#totalMs === null ? START_MS : this.#totalMs + GRACE_MS;
    return setTimeout(() => this.#kill("drwn: the policies did not answer in time, so the call is blocked"), patience);
  }

  #receive(text: string): void {
    const [first = "", ...others] = text.split("\n");
    this.#pieces.push(first);
    for (const piece of others) {
      this.#hear(readLine(this.#pieces.join("")));
      this.#pieces = [piece];
    }
  }

  #hear(line: AnswerLine): void {
    if (line.kind === "greeting" && line.version === SERVING_VERSION) this.#begin(line.totalMs);
    else if (line.kind === "answer") this.#settle(line.id, { kind: "answered", answer: line.answer });
    else if (line.kind === "retired") this.#handOver(line.id);
    else this.#kill("drwn: the versions of the app and the hook do not fit together, so the call is blocked");
  }

  #begin(totalMs: number): void {
    this.#totalMs = totalMs;
    for (const open of this.#open.values()) {
      clearTimeout(open.timer);
      open.timer = this.#limit();
    }
  }

  #handOver(id: number): void {
    this.#isRetired = true;
    this.#settle(id, { kind: "retired" });
  }

  #settle(id: number, outcome: ProcessOutcome): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    this.#open.delete(id);
    clearTimeout(open.timer);
    if (this.#open.size === 0) (this.#child.stdout as Socket | null)?.unref();
    // It ends when its input ends.
    if (this.#open.size === 0 && this.#isRetired) this.#child.stdin?.end();
    open.onOutcome(outcome);
  }

  #relay(text: string): void {
    this.#complaint = (this.#complaint + text).slice(-LONGEST_COMPLAINT);
    process.stderr.write(text);
  }

  /** If nobody has consented to anything, the launcher ends at once and says that it did its work. */
  #exit(code: number | null): void {
    if (code === ANSWERED && this.#totalMs === null) this.#end(null);
    else this.#end(lastComplaint(this.#complaint) ?? DIED);
  }

  #kill(why: string): void {
    const { pid } = this.#child;
    this.#end(why);
    if (pid === undefined) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // It has ended already.
    }
  }

  #end(why: string | null): void {
    this.#hasEnded = true;
    const outcome: ProcessOutcome = why === null ? { kind: "answered", answer: null } : { kind: "failed", why };
    for (const id of [...this.#open.keys()]) this.#settle(id, outcome);
  }
}

function lastComplaint(text: string): string | undefined {
  return text.split("\n").findLast((line) => line.startsWith("drwn: "));
}

/** One line of the answering process. */
type AnswerLine =
  | { kind: "greeting"; version: number; totalMs: number }
  | { kind: "answer"; id: number; answer: ServedAnswer | null }
  | { kind: "retired"; id: number }
  | { kind: "nonsense" };

type Fields = Readonly<Record<string, unknown>>;

const NONSENSE: AnswerLine = { kind: "nonsense" };
const ACTIONS = ["allow", "ask", "deny"] as const;

function readLine(text: string): AnswerLine {
  const value = parse(text);
  if (value === undefined) return NONSENSE;
  const { drwn, totalMs, id, answer, retired } = value;
  if (typeof drwn === "number") {
    return typeof totalMs === "number" ? { kind: "greeting", version: drwn, totalMs } : NONSENSE;
  }
  if (typeof id !== "number") return NONSENSE;
  if (retired === true) return { kind: "retired", id };
  if (answer === null) return { kind: "answer", id, answer };
  const read = isFields(answer) ? readAnswer(answer) : undefined;
  return read === undefined ? NONSENSE : { kind: "answer", id, answer: read };
}

function readAnswer(answer: Fields): ServedAnswer | undefined {
  const { reason, updatedInput } = answer;
  const action = ACTIONS.find((one) => one === answer["action"]);
  if (action === undefined || (updatedInput !== undefined && !isFields(updatedInput))) return undefined;
  return {
    action,
    ...(typeof reason === "string" ? { reason } : {}),
    ...("output" in answer ? { output: answer["output"] } : {}),
    ...(updatedInput === undefined ? {} : { updatedInput }),
  };
}

function parse(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
