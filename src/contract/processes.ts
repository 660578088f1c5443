import type { PlannedPolicy } from "./plan.ts";

type Whose = Pick<PlannedPolicy, "card" | "hook" | "publisher" | "capabilities">;

/**
 * Policies of the same name here may share a process: those of one publisher that have no capabilities. A card that nobody
 * signed stands for itself. A policy with capabilities is alone.
 */
export function processOf({ card, hook, publisher, capabilities }: Whose): string {
  if (capabilities.length > 0) return `alone ${card}#${hook}`;
  return publisher === null ? `card ${card}` : `publisher ${publisher}`;
}

/** Whether one process without any authority can run them all: the hook process itself then is that process. */
export function fitOneProcess(policies: readonly Whose[]): boolean {
  const [first] = policies;
  if (first === undefined) return true;
  const name = processOf(first);
  return policies.every((policy) => policy.capabilities.length === 0 && processOf(policy) === name);
}

/**
 * What no timer can stop ends after so many seconds on the processor, or ten more than the longest policy may take. An agent waits
 * for sixty by the clock, then lets the call run: a busy machine gives a process a part of each of them.
 */
const MOST_CPU_SECONDS = 20;
const BEYOND_LONGEST = 10;
const ROUNDS = 3;
const START_SECONDS = 5;

/** As many seconds on the processor as these policies could use up, asked as often as they can be; at most the above. */
export function cpuSecondsOf(policies: readonly Pick<PlannedPolicy, "timeoutMs">[]): number {
  const times = policies.map(({ timeoutMs }) => timeoutMs / 1_000);
  const total = times.reduce((sum, seconds) => sum + seconds, 0);
  const most = Math.max(MOST_CPU_SECONDS, Math.ceil(Math.max(0, ...times)) + BEYOND_LONGEST);
  return Math.min(most, Math.ceil(ROUNDS * total) + START_SECONDS);
}

/**
 * What the launcher reads where one process is enough: for how many seconds, and for which phases at all. It obeys the
 * phases after a call only, where nothing is left to block.
 */
export function confinedNote(policies: readonly Pick<PlannedPolicy, "timeoutMs" | "phases">[]): string {
  const phases = new Set(policies.flatMap((policy) => policy.phases));
  const tools = [
    ["pre-tool", "pre"],
    ["post-tool", "post"],
  ] as const;
  const names = tools.flatMap(([phase, name]) => (phases.delete(phase) ? [name] : []));
  return `${cpuSecondsOf(policies)} ${[...names, ...[...phases].sort()].join(" ")}\n`;
}
