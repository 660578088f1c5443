import { hookName } from "../hook-name.ts";
import type { Difference, Imported, ImportedHook } from "../imported.ts";
import { differencesOf, whyNot } from "./differences.ts";
import { capabilitiesOf, emitPolicy } from "./emit.ts";
import type { DeclaredPolicy } from "./read/declared.ts";
import { readPolicies } from "./read/read.ts";

/**
 * A policies.rb as hooks in hooker's own words, and whatever they do otherwise. Gates come first, as hooker judges them first.
 * Throws a `Refusal` for a file that hooker's reader refuses.
 */
export function importPolicies(bytes: Uint8Array): Imported {
  const declared = readPolicies(bytes);
  const names = new Set<string>();
  const hooks: ImportedHook[] = [];
  const differences: Difference[] = [];
  const transforms = declared.filter(
    ({ action, event }) => action?.kind === "transform" && event !== "UserPromptSubmit",
  ).length;
  for (const policy of [...declared.filter(isGate), ...declared.filter((one) => !isGate(one))]) {
    const reason = whyNot(policy);
    const place = { policy: policy.name, line: policy.line };
    if (reason !== undefined) {
      differences.push({ ...place, hook: null, what: `it is not imported: ${reason}` });
      continue;
    }
    const name = hookName(policy.name, names);
    hooks.push({
      name,
      policy: emitPolicy(policy),
      readme: `# ${name}: ${policy.name.replace(/\s+/gu, " ")}\n\nImported from line ${policy.line} of a policies.rb.\n`,
      capabilities: capabilitiesOf(policy),
    });
    differences.push(...differencesOf(policy, transforms).map((what) => ({ ...place, hook: name, what })));
  }
  return { hooks, differences: differences.sort((one, other) => one.line - other.line) };
}

function isGate({ action }: DeclaredPolicy): boolean {
  return action?.kind === "gate";
}
