import fs from "node:fs";
import path from "node:path";
import { listFolder } from "../../kernel/atomic.ts";
import type { Finding } from "../../kernel/finding.ts";
import { isProblem } from "../../kernel/problem.ts";
import { openJsonFile, valueAt } from "../../materialize/targets/json-file.ts";

/** Where the owner of a machine sets what its users cannot: one file, and a folder of more. */
const FOLDERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: "/Library/Application Support/ClaudeCode",
  linux: "/etc/claude-code",
};

export function managedFolder(platform: NodeJS.Platform = process.platform): string | undefined {
  return FOLDERS[platform];
}

/** What the machine's owner has decided that keeps Claude Code from running the hook of drwn. */
export function checkManagedSettings(folder: string | undefined): Finding[] {
  if (folder === undefined) return [];
  const more = path.join(folder, "managed-settings.d");
  const files = [path.join(folder, "managed-settings.json"), ...listJson(more)];
  return files.filter((file) => fs.existsSync(file)).flatMap(checkFile);
}

function listJson(folder: string): string[] {
  return listFolder(folder)
    .filter((name) => name.endsWith(".json") && !name.startsWith("."))
    .sort()
    .map((name) => path.join(folder, name));
}

const SWITCHES = [
  ["disableAllHooks", "`disableAllHooks` keeps Claude Code from running any hook"],
  ["allowManagedHooksOnly", "`allowManagedHooksOnly` keeps Claude Code from running hooks of users and projects"],
] as const;

function checkFile(file: string): Finding[] {
  const about = {
    subject: file,
    hint: "ask whoever manages this machine to allow it, or to put the entry of drwn there",
  };
  try {
    const { text } = openJsonFile({ root: path.dirname(file), file });
    return SWITCHES.filter(([name]) => valueAt(text, [name]) === true).map(([, why]) => ({
      ...about,
      code: "hooks-managed",
      severity: "error",
      message: `the settings that manage this machine: ${why}`,
    }));
  } catch (error) {
    if (!isProblem(error)) throw error;
    return [{ ...about, code: "settings-unreadable", severity: "warning", message: error.message }];
  }
}
