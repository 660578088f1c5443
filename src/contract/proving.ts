import type { PolicyPhase } from "./ledger.ts";
import type { PlannedPolicy } from "./plan.ts";

/** What `src/proving` says to the program that asks one policy about many calls. */
export interface ProvingOrder {
  /** Stands before each of its answers. */
  nonce: string;
  policy: PlannedPolicy;
  /** The compiled policy. */
  code: string;
  /** V8 counts what of it runs. Before Node 24, Node lets nobody count in a process that it confines, so that this one isn't. */
  isCounted: boolean;
}

/** Stands for a question: what of the policy has run until now. */
export const COUNTS = "counts";

/** What it is asked at once. Each question has an answer, in their order. */
export type ProvingMessage = readonly (ProvingQuestion | typeof COUNTS)[];

/** A function of the compiled policy, in V8's words: how often each stretch of it ran. */
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
}

/** The key of the project that a throw-away home has. */
export const PROVING_KEY = "0";
