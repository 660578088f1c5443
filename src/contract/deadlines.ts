/**
 * How long a policy may take if it says nothing, how long it may say at most, and all policies of a call together, in
 * milliseconds. `agent` is how long the agent is asked to wait, which is longer.
 */
export const DEADLINES = { default: 5_000, maximum: 30_000, total: 50_000, agent: 60_000 } as const;
