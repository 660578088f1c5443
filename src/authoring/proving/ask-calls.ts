import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import type { Readable } from "node:stream";
import { permissionFlag } from "../../card/hooks/evaluate.ts";
import type { IndexedHook } from "../../card/hooks/hook-index.ts";
import { DEADLINES } from "../../contract/deadlines.ts";
import type { ProvingOrder, ProvingQuestion } from "../../contract/protocol.ts";
import { lazily } from "../../kernel/format/schema.ts";
import * as z from "../../kernel/format/zod.ts";
import { traceProcess } from "../../kernel/trace.ts";
import {
  compileHookUnderTest,
  type HookUnderTest,
  type ProvenCard,
  type ProvingSandbox,
  putHookUnderTest,
  withSandbox,
} from "./sandbox.ts";

/** A call after earlier ones of its session: only the answer to the last question counts. */
interface SessionCall {
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

/** What a policy says about one call, in an agent that can carry out all of it. */
export interface Judgement {
  verdict: "allow" | "ask" | "deny";
  /** False: its matcher or its phases leave this call out. */
  isAsked: boolean;
  /** For a deny or an ask; for a failure, what went wrong. */
  reason: string;
  /** It could not do its work, whatever the verdict is. */
  isFailure: boolean;
  /** The input that replaces the call's; null: it stays. */
  updatedInput: unknown;
  /** What the model also gets to read. */
  context: string | null;
}

/** What the process that ran the policy says. Since a policy ran in it, all of this is only a claim. */
const schema = lazily(() =>
  z.object({
    verdict: z.enum(["allow", "ask", "deny"]).default("allow"),
    policies: z
      .array(z.object({ failure: z.string().optional(), answer: z.object({ context: z.string().optional() }) }))
      .default([]),
    reason: z.string().default(""),
    updatedInput: z.unknown().optional(),
  }),
);

/** Undefined: it isn't an answer. */
function readJudgement(text: string): Judgement | undefined {
  const parsed = schema().safeParse(parse(text));
  if (!parsed.success) return undefined;
  const { verdict, policies, reason, updatedInput } = parsed.data;
  const failure = policies.find((policy) => policy.failure !== undefined)?.failure;
  return {
    verdict,
    isAsked: policies.length > 0,
    reason: reason === "" ? (failure ?? "") : reason,
    isFailure: failure !== undefined,
    updatedInput: updatedInput ?? null,
    context: policies.find(({ answer }) => answer.context !== undefined)?.answer.context ?? null,
  };
}

/** If its policy gives no answer, a call is blocked. */
function unanswered(why: string): Judgement {
  return { verdict: "deny", isAsked: true, reason: why, isFailure: true, updatedInput: null, context: null };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What one hook says about a call. */
export interface TrialCall {
  hook: string;
  /** Why it wasn't asked; null: it was. */
  notRun: string | null;
  judgement: Judgement | null;
}

interface TryRequest {
  /** The call, after earlier ones of its session. */
  questions: readonly ProvingQuestion[];
  hooks: readonly IndexedHook[];
  /** Why not to ask a hook; null: ask it. */
  whyNot: (hook: IndexedHook) => string | null;
}

/** Asks hooks about one call, all at once, each in a process of its own. */
export async function tryCall(card: ProvenCard, { questions, hooks, whyNot }: TryRequest): Promise<TrialCall[]> {
  return withSandbox((place) =>
    Promise.all(
      hooks.map(async (hook): Promise<TrialCall> => {
        const notRun = whyNot(hook);
        if (notRun !== null) return { hook: hook.name, notRun, judgement: null };
        const tried = await compileHookUnderTest(card, hook.name);
        const [judgement = null] = await askCalls(place, tried, [{ questions }]);
        return { hook: hook.name, notRun: null, judgement };
      }),
    ),
  );
}
