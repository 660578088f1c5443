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

/** What is left out, or undefined, stays as it is. */
export type AskedSettings = { [Name in keyof ConsentSettings]?: ConsentSettings[Name] | undefined };

/** How sure this machine wants to be that a person consents. */
export function showConsentSettings({ drwnHome }: Host): ConsentSettings {
  return readConsentSettings(drwnHome);
}

/** Changes it, for every project on this machine. An agent that could do it would consent the next moment. */
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
  /** Made of the keys in force, and of those that were entered. */
  change: (signers: Signers) => Signers;
  found: T;
}

/** Changes whose signed consents this machine takes, and gives `found` back. */
export function changeSigners<T>(host: Host, choose: (known: Signers) => SignersChange<T>): Promise<T> {
  const { drwnHome: home } = host;
  return withLock(layout.lock(home, "settings"), () => {
    const known = readSigners(home);
    const { change, found } = choose(known);
    writeSigners(home, change(known), () => note(host, ({ signers }) => ({ signers: change(signers) })));
    return found;
  });
}

/** The log has each change before it is made, and nothing beside it: what else differs was set by nobody, and doctor goes on saying so. */
function note({ drwnHome: home, now }: Host, change: (recorded: ConsentTaking) => Partial<ConsentTaking>): void {
  const recorded = recordedTaking(readSettingsLog(home), { ...CONSENT_DEFAULTS, signers: {} });
  const next = { ...recorded, ...change(recorded) };
  if (settingsApart(recorded, next).length > 0) recordSettingsChange(home, { time: now().toISOString(), ...next });
}
