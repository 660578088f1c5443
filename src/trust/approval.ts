import { compileHook } from "../card/compiler/compile.ts";
import type { CardFiles } from "../card/files.ts";
import type { IndexedHook } from "../card/hooks/hook-index.ts";
import { compileMatcher } from "../card/matcher.ts";
import { codeDigests, type DescribedSkill, folderDigests } from "../card/skill/skill-code.ts";
import { layout } from "../contract/layout.ts";
import { type Approval, DRWN_ITSELF, type Grant, type Terms } from "../contract/ledger.ts";
import { digestOf } from "../kernel/digest.ts";
import { readIfThere, writeAtomic } from "../kernel/files.ts";
import { Problem } from "../kernel/problem.ts";
import type { OfferedCard } from "./activation.ts";
import { consentedHooks, toCeiling, toFacts } from "./ceiling.ts";
import type { OptionsByHook } from "./options.ts";

/** Approvals kept in a grant, so that going back to an earlier version needs no new consent. */
const KEPT_APPROVALS = 20;

export interface ApprovalRequest {
  offered: OfferedCard;
  files: CardFiles;
  /** The hooks that were consented to; null: all. */
  hooks: Terms["hooks"];
  /** The card itself asks for `restrict-only`. */
  restrictOnly: boolean;
  /** The skills of the card that are code. */
  skills: readonly DescribedSkill[];
  by: Approval["by"];
  /** Exactly this version is part of drwn's own package. */
  isOurs: boolean;
  now: Date;
}

export interface CompiledApproval {
  approval: Approval;
  /** Compiled policies by digest. */
  bundles: Map<string, string>;
}

/**
 * Compiles the hooks of a card that a person (or a valid join) has approved. The result is kept by its digest: from
 * then on exactly these bytes may run, whatever a later compiler would make of the same source. Nothing in the card
 * runs meanwhile.
 */
export async function compileApproval(request: ApprovalRequest): Promise<CompiledApproval> {
  const { offered, files, restrictOnly, skills, by, now } = request;
  const hooks = consentedHooks(offered.hooks, request.hooks);
  const bundles = new Map<string, string>();
  const digests: Record<string, string> = {};
  for (const hook of hooks) {
    // The card's author writes the index: a matcher that no plan can carry is refused here, before anybody consents to
    // it.
    if (hook.matcher !== null) compileMatcher(hook.matcher);
    const { code, inputs } = await compileHook({
      card: offered.name,
      files,
      hook: hook.name,
      capabilities: hook.capabilities,
    });
    if (inputs.join("\n") !== hook.files.join("\n")) throw staleIndex(offered.name, hook, inputs);
    const digest = digestOf(code);
    bundles.set(digest, code);
    digests[hook.name] = digest;
  }
  const approval = {
    cardVersion: offered.version,
    tree: offered.tree,
    publisher: request.isOurs ? DRWN_ITSELF : offered.publisher,
    bundles: digests,
    hooks: hooks.map((hook) => ({ name: hook.name, ...toFacts(hook) })),
    ...(skills.length === 0 ? {} : { skills: folderDigests(skills) }),
    restrictOnly,
    by,
    at: now.toISOString(),
    yankedAt: null,
  };
  return { approval, bundles };
}

/** Keeps compiled policies where the hook process looks for them. */
export function keepBundles(home: string, key: string, bundles: ReadonlyMap<string, string>): void {
  for (const [digest, code] of bundles) {
    const file = layout.bundle(home, key, digest);
    // The name says what must be in it; whatever else is there was damaged after it was written.
    if (readIfThere(file)?.toString() !== code) writeAtomic(file, code, 0o400);
  }
}

export interface Consent {
  range: string;
  terms: Terms;
  approval: Approval;
  skills: readonly DescribedSkill[];
  options: OptionsByHook;
}

/** A person's consent. It replaces the former ceiling; earlier approvals stay as they were. */
export function buildGrant(former: Grant | undefined, offered: OfferedCard, consent: Consent): Grant {
  const { range, terms, approval, skills, options } = consent;
  return {
    ...terms,
    card: offered.name,
    source: offered.source,
    publisher: offered.publisher,
    range,
    grantedAt: approval.at,
    revokedAt: null,
    ceiling: toCeiling(consentedHooks(offered.hooks, terms.hooks)),
    ...(skills.length === 0 ? {} : { skills: codeDigests(skills) }),
    ...(Object.keys(options).length === 0 ? {} : { options }),
    approved: withApproval(former?.revokedAt === null ? former.approved : [], approval),
  };
}

export function withApproval(approved: readonly Approval[], approval: Approval): Approval[] {
  return [...approved.filter(({ tree }) => tree !== approval.tree), approval].slice(-KEPT_APPROVALS);
}

function staleIndex(card: string, hook: IndexedHook, inputs: readonly string[]): Problem {
  return new Problem("DRWN_INDEX_STALE", `the index of ${card} does not list the files of \`${hook.name}\``, {
    details: [`listed: ${hook.files.join(", ")}`, `used: ${inputs.join(", ")}`],
    hint: `ask the author of ${card} to publish again`,
  });
}
