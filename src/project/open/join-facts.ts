import { readKnownCard } from "../../card/archive/read-card.ts";
import { isRestrictOnly } from "../../card/manifest.ts";
import { cardScopeOf } from "../../card/name.ts";
import { codeDigests, codeSkillsOf } from "../../card/skill/skill-code.ts";
import { layout } from "../../contract/layout.ts";
import type { Ledger } from "../../contract/ledger.ts";
import type { Host } from "../../kernel/host.ts";
import { CATALOGUE_REGISTRY, isFromCatalogue } from "../../registry/catalogue.ts";
import { readWhoPublished } from "../../registry/folder.ts";
import { readConsentSettings } from "../../registry/settings.ts";
import { isStored, readStored } from "../../registry/store.ts";
import { type JoinFacts, OWN_REGISTRY } from "../../trust/activation.ts";
import { isSameFolder } from "../../trust/former-project.ts";
import { readRelease } from "../../trust/releases.ts";
import { readScopePublisher } from "../../trust/scope-keys.ts";

/** The rules of every project; `forProject` adds what drwn knows about one. */
export type MachineRules = Omit<JoinFacts, "isOtherFolder">;

export function forProject(joinFacts: MachineRules, ledger: Ledger | undefined): JoinFacts {
  return { ...joinFacts, isOtherFolder: ledger !== undefined && !isSameFolder(ledger.project) };
}

/** What this machine now knows about versions that would join a consent by themselves, and what it wants of them. */
export function readJoinFacts({ drwnHome: home, now }: Pick<Host, "drwnHome" | "now">): MachineRules {
  const { releaseAgeHours } = readConsentSettings(home);
  return {
    now: now(),
    releaseAgeHours,
    releaseOf: (tree) => readRelease(home, tree),
    publishedBy: (offered) => {
      if (readRelease(home, offered.tree)?.isByAgent === true) return "agent";
      if (offered.source === CATALOGUE_REGISTRY) return isFromCatalogue(offered) ? "drwn" : null;
      return offered.source === OWN_REGISTRY ? readWhoPublished(layout.registry(home), offered) : null;
    },
    ownKeyOf: (card) => readScopePublisher(home, cardScopeOf(card)),
    skillCodeOf: (tree) => skillCodeOf(home, tree),
    isRestrictOnly: (tree) => isStored(home, tree) && isRestrictOnly(readKnownCard(readStored(home, tree)).manifest),
  };
}

function skillCodeOf(home: string, tree: string): Record<string, string> {
  if (!isStored(home, tree)) return {};
  const { files, manifest } = readKnownCard(readStored(home, tree));
  return codeDigests(codeSkillsOf(files, manifest));
}
