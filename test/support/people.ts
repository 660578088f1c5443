import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished } from "vitest";
import { splitWords } from "../docs/shell-words.ts";
import { openTerminal, type Terminal } from "../e2e/terminal.ts";
import { temporaryFolder, writeTree } from "./cards.ts";
import { runHere } from "./here.ts";

const BIN = path.resolve(import.meta.dirname, "../../bin/drwn.js");

export interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Somebody who uses Claude Code, with a machine and an empty folder of their own, and drwn on their PATH. */
export interface TestPerson {
  home: string;
  project: string;
  env: Readonly<Record<string, string>>;
  /** Runs a line as it is typed into a shell, without its `drwn`. */
  drwn: (line: string, cwd?: string) => Ran;
  /** The same without a process of its own. */
  here: (line: string) => Promise<Ran>;
  /** Runs any line, as pasted from a hint. */
  sh: (line: string) => Ran;
  /** The same as `drwn` at a terminal. */
  open: (line: string) => Terminal;
}

export function newPerson(base = fs.realpathSync(temporaryFolder())): TestPerson {
  const [home, project, programs] = ["home", "project", "programs"].map((name) => path.join(base, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [project, path.join(home, ".claude")]) fs.mkdirSync(folder, { recursive: true });
  writeTree(programs, { drwn: `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n` });
  fs.chmodSync(path.join(programs, "drwn"), 0o755);
  // The machine's pager would wait for keys.
  const env = { HOME: home, PAGER: "cat", PATH: `${programs}:${process.env["PATH"]}` };
  const run = (line: string, cwd: string): Ran => spawnSync("sh", ["-c", line], { cwd, env, encoding: "utf8" });
  const open: TestPerson["open"] = (line) => {
    const terminal = openTerminal({ program: "sh", args: ["-c", `exec drwn ${line}`], cwd: project, env });
    onTestFinished(() => terminal.leave());
    return terminal;
  };
  return {
    home,
    project,
    env,
    drwn: (line, cwd = project) => run(`drwn ${line}`, cwd),
    here: async (line) => {
      const done = await runHere({ cwd: project, home, env }, splitWords(line));
      return done === undefined ? run(`drwn ${line}`, project) : { ...done, status: done.exitCode };
    },
    sh: (line) => run(line, project),
    open,
  };
}

/**
 * What publishing leaves in an empty home, by card and version: it takes three commands, and many tests begin with it.
 */
const published = new Map<string, string>();

/** Publishes a guard that denies Bash, from a source of this person's, to the registry of its scope. */
export function publishGuard(person: TestPerson, { card = "@me/one", version = "1.0.0" } = {}): void {
  const state = path.join(person.home, ".agents");
  if (fs.existsSync(state)) {
    publishAnew(person, { card, version });
    return;
  }
  const kept = published.get(`${card}@${version}`);
  if (kept !== undefined) {
    fs.cpSync(kept, state, { recursive: true });
    return;
  }
  publishAnew(person, { card, version });
  const copy = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "drwn-published-")), ".agents");
  fs.cpSync(state, copy, { recursive: true });
  published.set(`${card}@${version}`, copy);
}

function publishAnew(person: TestPerson, { card, version }: { card: string; version: string }): void {
  const { drwn, home } = person;
  const folder = path.join(home, ".agents/drwn/sources", card);
  if (!fs.existsSync(folder)) {
    for (const line of [`card new ${card}`, `card source add-hook ${card} guard`]) succeed(drwn(line));
  }
  const policy = [
    'import { defineToolPolicy } from "darwinian-minds/hook-policy";',
    'export default defineToolPolicy({ policyKind: "enforcement", matcher: "Bash",',
    `  beforeToolCall: () => ({ action: "deny", reason: "not in ${version}" }) });`,
    "",
  ];
  fs.writeFileSync(path.join(folder, "hooks/guard/policy.ts"), policy.join("\n"));
  const manifest = path.join(folder, "card.json");
  const { version: _, ...others } = JSON.parse(fs.readFileSync(manifest, "utf8")) as Record<string, unknown>;
  fs.writeFileSync(manifest, JSON.stringify({ ...others, version }));
  succeed(drwn(`card publish ${card}`));
}

export function succeed({ status, stdout, stderr }: Ran): string {
  expect(status, stdout + stderr).toBe(0);
  return stdout;
}
