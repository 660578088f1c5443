import { isRestrictOnly } from "../card/manifest.ts";
import { readKnownCard } from "../card/read-card.ts";
import { codeDigests, codeSkillsOf } from "../card/skill/skill-code.ts";
import type { Ledger } from "../contract/ledger.ts";
import type { Host } from "../kernel/host.ts";
import { readConsentSettings } from "../registry/settings.ts";
import { isStored, readStored } from "../store/store.ts";
import type { JoinRules } from "../trust/activation.ts";
import { isSameFolder } from "../trust/former-place.ts";
import { readRelease } from "../trust/releases.ts";

/** The rules of every project; `forProject` adds what is known of one. */
export type MachineRules = Omit<JoinRules, "isOtherFolder">;

export function forProject(rules: MachineRules, ledger: Ledger | undefined): JoinRules {
  return { ...rules, isOtherFolder: ledger !== undefined && !isSameFolder(ledger.project) };
}

/** What this machine knows and wants, at this moment, of versions that would join a consent by themselves. */
export function readJoinRules({ drwnHome: home, now }: Pick<Host, "drwnHome" | "now">): MachineRules {
  const { releaseAgeHours } = readConsentSettings(home);
  return {
    now: now(),
    releaseAgeHours,
    releaseOf: (tree) => readRelease(home, tree),
    skillCodeOf: (tree) => skillCodeOf(home, tree),
    isRestrictOnly: (tree) => isStored(home, tree) && isRestrictOnly(readKnownCard(readStored(home, tree)).manifest),
  };
}

function skillCodeOf(home: string, tree: string): Record<string, string> {
  if (!isStored(home, tree)) return {};
  const { files, manifest } = readKnownCard(readStored(home, tree));
  return codeDigests(codeSkillsOf(files, manifest));
}
