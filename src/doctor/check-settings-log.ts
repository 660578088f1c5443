import { layout } from "../contract/layout.ts";
import type { Finding } from "../kernel/finding.ts";
import { clean } from "../kernel/text.ts";
import { CONSENT_DEFAULTS, readConsentSettings } from "../registry/settings.ts";
import { readSettingsLog, recordedTaking, settingsApart } from "../trust/settings-log.ts";
import { readSigners } from "../trust/signers.ts";

const FLAGS = {
  ancestry: "the ancestry is",
  terminal: "the terminal is",
  releaseAgeHours: "the release age is",
  signers: "the keys that may sign consents are",
};

/** Compares how this machine takes consents with the log of who set it so: an agent can edit these files, too. */
export function checkSettingsLog(home: string): Finding[] {
  const log = readSettingsLog(home);
  const recorded = recordedTaking(log, { ...CONSENT_DEFAULTS, signers: {} });
  const apart = settingsApart(recorded, { ...readConsentSettings(home), signers: readSigners(home) });
  const faults = [
    ...log.broken.map((line) => ({
      fault: `line ${line} of its log does not follow from the one before it`,
      // What was added since stays, and so does the line: a log that is put aside begins anew.
      hint: `drwn trust log, move ${clean(layout.settingsLog(home))} away, then set again what you want with drwn trust settings`,
    })),
    ...apart.map((name) => ({
      fault: `${FLAGS[name]} not what was set`,
      hint:
        name === "signers"
          ? "drwn key list, then take out what you did not enter with drwn key forget --consents, or enter it with drwn key trust --consents"
          : "drwn trust settings, then set again what you want",
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
