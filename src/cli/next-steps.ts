import { drwn, isCommand, sayIn, type Text } from "../kernel/advice.ts";
import { isProblem, Problem } from "../kernel/problem.ts";
import type { readStatus } from "../operations/diagnose/status.ts";
import { type WriteRequest, type WriteResult, writeProject } from "../operations/project/write.ts";
import type { Host } from "./command.ts";

type CurrentState = Pick<
  ReturnType<typeof readStatus>,
  "bringBack" | "cards" | "guarding" | "isFetched" | "lockMatches" | "movedFrom" | "scope"
>;

/** The commands, in order, that put everything in force that the project asks for. */
export function nextSteps(standing: CurrentState): string[] {
  return inScope(standing, steps(standing));
}

/** The same after a command that has changed what `write` would do. */
export function stepsToWrite(standing: CurrentState): string[] {
  const first = steps(standing);
  return inScope(standing, first.includes(TRUST) ? first : [...first, drwn("write")]);
}

function inScope({ scope }: CurrentState, commands: readonly Text[]): string[] {
  return [...new Set(commands.map((command) => sayIn(scope, command)))];
}

/** Reviews everything that waits, and writes. */
const TRUST = drwn("trust");

function steps({ bringBack, cards, guarding, isFetched, lockMatches, movedFrom, scope }: CurrentState): Text[] {
  if (movedFrom !== null) return ["drwn trust --adopt, or: drwn trust --no-adopt"];
  if (!lockMatches) return [drwn("install")];
  // In a clone `init` fetches, asks about registries and consents, and writes.
  const isNew = cards.every(({ consent }) => consent === null || consent.state === "off");
  if (!isFetched && scope === "project") return [isNew ? "drwn init" : drwn("install")];
  const isBack = new Set(bringBack.map(({ card }) => card));
  if (cards.length === 0 && isBack.size === 0) return [scope === "project" ? "drwn init" : drwn("add", "<card>")];
  // Nobody is led to accept less than what is in force.
  const asked = cards.filter(({ name }) => !isBack.has(name));
  const reviews = asked.flatMap(({ consent }) => (consent?.awaits === false ? (consent.review ?? []) : []));
  const trust = asked.some(({ consent }) => consent?.awaits === true) ? [TRUST] : [];
  const back = bringBack.length === 0 ? [] : [drwn("add", ...bringBack.map(({ spec }) => spec))];
  const fixing = guarding.agents.flatMap(({ because }) => because?.hint ?? []).filter(isCommand);
  const joins = cards.some(({ consent }) => consent?.state === "joins") ? [drwn("write")] : [];
  return [...back, ...reviews, ...trust, ...fixing, ...(trust.length > 0 ? [] : joins)];
}

/** Writes right after somebody has consented: if that fails, they must know that the consent is recorded all the same. */
export async function writeAfterConsent(
  host: Host,
  consented: readonly unknown[],
  unfetched: WriteRequest["unfetched"] = [],
): Promise<WriteResult> {
  try {
    return await writeProject(host, { wiring: undefined, unfetched });
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
