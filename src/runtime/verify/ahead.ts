import type { Ledger, PolicyPhase } from "../../contract/ledger.ts";
import type { StatePlace } from "../../hot/read-file.ts";
import { compileAhead } from "../run/policy-code.ts";
import { type PlanFile, readPlanFile } from "./load-state.ts";
import { programOf } from "./prepare.ts";
import { PROGRAM } from "./shards.ts";

/**
 * Reads a plan while its event is on its way. If the plan is small, this also compiles its policies of this phase. The
 * ledger was read for this call. Undefined: no plan is in force.
 */
export function readAhead(
  place: StatePlace,
  ledger: Ledger | string,
  phase: PolicyPhase,
): PlanFile | string | undefined {
  if (typeof ledger === "string" || ledger.plan === null) return undefined;
  const file = readPlanFile(place, ledger.plan);
  if (typeof file === "string" || !("policies" in file)) return file;
  for (const policy of file.policies) {
    if (!policy.phases.includes(phase)) continue;
    const program = programOf(place, policy);
    if (program.where === "here") compileAhead(program.code);
    policy[PROGRAM] = program;
  }
  return file;
}
