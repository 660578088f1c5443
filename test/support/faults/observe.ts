import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { hookCommand } from "../../../src/wiring/launcher.ts";
import { eventOf, verdictOf } from "../hook-calls.ts";
import type { TestHost } from "../host.ts";
import { machineOf, snapshot } from "../machine-state.ts";

/** Path to content. */
export type Seen = Readonly<Record<string, string>>;

/**
 * What the hook notes about calls and drwn about consents; and the file by which others find a waiting hook process
 * while it waits.
 */
const NOTES = /(?:\.jsonl|\/denied)$/u;
const TEMPORARY = /\.drwn-tmp-/u;
/**
 * The files that a user, an agent or the hook relies on. Everything else is a copy, a note, or named by one of these.
 */
const OBSERVED = [
  /^project\/(?!.*\/$)/u,
  /^home\/\.claude\//u,
  /^home\/\.agents\/drwn\/(?:ledger|roots)\//u,
  /^home\/\.agents\/drwn\/registry\/cards\/(?!.*versions\.json$)/u,
];

/** The files that a user, an agent or the hook relies on. */
export function observe(host: TestHost): Seen {
  const entries = Object.entries(everything(host)).filter(([file, content]) => {
    return !content.endsWith(" folder") && !TEMPORARY.test(file) && OBSERVED.some((place) => place.test(file));
  });
  return Object.fromEntries(entries);
}

/** Kind, mode and content of everything, except the notes, which also record attempts, and the ledger's count. */
export function everything(host: TestHost): Seen {
  const root = machineOf(host);
  const entries = Object.entries(snapshot(root)).filter(([file]) => !NOTES.test(file));
  return Object.fromEntries(entries.map(([file, content]) => [file, withoutSequence(root, file, content)]));
}

function withoutSequence(root: string, file: string, content: string): string {
  if (!/\/ledger\/[0-9a-f]+\.json$/u.test(file)) return content;
  return fs.readFileSync(path.join(root, file), "utf8").replace(/"sequence": \d+/u, '"sequence": 0');
}

/** The answer for an agent that is about to use the guarded tool; an agent without an entry doesn't ask. */
export function askHook({ home, drwnHome, cwd }: TestHost): string {
  const settings = path.join(home, ".claude", "settings.json");
  if (!fs.readFileSync(settings, "utf8").includes("/bin/hook")) return "not asked";
  const command = hookCommand({ home: drwnHome, runtime: "claude-code", phase: "pre" });
  const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", command], {
    cwd,
    env: { PATH: process.env["PATH"], HOME: home, CLAUDE_PROJECT_DIR: cwd },
    input: JSON.stringify(eventOf("pre", cwd)),
    encoding: "utf8",
    timeout: 60_000,
  });
  return verdictOf({ status, stdout, stderr, said: stdout === "" ? undefined : JSON.parse(stdout) });
}

/** The names of the files in which the two differ. */
export function differences(one: Seen, other: Seen): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((file) => one[file] !== other[file]).sort();
}
