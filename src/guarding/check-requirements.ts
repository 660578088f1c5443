import { advise, drwn } from "../kernel/advice.ts";
import type { Finding } from "../kernel/finding.ts";
import type { Requirements } from "../plan/requirements.ts";
import type { AgentContext, Target } from "../wiring/target.ts";
import type { GuardFault } from "./fault.ts";

/** What the project requires of everybody but isn't in force on this machine. */
export function checkUnmet({ unmet }: Requirements): Finding[] {
  return unmet.map((requirement) => ({
    code: "required-hooks-unmet",
    severity: "error",
    subject: requirement,
    message:
      "this project requires these hook policies, but they are not in force here; its shared entry blocks every tool call",
    hint: advise`${drwn("install")} && drwn trust accept && ${drwn("write")}`,
  }));
}

/** Unmet requirements block calls if each agent has the entry that the project commits. */
export function judgeUnmet(
  place: AgentContext,
  { unmet, targets }: { unmet: readonly Finding[]; targets: readonly Target[] },
): GuardFault[] {
  const isHeld = () => targets.every((target) => (target.committedEntry?.(place) ?? null) !== null);
  return unmet.map((finding) => ({ comesTo: isHeld() ? "blocks" : "opens", finding }));
}
