import type { Host } from "../kernel/host.ts";
import { CONSENT_DEFAULTS, type ConsentSettings, readConsentSettings } from "../registry/settings.ts";
import { readSettingsLog, recordSettingsChange, settingsApart } from "../trust/settings-log.ts";
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
  const { drwnHome: home } = host;
  return changeSettings(host, (settings) => {
    settings.consent = { ...settings.consent, ...given };
    const next: ConsentSettings = { ...CONSENT_DEFAULTS, ...settings.consent };
    const { ancestry, terminal, releaseAgeHours } = next;
    if (settingsApart(readSettingsLog(home), { first: CONSENT_DEFAULTS, actual: next }).length > 0)
      recordSettingsChange(home, { time: host.now().toISOString(), ancestry, terminal, releaseAgeHours });
    return next;
  });
}
