import { newList } from "../../hook-base/primordials.ts";
import type { PolicyAnswer } from "../run/policy-answer.ts";

/** How often the policies are gone through, the first time included, before rewriting counts as endless. */
const ROUNDS = 3;
/** The version of the input that the agent sent. */
export const ORIGINAL = 0;

/** One policy, by its index, asked about one version of the input. */
export interface PolicyQuestion {
  policy: number;
  /** JSON text of the input. */
  input: string;
  version: number;
}

/** The one decision that all answers add up to. */
export interface Verdict {
  action: "allow" | "ask" | "deny";
  /** Why the call is denied or asked about; "" for an allow. */
  reason: string;
  /** The index of the policy that denied or asked; -1: none did, or the policies could not agree. */
  by: number;
  /** The call is denied because the policy failed. */
  isFailure: boolean;
  context: string | null;
  updatedInput: string | null;
  syntheticOutput: string | null;
}

/**
 * What a policy may do here. `enforce`: everything. `restrict`: only deny and ask. `observe`: only deny; its failures
 * change nothing. `shadow`: nothing.
 */
export type Role = "enforce" | "restrict" | "observe" | "shadow";

/** What happened to an answer: it was applied, or only noted in the journal. */
export type AnswerEffect = "applied" | "noted";

export interface Composition {
  /** By the policy's index. */
  roles: Role[];
  /** Every version of the input, the original first. */
  inputs: string[];
  current: number;
  /** By the policy's index: the versions that it has judged and left unchanged. */
  judged: number[][];
  contexts: (string | null)[];
  round: number;
  index: number;
  ask: { reason: string; by: number; irreversible: boolean } | null;
  verdict: Verdict | null;
}

/**
 * Composes the answers of policies in their order. The caller asks each question of `nextQuestion` and hands the answer
 * to `recordAnswer`, until no question is left. The first deny ends it. A policy that judged a different input from the
 * one that will be used is asked again, so a rewrite gets nothing past a policy that would deny it.
 */
export function startComposition(roles: Role[], input: string): Composition {
  const judged = newList<number[]>(roles.length, newList(0, 0));
  for (let i = 0; i < judged.length; i++) judged[i] = newList(0, 0);
  const inputs = newList(1, input);
  const contexts = newList<string | null>(roles.length, null);
  return { roles, inputs, current: ORIGINAL, judged, contexts, round: 1, index: 0, ask: null, verdict: null };
}

/** Null: there is a verdict. */
export function nextQuestion(composition: Composition): PolicyQuestion | null {
  const { roles, inputs } = composition;
  while (composition.verdict === null) {
    for (; composition.index < roles.length; composition.index++) {
      const version = versionInUse(composition);
      if (hasJudged(composition, composition.index, version)) continue;
      return { policy: composition.index, input: inputs[version] ?? "", version };
    }
    closeRound(composition);
  }
  return null;
}

export function recordAnswer(
  composition: Composition,
  { policy, version }: PolicyQuestion,
  answer: PolicyAnswer,
): AnswerEffect {
  const role = composition.roles[policy] ?? "enforce";
  const enforces = role === "enforce" || role === "restrict";
  if (role !== "shadow" && (answer.action === "deny" || (answer.action === "failure" && enforces))) {
    composition.verdict = denied(policy, answer);
    return "applied";
  }
  if (role === "enforce" && answer.updatedInput !== null && composition.ask === null) {
    composition.contexts[policy] = answer.context;
    rewrite(composition, policy, answer.updatedInput);
    return "applied";
  }
  addTo(composition.judged[policy], version);
  if (!enforces) return "noted";
  if (answer.action === "ask") {
    // A person decides by one reason, so they hear of what can't be undone.
    const { reason, irreversible } = answer;
    if (composition.ask === null || (irreversible && !composition.ask.irreversible))
      composition.ask = { reason, by: policy, irreversible };
    return "applied";
  }
  if (role === "restrict") return answer.updatedInput === null && answer.context === null ? "applied" : "noted";
  composition.contexts[policy] = answer.context;
  return answer.updatedInput === null ? "applied" : "noted";
}

function denied(by: number, { action, reason, syntheticOutput }: PolicyAnswer): Verdict {
  return { ...allowed(), action: "deny", reason, by, isFailure: action === "failure", syntheticOutput };
}

/** An ask drops every rewrite: a person is asked about the input that the model sent. */
function versionInUse({ ask, current }: Composition): number {
  return ask === null ? current : ORIGINAL;
}

/**
 * A rewriting policy has judged the new version, not the one it replaces: if another policy undoes the rewrite, it is
 * asked again.
 */
function rewrite(composition: Composition, policy: number, input: string): void {
  const { inputs } = composition;
  let version = 0;
  while (version < inputs.length && inputs[version] !== input) version++;
  inputs[version] = input;
  composition.current = version;
  addTo(composition.judged[policy], version);
}

function closeRound(composition: Composition): void {
  if (haveAllJudged(composition, versionInUse(composition))) {
    composition.verdict = agreed(composition);
  } else if (composition.round === ROUNDS) {
    const reason = "the policies keep rewriting each other's input, so the call is blocked";
    composition.verdict = { ...allowed(), action: "deny", reason };
  } else {
    composition.round++;
    composition.index = 0;
  }
}

function agreed(composition: Composition): Verdict {
  const { ask, current, inputs } = composition;
  const context = joinContexts(composition.contexts);
  if (ask !== null) return { ...allowed(), action: "ask", reason: ask.reason, by: ask.by, context };
  return { ...allowed(), context, updatedInput: current === ORIGINAL ? null : (inputs[current] ?? null) };
}

function allowed(): Verdict {
  return {
    action: "allow",
    reason: "",
    by: -1,
    isFailure: false,
    context: null,
    updatedInput: null,
    syntheticOutput: null,
  };
}

function joinContexts(contexts: (string | null)[]): string | null {
  let joined: string | null = null;
  for (let i = 0; i < contexts.length; i++) {
    const context = contexts[i] ?? null;
    if (context === null) continue;
    joined = joined === null ? context : `${joined}\n${context}`;
  }
  return joined;
}

function haveAllJudged(composition: Composition, version: number): boolean {
  for (let i = 0; i < composition.roles.length; i++) {
    if (!hasJudged(composition, i, version)) return false;
  }
  return true;
}

function hasJudged({ judged }: Composition, policy: number, version: number): boolean {
  const versions = judged[policy];
  if (versions === undefined) return false;
  for (let i = 0; i < versions.length; i++) {
    if (versions[i] === version) return true;
  }
  return false;
}

function addTo(list: number[] | undefined, item: number): void {
  if (list !== undefined) list[list.length] = item;
}
