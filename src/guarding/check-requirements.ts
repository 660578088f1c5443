import type { Finding } from "../kernel/finding.ts";
import type { Requirements } from "../plan/requirements.ts";

/** What the project requires of everybody and this machine has not in force. */
export function checkUnmet({ unmet }: Requirements): Finding[] {
  return unmet.map((requirement) => ({
    code: "required-hooks-unmet",
    severity: "error",
    subject: requirement,
    message:
      "this project requires these hook policies, and they are not in force here; its shared entry blocks every tool call",
    hint: "drwn install && drwn trust accept && drwn write",
  }));
}
