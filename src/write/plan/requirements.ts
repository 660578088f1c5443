import { parseSpec } from "../../card/spec.ts";
import { satisfies } from "../../card/version.ts";
import { layout } from "../../contract/layout.ts";
import { formatJson } from "../../kernel/format/json.ts";
import type { ProjectConfig } from "../../project/config.ts";
import { type Change, planFile } from "../../wiring/changes.ts";
import { approvalInForce, type CardActivation } from "./activations.ts";

/** What a project requires of everybody who works on it, and which requirements are not in force here. */
export interface Requirements {
  met: string[];
  unmet: string[];
}

/** An approved version inside its range meets a requirement. One that only shadows doesn't, since it holds nothing. */
export function checkRequirements(config: ProjectConfig, activations: readonly CardActivation[]): Requirements {
  const met: string[] = [];
  const unmet: string[] = [];
  for (const requirement of config.requireHooks ?? []) {
    const { name, range } = parseSpec(requirement);
    const found = activations.find(({ card }) => card === name);
    const approval = found === undefined ? undefined : approvalInForce(found);
    const isMet =
      approval !== undefined &&
      found?.grant?.mode !== "shadow" &&
      (range === null || satisfies(approval.cardVersion, range));
    (isMet ? met : unmet).push(requirement);
  }
  return { met, unmet };
}

/** Tells the hook process, which doesn't read semver ranges, which requirements were met when the plan was made. */
export function planRequirements(at: { home: string; key: string }, { met, unmet }: Requirements): Change[] {
  const after = met.length + unmet.length === 0 ? null : Buffer.from(formatJson({ version: 1, met }));
  const path = layout.requirements(at.home, at.key);
  const change = planFile({ path, after, what: "record of what the project requires", mode: 0o600 });
  return change === undefined ? [] : [change];
}
