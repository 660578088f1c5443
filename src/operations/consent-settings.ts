import type { Host } from "../kernel/host.ts";
import { type ConsentSettings, readConsentSettings } from "../registry/settings.ts";
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
    return { ...readConsentSettings(host.drwnHome), ...settings.consent };
  });
}
