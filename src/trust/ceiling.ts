import { takesAllOf } from "../card/matcher.ts";
import type { HookFacts, Terms } from "../contract/ledger.ts";
import { compareOrdinal, sortedBy } from "../kernel/order.ts";
import { describeDeclaration } from "./options.ts";

/** One way in which a version differs from what was consented to. */
export interface CeilingDifference {
  hook: string;
  /** `added`, `removed`, or the fact that differs. */
  what: "added" | "removed" | keyof HookFacts;
  from: string;
  to: string;
}

/**
 * Every difference that a person must see before this version may run. Fewer capabilities and a shorter timeout don't
 * count: the guard gains nothing by them, and loses only what its author chose to give up.
 */
export function differencesFromCeiling(
  ceiling: Readonly<Record<string, HookFacts>>,
  hooks: readonly (HookFacts & { name: string })[],
): CeilingDifference[] {
  const offered = new Map(hooks.map((hook) => [hook.name, hook]));
  const differences: CeilingDifference[] = [];
  for (const [hook, facts] of Object.entries(ceiling)) {
    const now = offered.get(hook);
    if (now === undefined) differences.push({ hook, what: "removed", from: describeFacts(facts), to: "" });
    else differences.push(...differencesOf(hook, facts, now));
  }
  for (const [hook, facts] of offered) {
    if (!Object.hasOwn(ceiling, hook)) {
      differences.push({ hook, what: "added", from: "", to: describeFacts(facts) });
    }
  }
  return differences.sort((left, right) => compareOrdinal(left.hook, right.hook));
}

/** Whether the guard surely gets weaker: it loses a hook, a phase or a tool, or becomes an observer. */
export function isWeaker({ what, from, to }: CeilingDifference): boolean {
  switch (what) {
    case "removed":
      return true;
    case "kind":
      return to === "observer";
    case "phases":
      return from.split(", ").some((phase) => !to.split(", ").includes(phase));
    case "matcher":
      return takesAllOf(matcherIn(to), matcherIn(from)) === false;
    default:
      return false;
  }
}

const EVERY_TOOL = "every tool";

const matcherIn = (text: string): string | null => (text === EVERY_TOOL ? null : text);

/** Names of the skills that are code, but not the code that was consented to. */
export function differingSkills(
  consented: Readonly<Record<string, string>> = {},
  offered: Readonly<Record<string, string>>,
): string[] {
  return Object.keys(offered).filter((name) => !Object.hasOwn(consented, name) || consented[name] !== offered[name]);
}

export function toCeiling(hooks: readonly (HookFacts & { name: string })[]): Record<string, HookFacts> {
  return Object.fromEntries(sortedBy(hooks, ({ name }) => name).map((hook) => [hook.name, toFacts(hook)]));
}

/** Those of a card's hooks that a consent is about; null: all of them. */
export function consentedHooks<Hook extends { name: string }>(
  hooks: readonly Hook[],
  consented: Terms["hooks"],
): readonly Hook[] {
  return consented === null ? hooks : hooks.filter(({ name }) => consented.includes(name));
}

/** The facts alone, without the other fields that an index has for a hook. */
export function toFacts({ kind, matcher, phases, timeoutMs, capabilities, options }: HookFacts): HookFacts {
  return { kind, matcher, phases, timeoutMs, capabilities, ...(options === undefined ? {} : { options }) };
}

function differencesOf(hook: string, from: HookFacts, to: HookFacts): CeilingDifference[] {
  const differences: CeilingDifference[] = [];
  const note = (what: keyof HookFacts, before: string, after: string) =>
    differences.push({ hook, what, from: before, to: after });
  if (from.kind !== to.kind) note("kind", from.kind, to.kind);
  if (from.matcher !== to.matcher) note("matcher", from.matcher ?? EVERY_TOOL, to.matcher ?? EVERY_TOOL);
  if (from.phases.join() !== to.phases.join()) note("phases", from.phases.join(", "), to.phases.join(", "));
  if (to.timeoutMs > from.timeoutMs) note("timeoutMs", `${from.timeoutMs} ms`, `${to.timeoutMs} ms`);
  if (to.capabilities.some((capability) => !from.capabilities.includes(capability))) {
    note("capabilities", from.capabilities.join(", ") || "none", to.capabilities.join(", "));
  }
  for (const { option, was, is } of differingOptions(from, to)) note("options", `${option}: ${was}`, is);
  return differences;
}

/** Options that are gone or have another form: a setting may now mean something else. A new option has its default. */
function differingOptions({ options: from = {} }: HookFacts, { options: to = {} }: HookFacts) {
  return Object.entries(from).flatMap(([option, declared]) => {
    const now = Object.hasOwn(to, option) ? to[option] : undefined;
    const was = describeDeclaration(declared);
    const is = now === undefined ? "gone" : describeDeclaration(now);
    return now?.type === declared.type && was === is ? [] : [{ option, was, is }];
  });
}

function describeFacts({ kind, matcher, phases }: HookFacts): string {
  const isOfTools = phases.some((phase) => phase === "pre-tool" || phase === "post-tool");
  const scope = [...(matcher === null && !isOfTools ? [] : [matcher ?? EVERY_TOOL]), phases.join(" and ")];
  return `${kind} on ${scope.join(", ")}`;
}
