import { findHeld } from "../../wiring/entries/other-hooks.ts";
import { planFiles, wantedEntries } from "../../wiring/entries/plan-entries.ts";
import { openJsonFile, valueAt } from "../../wiring/json-file.ts";
import { isHookCommand } from "../../wiring/launcher.ts";
import type { Bypass, ManagedEntry, ManagedHooksRequest, PlannedHooks, PolicyTrigger } from "../../wiring/target.ts";
import { checkGemini } from "./check.ts";
import { GEMINI_FORMAT, geminiForm } from "./entries.ts";
import { systemSettingsFiles } from "./paths.ts";

/** Not the name of a user's own hook: somebody who switches that one off by name doesn't mean root's. */
const NAME = "drwn-system";

const ENABLED = ["hooksConfig", "enabled"];

/** The machine owner's value of this switch overrides that of a user or a project. */
const FORMAT = { ...GEMINI_FORMAT, requiredFields: { path: ENABLED, value: true } };

/** From a user or from a project's `.env`, these variables could run code in the shell that starts the hook. */
const FORM = geminiForm({
  name: NAME,
  env: { LD_PRELOAD: "", LD_AUDIT: "", LD_LIBRARY_PATH: "", BASH_ENV: "", ENV: "", SHELLOPTS: "", BASHOPTS: "" },
});

/**
 * Puts entries into the machine owner's settings, after the owner's own. Measured with Gemini CLI 0.61.0: it combines
 * the hooks of all settings, and other settings can only take these away by name.
 */
export function planGeminiManaged({ home, policies, originalOf }: ManagedHooksRequest): PlannedHooks {
  const settingsFile = settingsOfOwner();
  const file = {
    format: FORMAT,
    settingsFile,
    root: "/",
    entries: entriesFor(home, policies),
    isOurs: (command: string) => isHookCommand(command, home),
    record: originalOf(settingsFile),
    mode: 0o644,
  };
  return planFiles(settingsFile, [file]);
}

/** The owner's entry; null: some of it is missing. */
export function findGeminiEntry(home: string, policies: readonly PolicyTrigger[]): ManagedEntry | null {
  const { settings, defaults } = systemSettingsFiles({ env: {} });
  const file = findHeld([settings], entriesFor(home, policies), GEMINI_FORMAT);
  if (file === null || valueAt(openJsonFile({ root: "/", file, extras: "comments" }).text, ENABLED) === undefined)
    return null;
  const places = [defaults, settings].map((place) => ({ file: place, isManaged: true }));
  return { file, findings: checkGemini(places, home, NAME) };
}

export function findGeminiBypasses(): Bypass[] {
  const { settings } = systemSettingsFiles({ env: {} });
  const isTrusting =
    valueAt(openJsonFile({ root: "/", file: settings, extras: "comments" }).text, [
      "security",
      "folderTrust",
      "enabled",
    ]) === false;
  return [
    {
      message: `\`hooksConfig.disabled\` in a user's or a repository's settings of Gemini CLI can name ${NAME}, and root's hook doesn't run`,
      hint: "only a sandbox that keeps the agent from its user's and the project's .gemini/settings.json prevents that",
    },
    {
      message:
        "a hook group in a user's or a repository's settings of Gemini CLI can have a matcher that isn't a text: then no hook answers, not even root's",
      hint: "only a sandbox that keeps the agent from its user's and the project's .gemini/settings.json prevents that",
    },
    {
      message:
        "a user who sets GEMINI_CLI_SYSTEM_SETTINGS_PATH in the environment starts Gemini CLI with other settings than root's",
      hint: "only a sandbox around the agent, or an environment that its user cannot set, prevents that",
    },
    {
      message:
        "Gemini CLI finds `bash` with its user's PATH, and starts root's hook with it: another program of that name needn't start it",
      hint: "only a sandbox around the agent, or an environment that its user cannot set, prevents that",
    },
    {
      message: "a hook of a user or a repository can rewrite a call after root's policies have allowed it",
      hint: "only a sandbox around the agent prevents that",
    },
    ...(isTrusting ? [] : [UNTRUSTED]),
  ];
}

const UNTRUSTED: Bypass = {
  message: "in a folder that its user doesn't trust, Gemini CLI runs no hook, not even root's",
  hint: `set "security": {"folderTrust": {"enabled": false}} in root's settings of Gemini CLI: then it asks nobody about folders, and reads the settings of each`,
};

function entriesFor(home: string, policies: readonly PolicyTrigger[]) {
  return policies.length === 0 ? [] : wantedEntries({ host: { drwnHome: home }, own: policies, others: [] }, FORM);
}

/** Heeds no variable of the person who runs the command. */
function settingsOfOwner(): string {
  return systemSettingsFiles({ env: {} }).settings;
}
