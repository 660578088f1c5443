import { clean } from "../../kernel/text.ts";
import type { ListedCards } from "../../operations/project/list.ts";

/** Which guards the project no longer asks for, though no person took them out: the first thing to know after a pull. */
export function describeLoosened({ bringBack, dropped, cards }: ListedCards): string[] {
  return bringBack.map(({ card, command }) => {
    const listed = cards.find(({ name }) => name === card);
    const what = dropped.includes(card)
      ? "is no longer in card.lock, and its approved hooks stay in force"
      : `went back in card.lock to ${clean(listed?.version ?? "")}, and ${clean(listed?.consent?.inForce ?? "")} stays in force`;
    const accept = dropped.includes(card) ? `drwn remove ${clean(card)}` : `drwn card trust ${clean(card)} --hooks`;
    return `${clean(card)} ${what}. Bring it back: ${clean(command)}. Only if you want less: ${accept}`;
  });
}
