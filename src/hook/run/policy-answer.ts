import { NotPlainData, toJsonText } from "../../hook-base/json-text.ts";
import { getField, isArray, ownKeys } from "../../hook-base/primordials.ts";
import type { EventPowers } from "../../policy/lifecycle-events.ts";

/** How the reason begins if a shell, or drwn, would not read a command: it is the agent's to write it again, not a failure. */
export const UNREADABLE = "can't read this command: ";

/**
 * What one policy answered, in strings only, so that nobody can change it later. Every field is always present, so that
 * reading one never reaches a prototype.
 */
export interface PolicyAnswer {
  action: "none" | "allow" | "log-only" | "ask" | "deny" | "failure";
  /** Why a call is denied or asked about, or what went wrong. */
  reason: string;
  context: string | null;
  /** JSON text. */
  updatedInput: string | null;
  /** JSON text. */
  syntheticOutput: string | null;
  /** An ask that is a deny where nobody can be asked. */
  irreversible: boolean;
}

export const NO_OPINION: PolicyAnswer = {
  action: "none",
  reason: "",
  context: null,
  updatedInput: null,
  syntheticOutput: null,
  irreversible: false,
};

export function failure(reason: string): PolicyAnswer {
  return { ...NO_OPINION, action: "failure", reason };
}

/** Every field that a decision of a policy, or an outcome of a lifecycle hook, can have. */
interface ReturnedFields {
  action: unknown;
  reason: unknown;
  additionalContext: unknown;
  updatedInput: unknown;
  syntheticOutput: unknown;
  irreversible: unknown;
}

type FieldName = keyof ReturnedFields;

/** What a policy or hook may return: what it is called in messages, and how its fields become an answer. */
interface Returned {
  noun: "decision" | "outcome";
  judge(fields: ReturnedFields): PolicyAnswer;
}

/**
 * Takes a returned decision apart, reading every field once. Anything that isn't nothing, or one of the four decisions
 * in its exact shape, becomes a failure that says what is wrong. It runs code of the policy (accessors, proxies), so it
 * is called under its deadline.
 */
export function readDecision(value: unknown): PolicyAnswer {
  return readReturned(value, DECISION);
}

const DECISION: Returned = { noun: "decision", judge: judgeDecision };

/** The same for anything with the same fields. */
function readReturned(value: unknown, { noun, judge }: Returned): PolicyAnswer {
  if (value === undefined) return NO_OPINION;
  if (typeof value !== "object" || value === null || isArray(value)) {
    return failure(`returned something that isn't a valid ${noun}`);
  }
  try {
    const fields = readFields(value);
    return fields === null ? failure(`returned ${withArticle(noun)} with a field that no ${noun} has`) : judge(fields);
  } catch (error) {
    // An accessor may throw anything; only our own refusal is read.
    if (error instanceof NotPlainData) return failure(`returned ${withArticle(noun)} that ${error.why}`);
    throw error;
  }
}

function readFields(returned: object): ReturnedFields | null {
  const fields: ReturnedFields = {
    action: undefined,
    reason: undefined,
    additionalContext: undefined,
    updatedInput: undefined,
    syntheticOutput: undefined,
    irreversible: undefined,
  };
  const keys = ownKeys(returned);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    if (!isFieldName(key)) return null;
    fields[key] = getField(returned, key);
  }
  return fields;
}

function judgeDecision(fields: ReturnedFields): PolicyAnswer {
  switch (fields.action) {
    case "allow":
      return readAllow(fields);
    case "deny":
      return readRefusal(fields, "deny");
    case "ask":
      return readRefusal(fields, "ask");
    case "log-only":
      return isOnly(fields, "log-only") && fields.reason === undefined
        ? { ...NO_OPINION, action: "log-only" }
        : unfitting("log-only");
    default:
      return failure("returned a decision whose action is none of allow, deny, ask and log-only");
  }
}

function isFieldName(key: string | symbol | undefined): key is FieldName {
  return (
    key === "action" ||
    key === "reason" ||
    key === "additionalContext" ||
    key === "updatedInput" ||
    key === "syntheticOutput" ||
    key === "irreversible"
  );
}

function readAllow(fields: ReturnedFields): PolicyAnswer {
  const { reason, syntheticOutput, irreversible } = fields;
  if (reason !== undefined || syntheticOutput !== undefined || irreversible !== undefined) return unfitting("allow");
  return readAcceptance(fields, "an allow whose additionalContext isn't a string");
}

/**
 * Reads an answer that lets something happen, with text for the model and a new input; `unreadable` describes context
 * that isn't text.
 */
function readAcceptance({ additionalContext, updatedInput }: ReturnedFields, unreadable: string): PolicyAnswer {
  if (additionalContext !== undefined && typeof additionalContext !== "string") {
    return failure(`returned ${unreadable}`);
  }
  return {
    ...NO_OPINION,
    action: "allow",
    context: additionalContext === undefined || additionalContext === "" ? null : additionalContext,
    updatedInput: updatedInput === undefined ? null : toJsonText(updatedInput),
  };
}

function readRefusal(fields: ReturnedFields, action: "ask" | "deny"): PolicyAnswer {
  if (!isOnly(fields, action)) return unfitting(action);
  const { reason, syntheticOutput, irreversible } = fields;
  if (irreversible !== undefined && typeof irreversible !== "boolean") {
    return failure("returned an ask whose irreversible is neither true nor false");
  }
  if (typeof reason !== "string" || isBlank(reason)) return failure(`returned ${withArticle(action)} without a reason`);
  return {
    ...NO_OPINION,
    action,
    reason,
    syntheticOutput: syntheticOutput === undefined ? null : toJsonText(syntheticOutput),
    irreversible: irreversible === true,
  };
}

function isBlank(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    if (text[i] !== " " && text[i] !== "\n" && text[i] !== "\t" && text[i] !== "\r") return false;
  }
  return true;
}

/** Whether a decision has only fields of its own. Each of these may have a reason. */
function isOnly(fields: ReturnedFields, action: "ask" | "deny" | "log-only"): boolean {
  return (
    fields.additionalContext === undefined &&
    fields.updatedInput === undefined &&
    (action === "deny" || fields.syntheticOutput === undefined) &&
    (action === "ask" || fields.irreversible === undefined)
  );
}

function unfitting(action: string): PolicyAnswer {
  return failure(`returned ${withArticle(action)} with a field that belongs to another decision`);
}

function withArticle(noun: string): string {
  return noun === "ask" || noun === "allow" || noun === "outcome" ? `an ${noun}` : `a ${noun}`;
}

/**
 * Takes apart what a lifecycle hook returned, reading every field once. Anything but an outcome of its event, in its
 * exact shape, becomes a failure that says what is wrong. It runs code of the hook (accessors, proxies), so it is
 * called under its deadline.
 */
export function readOutcome(powers: EventPowers, value: unknown): PolicyAnswer {
  return readReturned(value, { noun: "outcome", judge: (fields) => judgeOutcome(powers, fields) });
}

function judgeOutcome(powers: EventPowers, fields: ReturnedFields): PolicyAnswer {
  if (fields.syntheticOutput !== undefined || fields.irreversible !== undefined) {
    return failure("returned an outcome with a field that no outcome has");
  }
  const { action, reason } = fields;
  const { hold } = powers;
  if (action === "proceed") return readProceed(powers, fields);
  if (action === "log-only") {
    return isBare(fields) && reason === undefined
      ? { ...NO_OPINION, action: "log-only" }
      : unfittingOutcome("log-only");
  }
  if (hold === null || (action !== hold && action !== "ask")) {
    const words = hold === null ? "proceed and log-only" : `proceed, log-only, ask and ${hold}`;
    return failure(`returned an outcome whose action is none of ${words}`);
  }
  if (!isBare(fields)) return unfittingOutcome(action === "ask" ? "ask" : hold);
  if (typeof reason !== "string" || isBlank(reason)) return failure("held the event without a reason");
  return { ...NO_OPINION, action: action === "ask" ? "ask" : "deny", reason };
}

function readProceed({ injects, transforms }: EventPowers, fields: ReturnedFields): PolicyAnswer {
  const { reason, additionalContext, updatedInput } = fields;
  if (reason !== undefined) return unfittingOutcome("proceed");
  if (additionalContext !== undefined && !injects) return failure("returned text where the event takes none");
  if (updatedInput !== undefined && !transforms) return failure("returned an input where the event takes none");
  return readAcceptance(fields, "an additionalContext that isn't a string");
}

function isBare({ additionalContext, updatedInput }: ReturnedFields): boolean {
  return additionalContext === undefined && updatedInput === undefined;
}

function unfittingOutcome(action: string): PolicyAnswer {
  return failure(`returned the outcome ${action} with a field that belongs to another one`);
}
