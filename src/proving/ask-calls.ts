import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import type { Readable } from "node:stream";
import { permissionFlag } from "../card/hooks/evaluate.ts";
import { DEADLINES } from "../contract/plan.ts";
import type { ProvingOrder, ProvingQuestion } from "../contract/proving.ts";
import { traceProcess } from "../kernel/trace.ts";
import type { HookUnderTest } from "./hook-under-test.ts";
import { type Judgement, readJudgement, unanswered } from "./judgement.ts";
import { type ProvingSandbox, putHookUnderTest } from "./sandbox.ts";

/** A call after earlier ones of its session: only the answer to the last question counts. */
export interface SessionCall {
  questions: readonly ProvingQuestion[];
  /** Ask about it in a process that answers nothing else. */
  isFresh?: boolean | undefined;
}

const MEMORY_MB = 256;
const LARGEST_ANSWER = 8 * 1024 * 1024;
/**
 * The most questions for one process: what a policy remembers of other calls reaches no further. V8 starts cold in each
 * process, so with 64 the cases and mutants of a card took twice the CPU time.
 */
const MOST_QUESTIONS = 256;
const PROCESSES = 2;
/** More than the policy's own time: for Node to start, and for the engine. */
const GRACE_MS = 5_000;
/** A policy may be asked again about its own rewrite, and about the parts of a call. */
const ROUNDS = 6;
const DIGITS = 12;

/**
 * Asks a policy once about each of these calls, up to 256 of them in one process. The process is confined like the hook
 * process: no files, no network, no programs, no environment, and nobody sees what it prints.
 */
export async function askCalls(
  place: ProvingSandbox,
  hook: HookUnderTest,
  calls: readonly SessionCall[],
): Promise<Judgement[]> {
  putHookUnderTest(place, hook);
  const groups = groupCalls(calls);
  const answers: Judgement[][] = [];
  // Both take from the same list.
  const left = groups.entries();
  const work = async (): Promise<void> => {
    for (const [at, group] of left) answers[at] = await askGroup(place, hook, group);
  };
  await Promise.all(Array.from({ length: PROCESSES }, work));
  return answers.flat();
}

/** The calls for one process each, in order. */
function groupCalls(calls: readonly SessionCall[]): SessionCall[][] {
  const groups: SessionCall[][] = [];
  let room = 0;
  for (const call of calls) {
    const isFresh = call.isFresh === true;
    if (isFresh || call.questions.length > room) {
      groups.push([]);
      room = MOST_QUESTIONS;
    }
    groups.at(-1)?.push(call);
    room = isFresh ? 0 : room - call.questions.length;
  }
  return groups;
}

/** A question that brings its process down is blocked, and those after it go to another process. */
async function askGroup(
  place: ProvingSandbox,
  hook: HookUnderTest,
  group: readonly SessionCall[],
): Promise<Judgement[]> {
  const questions = group.flatMap((call) => call.questions);
  const answers: Judgement[] = [];
  while (answers.length < questions.length) {
    const why = await askProcess(place, hook, { questions: questions.slice(answers.length), answers });
    if (why !== null) answers.push(unanswered(why));
  }
  let asked = 0;
  return group.map((call) => {
    asked += call.questions.length;
    const last = call.questions.length === 0 ? undefined : answers[asked - 1];
    if (last === undefined) throw new Error("nothing was asked");
    return last;
  });
}

/** What one process is asked. */
interface Batch {
  questions: readonly ProvingQuestion[];
  /** Takes the answers, in the same order. */
  answers: Judgement[];
}

/** Why the first question without an answer has none; null if all are answered. */
function askProcess(place: ProvingSandbox, hook: HookUnderTest, { questions, answers }: Batch): Promise<string | null> {
  const { signal } = place;
  if (signal.aborted) return Promise.resolve("was ended");
  const { policy, code } = hook;
  const patience = Math.min(DEADLINES.total, ROUNDS * policy.timeoutMs) + GRACE_MS;
  const nonce = randomBytes(16).toString("hex");
  return new Promise((resolve) => {
    const child = startProcess(place, policy.capabilities.length === 0);
    let left = questions.length;
    let received = "";
    let timer: NodeJS.Timeout | undefined;
    const end = (why: string | null): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      killGroup(child);
      resolve(why);
    };
    const onAbort = (): void => end("was ended");
    const onEnd = (): void => end("ended its process without an answer");
    /** The first question without an answer must have it by then. */
    const wait = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => end("did not end in time"), patience);
    };
    const receive = (text: string): void => {
      const lines = (received + text).split("\n");
      received = lines.pop() ?? "";
      for (const line of lines) {
        const answer = line.startsWith(nonce) ? readJudgement(line.slice(nonce.length)) : undefined;
        if (answer === undefined || left === 0) {
          end("says what it must not");
          return;
        }
        answers.push(answer);
        left--;
        wait();
      }
      if (left === 0) end(null);
      else if (received.length > LARGEST_ANSWER) end("says what it must not");
    };
    signal.addEventListener("abort", onAbort);
    const output = child.stdio[3] as Readable;
    output.setEncoding("utf8");
    output.on("data", receive);
    output.on("end", onEnd);
    output.on("error", onEnd);
    child.on("error", onEnd);
    child.stdin?.on("error", () => {});
    const order: ProvingOrder = { nonce, policy, code };
    child.stdin?.write([order, ...questions].map((message) => frame(JSON.stringify(message))).join(""));
    wait();
  });
}

function startProcess({ home, root, program }: ProvingSandbox, isConfined: boolean): ChildProcess {
  const walls = isConfined ? [permissionFlag(process.versions.node), `--allow-fs-read=${program}`] : [];
  const flags = ["--no-warnings", `--max-old-space-size=${MEMORY_MB}`, "--disallow-code-generation-from-strings"];
  const args = [...walls, ...flags, program, home, root];
  const ended = traceProcess(process.execPath, args);
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: {},
    detached: true,
    stdio: ["pipe", "ignore", "ignore", "pipe"],
  });
  child.on("exit", ended);
  return child;
}

/** Its process group, so that what it has started dies with it. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It is gone already.
  }
}

function frame(text: string): string {
  return `${Buffer.byteLength(text)}`.padStart(DIGITS, "0") + text;
}
