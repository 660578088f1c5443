import { NotPlainData, toJsonText } from "./json-text.ts";
import { getField, isArray, ownKeys } from "./primordials.ts";

/**
 * What one policy answered, in strings only: nothing of it can change any more. Every field is always present, so that
 * reading one never asks a prototype.
 */
export interface Answer {
  action: "none" | "allow" | "log-only" | "ask" | "deny" | "failure";
  /** Of a deny or an ask; of a failure, what went wrong. */
  reason: string;
  context: string | null;
  /** JSON text. */
  updatedInput: string | null;
  /** JSON text. */
  syntheticOutput: string | null;
}

export const NO_OPINION: Answer = {
  action: "none",
  reason: "",
  context: null,
  updatedInput: null,
  syntheticOutput: null,
};

export function failure(reason: string): Answer {
  return { action: "failure", reason, context: null, updatedInput: null, syntheticOutput: null };
}

/**
 * Takes a returned decision apart, reading every field once. Anything but one of the five decisions in its exact shape is a
 * failure that says what is wrong. Runs code of the policy (accessors, proxies), so it is called under its deadline.
 */
export function readDecision(value: unknown): Answer {
  if (value === undefined) return NO_OPINION;
  if (typeof value !== "object" || value === null || isArray(value)) {
    return failure("returned something that is no decision");
  }
  try {
    return readFields(value);
  } catch (error) {
    // Whatever a policy's accessor throws is foreign; only our own refusal is looked at.
    if (error instanceof NotPlainData) return failure(`returned a decision that ${error.why}`);
    throw error;
  }
}

interface Fields {
  action: unknown;
  reason: unknown;
  additionalContext: unknown;
  updatedInput: unknown;
  syntheticOutput: unknown;
}

type FieldName = keyof Fields;

function readFields(decision: object): Answer {
  const fields: Fields = {
    action: undefined,
    reason: undefined,
    additionalContext: undefined,
    updatedInput: undefined,
    syntheticOutput: undefined,
  };
  const keys = ownKeys(decision);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    if (!isFieldName(key)) return failure("returned a decision with a field that no decision has");
    fields[key] = getField(decision, key);
  }
  switch (fields.action) {
    case "allow":
      return readAllow(fields);
    case "deny":
      return readRefusal(fields, "deny");
    case "ask":
      return readRefusal(fields, "ask");
    case "log-only":
      return isOnly(fields, false, false) && fields.reason === undefined
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
    key === "syntheticOutput"
  );
}

function readAllow(fields: Fields): Answer {
  const { additionalContext, updatedInput } = fields;
  if (fields.reason !== undefined || fields.syntheticOutput !== undefined) return unfitting("allow");
  if (additionalContext !== undefined && typeof additionalContext !== "string") {
    return failure("returned an allow whose additionalContext is no string");
  }
  return {
    action: "allow",
    reason: "",
    context: additionalContext === undefined || additionalContext === "" ? null : additionalContext,
    updatedInput: updatedInput === undefined ? null : toJsonText(updatedInput),
    syntheticOutput: null,
  };
}

function readRefusal(fields: Fields, action: "ask" | "deny"): Answer {
  if (!isOnly(fields, true, action === "deny")) return unfitting(action);
  const { reason, syntheticOutput } = fields;
  if (typeof reason !== "string" || isBlank(reason)) return failure(`returned ${withArticle(action)} without a reason`);
  return {
    action,
    reason,
    context: null,
    updatedInput: null,
    syntheticOutput: syntheticOutput === undefined ? null : toJsonText(syntheticOutput),
  };
}

export function isBlank(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    if (text[i] !== " " && text[i] !== "\n" && text[i] !== "\t" && text[i] !== "\r") return false;
  }
  return true;
}

function isOnly(fields: Fields, mayHaveReason: boolean, mayHaveOutput: boolean): boolean {
  if (fields.additionalContext !== undefined || fields.updatedInput !== undefined) return false;
  return (mayHaveReason || fields.reason === undefined) && (mayHaveOutput || fields.syntheticOutput === undefined);
}

function unfitting(action: string): Answer {
  return failure(`returned ${withArticle(action)} with a field that belongs to another decision`);
}

function withArticle(action: string): string {
  return action === "ask" || action === "allow" ? `an ${action}` : `a ${action}`;
}
