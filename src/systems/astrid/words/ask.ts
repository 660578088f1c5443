import type { AstridContext } from "./context.ts";
import { BadOutput, type HookResult } from "./result.ts";

/** How a handler ended. */
export type HandlerEnd =
  | { status: "success"; result: HookResult }
  | { status: "failure"; error: string; stderr?: string }
  | { status: "timeout"; timeoutSecs: number };

export interface HandlerCall {
  context: AstridContext;
  /** What hooks before it said. */
  previous: readonly HookResult[];
  timeoutSecs: number;
  /** The folder of the workspace. */
  root: string;
  /** The environment of which commands get a few variables. */
  env: Readonly<Record<string, string | undefined>>;
  /** Commands stay in our process group: whoever supervises this process ends that as a whole. */
  isSupervised?: boolean;
}

export const MOST_BYTES = 1024 * 1024;

/** A timer that is set for longer fires at once. */
const LONGEST_MS = 2 ** 31 - 1;

export function millisecondsOf({ timeoutSecs }: HandlerCall): number {
  return Math.min(timeoutSecs * 1000, LONGEST_MS);
}

/** What no verdict can be read from is a failure. */
export function readOutput(parse: () => HookResult): HandlerEnd {
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

/** What a person is told of a failure. */
export function describeAstridFailure(title: string, end: HandlerEnd): string {
  if (end.status === "timeout") return `hook ${title} did not finish in ${end.timeoutSecs} s`;
  const { error = "", stderr = "" } = end.status === "failure" ? end : {};
  const [line = ""] = stderr.trim().split("\n");
  return `hook ${title} failed: ${error}${line === "" ? "" : `: ${line.slice(0, 200)}`}`;
}
