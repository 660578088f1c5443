import { hookLayout } from "../../contract/hook-layout.ts";
import type { Exception, PolicyPhase } from "../../contract/ledger.ts";
import type { Capability, PlannedPolicy } from "../../contract/plan.ts";
import { isHarmless, processOf } from "../../contract/processes.ts";
import { commandInScope, faultClause, GLOBAL_KEY, isManagedHome } from "../../contract/scopes.ts";
import { digestOfFile } from "../../hook-base/digest.ts";
import { decodeBytes } from "../../hook-base/primordials.ts";
import { readBytes, type StateLocation } from "../../hook-base/read-file.ts";
import type { EventText } from "../enter/event.ts";
import { createRequire } from "../run/modules.ts";
import type { PolicyProgram } from "../run/policy-code.ts";
import { refusalIn } from "./read-ledger.ts";
import type { LoadedPolicy } from "./shards.ts";

/** A policy whose file was read and compared with the plan. Exactly these bytes run. */
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
  /** The scope it was consented to for, unless that is the project of the call. */
  scope: "enclosing" | "global" | "system" | null;
  /** The folder of that scope; null: that of the call. */
  root: string | null;
  /** JSON text; null: the hook has none. */
  options: string | null;
  /** The key of the scope it was consented to for. */
  scopeKey: string;
  /** The exception that lets this call through even if the policy denies it; null: there is none. */
  exception: Exception | null;
  /** Policies with the same name here may share a process. */
  process: string;
  program: PolicyProgram;
}

export function preparePolicy(place: StateLocation, policy: LoadedPolicy): PreparedPolicy {
  const { card, hook, kind, mode, askFallback, bundle, timeoutMs, capabilities } = policy;
  const { scope = place.key, root = null, options = null } = policy;
  const isOwn = scope === place.key;
  return {
    label: `${card}#${hook}`,
    name: nameOf(policy),
    kind,
    mode,
    askFallback,
    bundle,
    timeoutMs,
    capabilities,
    scope: scope === GLOBAL_KEY ? (isManagedHome(place.home) ? "system" : "global") : isOwn ? null : "enclosing",
    root,
    options,
    scopeKey: scope,
    exception: null,
    // A policy that two scopes have may look into another folder for each.
    process: isOwn ? processOf(policy) : `${scope} ${processOf(policy)}`,
    program: programOf({ home: place.home, key: scope }, policy),
  };
}

function nameOf({ card, cardVersion, hook }: LoadedPolicy): string {
  return `${card}@${cardVersion}#${hook}`;
}

/** What is wrong with the policy's file; undefined if it is the one that was consented to. */
export function findDamage(place: StateLocation, policy: LoadedPolicy): string | undefined {
  const { program, name } = preparePolicy(place, policy);
  return program.where === "nowhere" ? `${name} ${program.why}` : undefined;
}

/** Reads the policy's file and compares it with the plan. */
function programOf({ home, key }: StateLocation, policy: LoadedPolicy): PolicyProgram {
  const { bundle, card, capabilities, body, shared } = policy;
  const place = { home, key };
  const name = nameOf(policy);
  if (body) return { where: "here", code: { name, code: body, require: createRequire([], shared), exported: null } };
  const bytes = readBytes(hookLayout.bundle(home, key, bundle), refusalIn(home));
  if (typeof bytes === "string") return { where: "nowhere", why: brokenFile(bytes, card, place) };
  if (digestOfFile(bytes) !== bundle) return { where: "nowhere", why: brokenFile("altered", card, place) };
  const code = decodeBytes(bytes);
  return { where: "here", code: { name, code, require: createRequire(capabilities), exported: null } };
}

function brokenFile(how: string, card: string, place: StateLocation): string {
  const again = commandInScope(place, `card trust ${card} --hooks`);
  return `cannot run, since its compiled file ${faultClause(how)}: run ${commandInScope(place, "write")}, or ${again}`;
}

/** A policy, and the event or part of one to ask it about. */
export interface SelectedPolicy {
  policy: LoadedPolicy;
  event: EventText;
}

/**
 * The questions to ask at this phase: each policy about the call, and about each of its views whose tool the policy
 * matches. If a call has several names, a policy that can block it is asked under each name that it matches, since its
 * code may know only one of them; all others are asked once. A broken expression matches everything for an enforcement
 * policy and nothing for an observer, and `onFault` is called.
 */
export function selectPolicies(
  policies: readonly LoadedPolicy[],
  { event, phase }: { event: EventText; phase: PolicyPhase },
  onFault: (policy: LoadedPolicy) => void,
): SelectedPolicy[] {
  const { names, views } = event;
  // Canonical names come first: policies for every agent know those.
  const wholes = names.length === 0 ? [event] : [...names, event];
  return policies.flatMap((policy) => {
    if (!policy.phases.includes(phase)) return [];
    const matches = readMatcher(policy, onFault);
    const matched = wholes.filter(matches);
    const whole = phase === "pre-tool" && !isHarmless(policy) ? matched : matched.slice(0, 1);
    return [...whole, ...views.filter(matches)].map((part) => ({ policy, event: part }));
  });
}

function readMatcher(policy: LoadedPolicy, onFault: (policy: LoadedPolicy) => void): (part: EventText) => boolean {
  if (policy.match === null) return () => true;
  try {
    const match = new RegExp(policy.match, "u");
    return ({ toolName, aliases }) =>
      match.test(toolName) ||
      aliases.some((name) => match.test(name)) ||
      // An event of a session without a subject.
      (toolName === "" && policy.kind === "enforcement");
  } catch {
    onFault(policy);
    return () => policy.kind === "enforcement";
  }
}
