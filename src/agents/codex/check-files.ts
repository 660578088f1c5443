import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { Finding } from "../../kernel/finding.ts";
import { clean } from "../../kernel/text.ts";
import { readHookGroups } from "../../wiring/entries/groups.ts";
import { isObject, openJsonFile } from "../../wiring/json-file.ts";
import { isHookCommand } from "../../wiring/launcher.ts";
import type { AgentContext, CheckRequest } from "../../wiring/target.ts";
import { codexTable, hooksFeature, readCodexConfig } from "./config.ts";
import { CODEX_FORMAT } from "./events.ts";
import { CODEX_MACHINE, machineConfigFiles, requirementsFile } from "./managed-paths.ts";
import { codexHome, projectConfigs } from "./paths.ts";

/** How a person reviews a hook in Codex itself. */
export const REVIEW =
  "start codex, type /hooks, and trust drwn's entries; once for this machine, and again when a card adds a moment of the session or an update of drwn changes an entry";

/**
 * Finds in Codex's files what keeps it from running the hook, as Codex 0.169.0 reads them. The program itself knows
 * better.
 */
export function checkCodexFiles({ host, root, file }: CheckRequest, machine = CODEX_MACHINE): Finding[] {
  const requirements = requirementsFile(machine);
  const only = "`allow_managed_hooks_only` keeps Codex from running hooks of users";
  return [
    ...checkCodexSwitches({ host, root }, machine),
    ...(areOthersOff(machine) ? [disabled(requirements, only)] : []),
    ...checkTrust(file, codexTable(codexTable(readCodexConfig(ownConfig(host)), "hooks"), "state"), host.drwnHome),
  ];
}

/** Whether only the machine owner's hooks run. */
export function areOthersOff(machine = CODEX_MACHINE): boolean {
  return readCodexConfig(requirementsFile(machine))["allow_managed_hooks_only"] === true;
}

/** Finds what keeps Codex from running any hook, including those of the machine's owner. */
export function checkCodexSwitches({ host, root }: AgentContext, machine = CODEX_MACHINE): Finding[] {
  const requirements = requirementsFile(machine);
  const configs = [...codexConfigs({ host, root }), ...machineConfigFiles(machine), requirements];
  // The owner's requirements override what anybody else says.
  const isRequired = hooksFeature(requirements) === true;
  const off = isRequired ? [] : configs.filter((config) => hooksFeature(config) === false);
  return [
    ...off.map((config) => disabled(config, "`[features] hooks` keeps Codex from running any hook")),
    ...checkCodexEnvironment(host),
  ];
}

/** The user's configuration and the project's. */
export function codexConfigs({ host, root }: AgentContext): string[] {
  return [ownConfig(host), ...projectConfigs(root)];
}

function ownConfig(host: AgentContext["host"]): string {
  return path.join(codexHome(host), "config.toml");
}

/** Measured with Codex 0.169.0, which starts hooks with bash: bash reads this file first. */
export function checkCodexEnvironment({ env }: AgentContext["host"]): Finding[] {
  const file = env["BASH_ENV"] || null;
  if (file === null) return [];
  const message = `BASH_ENV makes the shell of every Codex hook read ${clean(file, 80)} first: that file decides whether drwn is asked`;
  const hint = "unset BASH_ENV before you start codex";
  return [{ code: "hooks-prefixed", severity: "warning", subject: "the environment", message, hint }];
}

function disabled(file: string, message: string): Finding {
  return { code: "hooks-disabled", severity: "error", subject: file, message, hint: `correct ${file}` };
}

/** Codex runs only hooks that its user trusts, and remembers each by file, event, position and text. */
function checkTrust(file: string, trusted: Record<string, unknown>, home: string): Finding[] {
  const places = new Set([file, fs.existsSync(file) ? fs.realpathSync(file) : file]);
  const isTrusted = (place: string, digest: string) =>
    [...places].some((one) => {
      const state = codexTable(trusted, `${one}:${place}`);
      return state["trusted_hash"] === digest && state["enabled"] !== false;
    });
  if (entriesOf(file, home).every(({ place, digest }) => isTrusted(place, digest))) return [];
  const message = "Codex has not been told to trust drwn's hook, and runs no hook that it doesn't trust";
  return [{ code: "codex-hook-untrusted", severity: "error", subject: file, message, hint: REVIEW }];
}

function entriesOf(file: string, home: string): { place: string; digest: string }[] {
  const groups = readHookGroups(openJsonFile({ root: path.parse(file).root, file }), CODEX_FORMAT, (command) =>
    isHookCommand(command, home),
  );
  return groups.flatMap(({ event, path: [, , group], value: { matcher }, handlers, ours }) => {
    const name = event.replaceAll(/(?<=.)[A-Z]/gu, (letter) => `_${letter}`).toLowerCase();
    return ours.map((at) => {
      const { type, command, timeout } = isObject(handlers[at]) ? handlers[at] : {};
      // The fields in alphabetical order, as Codex has them.
      const handler = { async: false, command, timeout, type };
      const identity = { event_name: name, hooks: [handler], matcher };
      const digest = createHash("sha256").update(JSON.stringify(identity)).digest("hex");
      return { place: `${name}:${group}:${at}`, digest: `sha256:${digest}` };
    });
  });
}
