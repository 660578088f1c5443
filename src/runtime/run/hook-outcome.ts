import type { EventPowers } from "../../policy/taxonomy.ts";
import {
  failure,
  isBlank,
  NO_OPINION,
  type PolicyAnswer,
  type ReturnedFields,
  readAcceptance,
  readReturned,
} from "./policy-answer.ts";

/**
 * Takes apart what a lifecycle hook returned, reading every field once. Anything but an outcome of its event, in its
 * exact shape, becomes a failure that says what is wrong. It runs code of the hook (accessors, proxies), so it is
 * called under its deadline.
 */
export function readOutcome(powers: EventPowers, value: unknown): PolicyAnswer {
  return readReturned(value, { noun: "outcome", judge: (fields) => judgeOutcome(powers, fields) });
}

function judgeOutcome(powers: EventPowers, fields: ReturnedFields): PolicyAnswer {
  if (fields.syntheticOutput !== undefined) return failure("returned an outcome with a field that no outcome has");
  const { action, reason } = fields;
  const { hold } = powers;
  if (action === "proceed") return readProceed(powers, fields);
  if (action === "log-only") {
    return isBare(fields) && reason === undefined ? { ...NO_OPINION, action: "log-only" } : unfitting("log-only");
  }
  if (hold === null || (action !== hold && action !== "ask")) {
    const words = hold === null ? "proceed and log-only" : `proceed, log-only, ask and ${hold}`;
    return failure(`returned an outcome whose action is none of ${words}`);
  }
  if (!isBare(fields)) return unfitting(action === "ask" ? "ask" : hold);
  if (typeof reason !== "string" || isBlank(reason)) return failure("held the event without a reason");
  return { ...NO_OPINION, action: action === "ask" ? "ask" : "deny", reason };
}

function readProceed({ injects, transforms }: EventPowers, fields: ReturnedFields): PolicyAnswer {
  const { reason, additionalContext, updatedInput } = fields;
  if (reason !== undefined) return unfitting("proceed");
  if (additionalContext !== undefined && !injects) return failure("returned text where the event takes none");
  if (updatedInput !== undefined && !transforms) return failure("returned an input where the event takes none");
  return readAcceptance(fields, "an additionalContext that isn't a string");
}

function isBare({ additionalContext, updatedInput }: ReturnedFields): boolean {
  return additionalContext === undefined && updatedInput === undefined;
}

function unfitting(action: string): PolicyAnswer {
  return failure(`returned the outcome ${action} with a field that belongs to another one`);
}
