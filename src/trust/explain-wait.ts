import type { Approval } from "../contract/ledger.ts";
import { type CommandScope, placeIn } from "../kernel/advice.ts";
import type { WaitReason } from "./activation.ts";
import { type CeilingDifference, isWeaker } from "./ceiling.ts";

/** Why none of a card's hooks run, in one sentence. */
export function explainOff(why: "no-grant" | "revoked" | "expired", scope: CommandScope): string {
  switch (why) {
    case "no-grant":
      return `nobody on this machine has consented to its hooks in ${placeIn(scope)}`;
    case "revoked":
      return "the consent to its hooks was revoked";
    case "expired":
      return "the consent to its hooks has ended, as its terms say: they are silent";
  }
}

/** Why a version doesn't run yet, and what is in force meanwhile, in one sentence. */
export function explainWait(why: WaitReason, approval: Approval | undefined): string {
  const meanwhile = approval === undefined ? "nothing of it runs" : `${approval.cardVersion} stays in force`;
  return `${explainReason(why)}; ${meanwhile}`;
}

function explainReason(why: WaitReason): string {
  switch (why.because) {
    case "project":
      return "another folder is where the consent was given";
    case "range":
      return `the installed version is outside the range ${why.range} that was consented to`;
    case "earlier":
      return `it is earlier than ${why.than}, which was approved last${describeLoss(why.differences)}`;
    case "source":
      return `it comes from ${why.to}, but the consent is for ${why.from}`;
    case "publisher":
      return explainPublisher(why.from, why.to);
    case "replaced":
      return `its content is not the one that was approved under the same version (approved: ${why.from}, installed: ${why.to})`;
    case "unsigned":
      return "it is not signed, and does not come from this machine's own registry";
    case "agent":
      return "it was published inside an agent's tool call, so no person is known to have seen it";
    case "unattested":
      return "it is not signed, and nothing on this machine says that a person published it";
    case "yanked":
      return "its publisher has yanked it";
    case "age":
      return `this machine has not known it for long enough: it joins by itself after ${why.joinsAt}`;
    case "unbound":
      return "it is not known to bind itself to saying no, as the approved version does";
    case "skills":
      return `nobody has consented to what ${why.skills.map((name) => `skill ${name}`).join(" and ")} would make an agent do`;
    case "ceiling":
      return `it ${describeDirection(why.differences)}${describeDifferences(why.differences)}`;
  }
}

function explainPublisher(from: string | null, to: string | null): string {
  if (to === null) return `it is not signed, but the consent is for what ${from} signs`;
  return from === null
    ? `it is signed by ${to}, but the consent is for a card that was not signed`
    : `it is signed by ${to}, but the consent is for what ${from} signs`;
}

function describeDirection(differences: readonly CeilingDifference[]): string {
  return differences.some(isWeaker) ? "guards less than what was consented to, and " : "";
}

function describeLoss(differences: readonly CeilingDifference[]): string {
  if (differences.length === 0) return "";
  return `, and ${describeDirection(differences)}${describeDifferences(differences)}`;
}

function describeDifferences(differences: readonly CeilingDifference[]): string {
  return `differs from what was consented to: ${differences.map(describeDifference).join(", ")}`;
}

/** `guard: kind enforcement → observer` */
export function describeDifference({ hook, what, from, to }: CeilingDifference): string {
  if (what === "added") return `${hook}: added (${to})`;
  if (what === "removed") return `${hook}: removed (${from})`;
  return `${hook}: ${what} ${from} → ${to}`;
}
