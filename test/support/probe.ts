import type { Capability } from "../../src/contract/plan.ts";
import { PROBED_LINES } from "./nodes.ts";

/** One thing that a hostile policy tries. */
export interface Probe {
  /** What it would gain: a phrase for `docs/explanation/isolation.md`. */
  name: string;
  /** An expression of `event`, awaited. It got through if the value is neither undefined, null nor false. */
  attempt: string;
  /** Lines of Node on which it gets through; none when absent. */
  open?: readonly number[];
}

/** What a policy with these capabilities tries. */
export interface ProbedCapabilities {
  capabilities: Capability[];
  probes: readonly Probe[];
}

export const EVERY = PROBED_LINES;
/** A file outside the project. */
export const AWAY = `event.cwd + "/../outside"`;
