import type { PlannedPolicy } from "./plan.ts";

type Whose = Pick<PlannedPolicy, "card" | "hook" | "publisher" | "capabilities">;

/**
 * Policies with the same name here may share a process: those of one publisher that have no capabilities. A card that
 * nobody signed counts as a publisher. A policy with capabilities is alone.
 */
export function processOf({ card, hook, publisher, capabilities }: Whose): string {
  if (capabilities.length > 0) return `alone ${card}#${hook}`;
  return publisher === null ? `card ${card}` : `publisher ${publisher}`;
}

/** Whether one process without authority can run them all. Then the hook process itself runs them. */
export function fitOneProcess(policies: readonly Whose[]): boolean {
  const [first] = policies;
  if (first === undefined) return true;
  const name = processOf(first);
  return policies.every((policy) => policy.capabilities.length === 0 && processOf(policy) === name);
}

/**
 * The CPU limit in seconds for what no timer can stop, unless `BEYOND_LONGEST` more than the longest policy may take is
 * higher. An agent waits for sixty seconds of elapsed time and then lets the call run, and on a busy machine a process
 * gets only a part of each second.
 */
const MOST_CPU_SECONDS = 20;
const BEYOND_LONGEST = 10;
/** How many of them the hook process itself uses. */
const OWN_SECONDS = 3;
const ROUNDS = 3;
/** For calls with several parts, since a policy is asked about each. */
const MORE_SECONDS = 5;

type Timed = Pick<PlannedPolicy, "timeoutMs">;

/** The CPU limit, in seconds, of a process that runs these policies. */
export function cpuSecondsOf(policies: readonly Timed[]): number {
  return togetherSeconds(policies) + OWN_SECONDS;
}

/**
 * How many seconds of elapsed time the policies of one process may take together, if the others are still asked when
 * one of them fails. Even if each loops until it is ended, the process must not reach its CPU limit and lose every
 * answer. For the policies of one call the result is never larger than for all policies.
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
 * The part of that time that is reserved for policies whose failure blocks, wherever observers and shadows are in the
 * order. At most half of it.
 */
export function reservedMs(policies: readonly (Timed & Whom)[], milliseconds: number): number {
  return Math.min(totalMs(policies.filter((policy) => !isHarmless(policy))), milliseconds / 2);
}

type Whom = Pick<PlannedPolicy, "kind" | "mode">;

/** Whether the policy's failure changes nothing. */
export function isHarmless({ kind, mode }: Whom): boolean {
  return kind === "observer" || mode === "shadow";
}

/**
 * How many characters of a plan and its policies a process with the fixed hash seed may read. A publisher
 * could fill a policy with names whose hashes collide, and other publishers' policies would wait for V8 to read it:
 * some ten seconds for this much.
 */
const FIXED_SEED_CHARACTERS = 262_144;

/**
 * What the launcher reads if one process is enough: the CPU limit, the plan, whose policies they are (those of the same
 * publisher for every folder may run in that process, too), the phases, and whether everything that is read is `small`.
 * It obeys the phases only after a call, where nothing is left to block.
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
  const size = characters <= FIXED_SEED_CHARACTERS ? ["small"] : [];
  const whose = policies.slice(0, 1).map((policy) => `by:${processOf(policy).replaceAll(/\s/gu, ":")}`);
  return `${cpuSecondsOf(policies)} ${plan} ${[...whose, ...names, ...[...phases].sort(), ...size].join(" ")}\n`;
}
