import type { PolicyPhase } from "./ledger.ts";
import type { PlannedPolicy } from "./plan.ts";

/** The first message from `src/proving` to the program that asks one policy about many calls. */
export interface ProvingOrder {
  /** Stands before each of its answers. */
  nonce: string;
  policy: PlannedPolicy;
  /** The compiled policy. */
  code: string;
}

/** Each later message: a call as an agent reports it, or a moment of the session in drwn's own words. */
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
