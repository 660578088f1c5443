import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import { projectFiles } from "../../src/project/identity.ts";
import type { TestHost } from "../support/host.ts";
import { machineOf, userSettings } from "../support/machine-state.ts";
import { guardedProject } from "../support/projects.ts";

const PROGRAM = path.resolve(import.meta.dirname, "../../bin/drwn.js");
/** Whom the modes of files bind: root may do everything. */
const ANYBODY = process.getuid?.() === 0 ? 65_534 : (process.getuid?.() ?? 0);

/** A guarded project of an ordinary user, in a place that others may enter. */
async function ordinaryProject(): Promise<TestHost> {
  const host = await guardedProject();
  execFileSync("chown", ["-R", String(ANYBODY), machineOf(host)]);
  for (let folder = machineOf(host); folder.includes("drwn"); folder = path.dirname(folder))
    fs.chmodSync(folder, 0o755);
  return host;
}

function run({ cwd, home, drwnHome }: TestHost, ...words: string[]): string {
  const env = { PATH: process.env["PATH"], HOME: home, DRWN_HOME: drwnHome };
  const options = { cwd, env, encoding: "utf8", uid: ANYBODY } as const;
  const { stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...words], options);
  return `${stdout}${stderr}`;
}

/** The key of the only project: the test's own user can't open it. */
function keyOf({ drwnHome }: TestHost): string {
  const [name = ""] = fs.readdirSync(layout.ledgers(drwnHome)).filter((one) => /^[0-9a-f]+\.json$/u.test(one));
  return path.basename(name, ".json");
}

const ledgerFile = (host: TestHost): string => layout.ledger(host.drwnHome, keyOf(host));

const DENIED: [string, string, (host: TestHost) => string][] = [
  ["the record of what was wired", "can't be read", ({ drwnHome }) => layout.wiring(drwnHome)],
  ["the ledger", "can't be read", ledgerFile],
  ["the folder of the ledgers", "can't be read", ({ drwnHome }) => layout.ledgers(drwnHome)],
  ["config.json", "can't be read", ({ cwd }) => projectFiles.config(cwd)],
  ["card.lock", "can't be read", ({ cwd }) => projectFiles.lock(cwd)],
  ["the store", "can't be read", ({ drwnHome }) => layout.store(drwnHome)],
  ["the records of projects", "can't be read", ({ drwnHome }) => layout.roots(drwnHome)],
  ["what belongs to the project", "can't be read", (host) => layout.project(host.drwnHome, keyOf(host))],
  ["the agent's settings", "can't be read", userSettings],
  ["a hook process", "can't be read", ({ drwnHome }) => layout.hook(drwnHome)],
];

test.each(DENIED)("where %s %s, status names it with the command that ends that", async (_, how, placeIn) => {
  const host = await ordinaryProject();
  const place = placeIn(host);
  const { mode } = fs.statSync(place);
  fs.chmodSync(place, 0);
  const said = run(host, "status");
  fs.chmodSync(place, mode);
  expect(said).toContain(`${place} ${how}`);
  expect(said).toContain(`see who took the right away, then: chmod u+rwX ${place}, and run the command again`);
});

test("a folder in which nothing can be written is named, without the system's words", async () => {
  const host = await ordinaryProject();
  const folder = path.dirname(projectFiles.config(host.cwd));
  fs.chmodSync(folder, 0o555);
  const said = run(host, "remove", "@me/backend", "--json");
  expect(JSON.parse(said).error).toMatchObject({ message: expect.stringMatching(/can't be changed$/u) });
});

test("a folder of the agent's in which nothing can be written is named by `write`, with the command that ends that", async () => {
  const host = await ordinaryProject();
  const folder = path.dirname(userSettings(host));
  fs.rmSync(userSettings(host));
  fs.chmodSync(folder, 0o555);
  const said = run(host, "write");
  expect(said).toContain(`${folder} can't be changed`);
  expect(said).toContain(`chmod u+rwX ${folder}`);
});

test.runIf(process.getuid?.() === 0)("of another user's ledger the hint gives it to the person", async () => {
  const host = await ordinaryProject();
  const file = ledgerFile(host);
  fs.chownSync(file, 0, 0);
  expect(run(host, "status")).toContain(`sudo chown ${ANYBODY} ${file}`);
});

const MODES: [string, number, (host: TestHost) => string, boolean][] = [
  ["444 of a hook process", 0o444, ({ drwnHome }) => layout.hook(drwnHome), true],
  ["600 of a hook process", 0o600, ({ drwnHome }) => layout.hook(drwnHome), true],
  ["500 of the launcher", 0o500, ({ drwnHome }) => layout.launcher(drwnHome), true],
  ["644 of the launcher", 0o644, ({ drwnHome }) => layout.launcher(drwnHome), false],
];

test.each(MODES)("with the mode %s status says what holds", async (_, mode, fileIn, isGuarded) => {
  const host = await ordinaryProject();
  fs.chmodSync(fileIn(host), mode);
  expect(run(host, "status").startsWith("Guarded: Claude Code")).toBe(isGuarded);
});
