import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { realHost } from "../../src/kernel/host.ts";
import { checkLive } from "../../src/operations/diagnose/check-live.ts";
import type { Runtime } from "../../src/policy/event.ts";
import { missing, type OtherClient } from "./other-clients.ts";
import { World } from "./world.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

/** What doctor says and finds about this agent, on a machine where only Node and this program are installed. */
async function tryLive(runtime: Runtime, name: string, program: string) {
  const programs = path.join(world.folder, "programs");
  fs.mkdirSync(programs);
  fs.symlinkSync(program, path.join(programs, name));
  fs.symlinkSync(process.execPath, path.join(programs, "node"));
  const env = { PATH: `${programs}:/usr/bin:/bin`, HOME: world.home };
  const { live, findings } = await checkLive({ ...realHost(), env });
  return { outcome: live.find((one) => one.runtime === runtime)?.outcome, findings };
}

const STOPPED = { outcome: "stopped", findings: [] };

test.each([
  ["claude-code", "claude"],
  ["codex", "codex"],
] as const)("doctor --live finds that a deny stops a call of the real %s", async (runtime, name) => {
  expect(await tryLive(runtime, name, inject(name))).toEqual(STOPPED);
});

test("doctor --live finds that nothing stops a call of a Claude Code that runs no hooks", async () => {
  const wrapper = world.write(
    "claude",
    `#!/bin/sh\nexec '${inject("claude")}' "$@" --settings '{"disableAllHooks":true}'\n`,
  );
  fs.chmodSync(wrapper, 0o755);
  const { outcome, findings } = await tryLive("claude-code", "claude", wrapper);
  expect([outcome, findings.map(({ code }) => code)]).toEqual(["not-stopped", ["deny-not-heeded"]]);
});

const OTHERS: readonly (readonly [Runtime, OtherClient])[] = [
  ["gemini-cli", "gemini"],
  ["copilot-cli", "copilot"],
  ["opencode", "opencode"],
];

test.for(OTHERS)("doctor --live finds that a deny stops a call of the real %s", async ([runtime, name], { skip }) => {
  const program = inject("others")[name];
  if (program === undefined) return skip(missing(name));
  expect(await tryLive(runtime, name, program)).toEqual(STOPPED);
});
