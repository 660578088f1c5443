import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { readBounded } from "../../format/read.ts";
import { parseToml } from "../../format/toml.ts";
import type { Finding } from "../../kernel/finding.ts";
import { isProblem } from "../../kernel/problem.ts";
import { readHookGroups } from "../../wiring/entries/groups.ts";
import { isObject, openJsonFile } from "../../wiring/json-file.ts";
import { isHookCommand } from "../../wiring/launcher.ts";
import type { CheckRequest } from "../../wiring/target.ts";
import { CODEX_FORMAT } from "./events.ts";
import { codexHome, projectConfigFile } from "./places.ts";

/** A person's review of a hook, in Codex itself. */
export const REVIEW =
  "start codex, type /hooks, and trust the entries of drwn; once for this machine, and again when a card adds a moment of the session or an update of drwn changes an entry";

const MACHINE = "/etc/codex";

/** What the files of Codex say of whether it runs the hook, as Codex 0.169.0 reads them; the program itself knows better. */
export function checkCodexFiles({ host, root, file }: CheckRequest, machine = MACHINE): Finding[] {
  const own = path.join(codexHome(host), "config.toml");
  const requirements = path.join(machine, "requirements.toml");
  const configs = [own, projectConfigFile(root), path.join(machine, "config.toml"), requirements];
  const off = configs.filter((config) => fieldOf(read(config), "features")["hooks"] === false);
  const only = read(requirements)["allow_managed_hooks_only"] === true ? [requirements] : [];
  return [
    ...off.map((config) => disabled(config, "`[features] hooks` keeps Codex from running any hook")),
    ...only.map((config) => disabled(config, "`allow_managed_hooks_only` keeps Codex from running hooks of users")),
    ...checkTrust(file, fieldOf(fieldOf(read(own), "hooks"), "state"), host.drwnHome),
  ];
}

function disabled(file: string, message: string): Finding {
  return { code: "hooks-disabled", severity: "error", subject: file, message, hint: `mend ${file}` };
}

/** Codex runs no hook that its user has not trusted, and remembers it by file, event, place and text. */
function checkTrust(file: string, trusted: Record<string, unknown>, home: string): Finding[] {
  const places = new Set([file, fs.existsSync(file) ? fs.realpathSync(file) : file]);
  const isTrusted = (place: string, digest: string) =>
    [...places].some((one) => {
      const state = fieldOf(trusted, `${one}:${place}`);
      return state["trusted_hash"] === digest && state["enabled"] !== false;
    });
  if (entriesOf(file, home).every(({ place, digest }) => isTrusted(place, digest))) return [];
  const message = "Codex has not been told to trust the hook of drwn, and runs none that it doesn't trust";
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
      // The fields in the order of the alphabet, as Codex has them.
      const handler = { async: false, command, timeout, type };
      const identity = { event_name: name, hooks: [handler], matcher };
      const digest = createHash("sha256").update(JSON.stringify(identity)).digest("hex");
      return { place: `${name}:${group}:${at}`, digest: `sha256:${digest}` };
    });
  });
}

/** What cannot be read as TOML says nothing here: Codex doesn't start with it. */
function read(file: string): Record<string, unknown> {
  try {
    return parseToml(readBounded(file)?.toString("utf8") ?? "", { file });
  } catch (error) {
    if (isProblem(error) || error instanceof Error) return {};
    throw error;
  }
}

function fieldOf(table: Record<string, unknown>, name: string): Record<string, unknown> {
  const value = Object.hasOwn(table, name) ? table[name] : undefined;
  return isObject(value) ? value : {};
}
