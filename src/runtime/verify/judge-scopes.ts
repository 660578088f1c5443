import type { Ledger } from "../../contract/ledger.ts";
import { GLOBAL_KEY } from "../../contract/scope.ts";
import type { StateLocation } from "../../hot/read-file.ts";
import { judgeLedger, type PlanFile, type State } from "./load-state.ts";
import type { LoadedPolicy, ShardFilter } from "./shards.ts";

/** Whose consents they are, and the ledger that was read; a text says what is wrong with it. */
export interface Scope {
  key: string;
  ledger: Ledger | string;
  root: string;
  /** The part of its plan that was read before the event came. */
  plan?: PlanFile | string | undefined;
}

/** What all scopes that hold in a folder say together. */
export type JointState =
  | Exclude<State, { kind: "live" }>
  | (Extract<State, { kind: "live" }> & { pause: string | null });

/**
 * Judges the scopes in their order; later ones cannot loosen earlier ones. Damage to one counts for all, a pause
 * silences only its own scope's policies, and the policies of all scopes form one list.
 */
export function judgeScopes(
  home: string,
  scopes: readonly Scope[],
  at: { now: number; wanted: ShardFilter | undefined },
): JointState {
  const policies: LoadedPolicy[] = [];
  let plan = "";
  let paused: Extract<State, { kind: "paused" }> | null = null;
  for (const { key, ledger, root } of scopes) {
    const place: StateLocation = { home, key };
    const state = judgeLedger(place, ledger, at);
    if (state.kind === "damaged") return state;
    if (state.kind === "paused") paused ??= state;
    if (state.kind !== "live") continue;
    plan = plan === "" ? state.plan : `${plan} ${state.plan}`;
    for (const policy of state.policies) {
      policy.scope = key;
      policy.root = root;
      policies.push(policy);
    }
  }
  if (plan !== "") return { kind: "live", plan, policies, pause: paused === null ? null : describePause(paused) };
  return paused ?? { kind: "silent" };
}

/** For the journal. */
export function describePause({ until, key }: Extract<State, { kind: "paused" }>): string {
  return `all ${key === GLOBAL_KEY ? "global " : ""}policies are paused until ${until}`;
}
