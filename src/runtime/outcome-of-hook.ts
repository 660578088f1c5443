import type { EventPowers } from "../policy/taxonomy.ts";
import { type Answer, failure, isBlank, NO_OPINION } from "./answer-of-policy.ts";
import { NotPlainData, toJsonText } from "./json-text.ts";
import { getField, isArray, ownKeys } from "./primordials.ts";

/**
 * Takes what a lifecycle hook returned apart, reading every field once. Anything but an outcome of its event, in its exact
 * shape, is a failure that says what is wrong. Runs code of the hook (accessors, proxies), so it is called under its deadline.
 */
export function readOutcome(powers: EventPowers, value: unknown): Answer {
  if (value === undefined) return NO_OPINION;
  if (typeof value !== "object" || value === null || isArray(value)) {
    return failure("returned something that is no outcome");
  }
  try {
    return readFields(powers, value);
  } catch (error) {
    // Whatever a hook's accessor throws is foreign; only our own refusal is looked at.
    if (error instanceof NotPlainData) return failure(`returned an outcome that ${error.why}`);
    throw error;
  }
}

interface Fields {
  action: unknown;
  reason: unknown;
  additionalContext: unknown;
  updatedInput: unknown;
}

function readFields(powers: EventPowers, outcome: object): Answer {
  const fields: Fields = {
    action: undefined,
    reason: undefined,
    additionalContext: undefined,
    updatedInput: undefined,
  };
  const keys = ownKeys(outcome);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    if (key !== "action" && key !== "reason" && key !== "additionalContext" && key !== "updatedInput") {
      return failure("returned an outcome with a field that no outcome has");
    }
    fields[key] = getField(outcome, key);
  }
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

function readProceed({ injects, transforms }: EventPowers, fields: Fields): Answer {
  const { reason, additionalContext, updatedInput } = fields;
  if (reason !== undefined) return unfitting("proceed");
  if (additionalContext !== undefined && !injects) return failure("returned text where the event takes none");
  if (updatedInput !== undefined && !transforms) return failure("returned an input where the event takes none");
  if (additionalContext !== undefined && typeof additionalContext !== "string") {
    return failure("returned an additionalContext that is no string");
  }
  return {
    action: "allow",
    reason: "",
    context: additionalContext === undefined || additionalContext === "" ? null : additionalContext,
    updatedInput: updatedInput === undefined ? null : toJsonText(updatedInput),
    syntheticOutput: null,
  };
}

function isBare({ additionalContext, updatedInput }: Fields): boolean {
  return additionalContext === undefined && updatedInput === undefined;
}

function unfitting(action: string): Answer {
  return failure(`returned the outcome ${action} with a field that belongs to another one`);
}
