import type { RunProgram } from "./programs.ts";

/** Stands in place of `programs.ts` where a hook does not declare `exec`. */
export const runProgram: RunProgram | undefined = undefined;

export function readVariable(): string | undefined {
  return undefined;
}

export function readVariables(): Record<string, string | undefined> {
  return {};
}

export function readSessionFolder(): string | undefined {
  return undefined;
}
