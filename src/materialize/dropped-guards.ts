import { layout } from "../contract/layout.ts";
import type { Ledger } from "../contract/ledger.ts";
import type { Plan } from "../contract/plan.ts";
import { parseFormat, readBounded } from "../format/read.ts";
import * as z from "../format/zod.ts";
import { activeGrant } from "../trust/ledger-file.ts";

/** Of the plan in force, what says which guards it has. */
const guardsOfPlan = z.object({
  policies: z.array(z.object({ card: z.string(), hook: z.string(), kind: z.string(), phases: z.array(z.string()) })),
});

/** As much as the hook process reads. */
const LIMITS = { maximumBytes: 16 * 1024 * 1024 };

interface Request {
  home: string;
  key: string;
  /** As it was before the next plan was made. */
  ledger: Ledger | undefined;
  next: Plan;
}

/**
 * Enforcement policies that the plan in force has and the next one has not, or only as an observer or at fewer phases, as
 * `card#hook`. What a person has withdrawn is none: it is silent already.
 */
export function findDroppedGuards({ home, key, ledger, next }: Request): string[] {
  if (ledger === undefined || ledger.plan === null) return [];
  const file = layout.plan(home, key, ledger.plan);
  const bytes = readBounded(file, LIMITS);
  if (bytes === undefined) return [];
  const { policies } = parseFormat(bytes, guardsOfPlan, { file, ...LIMITS });
  return policies
    .filter(({ card, kind }) => kind === "enforcement" && activeGrant(ledger, card) !== undefined)
    .filter(({ card, hook, phases }) => {
      const kept = next.policies.find((policy) => policy.card === card && policy.hook === hook);
      return kept?.kind !== "enforcement" || phases.some((phase) => !kept.phases.some((one) => one === phase));
    })
    .map(({ card, hook }) => `${card}#${hook}`);
}
