import type { ToolPolicyEvent } from "../policy/event.ts";
import { textOf } from "./match-field.ts";

/** What the parts of a policy share while one call is judged. */
export interface Moment {
  event: ToolPolicyEvent;
  /** What the policy was matched against. */
  input: string;
  /** The field that it was matched in. */
  field: string;
  /** Milliseconds that are left. */
  left: () => number;
}

/** Milliseconds in which a policy's process starts, and tells what took so long. */
const RESERVE_MS = 500;

export function momentOf(event: ToolPolicyEvent, field: string, timeoutMs: number): Moment {
  const end = Date.now() + timeoutMs - Math.min(RESERVE_MS, timeoutMs / 4);
  return { event, field, input: textOf(event, field), left: () => Math.max(1, end - Date.now()) };
}
