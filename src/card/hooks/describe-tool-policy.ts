import { TOOL_POLICY_FIELDS } from "./evaluation-script.ts";
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

/** The result of `defineToolPolicy`. */
export const TOOL_POLICY: HookForm = {
  findFaults(policy) {
    const { fields } = policy;
    const faults: HookFault[] = [];
    const expect = expecting(fields, faults);
    const { policyKind, beforeToolCall, afterToolCall } = fields;
    const isKind = policyKind?.type === "string" && ["enforcement", "observer"].includes(policyKind.text);
    expect("policyKind", isKind, '"enforcement" or "observer"');
    faults.push(...findCommonFaults(fields));
    expect("beforeToolCall", beforeToolCall === undefined || beforeToolCall.type === "function", "a function");
    expect("afterToolCall", afterToolCall === undefined || afterToolCall.type === "function", "a function");
    if (beforeToolCall === undefined && afterToolCall === undefined) {
      faults.push(fault("default", "neither `beforeToolCall` nor `afterToolCall` is there"));
    }
    return [
      ...findStrangers(policy, { what: "a policy", known: TOOL_POLICY_FIELDS }),
      ...faults,
      ...findGlobFaults(fields),
    ];
  },
  factsOf(fields) {
    const { policyKind, matcher, beforeToolCall, afterToolCall } = fields;
    return {
      kind: policyKind?.text === "enforcement" ? "enforcement" : "observer",
      matcher: matcher?.text ?? null,
      phases: [...(beforeToolCall ? (["pre-tool"] as const) : []), ...(afterToolCall ? (["post-tool"] as const) : [])],
      timeoutMs: timeoutOf(fields),
    };
  },
};
