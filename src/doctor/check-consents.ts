import type { Finding } from "../kernel/finding.ts";
import type { CardActivation } from "../materialize/activations.ts";
import { explainWait } from "../trust/explain-wait.ts";
import type { HookIssue } from "./diagnosis.ts";

/** The installed cards whose hooks are not applied for want of consent, and the guards that left the lock by themselves. */
export function checkConsents(activations: readonly CardActivation[]): {
  findings: Finding[];
  hookIssues: HookIssue[];
} {
  const hookIssues = activations.flatMap(describeIssue);
  const findings = hookIssues.map(
    ({ card, reason, fix }): Finding => ({
      code: "hooks-not-applied",
      severity: "warning",
      subject: card,
      message: reason,
      hint: fix,
    }),
  );
  return { findings: [...findings, ...activations.flatMap(describeDropped)], hookIssues };
}

function describeIssue({ card, locked, activation }: CardActivation): HookIssue[] {
  if (locked === null || activation.state === "active" || activation.state === "joins") return [];
  const issue = { card, version: locked.version, hooks: locked.hooks.map(({ name }) => name) };
  // Of a version without hooks there is nothing to consent to: all a person can do is let the guard go.
  const fix = `drwn card ${locked.hooks.length === 0 ? "untrust" : "trust"} ${card} --hooks`;
  if (activation.state === "off") {
    const reason =
      activation.why === "no-grant"
        ? "nobody on this machine has consented to its hooks in this project"
        : "the consent to its hooks was revoked";
    return [{ ...issue, reason, fix }];
  }
  return [{ ...issue, reason: explainWait(activation.why, activation.approval), fix }];
}

function describeDropped({ card, locked }: CardActivation): Finding[] {
  if (locked !== null) return [];
  return [
    {
      code: "guard-left-the-lock",
      severity: "warning",
      subject: card,
      message: "is no longer in card.lock, and its approved hooks stay in force: removing a guard needs a person",
      hint: `drwn remove ${card}`,
    },
  ];
}
