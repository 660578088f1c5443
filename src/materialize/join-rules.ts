import type { Host } from "../kernel/host.ts";
import { readConsentSettings } from "../registry/settings.ts";
import type { JoinRules } from "../trust/activation.ts";
import { readRelease } from "../trust/releases.ts";

/** What this machine knows and wants, at this moment, of versions that would join a consent by themselves. */
export function readJoinRules({ drwnHome: home, now }: Pick<Host, "drwnHome" | "now">): JoinRules {
  const { releaseAgeHours } = readConsentSettings(home);
  return { now: now(), releaseAgeHours, releaseOf: (tree) => readRelease(home, tree) };
}
