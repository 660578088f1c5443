import { type Bump, bumpBetween, isRange } from "../../card/version.ts";
import { advise, drwn } from "../../kernel/advice.ts";
import type { Host } from "../../kernel/host.ts";
import { isProblem } from "../../kernel/problem.ts";
import { shellQuote } from "../../kernel/text.ts";
import { lockResolved, rememberScopes } from "../../supply/lock-card.ts";
import { type OpenProject, openProject } from "../../workspace/open-project.ts";
import { requireTerminal } from "../../workspace/require-person.ts";
import { describeConsents, type HookConsent } from "./list.ts";
import { findStep, requireRequested, type UpdateStep } from "./update.ts";

/** A version that a person may choose. */
export interface UpdateChoice {
  name: string;
  before: string | null;
  version: string;
  range: string;
  rangeBefore: string;
  /** `none`: it isn't locked yet, goes back, or has other contents under the same version. */
  bump: Bump;
  /** It is what `update --latest` takes of this card. */
  isLatest: boolean;
  /** What would become of its hooks; null: it has none. */
  consent: HookConsent | null;
}

export interface UpdateChoices {
  choices: UpdateChoice[];
  /** Versions that exist but cannot be taken. */
  unusable: { name: string; version: string; problem: string }[];
}

/**
 * The highest version inside each card's range, and the highest of all. It fetches and verifies them, to know before
 * anybody chooses what would become of their hooks; nothing in the project changes.
 */
export async function listUpdateChoices(host: Host, names: readonly string[]): Promise<UpdateChoices> {
  const cards = names.map((name) => shellQuote(name));
  requireTerminal(
    host,
    "pick updates from a list",
    advise`${drwn("update", "-i", ...cards)}; without one: ${drwn("update", ...cards)}`,
  );
  const project = openProject(host);
  const place = { host, base: project.root, registryOf: rememberScopes(host), isLook: true };
  const found: UpdateChoices = { choices: [], unusable: [] };
  for (const name of requireRequested(project, names)) {
    host.progress(`looking for updates of ${name}`);
    let inside: string | undefined;
    for (const latest of isRange(project.config.cards[name] ?? "") ? [false, true] : [false]) {
      const step = await findStep(place, project, { name, latest });
      const version = step.resolved?.published.version;
      if (version === undefined || version === inside) continue;
      inside = version;
      await look(host, project, { step, version, isLatest: latest, found });
    }
  }
  return found;
}

interface Look {
  step: UpdateStep;
  version: string;
  isLatest: boolean;
  found: UpdateChoices;
}

async function look(host: Host, project: OpenProject, { step, version, isLatest, found }: Look): Promise<void> {
  const { name, locked, resolved, range, rangeBefore } = step;
  if (resolved === undefined) return;
  try {
    const card = await lockResolved(host, resolved, { range, former: project.lock.cards });
    const lock = { ...project.lock, cards: [...project.lock.cards.filter((one) => one.name !== name), card] };
    const consent = describeConsents(host, { lock, ledger: project.ledger }).get(name) ?? null;
    const before = locked?.version ?? null;
    const bump = before === null ? "none" : bumpBetween(before, version);
    found.choices.push({ name, before, version, range, rangeBefore, bump, isLatest, consent });
  } catch (error) {
    if (!isProblem(error)) throw error;
    found.unusable.push({ name, version, problem: error.message });
  }
}
