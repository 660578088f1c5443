import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { diagnoseProject } from "../../src/operations/diagnose/diagnose.ts";
import { readStatus } from "../../src/operations/diagnose/status.ts";
import { writeProject } from "../../src/operations/project/write.ts";
import type { AgentId } from "../../src/policy/event.ts";
import type { TestHost } from "../support/host.ts";
import { guardedProject } from "../support/projects.ts";

/** The file of each agent that an agent can edit in its own session. */
const FILES: readonly [runtime: AgentId, file: string][] = [
  ["claude-code", ".claude/settings.json"],
  ["codex", ".codex/hooks.json"],
  ["copilot-cli", ".copilot/hooks/drwn.json"],
  ["gemini-cli", ".gemini/settings.json"],
  ["qwen-code", ".qwen/settings.json"],
  ["opencode", ".config/opencode/plugins/drwn.js"],
  ["kilo", ".config/kilo/plugins/drwn.js"],
  ["pi", ".pi/agent/extensions/drwn.js"],
];

const EDITS: Readonly<Record<string, (file: string) => void>> = {
  "was removed": (file) => fs.rmSync(file),
  "was emptied": (file) => fs.writeFileSync(file, file.endsWith(".js") ? "" : "{}"),
  "is a folder": (file) => {
    fs.rmSync(file);
    fs.mkdirSync(file);
  },
};

/** But that nobody has told Codex to trust the hook. */
function found(host: TestHost) {
  return readStatus(host).findings.filter(({ code }) => code !== "codex-hook-untrusted");
}

async function guardedIn(runtime: AgentId): Promise<TestHost> {
  const host = await guardedProject();
  await writeProject(host, { wiring: undefined, runtimes: [runtime] });
  return host;
}

test.each(FILES)("status names the file by which %s asks the guard, when it is edited", async (runtime, name) => {
  const host = await guardedIn(runtime);
  const file = path.join(host.home, name);
  const before = fs.readFileSync(file);
  for (const [what, edit] of Object.entries(EDITS)) {
    expect([what, found(host)]).toEqual([what, []]);
    edit(file);
    expect([what, found(host)]).toEqual([what, [expect.objectContaining({ code: "not-written", severity: "error" })]]);
    if (what === "was removed") expect((await diagnoseProject(host)).ok).toBe(false);
    fs.rmSync(file, { recursive: true, force: true });
    fs.writeFileSync(file, before, { mode: 0o600 });
  }
});

test.each(FILES)("a folder of %s that everybody may write to may lose the entry", async (runtime, name) => {
  const host = await guardedIn(runtime);
  fs.chmodSync(path.dirname(path.join(host.home, name)), 0o777);
  expect(found(host)).toEqual([expect.objectContaining({ code: "home-open" })]);
});

test.each(FILES)("a file of %s that nobody may write to asks the guard all the same", async (runtime, name) => {
  const host = await guardedIn(runtime);
  fs.chmodSync(path.join(host.home, name), 0o400);
  expect(found(host)).toEqual([]);
  fs.chmodSync(path.join(host.home, name), 0o666);
  const code = name.endsWith(".js") ? "not-written" : "home-open";
  expect(found(host)).toEqual([expect.objectContaining({ code })]);
});
