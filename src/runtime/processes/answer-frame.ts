import { getField, parseJson, quoteJson } from "../../hot/primordials.ts";
import type { PolicyAnswer } from "../run/policy-answer.ts";

/** What a worker says when it begins with a question. */
export const BEGUN = "begun";

/** An answer as one line of text between a worker and the process that supervises it. */
export function printAnswer({ action, reason, context, updatedInput, syntheticOutput }: PolicyAnswer): string {
  const field = (name: string, text: string | null): string => (text === null ? "" : `,"${name}":${quoteJson(text)}`);
  const texts = `${field("context", context)}${field("updatedInput", updatedInput)}`;
  return `{"action":"${action}","reason":${quoteJson(reason)}${texts}${field("syntheticOutput", syntheticOutput)}}`;
}

/** Null: it isn't an answer. */
export function readAnswer(text: string): PolicyAnswer | null {
  try {
    const answer: unknown = parseJson(text);
    return typeof answer === "object" && answer !== null ? toAnswer(answer) : null;
  } catch {
    return null;
  }
}

function toAnswer(answer: object): PolicyAnswer | null {
  const action: unknown = getField(answer, "action");
  const reason: unknown = getField(answer, "reason");
  if (!isAction(action) || typeof reason !== "string") return null;
  return {
    action,
    reason,
    context: textOrNull(getField(answer, "context")),
    updatedInput: textOrNull(getField(answer, "updatedInput")),
    syntheticOutput: textOrNull(getField(answer, "syntheticOutput")),
  };
}

function isAction(action: unknown): action is PolicyAnswer["action"] {
  return (
    action === "none" ||
    action === "allow" ||
    action === "log-only" ||
    action === "ask" ||
    action === "deny" ||
    action === "failure"
  );
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
