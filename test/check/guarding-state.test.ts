import fs from "node:fs";
import path from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { CODE_START, codeCacheOf } from "../../src/contract/code-cache.ts";
import { layout } from "../../src/contract/layout.ts";
import { drwn } from "../../src/kernel/advice.ts";
import { removeTree } from "../../src/kernel/files.ts";
import { diagnoseProject } from "../../src/operations/diagnose/diagnose.ts";
import { readStatus } from "../../src/operations/diagnose/status.ts";
import { addCards } from "../../src/operations/project/add.ts";
import { adoptFormerProject } from "../../src/operations/project/adopt.ts";
import { isOtherNode, previewWrite, writeProject } from "../../src/operations/project/write.ts";
import { projectFiles } from "../../src/project/identity.ts";
import type { TestHost } from "../support/host.ts";
import { editJson, ledgerFile, machineOf, recordNode, userSettings } from "../support/machine-state.ts";
import { anotherProject, CARD, GUARD, guardedProject, installed, trust } from "../support/projects.ts";

/** What may replace the hook's answer, or be a reason of its user's: nobody can tell. */
const RIDDLES: Record<string, { because: RegExp; spoil: (host: TestHost) => TestHost }> = {
  "a library that the system loads into every hook": {
    because: /LD_PRELOAD makes code of \/x\.so run in every hook/u,
    spoil: (host) => ({ ...host, env: { ...host.env, LD_PRELOAD: "/x.so" } }),
  },
  "the same in the user's settings": {
    because: /LD_AUDIT makes code of \/x\.so run in every hook/u,
    spoil: (host) => {
      editJson<object>(userSettings(host), (found) => Object.assign(found, { env: { LD_AUDIT: "/x.so" } }));
      return host;
    },
  },
};

/** Another bit in both copies of a program's cached code: the hook takes it. */
function forgeCode(program: string): void {
  const file = codeCacheOf(program, "long-running");
  const bytes = fs.readFileSync(file);
  const length = (bytes.length - fs.statSync(program).size - CODE_START) / 2;
  for (const at of [CODE_START + 5000, CODE_START + length + 5000]) bytes[at] = (bytes[at] ?? 0) ^ 4;
  fs.writeFileSync(file, bytes);
}

test("of code that V8 didn't make of the hook process doctor says that nobody knows", async () => {
  const host = await guardedProject();
  forgeCode(layout.hook(host.drwnHome));
  const { ok, guarding } = await diagnoseProject(host);
  expect([ok, guarding?.ok]).toEqual([false, false]);
  expect(guarding?.agents).toMatchObject([
    { state: "unknown", because: { message: expect.stringContaining("isn't what V8 makes of it") } },
  ]);
});

let riddled: TestHost;
beforeAll(async () => {
  riddled = await guardedProject();
});

test.each(Object.entries(RIDDLES))("of %s status says that nobody knows, and never Guarded", (_, riddle) => {
  const settings = fs.readFileSync(userSettings(riddled));
  onTestFinished(() => {
    fs.writeFileSync(userSettings(riddled), settings);
    fs.rmSync(path.join(path.dirname(userSettings(riddled)), "skills"), { recursive: true, force: true });
  });
  const there = riddle.spoil(riddled);
  expect(readStatus(there).guarding.agents).toMatchObject([
    { state: "unknown", because: { message: expect.stringMatching(riddle.because) } },
  ]);
});

/** What changes nothing: the guard stands, and status says so. */
const HARMLESS: Record<string, (host: TestHost) => TestHost | Promise<TestHost>> = {
  "another Node runs drwn": (host) => withTwoNodes(host),
  "an update of the agent wrote its settings in another order and with fields of its own": (host) => {
    const { hooks, ...more } = JSON.parse(fs.readFileSync(userSettings(host), "utf8"));
    const events = Object.entries(hooks).reverse();
    const settings = { newField: { a: 1 }, ...more, hooks: { NewEvent: [], ...Object.fromEntries(events) } };
    fs.writeFileSync(userSettings(host), JSON.stringify(settings));
    return host;
  },
  "the folder was moved, adopted and written again": async (host) => {
    const folder = path.join(machineOf(host), "moved");
    fs.renameSync(host.cwd, folder);
    const there = host.at(folder);
    await adoptFormerProject(there, "take");
    await writeProject(there, { wiring: undefined });
    return there;
  },
  "a session starts in a folder below": (host) => {
    fs.mkdirSync(path.join(host.cwd, "below"));
    return host.at(path.join(host.cwd, "below"));
  },
  "the project is reached by a link": (host) => {
    const link = path.join(machineOf(host), "link");
    fs.symlinkSync(host.cwd, link);
    return host.at(link);
  },
};

test.each(Object.entries(HARMLESS))("where %s, the guard stands and status says so", async (_, change) => {
  const there = await change(await guardedProject());
  expect(readStatus(there).guarding).toMatchObject({ ok: true, agents: [{ state: "guarded", because: null }] });
});

test("an agent that config.json names newly is not guarded before `write`, and the others stay guarded", async () => {
  const host = await guardedProject();
  editJson<object>(projectFiles.config(host.cwd), (config) =>
    Object.assign(config, { runtimes: ["claude-code", "codex"] }),
  );
  expect(readStatus(host).guarding.agents).toMatchObject([
    { runtime: "claude-code", state: "guarded", because: null },
    { runtime: "codex", state: "unguarded", because: { message: "its settings don't have drwn's entry" } },
  ]);
});

test("another project that has lost its ledger takes no guard of this one", async () => {
  const host = await guardedProject();
  const other = anotherProject(host);
  await addCards(other, [CARD]);
  await trust(other);
  await writeProject(other, { wiring: undefined });
  fs.rmSync(ledgerFile(other));
  expect(readStatus(host).guarding).toMatchObject({ ok: true, agents: [{ state: "guarded" }] });
});

/** Two homes of Codex: the guard is in the one that is asked about, or it isn't. */
test("another CODEX_HOME is another Codex, and is written for itself", async () => {
  const host = await guardedProject();
  const there = { ...host, env: { ...host.env, CODEX_HOME: path.join(host.home, "other") } };
  await writeProject(host, { wiring: undefined, runtimes: ["codex"] });
  const messages = (of: TestHost) => readStatus(of).guarding.agents.map(({ because }) => because?.message);
  expect(messages(host)).toEqual([expect.stringMatching(/^Codex has not been told to trust drwn's hook/u)]);
  expect(messages(there)).toEqual(["its settings don't have drwn's entry"]);
  await writeProject(there, { wiring: undefined });
  expect(messages(there)).toEqual(messages(host));
});

/** Two Nodes on PATH: `write` recorded one, and another one runs drwn. */
function withTwoNodes(host: TestHost): TestHost {
  const nodePath = path.join(machineOf(host), "node");
  fs.symlinkSync(process.execPath, nodePath);
  return { ...host, nodePath };
}

test("of a recorded Node that works doctor and `write --check` say nothing while another one runs drwn", async () => {
  const there = withTwoNodes(await guardedProject());
  expect((await diagnoseProject(there)).findings).toEqual([]);
  const { changes } = await previewWrite(there, { wiring: undefined });
  expect(changes.map(isOtherNode)).toEqual([true]);
});

/** Where the launcher looks for a Node when the recorded one is gone. */
const USUAL = ["/usr/local/bin/node", "/usr/bin/node", "/opt/homebrew/bin/node"];

test("of a recorded Node that is gone doctor says what starts the hook instead, or that every call is blocked", async () => {
  const there = withTwoNodes(await guardedProject());
  recordNode(there, "/gone/node");
  const instead = USUAL.find((file) => fs.existsSync(file));
  const comesToIt = instead === undefined ? "so every tool call is blocked" : `${instead} starts it instead`;
  const { findings } = await diagnoseProject(there);
  expect(findings).toMatchObject([
    {
      code: "node-gone",
      severity: instead === undefined ? "error" : "warning",
      message: expect.stringMatching(
        new RegExp(`^the Node that starts the hook, /gone/node, is gone[,;] ${comesToIt}$`, "u"),
      ),
      hint: drwn("write"),
    },
  ]);
  const state = instead === undefined ? "blocked" : "guarded";
  expect(readStatus(there).guarding.agents).toMatchObject([{ state }]);
});

test("of a card that isn't installed, and that nobody consented to, doctor says so and finds no fault", async () => {
  const host = await installed(GUARD);
  removeTree(layout.store(host.drwnHome));
  const { ok, findings } = await diagnoseProject(host);
  expect([ok, findings]).toMatchObject([true, [{ code: "card-not-installed", severity: "warning" }]]);
});
