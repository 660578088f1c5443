import type { ToolPolicy } from "../../policy/define.ts";
import type { ToolPolicyEvent } from "../../policy/event.ts";
import { compileLinear } from "../pattern/linear-pattern.ts";
import type { HandlerTerms, Question, Said } from "./handler.ts";
import { PROTOCOL } from "./protocols.ts";
import { sortedJson } from "./sorted-json.ts";

/** The policy that asks a handler. A handler that cannot answer makes it fail, and its kind says what comes of that. */
export function handlerPolicy(terms: HandlerTerms, answer: (question: Question) => Promise<Said> | Said): ToolPolicy {
  const { event: when, policyKind, matcher, inputPattern, timeoutMs, speaks } = terms;
  const { ask, decide } = PROTOCOL[speaks];
  const pattern = inputPattern === undefined ? undefined : compileLinear(inputPattern);
  // An input that is too large to be searched in time is one that the handler has to judge.
  const isWanted = ({ input }: ToolPolicyEvent) => pattern?.search(sortedJson(input ?? {})) !== false;
  const shared = { policyKind, timeoutMs, ...(matcher === undefined ? {} : { matcher }) };
  if (when === "tool.before") {
    return {
      ...shared,
      beforeToolCall: async (event) => (isWanted(event) ? decide(await answer(ask(event))) : undefined),
    };
  }
  return {
    ...shared,
    afterToolCall: async (event) => {
      if (isWanted(event)) decide(await answer(ask(event)));
    },
  };
}
