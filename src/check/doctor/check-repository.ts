import fs from "node:fs";
import path from "node:path";
import { allTargets } from "../../agents/targets.ts";
import { layout } from "../../contract/layout.ts";
import { listFolder, TEMPORARY } from "../../kernel/files.ts";
import { readBounded } from "../../kernel/format/read.ts";
import { type Finding, isProblem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { projectFiles } from "../../project/identity.ts";
import { homesNamedIn } from "../../wiring/launcher.ts";

/** drwn's own files that a project may hold. Somebody put any other there so that it passes for one. */
const ownFiles = (): Set<string> =>
  new Set([
    "config.json",
    "card.lock",
    "trust.json",
    "vendor",
    ...allTargets().flatMap(({ projectFiles: files = [] }) => files),
  ]);
/** Files from which tools load variables into a shell or a process. */
const ENVIRONMENT_FILE = /^\.(?:env(?:\..+)?|envrc)$/u;
/** Settings of agents that a repository can carry, and that can hold variables. */
const AGENT_SETTINGS = [
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".cursor/hooks.json",
  ".github/copilot/settings.json",
  ".codex/config.toml",
  ".gemini/settings.json",
  ".pi/settings.json",
  ".qwen/settings.json",
  ".vscode/settings.json",
  ".devcontainer/devcontainer.json",
];
/** Variables that would move drwn's state, or make Node run something. `check-variables.ts` has those that reach hooks. */
const STEERING = /\b(?:DRWN_[A-Z_]+|NODE_OPTIONS|NODE_PATH|LD_PRELOAD|DYLD_INSERT_LIBRARIES)\b/gu;

/**
 * What a repository claims and drwn ignores: variables that would steer drwn, state that the repository brings along,
 * and hook entries that call another drwn than this machine's. None of it changes what may run; a person should know
 * that somebody tried.
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
        "drwn doesn't keep this in a project: consents, keys and state are on the machine",
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
          ? `it names ${variable}, which decides what programs load: a program that starts with it may not be what it seems`
          : `it names ${variable}: the hook doesn't read it, and drwn never keeps its own files inside a project`,
      ),
    );
  });
}

function checkEntries(root: string, drwnHome: string): Finding[] {
  return AGENT_SETTINGS.flatMap((name) => {
    const file = path.join(root, name);
    return homesNamedIn(readText(file))
      .filter((home) => home !== drwnHome)
      .map(
        (home): Finding => ({
          code: "foreign-hook-entry",
          severity: "warning",
          subject: file,
          message: `a hook entry calls ${clean(layout.launcher(home), 300)}, which is not this machine's drwn: nobody here approved what it runs`,
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
    // drwn can't list this folder: the code that needs it reports that.
    return [];
  }
}

function readText(file: string): string {
  try {
    return readBounded(file)?.toString("utf8") ?? "";
  } catch (error) {
    // Too large, or not a regular file: the code that needs it reports that.
    if (isProblem(error) || error instanceof Error) return "";
    throw error;
  }
}
