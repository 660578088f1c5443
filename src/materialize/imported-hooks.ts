import type { CardFiles } from "../card/files.ts";
import { readImported } from "../card/hooks/imported-file.ts";
import { type LeftOut, readLeftOut } from "../card/hooks/left-out.ts";
import { approvalInForce } from "../plan/activations.ts";
import { isStored, readStored } from "../store/store.ts";
import type { WritePlan } from "./plan-write.ts";

/** Something that hooks of a card do differently than in the system that they were imported from. */
export interface ImportDifference {
  card: string;
  from: string;
  hooks: string[];
  what: string;
}

type Planned = Pick<WritePlan, "activations" | "cards" | "plan">;

/** For the hooks in force, in order; one entry lists all hooks of a card with the same difference. */
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

/** Hooks that an import left out of a card: the version in force, or else the installed one, doesn't have them. */
export function findLeftOut(home: string, planned: Planned): CardLeftOut[] {
  const installed = new Map(planned.cards.map(({ locked, files }) => [locked.name, files]));
  const cards = new Set([...planned.plan.policies.map(({ card }) => card), ...installed.keys()]);
  return [...cards].flatMap((card) => {
    const inForce = filesInForce(home, planned, card);
    const files = inForce.size === 0 ? installed.get(card) : inForce;
    return files === undefined ? [] : readLeftOut(files).map((one) => ({ card, ...one }));
  });
}

/** The files of the version in force, which may not be the installed one; empty if they are gone from this machine. */
function filesInForce(home: string, { activations, cards }: Planned, card: string): CardFiles {
  const decided = activations.find((one) => one.card === card);
  const tree = decided === undefined ? undefined : approvalInForce(decided)?.tree;
  const installed = cards.find(({ locked }) => locked.name === card);
  if (installed !== undefined && installed.locked.tree === tree) return installed.files;
  return tree !== undefined && isStored(home, tree) ? readStored(home, tree) : new Map();
}
