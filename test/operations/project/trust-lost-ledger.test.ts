import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { expect, test } from "vitest";
import Trust from "../../../src/cli/commands/trust.ts";
import { sayIn } from "../../../src/kernel/advice.ts";
import { readStatus } from "../../../src/operations/diagnose/status.ts";
import { revokeConsent } from "../../../src/operations/project/untrust.ts";
import { hookCommand } from "../../../src/wiring/launcher.ts";
import { runCommand } from "../../support/cli.ts";
import type { TestHost } from "../../support/host.ts";
import { ledgerFile } from "../../support/machine-state.ts";
import { problemOf } from "../../support/problems.ts";
import { CARD, guardedProject, trust, write } from "../../support/projects.ts";

/** What Claude Code gets to hear about a call. */
function call({ drwnHome, home, cwd }: TestHost): string {
  const event = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" }, cwd };
  const command = hookCommand({ home: drwnHome, runtime: "claude-code", phase: "pre" });
  const env = { PATH: process.env["PATH"], HOME: home, CLAUDE_PROJECT_DIR: cwd };
  return spawnSync("/bin/sh", ["-c", command], { cwd, env, input: JSON.stringify(event), encoding: "utf8" }).stdout;
}

const LOST: [string, (file: string) => void][] = [
  ["gone", (file) => fs.rmSync(file)],
  ["empty", (file) => fs.writeFileSync(file, "")],
  ["overwritten", (file) => fs.writeFileSync(file, Buffer.alloc(512, 0xa5))],
  ["cut short", (file) => fs.truncateSync(file, 300)],
  ["of another version", (file) => fs.writeFileSync(file, '{"version":1}')],
];

test.each(LOST)(
  "where the ledger is %s, the command that the denial names consents anew and guards",
  async (_, lose) => {
    const host = await guardedProject();
    lose(ledgerFile(host));
    expect(call(host)).toContain("no tool call is let through; run `drwn trust`");
    expect(sayIn("project", readStatus(host).findings[0]?.hint ?? "")).toContain("drwn trust");
    expect(await runCommand(host, Trust, "--yes")).toMatchObject({ exitCode: 0 });
    expect(readStatus(host).guarding.ok).toBe(true);
    expect(call(host)).not.toContain("no tool call is let through");
  },
);

test.each(LOST)("where the ledger is %s, a consent without a write leaves every call blocked", async (_, lose) => {
  const host = await guardedProject();
  lose(ledgerFile(host));
  await trust(host);
  expect(call(host)).toContain("no tool call is let through; run `drwn write`");
  expect(readStatus(host).guarding.agents).toMatchObject([{ state: "blocked" }]);
  await write(host);
  expect(readStatus(host).guarding.ok).toBe(true);
});

test.each(LOST)("where the ledger is %s, a withdrawal opens only what `write` makes", async (_, lose) => {
  const host = await guardedProject();
  lose(ledgerFile(host));
  await revokeConsent(host, CARD);
  expect(call(host)).toContain("no tool call is let through; run `drwn write`");
  await write(host);
  expect(call(host)).toBe("");
});

test("a ledger that others could have changed is looked at before a consent replaces it", async () => {
  const host = await guardedProject();
  const file = ledgerFile(host);
  fs.chmodSync(file, 0o666);
  expect(call(host)).toContain("run `drwn doctor`");
  const before = fs.readFileSync(file);
  expect((await problemOf(() => trust(host))).hint).toContain("chmod go-w");
  expect(fs.readFileSync(file)).toEqual(before);
});
