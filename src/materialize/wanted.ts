import { DEADLINES, type PlannedPolicy } from "../contract/plan.ts";

/** What of a policy says which events it has to be called for. */
export type WantingPolicy = Pick<PlannedPolicy, "matcher" | "phases">;

/** Seconds that an agent is asked to wait for the hook. */
export const AGENT_TIMEOUT_SECONDS = DEADLINES.agent / 1000;
