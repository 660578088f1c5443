import { advise, drwn } from "../kernel/advice.ts";
import type { Finding } from "../kernel/finding.ts";
import type { WithheldSkill } from "../materialize/skills.ts";
import { explainWait } from "../trust/explain-wait.ts";
import type { SkillIssue } from "./diagnosis.ts";

/** The skills that drwn leaves out or keeps in an earlier version, each with the command that fixes it. */
export function checkSkillConsents(withheld: readonly WithheldSkill[]): {
  findings: Finding[];
  skillIssues: SkillIssue[];
} {
  const skillIssues = withheld.map(toIssue);
  const findings = skillIssues.map(({ card, skill, refused, reason, fix }): Finding => {
    const code = refused ? "skill-refused" : "skill-not-applied";
    const message = `its skill ${skill} is left out: ${reason}`;
    return { code, severity: refused ? "error" : "warning", subject: card, message, hint: fix };
  });
  return { findings, skillIssues };
}

function toIssue(one: WithheldSkill): SkillIssue {
  const { card, version, skill, why, instead } = one;
  const reason = instead === null ? explain(one) : `${explain(one)}; the agents have the one from ${instead}`;
  const fix =
    why === "refused"
      ? advise`${drwn("update", card)}, or: ${drwn("remove", card)}`
      : drwn("card trust", card, "--hooks");
  return { card, version, skill, refused: why === "refused", reason, fix };
}

function explain({ fault, activation }: WithheldSkill): string {
  if (fault !== null) return fault;
  if (activation?.state === "waits") return explainWait(activation.why, activation.approval);
  if (activation?.state !== "off") return NOBODY;
  switch (activation.why) {
    case "no-grant":
      return NOBODY;
    case "revoked":
      return "it would make an agent do something by itself, and the consent was revoked";
    case "expired":
      return "it would make an agent do something by itself, and the consent has ended";
  }
}

const NOBODY = "it would make an agent do something by itself, and nobody on this machine has consented to that here";
