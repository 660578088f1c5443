import type { PolicyPhase } from "../../contract/ledger.ts";
import { clean } from "../../kernel/text.ts";
import { EVENT_NAMES, HOOK_SYSTEMS } from "../../policy/event-names.ts";
import { isLifecycleEvent, powersOf } from "../../policy/taxonomy.ts";
import { LIFECYCLE_HOOK_FIELDS } from "./evaluation-script.ts";
import { phaseSchema } from "./hook-facts.ts";
import {
  expecting,
  fault,
  findCommonFaults,
  findGlobFaults,
  findStrangers,
  type HookFault,
  type HookForm,
  timeoutOf,
} from "./hook-faults.ts";

/** The result of `defineHook`. By default, or with `onFailure: "block"`, it is an enforcement hook. */
export const LIFECYCLE_HOOK: HookForm = {
  findFaults(policy) {
    const { fields } = policy;
    const faults: HookFault[] = [];
    const expect = expecting(fields, faults);
    const { event, onFailure, run } = fields;
    if (event?.type === "string") faults.push(...findEventFault(event.text, fields["matcher"] !== undefined));
    else expect("event", false, 'the name of an event, like "prompt.submit"');
    faults.push(...findCommonFaults(fields));
    const isKnown = onFailure === undefined || (onFailure.type === "string" && FAILURES.includes(onFailure.text));
    expect("onFailure", isKnown, '"block" or "proceed"');
    expect("run", run?.type === "function", "a function");
    return [
      ...findStrangers(policy, { what: "a lifecycle hook", known: LIFECYCLE_HOOK_FIELDS }),
      ...faults,
      ...findGlobFaults(fields),
    ];
  },
  factsOf(fields) {
    const { event, matcher, onFailure } = fields;
    return {
      kind: onFailure?.text === "proceed" ? "observer" : "enforcement",
      matcher: matcher?.text ?? null,
      phases: [phaseSchema.parse(event?.text) satisfies PolicyPhase],
      timeoutMs: timeoutOf(fields),
    };
  },
};

const FAILURES = ["block", "proceed"];

function findEventFault(name: string, hasMatcher: boolean): HookFault[] {
  if (name === "tool.before") {
    return [fault("event", "`tool.before` is judged by a tool policy: use defineToolPolicy with beforeToolCall")];
  }
  if (!isLifecycleEvent(name)) {
    const meant = HOOK_SYSTEMS.map((system) => nameOf(EVENT_NAMES[system], name)).find((event) => event !== undefined);
    const hint = meant === undefined ? "" : `; what it means is called \`${meant}\` here`;
    return [fault("event", `\`${clean(name, 80)}\` isn't an event${hint}`)];
  }
  const { subject } = powersOf(name);
  return hasMatcher && subject === null
    ? [fault("matcher", `\`${name}\` has nothing that a matcher could be compared with`)]
    : [];
}

function nameOf(names: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(names, name) ? names[name] : undefined;
}
