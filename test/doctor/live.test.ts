import fs from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import Doctor from "../../src/cli/commands/doctor.ts";
import { temporaryFolder } from "../support/cards.ts";
import { runCommand } from "../support/cli.ts";
import { newProject, write } from "../support/projects.ts";

/** A machine on which Gemini CLI is this shell script, and no other agent is there. */
function hostWith(script: string) {
  const folder = temporaryFolder();
  const isTurn = `case "$1" in -p) ;; *) exit 0;; esac`;
  fs.writeFileSync(path.join(folder, "gemini"), `#!/bin/sh\n${isTurn}\n${script}\n`, { mode: 0o755 });
  vi.stubEnv("PATH", `${folder}:/usr/bin:/bin`);
  return newProject();
}

test.each([
  ["makes a call that was denied", 3, "touch denied-by-drwn.txt", "deny-not-heeded"],
  ["makes no call at all", 0, "exit 1", "live-not-told"],
])("`drwn doctor --live` for an agent that %s ends with %s", async (_, status, script, said) => {
  const host = hostWith(script);
  await write(host);
  const { exitCode, stdout } = await runCommand(host, Doctor, "--live");
  expect([exitCode, stdout]).toEqual([status, expect.stringContaining(said)]);
});
