import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { checkLive } from "../../src/operations/diagnose/check-live.ts";
import type { Runtime } from "../../src/policy/event.ts";
import { temporaryFolder } from "../support/cards.ts";
import { testHost } from "../support/host.ts";
import { machineOf, snapshot } from "../support/machine-state.ts";

/** The agents that can be run, by the name of their program. */
const PROGRAMS: Readonly<Record<string, Runtime>> = {
  claude: "claude-code",
  codex: "codex",
  copilot: "copilot-cli",
  gemini: "gemini-cli",
  opencode: "opencode",
};
const AGENTS = Object.values(PROGRAMS);

/** A machine on which each of these programs, or all of them, is this shell script. */
function hostWith(script: string, programs = Object.keys(PROGRAMS)) {
  const folder = temporaryFolder();
  for (const program of programs) {
    const only = `case "$1" in -p|exec|run) ;; *) exit 0;; esac`;
    fs.writeFileSync(path.join(folder, program), `#!/bin/sh\n${only}\n${script}\n`, { mode: 0o755 });
  }
  return testHost({ env: { PATH: `${folder}:/usr/bin:/bin` } });
}

test.each([
  ["makes a call that was denied", "touch denied-by-drwn.txt allowed-by-drwn.txt", "not-stopped", "deny-not-heeded"],
  ["makes no call at all", "echo 'no such model' >&2; exit 1", "not-told", "live-not-told"],
  ["makes the one call and not the other", "touch allowed-by-drwn.txt", "stopped", undefined],
] as const)(
  "of an agent that %s, doctor says so, and nothing of the user's is touched",
  async (_, script, outcome, code) => {
    const host = hostWith(script);
    const before = snapshot(machineOf(host));
    const { live, findings } = await checkLive(host);
    const tried = live.filter(({ runtime }) => AGENTS.includes(runtime));
    expect(tried).toMatchObject(AGENTS.map((runtime) => ({ runtime, outcome })));
    expect(findings.map((finding) => finding.code)).toEqual(code === undefined ? [] : AGENTS.map(() => code));
    expect(snapshot(machineOf(host))).toEqual(before);
  },
);

test("an agent that is not there, or cannot be run offline, is skipped with the reason, and that is no finding", async () => {
  const { live, findings } = await checkLive(hostWith("touch allowed-by-drwn.txt", ["gemini"]));
  const told = Object.fromEntries(live.map(({ runtime, outcome }) => [runtime, outcome]));
  const absent = AGENTS.filter((runtime) => runtime !== "gemini-cli");
  const unable = ["arawn", "astrid", "cursor", "mastra", "polytoken"];
  expect(findings).toEqual([]);
  expect(told).toEqual({
    "gemini-cli": "stopped",
    ...Object.fromEntries(absent.map((runtime) => [runtime, "not-installed"])),
    ...Object.fromEntries(unable.map((runtime) => [runtime, "cannot-run"])),
  });
  expect(live.find(({ runtime }) => runtime === "cursor")?.ran).toContain("service");
});

test("the agent is started in a home of its own, without the user's variables, and with the guard in its settings", async () => {
  const out = path.join(temporaryFolder(), "seen.txt");
  const settings = [".claude/settings.json", ".codex/hooks.json", ".copilot/hooks/drwn.json", ".gemini/settings.json"];
  const files = [...settings, ".config/opencode/plugins/drwn.js"].map((file) => `"$HOME/${file}"`).join(" ");
  const host = hostWith(`{ env; cat ${files}; } >> '${out}' 2>/dev/null`);
  await checkLive({ ...host, env: { ...host.env, ANTHROPIC_AUTH_TOKEN: "secret", HTTPS_PROXY: "http://proxy" } });
  const seen = fs.readFileSync(out, "utf8");
  expect(seen).not.toMatch(/secret|proxy/u);
  expect(seen).not.toContain(host.home);
  expect(seen.split("drwn_hook=").length).toBeGreaterThan(AGENTS.length);
  for (const variable of ["ANTHROPIC_BASE_URL", "COPILOT_PROVIDER_BASE_URL", "GOOGLE_GEMINI_BASE_URL"]) {
    expect(seen).toContain(`${variable}=http://127.0.0.1:`);
  }
});
