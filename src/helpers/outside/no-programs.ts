import type { RunProgram } from "./programs.ts";

/** Replaces `programs.ts` for a hook that doesn't declare `exec`. */
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
