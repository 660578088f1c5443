import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { checkLive } from "../../src/operations/check-live.ts";
import { temporaryFolder } from "../support/cards.ts";
import { testHost } from "../support/host.ts";
import { machineOf, snapshot } from "./world.ts";

/** A machine whose agents are all this shell script. */
function hostWith(script: string | null) {
  const folder = temporaryFolder();
  for (const agent of script === null ? [] : ["claude", "codex"]) {
    const only = `case "$1" in -p|exec) ;; *) exit 0;; esac`;
    fs.writeFileSync(path.join(folder, agent), `#!/bin/sh\n${only}\n${script}\n`, { mode: 0o755 });
  }
  return testHost({ env: { PATH: `${folder}:/usr/bin:/bin` } });
}

test.each([
  ["makes a call that was denied", "touch denied-by-drwn.txt allowed-by-drwn.txt", "not-stopped", "deny-not-heeded"],
  ["makes no call at all", "echo 'no such model' >&2; exit 1", "not-told", "live-not-told"],
  ["is not there", null, "not-installed", "live-not-told"],
  ["makes the one call and not the other", "touch allowed-by-drwn.txt", "stopped", undefined],
] as const)(
  "of an agent that %s, doctor says so, and nothing of the user's is touched",
  async (_, script, outcome, code) => {
    const host = hostWith(script);
    const before = snapshot(machineOf(host));
    const { live, findings } = await checkLive(host);
    const agents = ["claude-code", "codex"];
    expect(live).toMatchObject(agents.map((runtime) => ({ runtime, outcome })));
    expect(findings.map((finding) => finding.code)).toEqual(code === undefined ? [] : agents.map(() => code));
    expect(snapshot(machineOf(host))).toEqual(before);
  },
);

test("the agent is started in a home of its own, without the user's variables, and with the guard in its settings", async () => {
  const out = path.join(temporaryFolder(), "seen.txt");
  const host = hostWith(`{ env; cat "$HOME/.claude/settings.json" "$HOME/.codex/hooks.json"; } >> '${out}' 2>&1`);
  await checkLive({ ...host, env: { ...host.env, ANTHROPIC_AUTH_TOKEN: "secret", HTTPS_PROXY: "http://proxy" } });
  const seen = fs.readFileSync(out, "utf8");
  expect(seen).not.toMatch(/secret|proxy/u);
  expect(seen).not.toContain(host.home);
  expect(seen.split("drwn_hook=").length).toBeGreaterThan(2);
  expect(seen).toMatch(/ANTHROPIC_BASE_URL=http:\/\/127\.0\.0\.1:/u);
});
