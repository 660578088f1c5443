import fs from "node:fs";
import path from "node:path";
import { layout } from "../../src/contract/layout.ts";
import { digestOf } from "../../src/kernel/digest.ts";
import { openProject } from "../../src/project/open/open-project.ts";
import type { TestHost } from "./host.ts";

export function ledgerFile(host: TestHost): string {
  return layout.ledger(host.drwnHome, openProjectKey(host));
}

export function openProjectKey(host: TestHost): string {
  return openProject(host).key;
}

/** Makes the launcher start this Node, as a `write` under it would. */
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
  hooks: { command: string; args?: string[]; timeout: number; onFailure?: string }[];
}

/** The hooks in a settings file of Claude Code, by event. */
export function entriesOf(file: string): Record<string, HookGroup[]> {
  return fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, "utf8")).hooks ?? {}) : {};
}

/** Everything below the folder: kind, mode and content of each entry. Two equal snapshots mean that nothing changed. */
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

/** For a large file, such as V8's cached code of a program, only a digest: nobody wants to read more. */
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
