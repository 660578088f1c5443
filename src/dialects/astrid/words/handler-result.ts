import type { AstridContext } from "./context.ts";
import type { FailAction } from "./hook.ts";
import { BadOutput, combineResults, type HookResult } from "./result.ts";

/** How a handler ended. */
export type HandlerResult =
  | { status: "success"; result: HookResult }
  | { status: "failure"; error: string; stderr?: string }
  | { status: "timeout"; timeoutSecs: number };

export interface HandlerCall {
  context: AstridContext;
  /** What hooks before it said. */
  previous: readonly HookResult[];
  timeoutSecs: number;
  /** The workspace's folder. */
  root: string;
  /** The environment from which commands get a few variables. */
  env: Readonly<Record<string, string | undefined>>;
  /** Commands stay in our process group, since whoever supervises this process ends the whole group. */
  isSupervised?: boolean;
}

export const MOST_BYTES = 1024 * 1024;

/** A timer with a longer delay fires at once. */
const LONGEST_MS = 2 ** 31 - 1;

export function millisecondsOf({ timeoutSecs }: HandlerCall): number {
  return Math.min(timeoutSecs * 1000, LONGEST_MS);
}

/** An output without a readable verdict is a failure. */
export function readOutput(parse: () => HookResult): HandlerResult {
  try {
    return { status: "success", result: parse() };
  } catch (error) {
    if (!(error instanceof BadOutput)) throw error;
    return { status: "failure", error: error.message };
  }
}

export function fromRoot(root: string, place: string): string {
  return place.startsWith("/") ? place : `${root}/${place}`;
}

/** What a person is told about a failure. */
function describeAstridFailure(title: string, end: HandlerResult): string {
  if (end.status === "timeout") return `hook ${title} did not finish in ${end.timeoutSecs} s`;
  const { error = "", stderr = "" } = end.status === "failure" ? end : {};
  const [line = ""] = stderr.trim().split("\n");
  return `hook ${title} failed: ${error}${line === "" ? "" : `: ${line.slice(0, 200)}`}`;
}

/** One hook of a chain. */
export interface Link {
  title: string;
  failAction: FailAction;
  /** Undefined: it is skipped, which changes nothing for the others. */
  ask(previous: readonly HookResult[]): Promise<HandlerResult | undefined>;
}

export interface ChainResult {
  /** What all hooks together say. */
  result: HookResult;
  /** The failure that rejects the event. */
  rejectedBy?: string;
  /** Failures that a person should know about. */
  warnings: readonly string[];
}

/** Asks hooks one after the other. A block ends the chain, and so does a failure of a hook whose failures reject. */
export async function runLinks(links: readonly Link[]): Promise<ChainResult> {
  const warnings: string[] = [];
  const said: HookResult[] = [];
  const succeeded: HookResult[] = [];
  for (const { title, failAction, ask } of links) {
    const end = await ask([...succeeded]);
    if (end === undefined) continue;
    if (end.status === "success") {
      succeeded.push(end.result);
      said.push(end.result);
      if (end.result.action === "block") break;
      continue;
    }
    const failure = describeAstridFailure(title, end);
    if (failAction === "block") {
      return { result: { action: "block", reason: failure }, rejectedBy: failure, warnings };
    }
    if (failAction === "warn") warnings.push(failure);
  }
  return { result: combineResults(said), warnings };
}
