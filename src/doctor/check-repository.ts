import fs from "node:fs";
import path from "node:path";
import { allTargets } from "../agents/targets.ts";
import { readBounded } from "../format/read.ts";
import { listFolder, TEMPORARY } from "../kernel/atomic.ts";
import type { Finding } from "../kernel/finding.ts";
import { isProblem } from "../kernel/problem.ts";
import { projectFiles } from "../project/files.ts";

/** The files of drwn's that a project may hold. Any other was put there to be mistaken for one. */
const ownFiles = (): Set<string> =>
  new Set([
    "config.json",
    "card.lock",
    "trust.json",
    "grants.json",
    "vendor",
    ...allTargets().flatMap(({ projectFiles: files = [] }) => files),
  ]);
/** Files by which tools load variables into a shell or a process. */
const ENVIRONMENT_FILE = /^\.(?:env(?:\..+)?|envrc)$/u;
/** Settings of agents that a repository can carry, and that can hold variables. */
const AGENT_SETTINGS = [
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".cursor/hooks.json",
  ".github/copilot/settings.json",
  ".codex/config.toml",
  ".gemini/settings.json",
  ".vscode/settings.json",
  ".devcontainer/devcontainer.json",
];
/** Variables that would move drwn's state, or make a Node that trusts them run something. `check-variables.ts` knows what reaches a hook. */
const STEERING = /\b(?:DRWN_[A-Z_]+|NODE_OPTIONS|NODE_PATH|LD_PRELOAD|DYLD_INSERT_LIBRARIES)\b/gu;
/** The beginning of every hook entry of drwn. */
const HOOK_ENTRY = /drwn_hook=([^;"]{1,300})/gu;

/**
 * What a repository claims and drwn ignores: variables that would steer it, state that it brings along, hook entries that
 * lead to another place than this machine's. Nothing of it changes what may run; a person should know that somebody tried.
 */
export function checkRepository(root: string, drwnHome: string): Finding[] {
  return [...checkOwnFolder(root), ...checkVariables(root), ...checkEntries(root, drwnHome), ...checkMarkers(root)];
}

function checkOwnFolder(root: string): Finding[] {
  const folder = projectFiles.folder(root);
  const own = ownFiles();
  return names(folder)
    .filter((name) => !own.has(name) && !name.startsWith(TEMPORARY))
    .map((name) =>
      ignored(
        path.join(folder, name),
        "drwn keeps no such thing in a project: consents, keys and state are on the machine",
      ),
    );
}

function checkVariables(root: string): Finding[] {
  const files = [...names(root).filter((name) => ENVIRONMENT_FILE.test(name)), ...AGENT_SETTINGS];
  return files.flatMap((name) => {
    const file = path.join(root, name);
    const named = [...new Set([...readText(file).matchAll(STEERING)].map(([variable]) => variable))];
    return named.map((variable) =>
      ignored(
        file,
        /^(?:LD|DYLD)_/u.test(variable)
          ? `it names ${variable}, which decides what programs load: whatever is started with it is not what it seems`
          : `it names ${variable}: the hook reads no such variable, and drwn takes no place inside a project for its own`,
      ),
    );
  });
}

function checkEntries(root: string, drwnHome: string): Finding[] {
  return AGENT_SETTINGS.flatMap((name) => {
    const file = path.join(root, name);
    const places = [...readText(file).matchAll(HOOK_ENTRY)].map(([, place = ""]) => place.replaceAll("'", ""));
    return places
      .filter((place) => !place.startsWith(`${drwnHome}/`))
      .map(
        (place): Finding => ({
          code: "foreign-hook-entry",
          severity: "warning",
          subject: file,
          message: `a hook entry calls ${place}, which is not this machine's drwn: nobody here approved what it runs`,
          hint: `take the entry out of ${file}`,
        }),
      );
  });
}

function checkMarkers(root: string): Finding[] {
  const marker = path.join(root, ".drwn-project");
  if (fs.lstatSync(marker, { throwIfNoEntry: false }) === undefined) return [];
  return [ignored(marker, "the launcher knows its projects from the machine's own records")];
}

function ignored(subject: string, message: string): Finding {
  return { code: "repository-claim-ignored", severity: "warning", subject, message, hint: null };
}

function names(folder: string): string[] {
  try {
    return listFolder(folder);
  } catch {
    // No folder that could be looked into: whoever needs it says so.
    return [];
  }
}

function readText(file: string): string {
  try {
    return readBounded(file)?.toString("utf8") ?? "";
  } catch (error) {
    // Too large, or no plain file: whoever needs it says so.
    if (isProblem(error) || error instanceof Error) return "";
    throw error;
  }
}
