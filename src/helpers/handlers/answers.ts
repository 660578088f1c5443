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

/** Throws for anything that isn't one JSON document. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("it answers with something that is not one JSON document");
  }
}

/** The first text that isn't blank. With a blank reason, the engine would count a denial as a failure. */
export function firstText(values: readonly unknown[]): string {
  return values.filter(isString).find((text) => text.trim() !== "") ?? "";
}

/** The last line of the error output, for the end of a message. */
export function tail(errors: string): string {
  const line = errors.trim().split("\n").at(-1) ?? "";
  return line === "" ? "" : `: ${line.slice(0, 200)}`;
}
