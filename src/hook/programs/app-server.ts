import { existsSync, statSync } from "node:fs";
import { layout } from "../../contract/layout.ts";
import {
  ANSWERED,
  type Greeting,
  QUESTION_KINDS,
  SERVING_VERSION,
  type ServedQuestion,
} from "../../contract/protocol.ts";
import type { HookAdapter } from "../../hook-base/adapter/adapter.ts";
import { exitNow, now } from "../../hook-base/primordials.ts";
import type { StateLocation } from "../../hook-base/read-file.ts";
import { fieldOf, isRecord } from "../../hook-base/shape.ts";
import { writeSome } from "../../hook-base/write.ts";
import type { CallChannel } from "../answer/call-channel.ts";
import { presentBlock } from "../answer/present.ts";
import { answerEvent } from "../answer-event.ts";
import { closeJournal, writeJournal } from "../journal/journal.ts";
import type { HookCall } from "../prepare-call.ts";
import { SpareWorkers, type StartWorkers, startWorkers } from "../processes/workers.ts";

/** Whose calls are answered, and how long all policies of one call may take together. */
export type ServeRequest = Omit<
  HookCall,
  "adapter" | "begun" | "channel" | "lifecycle" | "phase" | "startWorkers" | "until"
> & {
  adapter: HookAdapter;
  totalMs: number;
};

/** The launcher's CPU limit is not much higher, so a new process takes over before that. */
const MOST_CPU_MICROSECONDS = 20_000_000;

/**
 * Runs a process that answers for an app as long as the app lives. It reads questions from standard input and checks
 * each against ledger and plan at that moment. Many may be open at once. It runs no policy itself. When its input ends,
 * it ends everything that it started.
 */
export function serveCalls(request: ServeRequest): void {
  process.exitCode = 2;
  const workers = new SpareWorkers(request);
  const isStale = watchAge(request);
  const say = (text: string): void => {
    process.stdout.write(`${text}\n`);
  };
  const answer = (line: string): void => {
    const question = readQuestion(line);
    if (question === undefined) throw new Error("it was asked what it does not understand");
    if (isStale()) say(`{"id":${question.id},"retired":true}`);
    else answerQuestion(request, question, { workers, say });
  };
  const end = (code: number): void => {
    workers.endAll();
    exitNow(code);
  };
  process.stdout.on("error", () => end(ANSWERED));
  readLines(answer, end);
  const greeting: Greeting = { drwn: SERVING_VERSION, totalMs: request.totalMs };
  say(JSON.stringify(greeting));
  workers.refill();
}

function readLines(onLine: (line: string) => void, onEnd: (code: number) => void): void {
  let pieces: string[] = [];
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (text: string) => {
    const [first = "", ...others] = text.split("\n");
    pieces.push(first);
    try {
      for (const piece of others) {
        onLine(pieces.join(""));
        pieces = [piece];
      }
    } catch (error) {
      writeSome(2, `drwn: the hook process failed: ${error instanceof Error ? error.message : ""}\n`);
      onEnd(2);
    }
  });
  process.stdin.on("end", () => onEnd(ANSWERED));
  process.stdin.on("error", () => onEnd(ANSWERED));
}

function readQuestion(line: string): ServedQuestion | undefined {
  const value: unknown = JSON.parse(line);
  if (!isRecord(value)) return undefined;
  const id = fieldOf(value, "id");
  const about = QUESTION_KINDS.find((kind) => kind === fieldOf(value, "about"));
  const event = fieldOf(value, "event");
  return typeof id === "number" && about !== undefined && isRecord(event) ? { id, about, event } : undefined;
}

interface ServeContext {
  workers: SpareWorkers;
  say: (text: string) => void;
}

function answerQuestion(
  { totalMs, ...place }: ServeRequest,
  { id, about, event }: ServedQuestion,
  { workers, say }: ServeContext,
): void {
  const adapter = adapterFor(place.adapter, about);
  const reply = (text: string): void => {
    say(`{"id":${id},"answer":${text === "" ? "null" : text.trimEnd()}}`);
    workers.refill();
  };
  const channel: CallChannel = {
    wire: () => event,
    answer: ({ text }, journal, end) => {
      // A question before the call only asks whether a person must be asked. The call's outcome is noted when it is
      // about to be made.
      if (journal !== null && (about !== "approval" || end.verdict === "ask")) writeJournal(journal, end);
      if (journal !== null) closeJournal(journal);
      reply(text);
    },
    letThrough: () => reply(""),
    complain: (line) => {
      writeSome(2, line);
      reply("");
    },
  };
  const begun = now();
  const phase = about === "after" ? "post-tool" : "pre-tool";
  try {
    const start: StartWorkers = (work, settings) => startWorkers(workers.take, work, settings);
    const means = { begun, until: begun + totalMs, channel, startWorkers: start };
    answerEvent({
      ...place,
      ...means,
      isPreflight: about === "approval",
      keepsInputs: areInputsKept(place),
      adapter,
      phase,
      lifecycle: null,
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : "";
    reply(adapter.encode(presentBlock(`the hook process failed, so the call is blocked: ${why}`)).text);
  }
}

/** The launcher looked only once, at the start. */
function areInputsKept({ home, key }: StateLocation): boolean {
  return existsSync(layout.journalInputs(home, key));
}

/** The agent's adapter, changed for a call about which nobody can be asked, or to which a person has said yes. */
function adapterFor(adapter: HookAdapter, about: ServedQuestion["about"]): HookAdapter {
  if (about === "before") return { ...adapter, can: { ...adapter.can, ask: false } };
  if (about !== "approved") return adapter;
  return {
    ...adapter,
    encode: (saying) => (saying.action === "ask" ? { text: "", effective: "allow" } : adapter.encode(saying)),
  };
}

/**
 * Whether a new process must take over: this one has used its CPU time, another program has been installed, or a
 * consent was recorded, so that the launcher may find another project, or policies for every folder.
 */
function watchAge({ home }: StateLocation): () => boolean {
  const files = [process.argv[1] ?? "", layout.ledgers(home), layout.inodes(home), layout.roots(home)];
  const look = (): string =>
    files
      .map((file) => statSync(file, { throwIfNoEntry: false }))
      .map((stat) => `${stat?.ino} ${stat?.mtimeMs}`)
      .join();
  const first = look();
  return () => {
    const { user, system } = process.cpuUsage();
    return look() !== first || user + system > MOST_CPU_MICROSECONDS;
  };
}
