import fs from "node:fs";
import path from "node:path";
import type { PolicyKind } from "../../src/policy/define.ts";
import { BEHAVIOURS, type Behaviour } from "../support/conformance.ts";
import type { World } from "./world.ts";

/** Everything that a policy can say or do by itself. */
export const ROWS: readonly Behaviour[] = (Object.keys(BEHAVIOURS) as Behaviour[]).filter(
  (name) => name !== "has lost its code",
);

/** When the policy of all rows acts as its row says: before a call, or after it. */
export type When = "before" | "after";

/** What a call of this row leaves behind if it is made as requested. */
export function fileOf(when: When, behaviour: Behaviour): string {
  return `${when}-${ROWS.indexOf(behaviour)}.txt`;
}

export function commandOf(when: When, behaviour: Behaviour): string {
  return `touch ${fileOf(when, behaviour)}`;
}

/** One policy that does everything in the table, depending on the command. */
export function policyOfAllRows(kind: PolicyKind): string {
  const bodyFor = (when: When): string =>
    ROWS.map((name) => `if (command === "${commandOf(when, name)}") { ${BEHAVIOURS[name].body} }`).join("\n");
  return `import { defineToolPolicy, inputOf } from "darwinian-minds/hook-policy";
export default defineToolPolicy({
  policyKind: "${kind}",
  matcher: "Bash",
  timeoutMs: 2000,
  beforeToolCall(event) {
    const { command } = inputOf(event, "Bash");
    ${bodyFor("before")}
  },
  afterToolCall(event) {
    const { command } = inputOf(event, "Bash");
    ${bodyFor("after")}
  },
});
`;
}

/** As if a disk returned nothing of what was approved. */
export function loseCode(world: World): void {
  const projects = path.join(world.home, ".agents", "drwn", "projects");
  for (const entry of fs.readdirSync(projects, { recursive: true, withFileTypes: true })) {
    if (path.basename(entry.parentPath) === "bundles") fs.rmSync(path.join(entry.parentPath, entry.name));
  }
}
