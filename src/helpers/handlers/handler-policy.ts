import type { ToolPolicy } from "../../policy/define.ts";
import type { HookEvent, LifecycleHook } from "../../policy/define-hook.ts";
import type { HookableEvent } from "../../policy/hook-inputs.ts";
import { compileLinear } from "../pattern/linear-pattern.ts";
import type { HandlerQuestion, HandlerTerms, Said } from "./handler.ts";
import { MOMENT_PROTOCOL } from "./moments.ts";
import { PROTOCOL } from "./protocols.ts";
import { sortedJson } from "./sorted-json.ts";

type Answer = (question: HandlerQuestion) => Promise<Said> | Said;

/** The policy that asks a handler. A handler that cannot answer makes it fail, and its kind says what comes of that. */
export function handlerPolicy(terms: HandlerTerms, answer: Answer): LifecycleHook | ToolPolicy {
  const { event } = terms;
  return event === "tool.before" || event === "tool.after"
    ? toolPolicy(terms, answer)
    : lifecycleHook({ ...terms, event }, answer);
}

function toolPolicy(terms: HandlerTerms, answer: Answer): ToolPolicy {
  const { event: when, policyKind, matcher, timeoutMs, speaks } = terms;
  const { ask, decide } = PROTOCOL[speaks];
  const isWanted = searchFor(terms);
  const shared = { policyKind, timeoutMs, ...(matcher === undefined ? {} : { matcher }) };
  if (when === "tool.before") {
    return {
      ...shared,
      beforeToolCall: async (event) => (isWanted(event.input) ? decide(await answer(ask(event))) : undefined),
    };
  }
  return {
    ...shared,
    afterToolCall: async (event) => {
      if (isWanted(event.input)) decide(await answer(ask(event)));
    },
  };
}

function lifecycleHook(terms: HandlerTerms & { event: HookableEvent }, answer: Answer): LifecycleHook {
  const { event, policyKind, matcher, timeoutMs, speaks } = terms;
  const { ask, decide } = MOMENT_PROTOCOL[speaks];
  const isWanted = searchFor(terms);
  const run = async (moment: HookEvent<HookableEvent>) =>
    isWanted(moment.input) ? decide(await answer(ask(moment)), event) : undefined;
  return {
    event,
    ...(matcher === undefined ? {} : { matcher }),
    timeoutMs,
    onFailure: policyKind === "enforcement" ? "block" : "proceed",
    // Which outcomes an event has is known by its name alone, and that is data here.
    run: run as LifecycleHook["run"],
  };
}

/** An input that is too large to be searched in time is one that the handler has to judge. */
function searchFor({ inputPattern }: HandlerTerms): (input: unknown) => boolean {
  if (inputPattern === undefined) return () => true;
  const pattern = compileLinear(inputPattern);
  return (input) => pattern.search(sortedJson(input ?? {})) !== false;
}
