import { readSync as nodeReadSync } from "node:fs";
import {
  byteLength,
  codeUnitAt,
  decodeBytes,
  getField,
  newBytes,
  parseJson,
  quoteJson,
} from "../../hook-base/primordials.ts";
import type { PolicyAnswer } from "../run/policy-answer.ts";

// Taken before policies can replace it.
const readSync = nodeReadSync;

const STDIN = 0;
/** How many digits the length before each message has. */
const DIGITS = 12;
const LARGEST = 256 * 1024 * 1024;

/** A message for a worker: its length in bytes, then its text. */
export function frameMessage(text: string): string {
  return `${byteLength(text)}`.padStart(DIGITS, "0") + text;
}

/** Waits for the next message on standard input; null: there are no more. Safe to call after policies ran. */
export function readMessage(): string | null {
  const digits = readText(DIGITS);
  if (digits === null) return null;
  let length = 0;
  for (let i = 0; i < DIGITS; i++) length = length * 10 + codeUnitAt(digits, i) - 0x30;
  return length >= 0 && length <= LARGEST ? readText(length) : null;
}

function readText(length: number): string | null {
  const bytes = newBytes(length);
  let read = 0;
  while (read < length) {
    const some = readSync(STDIN, bytes, read, length - read, null);
    if (some === 0) return null;
    read += some;
  }
  return decodeBytes(bytes);
}

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
    irreversible: getField(answer, "irreversible") === true,
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
