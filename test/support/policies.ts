import type { PlannedPolicy } from "../../src/contract/plan.ts";
import type { PreparedPolicy } from "../../src/hook/verify/read-policy.ts";
import { someFacts } from "./grants.ts";

/** An enforcement policy in a plan: `@me/backend@1.0.0#guard`, on every tool before the call. */
export function somePlanned(parts: Partial<PlannedPolicy> = {}): PlannedPolicy {
  return {
    ...someFacts(),
    card: "@me/backend",
    cardVersion: "1.0.0",
    hook: "guard",
    mode: "enforce",
    askFallback: "allow-reversible",
    publisher: null,
    match: null,
    bundle: `sha256-${"0".repeat(64)}`,
    ...parts,
  };
}

/** The same in the hook process, with nothing to run. */
export function somePrepared(parts: Partial<PreparedPolicy> = {}): PreparedPolicy {
  return {
    label: "@me/backend#guard",
    name: "@me/backend@1.0.0#guard",
    kind: "enforcement",
    mode: "enforce",
    askFallback: "allow-reversible",
    bundle: "",
    timeoutMs: 1,
    capabilities: [],
    options: null,
    scopeKey: "aaaa",
    exception: null,
    scope: null,
    root: null,
    process: "card @me/backend",
    program: { where: "nowhere", why: "" },
    ...parts,
  };
}
