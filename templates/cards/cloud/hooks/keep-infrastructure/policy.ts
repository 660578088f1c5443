import { defineToolPolicy } from "darwinian-minds/hook-policy";
import { changes, type OutsideChange, oneOf, steps } from "darwinian-minds/hook-policy/helpers";
import { destroyedInCode } from "../../services.ts";

const INSTEAD = "Show what would go (plan, list, describe) and let a person do it";
/** Containers, databases, disks and work in a repository have their own guards. */
const OTHERS = oneOf("containers cluster data disk vcs");

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    const found = changes(event).filter(({ kind }) => !OTHERS(kind ?? ""));
    const destroyed = found.filter(({ does }) => does === "destroys");
    const lost = destroyed.find(({ isCertain }) => isCertain)?.what ?? steps(event).map(destroyedInCode).find(Boolean);
    if (lost !== undefined) return { action: "deny", reason: `\`${lost}\` destroys ${whatOf(destroyed)}. ${INSTEAD}` };
    const unseen = found.find(({ does, isCertain }) => does === "applies" && isCertain);
    if (unseen !== undefined)
      return {
        action: "deny",
        reason: `This changes infrastructure without showing a plan to anybody. Run ${unseen.step?.program ?? "it"} without the automatic yes, or plan -out`,
      };
    const [asked] = destroyed;
    return asked === undefined
      ? undefined
      : { action: "ask", reason: `\`${asked.what}\` removes ${whatOf(destroyed)}. ${INSTEAD}`, irreversible: true };
  },
});

function whatOf([first]: readonly OutsideChange[]): string {
  if (first?.kind === "backup") return "backups, which can't be restored";
  return first?.kind === undefined ? "something that may not be restored" : "what runs elsewhere, or its data";
}
