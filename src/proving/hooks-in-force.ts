import { layout } from "../contract/layout.ts";
import { optionValues } from "../contract/options.ts";
import type { PlannedPolicy } from "../contract/plan.ts";
import { digestOf } from "../kernel/digest.ts";
import type { Host } from "../kernel/host.ts";
import { Problem } from "../kernel/problem.ts";
import { readIfThere } from "../kernel/read-file.ts";
import { approvalInForce, type CardActivation, decideActivations } from "../plan/activations.ts";
import { buildPlan } from "../plan/plan.ts";
import { readJoinFacts } from "../workspace/join-facts.ts";
import { findGlobal } from "../workspace/locate-project.ts";
import { type OpenProject, openProject } from "../workspace/open-project.ts";
import type { HookUnderTest } from "./hook-under-test.ts";

/**
 * The hooks that a person has consented to for this project and for every folder, as they were compiled then. A
 * shadow's answer counts as if it were enforced.
 */
export function hooksInForce(host: Host): HookUnderTest[] {
  const project = openProject(host);
  const global = project.isGlobal ? undefined : findGlobal(host);
  return [
    ...(global === undefined ? [] : hooksOfProject(global, openProject(global))),
    ...hooksOfProject(host, project),
  ];
}

function hooksOfProject(host: Host, { root, key, lock, ledger }: OpenProject): HookUnderTest[] {
  const activations = decideActivations(lock.cards, ledger, readJoinFacts(host));
  return buildPlan(root, activations).policies.map((policy) => {
    const code = readIfThere(layout.bundle(host.drwnHome, key, policy.bundle))?.toString();
    if (code === undefined || digestOf(code) !== policy.bundle) {
      throw new Problem("DRWN_PLAN_NOT_WRITTEN", `the compiled policy of ${policy.card}#${policy.hook} is not there`, {
        hint: "drwn write",
      });
    }
    const mode = policy.mode === "shadow" ? "enforce" : policy.mode;
    const options = optionsIn(activations, policy);
    return { policy: { ...policy, mode, options }, code };
  });
}

/** The hook's options as a person has set them, else their defaults, as JSON text; null: it has none. */
function optionsIn(activations: readonly CardActivation[], { card, hook }: PlannedPolicy): string | null {
  const found = activations.find((one) => one.card === card);
  const approval = found === undefined ? undefined : approvalInForce(found);
  const declared = approval?.hooks.find(({ name }) => name === hook)?.options;
  const set = found?.grant?.options ?? {};
  return declared === undefined
    ? null
    : JSON.stringify(optionValues(declared, Object.hasOwn(set, hook) ? set[hook] : undefined));
}
