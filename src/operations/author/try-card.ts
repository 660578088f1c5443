import fs from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { findSource, isOwnSource } from "../../authoring/find-source.ts";
import { type TrialCall, tryCall } from "../../authoring/proving/ask-calls.ts";
import { type CardUnderTest, findCard } from "../../authoring/proving/find-hooks.ts";
import { simulateCall } from "../../authoring/proving/simulated-calls.ts";
import { type CardTest, testCard } from "../../authoring/proving/test-card.ts";
import type { IndexedHook } from "../../card/hooks/hook-index.ts";
import type { Capability } from "../../contract/plan.ts";
import type { ProvingQuestion } from "../../contract/protocol.ts";
import { idOf } from "../../journal/segments.ts";
import { selectCalls } from "../../journal/select.ts";
import { readIfThere } from "../../kernel/files.ts";
import { parseStrictJson } from "../../kernel/format/json.ts";
import type { Host } from "../../kernel/host.ts";
import { isProblem, Problem } from "../../kernel/problem.ts";
import { clean, shellQuote } from "../../kernel/text.ts";
import { AGENT_IDS, type AgentId } from "../../policy/event.ts";
import { openProject } from "../../project/open/open-project.ts";
import { isObject } from "../../wiring/json-file.ts";

/** The event that an author looks at again and again. */
export type TryEvent =
  | { from: "hand"; runtime: AgentId; tool: string; input: string; isAfter: boolean }
  | { from: "file"; runtime: AgentId; file: string; isAfter: boolean }
  | { from: "journal" };

export interface TryRequest {
  /** A source, by name or folder. */
  source: string;
  hook?: string | undefined;
  event: TryEvent;
  /** A hook runs if it declares no others. */
  allowed: readonly Capability[];
}

/** The result of one save. */
export interface TryRound extends DevAnswers {
  /** Why the card doesn't compile; null: it does. */
  problem: Problem | null;
  tests: CardTest[];
}

export interface DevAnswers {
  answers: TrialCall[];
  /** The id of the journal's call that was asked about; null: the event was given. */
  call: string | null;
  /** How long the answers took. */
  answeredMs: number;
}

/**
 * Compiles a source, asks its hooks about the event, and runs their cases. It publishes, consents to and writes
 * nothing. An author wants the answers first, so `onAnswers` gets them before the cases run.
 */
export async function tryCard(
  host: Host,
  request: TryRequest,
  onAnswers: (answered: DevAnswers) => void = () => {},
): Promise<TryRound> {
  const begun = performance.now();
  const since = () => Math.round(performance.now() - begun);
  try {
    const { question, call } = questionOf(host, request.event);
    const card = await findCard(host, requireOwnSource(host, request.source));
    const hooks = card.hooks.filter(({ name }) => request.hook === undefined || name === request.hook);
    const whyNot = (hook: IndexedHook): string | null => refusalFor(hook, request.allowed);
    const answers = await tryCall(card, { questions: [question], hooks, whyNot });
    const answered = { answers, call, answeredMs: since() };
    onAnswers(answered);
    return { problem: null, ...answered, tests: await testEach(card, hooks, whyNot) };
  } catch (error) {
    if (!isProblem(error)) throw error;
    return { problem: error, answers: [], call: null, tests: [], answeredMs: since() };
  }
}

/** It runs code on each save without asking, so the code has to be the user's own. */
function requireOwnSource(host: Host, nameOrPath: string): string {
  const folder = findSource(host, nameOrPath);
  if (isOwnSource(host, folder)) return folder;
  throw new Problem(
    "DRWN_SOURCE_MISSING",
    `${clean(folder, 1_000)} isn't a source of yours, so drwn doesn't run its code`,
    {
      details: ["a source is yours if this machine made it with `drwn card new`, or you registered it"],
      hint: `read it; then, if you trust it: drwn card source use ${shellQuote(clean(nameOrPath, 1_000))}`,
    },
  );
}

async function testEach(
  card: CardUnderTest,
  hooks: readonly IndexedHook[],
  whyNot: (hook: IndexedHook) => string | null,
): Promise<CardTest[]> {
  const tests: CardTest[] = [];
  for (const hook of hooks) tests.push(await testCard({ card, hook: hook.name, unreached: whyNot(hook) }));
  return tests;
}

function refusalFor({ capabilities }: IndexedHook, allowed: readonly Capability[]): string | null {
  const missing = capabilities.filter((capability) => !allowed.includes(capability));
  if (missing.length === 0) return null;
  return `it declares ${missing.join(", ")}; to give it that here, add ${missing.map((one) => `--allow ${one}`).join(" ")}`;
}

interface OpenQuestion {
  question: ProvingQuestion;
  call: string | null;
}

function questionOf(host: Host, event: TryEvent): OpenQuestion {
  if (event.from === "journal") return lastCall(host);
  return { question: givenCall(host, event), call: null };
}

function givenCall(host: Host, event: Exclude<TryEvent, { from: "journal" }>): ProvingQuestion {
  const phase = event.isAfter ? "post-tool" : "pre-tool";
  const { runtime } = event;
  if (event.from === "hand") {
    return simulateCall({ agent: runtime, tool: event.tool }, { input: parseObject(event.input, "the input") }, phase);
  }
  const file = path.resolve(host.cwd, event.file);
  const bytes = readIfThere(file);
  if (bytes === undefined) throw new Problem("DRWN_EVENT_INVALID", `there is no event in ${file}`);
  return { runtime, phase, wire: parseObject(bytes.toString("utf8"), file) };
}

/** The last tool call that the hook noted in this project. */
function lastCall(host: Host): OpenQuestion {
  const calls = selectCalls({ home: host.drwnHome, key: openProject(host).key }, {}, 1_000);
  const last = calls.findLast(({ phase }) => phase === "pre-tool" || phase === "post-tool");
  const agent = AGENT_IDS.find((runtime) => runtime === last?.runtime);
  if (last === undefined || agent === undefined || last.tool === null) {
    throw new Problem("DRWN_CALL_UNKNOWN", "the journal of this project has no tool call", { hint: "drwn log" });
  }
  if (last.input === undefined) {
    throw new Problem("DRWN_CALL_UNKNOWN", "the journal has no input of the last call", {
      hint: "drwn log --inputs keep",
    });
  }
  const input = parseObject(last.input, `the input of ${idOf(last)}, which the journal keeps redacted and cut,`);
  const phase = last.phase === "post-tool" ? "post-tool" : "pre-tool";
  return { question: simulateCall({ agent, tool: last.tool }, { input }, phase), call: idOf(last) };
}

function parseObject(text: string, file: string): Record<string, unknown> {
  const value = parseStrictJson(text, { file });
  if (isObject(value)) return value;
  throw new Problem("DRWN_EVENT_INVALID", `${file} isn't a JSON object`);
}

/** An editor writes a file in several steps. */
const SETTLE_MS = 20;

/** Yields after each save in the source, from this call on until the signal. */
export function watchSource(host: Host, source: string, signal: AbortSignal): AsyncGenerator<void> {
  const saves = { isNew: false, wake: (): void => {} };
  watchFolder(findSource(host, source), signal, () => {
    saves.isNew = true;
    saves.wake();
  });
  signal.addEventListener("abort", () => saves.wake());
  return tellSaves(saves, signal);
}

async function* tellSaves(saves: { isNew: boolean; wake: () => void }, signal: AbortSignal): AsyncGenerator<void> {
  for (;;) {
    if (!saves.isNew && !signal.aborted) {
      await new Promise<void>((resolve) => {
        saves.wake = resolve;
      });
    }
    if (signal.aborted) return;
    await wait(SETTLE_MS);
    saves.isNew = false;
    yield;
  }
}

export { CAPABILITIES } from "../../contract/plan.ts";

/** Folders without the author's own work. */
const PASSED_OVER = new Set(["node_modules", ".git"]);

/**
 * Calls back for each change below a folder, until the signal. It watches each folder, not each file: most editors save
 * by replacing the file, and Node's own recursive watcher on Linux keeps watching the old one.
 */
function watchFolder(folder: string, signal: AbortSignal, onChange: () => void): void {
  const watched = new Set<string>();
  watch(folder);

  function watch(at: string): void {
    if (watched.has(at)) return;
    watched.add(at);
    const watcher = fs.watch(at, { signal }, (_, name) => {
      if (name !== null && PASSED_OVER.has(name)) return;
      if (fs.existsSync(at)) watchBelow(at);
      else leave();
      onChange();
    });
    const leave = () => {
      watched.delete(at);
      watcher.close();
    };
    watcher.on("error", leave);
    watchBelow(at);
  }

  function watchBelow(at: string): void {
    for (const entry of fs.readdirSync(at, { withFileTypes: true })) {
      if (entry.isDirectory() && !PASSED_OVER.has(entry.name)) watch(path.join(at, entry.name));
    }
  }
}
