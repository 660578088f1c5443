import { hookLayout } from "../../contract/hook-layout.ts";
import type { Exception } from "../../contract/ledger.ts";
import type { Capability, PlannedPolicy } from "../../contract/plan.ts";
import { processOf } from "../../contract/processes.ts";
import { GLOBAL_KEY } from "../../contract/scope.ts";
import { digestOfFile } from "../../hot/digest.ts";
import { decodeBytes } from "../../hot/primordials.ts";
import { readBytes, type StatePlace } from "../../hot/read-file.ts";
import { createRequire } from "../run/modules.ts";
import type { PolicyCode } from "../run/policy-code.ts";
import type { LoadedPolicy } from "./shards.ts";

/** A policy whose file was read and compared with the plan: what runs are these bytes. */
export interface PreparedPolicy {
  /** `@scope/name#hook`, for the model. */
  label: string;
  /** `@scope/name@version#hook`, for the journal. */
  name: string;
  kind: PlannedPolicy["kind"];
  mode: PlannedPolicy["mode"];
  askFallback: PlannedPolicy["askFallback"];
  bundle: string;
  timeoutMs: number;
  capabilities: readonly Capability[];
  /** It was consented to for every folder. */
  isGlobal: boolean;
  /** JSON text; null: the hook has none. */
  options: string | null;
  /** What lets this call through, whatever it says of it; null: nothing does. */
  exception: Exception | null;
  /** Policies of the same name here may share a process. */
  process: string;
  program: PolicyProgram;
}

export type PolicyProgram = { where: "here"; code: PolicyCode } | { where: "nowhere"; why: string };

export function preparePolicy(place: StatePlace, policy: LoadedPolicy): PreparedPolicy {
  const { card, cardVersion, hook, kind, mode, askFallback, bundle, timeoutMs, capabilities } = policy;
  const { scope = place.key, options = null } = policy;
  const name = `${card}@${cardVersion}#${hook}`;
  return {
    label: `${card}#${hook}`,
    name,
    kind,
    mode,
    askFallback,
    bundle,
    timeoutMs,
    capabilities,
    isGlobal: scope === GLOBAL_KEY,
    options,
    exception: null,
    process: processOf(policy),
    program: programOf({ home: place.home, key: scope }, policy, name),
  };
}

/** What is wrong with the policy's file; undefined when it is the one that was consented to. */
export function findDamage(place: StatePlace, policy: LoadedPolicy): string | undefined {
  const { program, name } = preparePolicy(place, policy);
  return program.where === "nowhere" ? `${name} ${program.why}` : undefined;
}

function programOf(
  { home, key }: StatePlace,
  { bundle, card, capabilities, body, shared }: LoadedPolicy,
  name: string,
): PolicyProgram {
  const flag = key === GLOBAL_KEY ? " --global" : "";
  if (body) return { where: "here", code: { name, code: body, require: createRequire([], shared), exported: null } };
  const bytes = readBytes(hookLayout.bundle(home, key, bundle));
  if (typeof bytes === "string") return { where: "nowhere", why: brokenFile(bytes, card, flag) };
  if (digestOfFile(bytes) !== bundle) return { where: "nowhere", why: brokenFile("altered", card, flag) };
  const code = decodeBytes(bytes);
  return { where: "here", code: { name, code, require: createRequire(capabilities), exported: null } };
}

function brokenFile(how: string, card: string, flag: string): string {
  return `cannot run, since its compiled file is ${how}: run \`drwn write${flag}\`, or \`drwn card trust ${card} --hooks${flag}\``;
}
