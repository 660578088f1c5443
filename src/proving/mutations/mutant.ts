import type { HookCase } from "../../card/hooks/cases.ts";

/** A call that comes to the same as that of a case, so that the hook should judge it alike. */
export interface Mutant {
  /** What was done to it: `sudo`, `in a subshell`. */
  how: string;
  case: HookCase;
}

/** A mutant of a case. */
export function mutantOf({ id, tool, cwd, agent, phase }: HookCase, how: string, mutated: MutatedCall): Mutant {
  const call = { id: `${id} ~ ${how}`, tool, cwd, agent, phase, expect: mutated.expect, input: mutated.input };
  // This removes undefined fields.
  return { how, case: JSON.parse(JSON.stringify(call)) as HookCase };
}

interface MutatedCall {
  input: HookCase["input"];
  expect: HookCase["expect"];
}
