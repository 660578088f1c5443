import type { CardFiles } from "../card/files.ts";
import { skillsOf } from "../card/manifest.ts";
import { type DescribedSkill, describeSkill } from "../card/skill/skill-code.ts";
import type { Approval, Ledger } from "../contract/ledger.ts";
import { isProblem } from "../kernel/problem.ts";
import { approvalInForce, type CardActivation } from "../plan/activations.ts";
import { isStored, readStored } from "../store/store.ts";
import type { InstalledCard } from "../workspace/installed-card.ts";
import { refuseSecondOwner, type SkillFiles } from "./content.ts";

/** A skill that doesn't reach the agents in the version that is installed. */
export interface WithheldSkill {
  card: string;
  version: string;
  skill: string;
  /** `refused`: it can be read in two ways. `code`: nobody has consented to what it would make an agent do. */
  why: "refused" | "code";
  /** What is wrong with it; null: it is code. */
  fault: string | null;
  /** The state of its card's consent. */
  activation: CardActivation["activation"] | undefined;
  /** The version of the card whose skill of this name the agents have instead; null: they have none. */
  instead: string | null;
}

interface SkillsRequest {
  home: string;
  cards: readonly InstalledCard[];
  activations: readonly CardActivation[];
  ledger: Ledger | undefined;
}

/**
 * The skills that may reach the agents: those that are text, and those that are code if a consent covers exactly their
 * files. If the installed version waits, the skill of the version that was approved last stays, like its hooks.
 */
export function decideSkills({ home, cards, activations, ledger }: SkillsRequest): {
  skills: SkillFiles;
  withheld: WithheldSkill[];
} {
  const skills = new Map<string, ReadonlyMap<string, Buffer>>();
  const withheld: WithheldSkill[] = [];
  const owners = new Map<string, string>();
  for (const card of cards) {
    const { name, version } = card.locked;
    const decided = activations.find((one) => one.card === name);
    const activation = decided?.activation ?? whenRevoked(ledger, name);
    const approval = decided === undefined ? undefined : approvalInForce(decided);
    for (const skill of skillsOf(card.manifest)) {
      refuseSecondOwner(owners, { what: "skill", name: skill, card: name });
      const judged = judge(card.files, skill);
      const isFree = typeof judged !== "string" && (judged.code.length === 0 || isConsentedTo(judged, approval));
      const earlier = isFree ? undefined : readApproved(home, approval, skill);
      const files = isFree ? card.files : earlier;
      if (files !== undefined) skills.set(skill, filesOf(files, skill));
      if (isFree) continue;
      const fault = typeof judged === "string" ? judged : null;
      const instead = earlier === undefined ? null : (approval?.cardVersion ?? null);
      withheld.push({
        card: name,
        version,
        skill,
        why: fault === null ? "code" : "refused",
        fault,
        activation,
        instead,
      });
    }
  }
  return { skills, withheld };
}

/** A card without hooks has no activation if its consent was withdrawn. */
function whenRevoked(ledger: Ledger | undefined, name: string): CardActivation["activation"] | undefined {
  const isRevoked = ledger?.grants.some(({ card, revokedAt }) => card === name && revokedAt !== null) === true;
  return isRevoked ? { state: "off", why: "revoked" } : undefined;
}

/** Describes a skill; a string says why that isn't possible. */
function judge(files: CardFiles, skill: string): DescribedSkill | string {
  try {
    return describeSkill(files, skill);
  } catch (error) {
    if (isProblem(error)) return error.message;
    throw error;
  }
}

function isConsentedTo({ name, digest }: DescribedSkill, approval: Approval | undefined): boolean {
  const { skills = {} } = approval ?? {};
  return Object.hasOwn(skills, name) && skills[name] === digest;
}

/** The files of the version in force, if its consent covers this skill and they are still on this machine. */
function readApproved(home: string, approval: Approval | undefined, skill: string): CardFiles | undefined {
  if (approval === undefined || !isStored(home, approval.tree)) return undefined;
  const files = readStored(home, approval.tree);
  const judged = judge(files, skill);
  return typeof judged !== "string" && isConsentedTo(judged, approval) ? files : undefined;
}

function filesOf(files: CardFiles, skill: string): Map<string, Buffer> {
  const prefix = `skills/${skill}/`;
  const own = [...files].filter(([file]) => file.startsWith(prefix));
  return new Map(own.map(([file, bytes]) => [file.slice(prefix.length), bytes]));
}
