import { MODES } from "../contract/ledger.ts";
import { CAPABILITIES, DEADLINES, type PlannedPolicy } from "../contract/plan.ts";
import { type Fields, fieldOf, isDigest, isListOf, isRecord, isText } from "./shape.ts";

const CHECKS: Readonly<Record<keyof PlannedPolicy, (value: unknown) => boolean>> = {
  card: isText,
  cardVersion: isText,
  hook: isText,
  kind: (value) => value === "enforcement" || value === "observer",
  mode: (value) => MODES.some((mode) => mode === value),
  askFallback: (value) => value === "allow" || value === "deny",
  publisher: (value) => value === null || isText(value),
  match: (value) => value === null || isText(value),
  matcher: (value) => value === null || isText(value),
  phases: (value) => isListOf(value, isPhase),
  timeoutMs: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= DEADLINES.maximum,
  capabilities: (value) => isListOf(value, isCapability),
  bundle: isDigest,
};

export function isPlannedPolicy(value: unknown): value is PlannedPolicy {
  return isRecord(value) && hasShape(value);
}

function hasShape(policy: Fields): boolean {
  return Object.entries(CHECKS).every(([name, isFitting]) => isFitting(fieldOf(policy, name)));
}

function isPhase(value: unknown): value is PlannedPolicy["phases"][number] {
  return value === "pre-tool" || value === "post-tool";
}

function isCapability(value: unknown): value is PlannedPolicy["capabilities"][number] {
  return CAPABILITIES.some((capability) => capability === value);
}
