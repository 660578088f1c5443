import { hookName } from "../../importing/hook-name.ts";
import type { DescribeCoverage, Difference, Imported, ImportedHook } from "../../importing/imported.ts";
import type { DeclaredPolicy } from "../read/declared.ts";
import { readPoliciesRb } from "../read/read.ts";
import { hookerDifferences, whyNotFromHooker } from "./differences.ts";
import { emitHookerPolicy, hookerCapabilities } from "./emit.ts";

/**
 * Turns a policies.rb into hooks in hooker's own words, and lists how they differ. Gates come first, since hooker
 * judges them first. Throws a `HookerRefusal` for a file that hooker's reader refuses.
 */
export function importHooker(bytes: Uint8Array, describeReach: DescribeCoverage): Imported {
  const declared = readPoliciesRb(bytes);
  const names = new Set<string>();
  const hooks: ImportedHook[] = [];
  const differences: Difference[] = [];
  for (const policy of [...declared.filter(isGate), ...declared.filter((one) => !isGate(one))]) {
    const reason = whyNotFromHooker(policy);
    const place = { policy: policy.name, line: policy.line };
    if (reason !== undefined) {
      differences.push({ ...place, hook: null, what: `it is not imported: ${reason}` });
      continue;
    }
    const name = hookName(policy.name, names);
    hooks.push({
      name,
      policy: emitHookerPolicy(policy),
      readme: `# ${name}: ${policy.name.replace(/\s+/gu, " ")}\n\nImported from line ${policy.line} of a policies.rb.\n`,
      capabilities: hookerCapabilities(policy),
    });
    differences.push(
      ...hookerDifferences(policy, { declared, describeReach }).map((what) => ({ ...place, hook: name, what })),
    );
  }
  return { hooks, differences: differences.sort((one, other) => one.line - other.line) };
}

function isGate({ action }: DeclaredPolicy): boolean {
  return action?.kind === "gate";
}
