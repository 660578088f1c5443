import type { AstridContext } from "./context.ts";
import { BadOutput, type HookResult } from "./result.ts";

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
export function describeAstridFailure(title: string, end: HandlerResult): string {
  if (end.status === "timeout") return `hook ${title} did not finish in ${end.timeoutSecs} s`;
  const { error = "", stderr = "" } = end.status === "failure" ? end : {};
  const [line = ""] = stderr.trim().split("\n");
  return `hook ${title} failed: ${error}${line === "" ? "" : `: ${line.slice(0, 200)}`}`;
}
