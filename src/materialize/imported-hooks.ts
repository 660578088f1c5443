import type { CardFiles } from "../card/files.ts";
import { readImported } from "../card/hooks/imported-file.ts";
import { type LeftOut, readLeftOut } from "../card/hooks/left-out.ts";
import { approvalInForce } from "../plan/activations.ts";
import { isStored, readStored } from "../store/store.ts";
import type { WritePlan } from "./plan-write.ts";

/** What hooks of a card do otherwise than in the system that they were imported from. */
export interface ImportDifference {
  card: string;
  from: string;
  hooks: string[];
  what: string;
}

type Planned = Pick<WritePlan, "activations" | "cards" | "plan">;

/** Of the hooks in force, in their order; hooks of a card that differ alike stand together. */
export function findImportDifferences(home: string, planned: Planned): ImportDifference[] {
  const found = new Map<string, ImportDifference>();
  const filesOf = new Map<string, CardFiles>();
  for (const { card, hook } of planned.plan.policies) {
    const files = filesOf.get(card) ?? filesInForce(home, planned, card);
    filesOf.set(card, files);
    const { from, differs } = readImported(hook, files) ?? { from: "", differs: [] };
    for (const what of new Set(differs)) {
      const key = JSON.stringify([card, from, what]);
      const one = found.get(key) ?? { card, from, hooks: [], what };
      found.set(key, one);
      one.hooks.push(hook);
    }
  }
  return [...found.values()];
}

export interface CardLeftOut extends LeftOut {
  card: string;
}

/** Hooks that an import left out of a card: what is in force here, or else is installed, does not have them. */
export function findLeftOut(home: string, planned: Planned): CardLeftOut[] {
  const installed = new Map(planned.cards.map(({ locked, files }) => [locked.name, files]));
  const cards = new Set([...planned.plan.policies.map(({ card }) => card), ...installed.keys()]);
  return [...cards].flatMap((card) => {
    const inForce = filesInForce(home, planned, card);
    const files = inForce.size === 0 ? installed.get(card) : inForce;
    return files === undefined ? [] : readLeftOut(files).map((one) => ({ card, ...one }));
  });
}

/** The files of the version that is in force, which need not be the installed one; none where they are gone from this machine. */
function filesInForce(home: string, { activations, cards }: Planned, card: string): CardFiles {
  const decided = activations.find((one) => one.card === card);
  const tree = decided === undefined ? undefined : approvalInForce(decided)?.tree;
  const installed = cards.find(({ locked }) => locked.name === card);
  if (installed !== undefined && installed.locked.tree === tree) return installed.files;
  return tree !== undefined && isStored(home, tree) ? readStored(home, tree) : new Map();
}
