import type { PolicyPhase } from "./ledger.ts";
import type { PlannedPolicy } from "./plan.ts";

/** The first message from `src/proving` to the program that asks one policy about many calls. */
export interface ProvingOrder {
  /** Stands before each of its answers. */
  nonce: string;
  policy: PlannedPolicy;
  /** The compiled policy. */
  code: string;
  /**
   * V8 counts what runs of it. Before Node 24, Node allows no counting in a confined process, so this one isn't
   * confined then.
   */
  isCounted: boolean;
}

/** A question that asks what has run of the policy so far. */
export const COUNTS = "counts";

/** Questions that are asked together. Each gets one answer, in the same order. */
export type ProvingMessage = readonly (ProvingQuestion | typeof COUNTS)[];

/** How often each range of a function of the compiled policy ran, in V8's words. */
export interface CountedFunction {
  functionName: string;
  isBlockCoverage: boolean;
  ranges: { startOffset: number; endOffset: number; count: number }[];
}

/** A call as an agent reports it, or a moment of the session in drwn's own words. */
export interface ProvingQuestion {
  runtime: string;
  phase: PolicyPhase;
  wire: Readonly<Record<string, unknown>>;
  /** The home of the person; absent: `USER_HOME`. */
  userHome?: string;
}

/** The home in which cases play, so that they mean the same on every machine. */
export const USER_HOME = "/home/me";

/** The key of the project in a throw-away home. */
export const PROVING_KEY = "0";
