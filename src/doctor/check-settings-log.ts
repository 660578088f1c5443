import { layout } from "../contract/layout.ts";
import type { Finding } from "../kernel/finding.ts";
import { clean } from "../kernel/text.ts";
import { CONSENT_DEFAULTS, readConsentSettings } from "../registry/settings.ts";
import { readSettingsLog, settingsApart } from "../trust/settings-log.ts";

const FLAGS = { ancestry: "ancestry", terminal: "terminal", releaseAgeHours: "release age" };

/** Compares how this machine takes consents with the log of who set it so: config.json can be edited by an agent, too. */
export function checkSettingsLog(home: string): Finding[] {
  const log = readSettingsLog(home);
  const apart = settingsApart(log, { first: CONSENT_DEFAULTS, actual: readConsentSettings(home) });
  const faults = [
    ...log.broken.map((line) => ({
      fault: `line ${line} of its log does not follow from the one before it`,
      // What was added since stays, and so does the line: a log that is put aside begins anew.
      hint: `drwn trust log, move ${clean(layout.settingsLog(home))} away, then set again what you want with drwn trust settings`,
    })),
    ...apart.map((name) => ({
      fault: `the ${FLAGS[name]} is not what was set`,
      hint: "drwn trust settings, then set again what you want",
    })),
  ];
  return faults.map(({ fault, hint }) => ({
    code: "consent-settings-differ",
    severity: "error",
    subject: "consents",
    message: `how this machine takes consents was changed by something else than drwn: ${fault}`,
    hint,
  }));
}
