import { layout } from "../contract/layout.ts";
import { advise, drwn } from "../kernel/advice.ts";
import type { Finding } from "../kernel/finding.ts";
import { clean } from "../kernel/text.ts";
import { CONSENT_DEFAULTS, readConsentSettings } from "../registry/settings.ts";
import { type ConsentTaking, readSettingsLog, recordedTaking, settingsApart } from "../trust/log/settings-log.ts";

interface Fault {
  fault: string;
  hint: string;
}

const FLAGS = {
  ancestry: ["the ancestry is", (on: boolean) => (on ? "--ancestry" : "--no-ancestry")],
  terminal: ["the terminal is", (on: boolean) => (on ? "--terminal" : "--no-terminal")],
  releaseAgeHours: ["the release age is", (hours: number) => `--release-age ${hours}`],
} as const;

/** Compares how this machine takes consents with the log of those settings: an agent can edit the file, too. */
export function checkSettingsLog(home: string): Finding[] {
  const log = readSettingsLog(home);
  const recorded = recordedTaking(log, CONSENT_DEFAULTS);
  const found = readConsentSettings(home);
  const faults = [
    ...log.broken.map((line) => ({
      fault: `line ${line} of its log does not follow from the one before it`,
      // New lines don't fix a broken one, so a person moves the log away, and drwn starts another.
      hint: advise`${drwn("trust", "--log")}, move ${clean(layout.settingsLog(home))} away, then set again what you want with drwn trust settings`,
    })),
    ...settingsApart(recorded, found).map((name) => settingFault(name, recorded, found)),
  ];
  return faults.map(({ fault, hint }) => ({
    code: "consent-settings-differ",
    severity: "error",
    subject: "consents",
    message: `something other than drwn changed how this machine takes consents, or it changed before drwn kept a log of that: ${fault}`,
    hint,
  }));
}

function settingFault(name: keyof typeof FLAGS, recorded: ConsentTaking, found: ConsentTaking): Fault {
  const [what] = FLAGS[name];
  const setTo = (taking: ConsentTaking): string =>
    name === "releaseAgeHours" ? FLAGS[name][1](taking[name]) : FLAGS[name][1](taking[name]);
  const command = "drwn trust settings";
  return {
    fault: `${what} not what was set`,
    hint: `if you set it, ${command} ${setTo(found)}; otherwise ${command} ${setTo(recorded)}`,
  };
}
