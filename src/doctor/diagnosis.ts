import type { Guarding } from "../guarding/guarding.ts";
import type { Finding } from "../kernel/finding.ts";
import type { Loss } from "../materialize/losses.ts";
import type { HookReach } from "../materialize/reach.ts";
import type { HookLeaks } from "../plan/leaks.ts";

/** A card whose hook policies are not, or not fully, applied. */
export interface HookIssue {
  card: string;
  version: string;
  hooks: string[];
  reason: string;
  /** The command that mends it. */
  fix: string;
}

/** A skill that does not reach the agents as it is installed. */
export interface SkillIssue {
  card: string;
  version: string;
  skill: string;
  /** It could be read in two ways: no consent changes that. */
  refused: boolean;
  reason: string;
  /** The command that mends it. */
  fix: string;
}

export interface Diagnosis {
  /** False when any finding is an error, or a guard does not stand. */
  ok: boolean;
  /** null: the project could not even be opened. */
  guarding: Guarding | null;
  findings: Finding[];
  hookIssues: HookIssue[];
  skillIssues: SkillIssue[];
  /** What the agents cannot carry of what the policies may decide: limits, not faults. */
  losses: Loss[];
  /** What Node does not hold the policies to: limits, not faults. */
  leaks: HookLeaks[];
  /** In which agents each lifecycle hook is asked. */
  reach: HookReach[];
}
