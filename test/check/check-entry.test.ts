import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
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

test.each(FILES)("status names %s's file when it is edited, or may be by anybody", async (runtime, name) => {
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
  // Nobody may write to it, and it asks the guard all the same.
  fs.chmodSync(file, 0o400);
  expect(found(host)).toEqual([]);
  fs.chmodSync(file, 0o666);
  expect(found(host)).toEqual([expect.objectContaining({ code: name.endsWith(".js") ? "not-written" : "home-open" })]);
  fs.chmodSync(file, 0o600);
  fs.chmodSync(path.dirname(file), 0o777);
  expect(found(host)).toEqual([expect.objectContaining({ code: "home-open" })]);
});

/** The agent's settings as tools for dotfiles keep them: a link to a file of another folder. */
async function linked(): Promise<{ host: TestHost; link: string; target: string }> {
  const host = await guardedIn("claude-code");
  const link = path.join(host.home, ".claude/settings.json");
  const target = path.join(host.home, "dotfiles/claude/settings.json");
  fs.mkdirSync(path.dirname(target), { recursive: true });
  fs.renameSync(link, target);
  fs.symlinkSync(target, link);
  expect(found(host)).toEqual([]);
  return { host, link, target };
}

test("an entry that was taken out of the file behind a link is missed", async () => {
  const { host, target } = await linked();
  fs.writeFileSync(target, "{}");
  expect(found(host)).toEqual([expect.objectContaining({ code: "not-written", severity: "error" })]);
});

test.each<[string, number, (at: { link: string; target: string }) => string]>([
  ["the file behind a link", 0o666, ({ target }) => target],
  ["the folder of the file behind a link", 0o777, ({ target }) => path.dirname(target)],
  ["a folder above the file behind a link", 0o777, ({ target }) => path.dirname(path.dirname(target))],
  ["the folder of a link", 0o777, ({ link }) => path.dirname(link)],
  ["the folder of a link, even if nobody can remove it there", 0o1777, ({ link }) => path.dirname(link)],
])("an entry isn't safe when everybody may write to %s, until its hint is followed", async (_, mode, placeOf) => {
  const parts = await linked();
  const place = placeOf(parts);
  fs.chmodSync(place, mode);
  const [one, ...others] = found(parts.host);
  expect([one?.code, others]).toEqual(["home-open", []]);
  spawnSync("/bin/sh", ["-c", /chmod .*$/u.exec(String(one?.hint))?.[0] ?? "false"]);
  expect(found(parts.host)).toEqual([]);
});

test("a folder above the entry may be everybody's if nobody can take others' files out of it", async () => {
  const { host, target } = await linked();
  fs.chmodSync(path.dirname(path.dirname(target)), 0o1777);
  expect(found(host)).toEqual([]);
});

test("files of the user's own group are safe in a shell that has another group", async () => {
  const host = await guardedIn("claude-code");
  fs.chmodSync(path.join(host.home, ".claude"), 0o775);
  const spy = vi.spyOn(process, "getgid").mockReturnValue(54_321);
  onTestFinished(() => spy.mockRestore());
  expect(found(host)).toEqual([]);
});
