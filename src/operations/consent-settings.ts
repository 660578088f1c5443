import { layout } from "../contract/layout.ts";
import type { Host } from "../kernel/host.ts";
import { withLock } from "../kernel/mutex.ts";
import { CONSENT_DEFAULTS, type ConsentSettings, readConsentSettings } from "../registry/settings.ts";
import { type ConsentTaking, readSettingsLog, recordSettingsChange, settingsApart } from "../trust/settings-log.ts";
import { readSigners, type Signers, writeSigners } from "../trust/signers.ts";
import { changeSettings } from "./registry-settings.ts";
import { requirePerson } from "./require-person.ts";

/** What is left out, or undefined, stays as it is. */
export type AskedSettings = { [Name in keyof ConsentSettings]?: ConsentSettings[Name] | undefined };

/** How sure this machine wants to be that a person consents. */
export function showConsentSettings({ drwnHome }: Host): ConsentSettings {
  return readConsentSettings(drwnHome);
}

/** Changes it, for every project of this machine. An agent that could would consent the next moment. */
export async function setConsentSettings(host: Host, asked: AskedSettings): Promise<ConsentSettings> {
  const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  requirePerson(host, "change how consents are given", "drwn trust settings");
  return changeSettings(host, (settings) => {
    settings.consent = { ...settings.consent, ...given };
    const next: ConsentSettings = { ...CONSENT_DEFAULTS, ...settings.consent };
    note(host, { ...next, signers: readSigners(host.drwnHome) });
    return next;
  });
}

/** Changes whose signed consents this machine takes, and gives `found` back. */
export function changeSigners<T>(host: Host, change: (known: Signers) => { next: Signers; found: T }): Promise<T> {
  const { drwnHome: home } = host;
  return withLock(layout.lock(home, "settings"), () => {
    const { next, found } = change(readSigners(home));
    note(host, { ...readConsentSettings(home), signers: next });
    writeSigners(home, next);
    return found;
  });
}

/** The log has each change before it is made. */
function note({ drwnHome: home, now }: Host, next: ConsentTaking): void {
  const { ancestry, terminal, releaseAgeHours, signers } = next;
  const first = { ...CONSENT_DEFAULTS, signers: {} };
  if (settingsApart(readSettingsLog(home), { first, actual: next }).length > 0)
    recordSettingsChange(home, { time: now().toISOString(), ancestry, terminal, releaseAgeHours, signers });
}
