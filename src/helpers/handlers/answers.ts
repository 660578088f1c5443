import { isString } from "../guards.ts";
import type { HandlerQuestion } from "./handler.ts";

export type AnswerFields = Readonly<Record<string, unknown>>;

export function question(
  event: { cwd?: string },
  fields: object,
  variables: Record<string, string> = {},
): HandlerQuestion {
  return { text: JSON.stringify(fields), variables, cwd: event.cwd };
}

/** Throws for anything but one JSON document. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("it answers with something that is not one JSON document");
  }
}

/** The first of them that has words; a reason without any would make the engine take a no for a failure. */
export function firstText(values: readonly unknown[]): string {
  return values.filter(isString).find((text) => text.trim() !== "") ?? "";
}

/** The last line of what was said, for the end of a message. */
export function tail(errors: string): string {
  const line = errors.trim().split("\n").at(-1) ?? "";
  return line === "" ? "" : `: ${line.slice(0, 200)}`;
}
