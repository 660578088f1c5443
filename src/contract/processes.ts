import type { PlannedPolicy } from "./plan.ts";

type Whose = Pick<PlannedPolicy, "card" | "hook" | "publisher" | "capabilities">;

/**
 * Policies of the same name here may share a process: those of one publisher that have no capabilities. A card that nobody
 * signed counts as one. A policy with capabilities is alone.
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
/** The part of them that the hook process itself uses. */
const OWN_SECONDS = 3;
const ROUNDS = 3;
/** For calls with several parts: a policy is asked about each. */
const MORE_SECONDS = 5;

type Timed = Pick<PlannedPolicy, "timeoutMs">;

/** For how many seconds the processor may be used by a process that runs these policies. */
export function cpuSecondsOf(policies: readonly Timed[]): number {
  return togetherSeconds(policies) + OWN_SECONDS;
}

/**
 * How long those of one process whose failure lets the others be asked may take together, by the clock: loops that each are ended
 * in time must not bring the process to its last second, and lose every answer. The policies of one call never take longer than all policies.
 */
export function togetherSeconds(policies: readonly Timed[]): number {
  const longest = Math.max(0, ...policies.map(({ timeoutMs }) => timeoutMs));
  const most = Math.max(MOST_CPU_SECONDS, Math.ceil(longest / 1_000) + BEYOND_LONGEST);
  return Math.min(most - OWN_SECONDS, Math.ceil((ROUNDS * totalMs(policies)) / 1_000) + MORE_SECONDS);
}

function totalMs(policies: readonly Timed[]): number {
  return policies.reduce((sum, { timeoutMs }) => sum + timeoutMs, 0);
}

/**
 * As much of that time as those need whose failure blocks: observers and shadows leave it to them, wherever in the order they
 * stand. At most a half.
 */
export function reservedMs(policies: readonly (Timed & Whom)[], milliseconds: number): number {
  return Math.min(totalMs(policies.filter((policy) => !isHarmless(policy))), milliseconds / 2);
}

type Whom = Pick<PlannedPolicy, "kind" | "mode">;

/** Its failure changes nothing. */
export function isHarmless({ kind, mode }: Whom): boolean {
  return kind === "observer" || mode === "shadow";
}

/**
 * So many characters of a plan and its policies at most are read by a process whose hashes anybody can foretell: a publisher could make a
 * text of names that collide, and the policies of others would wait for V8 to read it, some ten seconds for this much.
 */
const MOST_FORETOLD = 262_144;

/**
 * What the launcher reads where one process is enough: for how many seconds, for which plan, whose policies they are, since those of the
 * same publisher for every folder may run in that process, too, for which phases at all, and whether all that is read is `small`. It obeys the
 * phases after a call only, where nothing is left to block.
 */
export function confinedNote(
  plan: string,
  policies: readonly (Pick<PlannedPolicy, "timeoutMs" | "phases"> & Whose)[],
  characters: number,
): string {
  const phases = new Set(policies.flatMap((policy) => policy.phases));
  const tools = [
    ["pre-tool", "pre"],
    ["post-tool", "post"],
  ] as const;
  const names = tools.flatMap(([phase, name]) => (phases.delete(phase) ? [name] : []));
  const size = characters <= MOST_FORETOLD ? ["small"] : [];
  const whose = policies.slice(0, 1).map((policy) => `by:${processOf(policy).replaceAll(/\s/gu, ":")}`);
  return `${cpuSecondsOf(policies)} ${plan} ${[...whose, ...names, ...[...phases].sort(), ...size].join(" ")}\n`;
}
