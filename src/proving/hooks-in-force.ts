import { layout } from "../contract/layout.ts";
import { digestOf } from "../kernel/digest.ts";
import type { Host } from "../kernel/host.ts";
import { Problem } from "../kernel/problem.ts";
import { readIfThere } from "../kernel/read-file.ts";
import { decideActivations } from "../plan/activations.ts";
import { buildPlan } from "../plan/plan.ts";
import { readJoinRules } from "../workspace/join-rules.ts";
import { openProject } from "../workspace/open-project.ts";
import type { TriedHook } from "./tried-hook.ts";

/** The hooks that a person has consented to in this project, as they were compiled then. A shadow speaks as it would be heard. */
export function hooksInForce(host: Host): TriedHook[] {
  const { root, key, lock, ledger } = openProject(host);
  const { policies } = buildPlan(root, decideActivations(lock.cards, ledger, readJoinRules(host)));
  return policies.map((policy) => {
    const code = readIfThere(layout.bundle(host.drwnHome, key, policy.bundle))?.toString();
    if (code === undefined || digestOf(code) !== policy.bundle) {
      throw new Problem("DRWN_PLAN_NOT_WRITTEN", `the compiled policy of ${policy.card}#${policy.hook} is not there`, {
        hint: "drwn write",
      });
    }
    const mode = policy.mode === "shadow" ? "enforce" : policy.mode;
    return { policy: { ...policy, options: policy.options ?? null, mode }, code, map: "", inputs: [], files: new Map() };
  });
}
