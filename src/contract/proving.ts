import type { PolicyPhase } from "./ledger.ts";
import type { PlannedPolicy } from "./plan.ts";

/** What `src/proving` says to the program that asks one policy about many calls. */
export interface ProvingOrder {
  /** Stands before each of its answers. */
  nonce: string;
  policy: PlannedPolicy;
  /** The compiled policy. */
  code: string;
}

/** A call as an agent reports it, or a moment of the session in drwn's own words. */
export interface ProvingQuestion {
  runtime: string;
  phase: PolicyPhase;
  wire: Readonly<Record<string, unknown>>;
}

/** The key of the project that a throw-away home has. */
export const PROVING_KEY = "0";
