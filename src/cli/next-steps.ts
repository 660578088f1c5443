import type { readStatus } from "../operations/diagnose/status.ts";

type Standing = Pick<ReturnType<typeof readStatus>, "bringBack" | "cards" | "guarding" | "lockInStep" | "movedFrom">;

/** The commands, in order, that put everything in force that the project asks for. */
export function nextSteps({ bringBack, cards, guarding, lockInStep, movedFrom }: Standing): string[] {
  if (movedFrom !== null) return ["drwn trust adopt, or: drwn trust adopt --forget"];
  if (!lockInStep) return ["drwn install"];
  const isBack = new Set(bringBack.map(({ card }) => card));
  if (cards.length === 0 && isBack.size === 0) return ["drwn add <card>"];
  // Nobody is led to accept less than what is in force.
  const asked = cards.filter(({ name }) => !isBack.has(name));
  const reviews = inOneReview(asked.flatMap(({ consent }) => consent?.review ?? []));
  const back = bringBack.map(({ command }) => command);
  const fixing = guarding.agents.flatMap(({ because }) => commandOf(because?.hint ?? null));
  const joins = cards.some(({ consent }) => consent?.state === "joins") ? ["drwn write"] : [];
  return [...new Set([...back, ...reviews, ...fixing, ...joins])];
}

/** Joins the reviews of several cards into one command, except those that need flags of their own. */
function inOneReview(reviews: readonly string[]): string[] {
  const plain = reviews.flatMap((review) => /^drwn card trust (\S+) --hooks$/u.exec(review)?.[1] ?? []);
  if (plain.length < 2) return [...reviews];
  const others = reviews.filter((review) => !plain.some((card) => review === `drwn card trust ${card} --hooks`));
  return [`drwn card trust ${plain.join(" ")} --hooks`, ...others];
}

/** The same after a command that has changed what `write` would do. */
export function stepsToWrite(standing: Standing): string[] {
  return [...new Set([...nextSteps(standing), "drwn write"])];
}

function commandOf(hint: string | null): string[] {
  return hint?.startsWith("drwn ") === true ? [hint] : [];
}
