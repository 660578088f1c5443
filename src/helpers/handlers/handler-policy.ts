import type { HookEvent, LifecycleHook, ToolPolicy } from "../../policy/define.ts";
import { type HookableEvent, powersOf } from "../../policy/lifecycle-events.ts";
import { compileLinear } from "../pattern/linear-pattern.ts";
import { LIFECYCLE_PROTOCOL } from "./lifecycle-protocols.ts";
import {
  type HandlerOutput,
  type HandlerQuestion,
  type HandlerTerms,
  namesAtLifecycleEvent,
  namesInCall,
  PROTOCOL,
  sortedJson,
  toolsOf,
} from "./protocols.ts";

type Answer = (question: HandlerQuestion) => Promise<HandlerOutput> | HandlerOutput;

/**
 * The policy that asks a handler. If the handler cannot answer, the policy fails, and its kind says what happens then.
 */
export function handlerPolicy(terms: HandlerTerms, answer: Answer): LifecycleHook | ToolPolicy {
  const { event } = terms;
  // After a call, Arawn's hooks print text for the agent, which a tool policy cannot pass on.
  return event === "tool.before" || (event === "tool.after" && toolsOf(terms.speaks) === null)
    ? toolPolicy(terms, answer)
    : lifecycleHook({ ...terms, event }, answer);
}

function toolPolicy(terms: HandlerTerms, answer: Answer): ToolPolicy {
  const { event: when, policyKind, matcher, timeoutMs, speaks } = terms;
  const { ask, decide } = PROTOCOL[speaks];
  const isWanted = filterOf(terms);
  const shared = { policyKind, timeoutMs, ...(matcher === undefined ? {} : { matcher }) };
  if (when === "tool.before") {
    return {
      ...shared,
      beforeToolCall: async (event) =>
        isWanted(namesInCall(speaks, event), event.input) ? decide(await answer(ask(event))) : undefined,
    };
  }
  return {
    ...shared,
    afterToolCall: async (event) => {
      if (isWanted(namesInCall(speaks, event), event.input)) decide(await answer(ask(event)));
    },
  };
}

function lifecycleHook(terms: HandlerTerms & { event: HookableEvent }, answer: Answer): LifecycleHook {
  const { event, policyKind, matcher, timeoutMs, speaks } = terms;
  const { ask, decide } = LIFECYCLE_PROTOCOL[speaks];
  const isWanted = filterOf(terms);
  const isOfTool = powersOf(event).subject === "tool";
  const run = async (hookEvent: HookEvent<HookableEvent>) => {
    const { input } = hookEvent;
    const names = isOfTool ? namesAtLifecycleEvent(speaks, hookEvent) : [];
    const searched: unknown = isOfTool ? Reflect.get(input, "toolInput") : input;
    return isWanted(names, searched) ? decide(await answer(ask(hookEvent)), event) : undefined;
  };
  return {
    event,
    ...(matcher === undefined ? {} : { matcher }),
    timeoutMs,
    onFailure: policyKind === "enforcement" ? "block" : "proceed",
    // The event's name says which outcomes it has, but here the name is data, so the types don't know it.
    run: run as LifecycleHook["run"],
  };
}

/**
 * Whether to ask the handler about a tool with these names and this input. It is asked if the input is too large to
 * search in time.
 */
function filterOf({ ownName, inputPattern }: HandlerTerms): (names: readonly string[], input: unknown) => boolean {
  const name = ownName === undefined ? undefined : new RegExp(ownName, "u");
  const pattern = inputPattern === undefined ? undefined : compileLinear(inputPattern);
  return (names, input) =>
    (name === undefined || names.some((one) => name.test(one))) &&
    (pattern === undefined || pattern.search(sortedJson(input ?? {})) !== false);
}
