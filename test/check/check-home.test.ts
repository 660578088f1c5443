import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import Doctor from "../../src/cli/commands/doctor.ts";
import Status from "../../src/cli/commands/status.ts";
import Write from "../../src/cli/commands/write.ts";
import { layout } from "../../src/contract/layout.ts";
import { runCommand } from "../support/cli.ts";
import type { TestHost } from "../support/host.ts";
import { recordNode } from "../support/machine-state.ts";
import { guardedProject } from "../support/projects.ts";
import { whyNoMachine } from "../support/system-machine.ts";

const DRWN = path.resolve(import.meta.dirname, "../../bin/drwn.js");
const isRoot = process.getuid?.() === 0;
const OTHER = 12_345;

const launcherOf = ({ drwnHome }: TestHost) => layout.launcher(drwnHome);
const programOf = ({ drwnHome }: TestHost) => layout.hookProgram(drwnHome, "hook-calls.cjs");
const binOf = (host: TestHost) => path.dirname(launcherOf(host));
const give = (file: string) => fs.chownSync(file, OTHER, OTHER);

async function firstLine(host: TestHost, command: typeof Status | typeof Doctor, ...args: string[]): Promise<string> {
  return (await runCommand(host, command, ...args)).stdout.split("\n")[0] ?? "";
}

interface Row {
  file: (host: TestHost) => string;
  spoil: (file: string) => void;
  says: RegExp;
}

const OPEN: Record<string, Row> = {
  "a launcher that others can change": {
    file: launcherOf,
    spoil: (file) => fs.chmodSync(file, 0o777),
    says: /^NOT GUARDED in Claude Code: \S+\/bin\/hook can be changed by other users, .*drwn write$/u,
  },
  "a link in the place of the launcher": {
    file: launcherOf,
    spoil: (file) => {
      const elsewhere = path.join(path.dirname(file), "../hook-elsewhere");
      fs.renameSync(file, elsewhere);
      fs.symlinkSync(elsewhere, file);
    },
    says: /^NOT GUARDED in Claude Code: \S+\/bin\/hook leads to what may be another user's, .*drwn write$/u,
  },
};

const OTHERS: Record<string, Row> = {
  "a launcher of another user": {
    file: launcherOf,
    spoil: give,
    says: /^NOT GUARDED in Claude Code: \S+\/bin\/hook belongs to another user \(12345\), .*drwn write$/u,
  },
  "a hook program of another user": {
    file: programOf,
    spoil: give,
    says: /^NOT GUARDED in Claude Code: \S+\/hook-calls\.cjs belongs to another user \(12345\), .*drwn write$/u,
  },
};

async function expectReplaced({ file, spoil, says }: Row): Promise<void> {
  const host = await guardedProject();
  spoil(file(host));
  expect(await firstLine(host, Status)).toMatch(says);
  expect(await firstLine(host, Doctor)).toMatch(says);
  await runCommand(host, Write);
  expect(await firstLine(host, Status)).toMatch(/^Guarded: Claude Code/u);
  expect(fs.statSync(file(host)).uid).toBe(process.getuid?.());
}

test.each(Object.entries(OPEN))("of %s status and doctor say NOT GUARDED, and `write` replaces it", async (_, row) => {
  await expectReplaced(row);
});

test.skipIf(!isRoot).each(Object.entries(OTHERS))(
  "of %s status and doctor say NOT GUARDED, and `write` replaces it",
  async (_, row) => {
    await expectReplaced(row);
  },
);

test.skipIf(!isRoot)(
  "a folder of another user stays NOT GUARDED after `write`, which says how to take it",
  async () => {
    const host = await guardedProject();
    give(binOf(host));
    expect((await runCommand(host, Write)).stdout).toMatch(
      /^NOT GUARDED in Claude Code: \S+\/bin belongs to another user \(12345\), .*sudo chown -h 0 \S+\/bin && sudo chmod go-w \S+\/bin$/mu,
    );
  },
);

test.skipIf(!isRoot)("the Node that a launcher of another user names isn't started", async () => {
  const host = await guardedProject();
  const ran = path.join(host.home, "ran");
  const node = path.join(host.home, "node");
  fs.writeFileSync(node, `#!/bin/sh\ntouch '${ran}'\n`, { mode: 0o755 });
  recordNode(host, node);
  give(launcherOf(host));
  await runCommand(host, Doctor);
  expect(fs.existsSync(ran)).toBe(false);
});

test.each([
  ["000", 0o000],
  ["644", 0o644],
])("a launcher with the mode %s can't be executed, which `write` corrects", async (_, mode) => {
  const host = await guardedProject();
  fs.chmodSync(launcherOf(host), mode);
  // Whoever isn't root can't even read the first.
  const why = mode === 0 && !isRoot ? "can't be read" : "in place of 755, so it can't be executed";
  const line = await firstLine(host, Status);
  expect(line).toMatch(/^Every tool call is blocked in Claude Code: /u);
  expect(line).toContain(why);
  if (why === "can't be read") fs.chmodSync(launcherOf(host), 0o600);
  await runCommand(host, Write);
  expect(await firstLine(host, Status)).toMatch(/^Guarded: Claude Code/u);
});

test.skipIf(whyNoMachine() !== undefined)("a home on a file system without programs blocks every call", async () => {
  const host = await guardedProject();
  const mount = `mount --bind "$0" "$0" && mount -o remount,bind,noexec "$0" && exec "$@"`;
  const inside = (...words: string[]) => {
    const env = { PATH: process.env["PATH"], HOME: host.home, DRWN_HOME: host.drwnHome };
    return spawnSync("unshare", ["-m", "sh", "-c", mount, host.drwnHome, ...words], {
      cwd: host.cwd,
      env,
      encoding: "utf8",
    });
  };
  expect(inside(launcherOf(host), "claude-code", "pre").status).toBe(126);
  for (const words of [["status", "--check"], ["write", "--check"], ["doctor"]]) {
    const { stdout, status } = inside(process.execPath, DRWN, ...words);
    expect(stdout).toMatch(/^Every tool call is blocked in Claude Code: .* \(noexec\).*DRWN_HOME/mu);
    expect(status).not.toBe(0);
  }
});
