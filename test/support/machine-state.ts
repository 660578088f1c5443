import fs from "node:fs";
import path from "node:path";
import { layout } from "../../src/contract/layout.ts";
import { digestOf } from "../../src/kernel/digest.ts";
import { openProject } from "../../src/workspace/open-project.ts";
import type { TestHost } from "./host.ts";

export function ledgerFile(host: TestHost): string {
  return layout.ledger(host.drwnHome, openProjectKey(host));
}

export function openProjectKey(host: TestHost): string {
  return openProject(host).key;
}

/** Has the launcher start this Node, as a `write` that it ran would. */
export function recordNode({ drwnHome }: TestHost, node: string): void {
  const file = layout.launcher(drwnHome);
  fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace(/^node='.*'$/mu, `node='${node}'`));
}

/** The file in which Claude Code finds the user's own hooks. */
export function userSettings(host: TestHost): string {
  return path.join(host.home, ".claude", "settings.json");
}

interface HookGroup {
  matcher?: string;
  hooks: { command: string; timeout: number; onFailure?: string }[];
}

/** The hooks in a settings file of Claude Code, by their event. */
export function entriesOf(file: string): Record<string, HookGroup[]> {
  return fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, "utf8")).hooks ?? {}) : {};
}

/** Everything below the folder: kind, mode and content of each entry. Two equal ones mean that nothing was changed. */
export function snapshot(folder: string): Record<string, string> {
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
  const lines = entries.map((entry): [string, string] => {
    const file = path.join(entry.parentPath, entry.name);
    const stat = fs.lstatSync(file);
    const content = stat.isSymbolicLink() ? fs.readlinkSync(file) : stat.isFile() ? contentOf(file) : "folder";
    return [path.relative(folder, file), `${(stat.mode & 0o7777).toString(8)} ${content}`];
  });
  return Object.fromEntries(lines.sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** Of a large file, as of what V8 keeps of a program, that it is the same is all that anybody wants to read. */
function contentOf(file: string): string {
  const content = fs.readFileSync(file);
  return content.length > LARGE ? digestOf(content) : content.toString("hex");
}

const LARGE = 16 * 1024;

/** Home, state and project of the machine. */
export function machineOf(host: TestHost): string {
  return path.dirname(host.home);
}

export function editJson<T>(file: string, edit: (value: T) => void): void {
  const value = JSON.parse(fs.readFileSync(file, "utf8")) as T;
  edit(value);
  fs.writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
