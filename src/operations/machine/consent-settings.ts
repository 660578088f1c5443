import type { Host } from "../../kernel/host.ts";
import {
  CONSENT_DEFAULTS,
  type ConsentSettings,
  type RegistrySettings,
  readConsentSettings,
} from "../../registry/settings.ts";
import { readSettingsLog, recordedTaking, recordSettingsChange, settingsApart } from "../../trust/log/settings-log.ts";
import { requirePerson } from "../../workspace/require-person.ts";
import { changeSettings } from "./registry-settings.ts";

/** A setting that is missing or undefined stays as it is. */
export type ConsentSettingsRequest = { [Name in keyof ConsentSettings]?: ConsentSettings[Name] | undefined };

/** How sure this machine wants to be that a person consents. */
export function showConsentSettings({ drwnHome }: Host): ConsentSettings {
  return readConsentSettings(drwnHome);
}

/**
 * Changes it, for every project on this machine. Only a person may: an agent that could do it could then consent, too.
 */
export async function setConsentSettings(host: Host, asked: ConsentSettingsRequest): Promise<ConsentSettings> {
  const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  requirePerson(host, "change how consents are given", "drwn trust settings");
  const change = (settings: RegistrySettings): ConsentSettings => {
    settings.consent = { ...settings.consent, ...given };
    return { ...CONSENT_DEFAULTS, ...settings.consent };
  };
  return changeSettings(host, change, () => note(host, given));
}

/**
 * Logs a change before it is made, and only that change: if anything else differs from the log, nobody set it through
 * drwn, and doctor keeps saying so.
 */
function note({ drwnHome: home, now }: Host, change: Partial<ConsentSettings>): void {
  const recorded = recordedTaking(readSettingsLog(home), CONSENT_DEFAULTS);
  const next = { ...recorded, ...change };
  if (settingsApart(recorded, next).length > 0) recordSettingsChange(home, { time: now().toISOString(), ...next });
}
