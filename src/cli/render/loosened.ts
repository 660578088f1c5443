import { drwn, sayIn } from "../../kernel/advice.ts";
import { clean } from "../../kernel/text.ts";
import type { ListedCards } from "../../operations/project/list.ts";
import { explainLess } from "../../operations/project/trust.ts";

/** What the project asks less for than is in force, though no person accepted that: the first thing to know after a pull. */
export function describeLoosened({ scope, bringBack, dropped, cards, looserOptions }: ListedCards): string[] {
  const guards = bringBack.map(({ card, command }) => {
    const listed = cards.find(({ name }) => name === card);
    const what = dropped.includes(card)
      ? "is no longer in card.lock, and its approved hooks stay in force"
      : `went back in card.lock to ${clean(listed?.version ?? "")}, and ${clean(listed?.consent?.inForce ?? "")} stays in force`;
    const accept = dropped.includes(card) ? drwn("remove", card) : drwn("card trust", card, "--hooks");
    const [back, less] = [command, accept].map((one) => clean(sayIn(scope, one)));
    return `${clean(card)} ${what}. Bring it back: ${back}. Only if you want less: ${less}`;
  });
  return [...guards, ...looserOptions.map(describeLess)];
}

export function describeLess(one: ListedCards["looserOptions"][number]): string {
  const { what, keep, accept } = explainLess(one);
  return `${clean(one.card)}: ${what}. Bring it back: ${keep}; only if you want less: ${accept}`;
}
