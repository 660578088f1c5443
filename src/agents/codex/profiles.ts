import fs from "node:fs";
import path from "node:path";
import type { Finding } from "../../kernel/finding.ts";
import { clean, shellQuote } from "../../kernel/text.ts";
import { isObject } from "../../wiring/json-file.ts";
import type { AgentPlace } from "../../wiring/target.ts";
import { codexTable, hooksFeature, readCodexConfig } from "./config.ts";
import { CODEX_MACHINE, requirementsFile } from "./managed-places.ts";
import { codexHome } from "./places.ts";

/**
 * Finds profiles with which Codex would not run drwn's hook: `codex --profile <name>` lays `<name>.config.toml` over
 * its user's configuration. No file says whether anybody uses one. `file` holds drwn's entry; null: the machine's owner
 * holds it, and it needs no trust.
 */
export function checkCodexProfiles(host: AgentPlace["host"], file: string | null, machine = CODEX_MACHINE): Finding[] {
  const isRequired = hooksFeature(requirementsFile(machine)) === true;
  return profilesIn(codexHome(host)).flatMap((profile): Finding[] => {
    const isOff = !isRequired && hooksFeature(profile) === false;
    if (!isOff && (file === null || !distrusts(profile, file))) return [];
    const name = shellQuote(path.basename(profile, EXTENSION));
    const what = isOff ? "has `hooks = false`" : "changes what Codex trusts of drwn's hook";
    const message = `\`codex --profile ${clean(name, 80)}\` runs no hook of drwn: the profile ${what}`;
    const hint = `take that out of ${profile}, or start codex without this profile`;
    return [{ code: "profile-without-hooks", severity: "warning", subject: profile, message, hint }];
  });
}

const EXTENSION = ".config.toml";

function profilesIn(folder: string): string[] {
  try {
    const names = fs.readdirSync(folder).filter((name) => name.endsWith(EXTENSION));
    return names.sort().map((name) => path.join(folder, name));
  } catch {
    return [];
  }
}

/**
 * Whether the profile says anything that ends the trust in this file's hooks. Nothing else can be said about trusted
 * hooks.
 */
function distrusts(profile: string, file: string): boolean {
  const state = codexTable(codexTable(readCodexConfig(profile), "hooks"), "state");
  const files = new Set([file, fs.existsSync(file) ? fs.realpathSync(file) : file]);
  return Object.entries(state).some(
    ([key, said]) =>
      [...files].some((one) => key.startsWith(`${one}:`)) &&
      (!isObject(said) || said["enabled"] === false || "trusted_hash" in said),
  );
}
