import type { HookCase } from "../../card/hooks/cases.ts";

/** A call that comes to the same as that of a case, and should be judged alike. */
export interface Mutant {
  /** What was done to it: `sudo`, `in a subshell`. */
  how: string;
  case: HookCase;
}

/** A mutant of a call that is refused: whoever is refused stays so, by whatever word. */
export function mutantOf({ id, tool, cwd, agent, phase }: HookCase, how: string, mutated: MutatedCall): Mutant {
  const call = { id: `${id} ~ ${how}`, tool, cwd, agent, phase, expect: mutated.expect, input: mutated.input };
  // Absent fields do not reach the file.
  return { how, case: JSON.parse(JSON.stringify(call)) as HookCase };
}

interface MutatedCall {
  input: HookCase["input"];
  expect: HookCase["expect"];
}
