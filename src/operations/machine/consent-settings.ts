import { layout } from "../../contract/layout.ts";
import type { Host } from "../../kernel/host.ts";
import { withLock } from "../../kernel/mutex.ts";
import {
  CONSENT_DEFAULTS,
  type ConsentSettings,
  type RegistrySettings,
  readConsentSettings,
} from "../../registry/settings.ts";
import { readSigners, type Signers, writeSigners } from "../../trust/keys/signers.ts";
import {
  type ConsentTaking,
  readSettingsLog,
  recordedTaking,
  recordSettingsChange,
  settingsApart,
} from "../../trust/log/settings-log.ts";
import { requirePerson } from "../../workspace/require-person.ts";
import { changeSettings } from "./registry-settings.ts";

/** A setting that is missing or undefined stays as it is. */
export type AskedSettings = { [Name in keyof ConsentSettings]?: ConsentSettings[Name] | undefined };

/** How sure this machine wants to be that a person consents. */
export function showConsentSettings({ drwnHome }: Host): ConsentSettings {
  return readConsentSettings(drwnHome);
}

/**
 * Changes it, for every project on this machine. Only a person may: an agent that could do it could then consent, too.
 */
export async function setConsentSettings(host: Host, asked: AskedSettings): Promise<ConsentSettings> {
  const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  requirePerson(host, "change how consents are given", "drwn trust settings");
  const change = (settings: RegistrySettings): ConsentSettings => {
    settings.consent = { ...settings.consent, ...given };
    return { ...CONSENT_DEFAULTS, ...settings.consent };
  };
  return changeSettings(host, change, () => note(host, () => given));
}

interface SignersChange<T> {
  /** Applied both to the keys in force and to those that the log has. */
  change: (signers: Signers) => Signers;
  found: T;
}

/** Changes whose signed consents this machine accepts, and returns `found`. */
export function changeSigners<T>(host: Host, choose: (known: Signers) => SignersChange<T>): Promise<T> {
  const { drwnHome: home } = host;
  return withLock(layout.lock(home, "settings"), () => {
    const known = readSigners(home);
    const { change, found } = choose(known);
    writeSigners(home, change(known), () => note(host, ({ signers }) => ({ signers: change(signers) })));
    return found;
  });
}

/**
 * Logs a change before it is made, and only that change: if anything else differs from the log, nobody set it through
 * drwn, and doctor keeps saying so.
 */
function note({ drwnHome: home, now }: Host, change: (recorded: ConsentTaking) => Partial<ConsentTaking>): void {
  const recorded = recordedTaking(readSettingsLog(home), { ...CONSENT_DEFAULTS, signers: {} });
  const next = { ...recorded, ...change(recorded) };
  if (settingsApart(recorded, next).length > 0) recordSettingsChange(home, { time: now().toISOString(), ...next });
}
