import type { ToolPolicy } from "../../policy/define.ts";
import type { HookEvent, LifecycleHook } from "../../policy/define-hook.ts";
import type { HookableEvent } from "../../policy/hook-inputs.ts";
import { powersOf } from "../../policy/taxonomy.ts";
import { compileLinear } from "../pattern/linear-pattern.ts";
import { type HandlerQuestion, type HandlerTerms, type Said, toolsOf } from "./handler.ts";
import { MOMENT_PROTOCOL } from "./moments.ts";
import { namesAtMoment, namesInCall } from "./own-names.ts";
import { PROTOCOL } from "./protocols.ts";
import { sortedJson } from "./sorted-json.ts";

type Answer = (question: HandlerQuestion) => Promise<Said> | Said;

/** The policy that asks a handler. A handler that cannot answer makes it fail, and its kind says what comes of that. */
export function handlerPolicy(terms: HandlerTerms, answer: Answer): LifecycleHook | ToolPolicy {
  const { event } = terms;
  // What Arawn's hooks print after a call is for the agent, and a tool policy has no way to say it.
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
  const { ask, decide } = MOMENT_PROTOCOL[speaks];
  const isWanted = filterOf(terms);
  const isOfTool = powersOf(event).subject === "tool";
  const run = async (moment: HookEvent<HookableEvent>) => {
    const { input } = moment;
    const names = isOfTool ? namesAtMoment(speaks, moment) : [];
    const searched: unknown = isOfTool ? Reflect.get(input, "toolInput") : input;
    return isWanted(names, searched) ? decide(await answer(ask(moment)), event) : undefined;
  };
  return {
    event,
    ...(matcher === undefined ? {} : { matcher }),
    timeoutMs,
    onFailure: policyKind === "enforcement" ? "block" : "proceed",
    // Which outcomes an event has is known by its name alone, and that is data here.
    run: run as LifecycleHook["run"],
  };
}

/** Whether the handler is asked about a tool of these names with this input. One that is too large to be searched in time it has to judge. */
function filterOf({ ownName, inputPattern }: HandlerTerms): (names: readonly string[], input: unknown) => boolean {
  const name = ownName === undefined ? undefined : new RegExp(ownName, "u");
  const pattern = inputPattern === undefined ? undefined : compileLinear(inputPattern);
  return (names, input) =>
    (name === undefined || names.some((one) => name.test(one))) &&
    (pattern === undefined || pattern.search(sortedJson(input ?? {})) !== false);
}
