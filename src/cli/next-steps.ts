import { Advice, drwn, isCommand, sayIn, type Text } from "../kernel/advice.ts";
import { isProblem, Problem } from "../kernel/problem.ts";
import type { readStatus } from "../operations/diagnose/status.ts";
import { type WriteResult, writeProject } from "../operations/project/write.ts";
import type { Host } from "./command.ts";

type CurrentState = Pick<
  ReturnType<typeof readStatus>,
  "bringBack" | "cards" | "guarding" | "lockMatches" | "movedFrom" | "scope"
>;

/** The commands, in order, that put everything in force that the project asks for. */
export function nextSteps(standing: CurrentState): string[] {
  return inScope(standing, steps(standing));
}

/** The same after a command that has changed what `write` would do. */
export function stepsToWrite(standing: CurrentState): string[] {
  return inScope(standing, [...steps(standing), drwn("write")]);
}

function inScope({ scope }: CurrentState, commands: readonly Text[]): string[] {
  return [...new Set(commands.map((command) => sayIn(scope, command)))];
}

function steps({ bringBack, cards, guarding, lockMatches, movedFrom }: CurrentState): Text[] {
  if (movedFrom !== null) return ["drwn trust adopt, or: drwn trust adopt --forget"];
  if (!lockMatches) return [drwn("install")];
  const isBack = new Set(bringBack.map(({ card }) => card));
  if (cards.length === 0 && isBack.size === 0) return [drwn("add", "<card>")];
  // Nobody is led to accept less than what is in force.
  const asked = cards.filter(({ name }) => !isBack.has(name));
  const reviews = inOneReview(asked.flatMap(({ consent }) => consent?.review ?? []));
  const back = bringBack.map(({ command }) => command);
  const fixing = guarding.agents.flatMap(({ because }) => because?.hint ?? []).filter(isCommand);
  const joins = cards.some(({ consent }) => consent?.state === "joins") ? [drwn("write")] : [];
  return [...back, ...reviews, ...fixing, ...joins];
}

/** Joins the reviews of several cards into one command, except those that need flags of their own. */
function inOneReview(reviews: readonly Text[]): Text[] {
  const plain = reviews.filter((review) => cardOf(review) !== undefined);
  if (plain.length < 2) return [...reviews];
  const cards = plain.flatMap((review) => cardOf(review) ?? []);
  return [drwn("card trust", ...cards, "--hooks"), ...reviews.filter((review) => !plain.includes(review))];
}

/** The card that this command reviews without any other flag. */
function cardOf(review: Text): string | undefined {
  const [only, ...others] = review instanceof Advice ? review.parts : [];
  if (only === undefined || typeof only === "string" || others.length > 0) return undefined;
  const [card, flag, ...more] = only.args;
  return only.command === "card trust" && flag === "--hooks" && more.length === 0 ? card : undefined;
}

/** Writes right after somebody has consented: if that fails, they must know that the consent is recorded all the same. */
export async function writeAfterConsent(host: Host, consented: readonly unknown[]): Promise<WriteResult> {
  try {
    return await writeProject(host, { wiring: undefined });
  } catch (error) {
    if (!isProblem(error) || consented.length === 0) throw error;
    const { code, message, details, hint } = error;
    const recorded = `your consent is recorded; nothing is written to the agents yet. Then: ${sayIn(host.scope, drwn("write"))}`;
    throw new Problem(code, message, {
      details: [...details, recorded],
      ...(hint === undefined ? {} : { hint }),
      cause: error,
    });
  }
}
