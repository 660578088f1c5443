import type { Text } from "../../kernel/advice.ts";
import type { Finding } from "../../kernel/problem.ts";
import type { Guarding } from "../guarding.ts";

/** A card whose hook policies are not applied, or not all of them. */
export interface HookIssue {
  card: string;
  version: string;
  hooks: string[];
  reason: string;
  /** The command that fixes it. */
  fix: Text;
}

export interface Diagnosis {
  /** False when any finding is an error, or a guard isn't in force. */
  ok: boolean;
  /** null: the project could not even be opened. */
  guarding: Guarding | null;
  /** Faults first, and then the limits of agents and of Node. */
  findings: Finding[];
  hookIssues: HookIssue[];
}
