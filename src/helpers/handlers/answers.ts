import type { Question } from "./handler.ts";

export type Fields = Readonly<Record<string, unknown>>;

export function question(event: { cwd?: string }, fields: object, variables: Record<string, string> = {}): Question {
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

export function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** The first of them that has words; a reason without any would make the engine take a no for a failure. */
export function firstText(values: readonly unknown[]): string {
  return values.filter(isText).find((text) => text.trim() !== "") ?? "";
}

/** The last line of what was said, for the end of a message. */
export function tail(errors: string): string {
  const line = errors.trim().split("\n").at(-1) ?? "";
  return line === "" ? "" : `: ${line.slice(0, 200)}`;
}
