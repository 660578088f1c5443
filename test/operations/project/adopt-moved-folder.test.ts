import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { layout } from "../../../src/contract/layout.ts";
import { diagnoseProject } from "../../../src/operations/diagnose/diagnose.ts";
import { readStatus } from "../../../src/operations/diagnose/status.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { adoptFormerProject, reviewAdoption } from "../../../src/operations/project/adopt.ts";
import { initProject } from "../../../src/operations/project/init.ts";
import { pauseProject } from "../../../src/operations/project/pause.ts";
import { openProject } from "../../../src/project/open/open-project.ts";
import type { TestHost } from "../../support/host.ts";
import { ledgerFile, machineOf } from "../../support/machine-state.ts";
import { problemOf } from "../../support/problems.ts";
import { CARD, GUARD, guardedProject, publish, trust, write } from "../../support/projects.ts";

function move(host: TestHost, name = "moved"): TestHost {
  const there = path.join(machineOf(host), name);
  fs.renameSync(host.cwd, there);
  return host.at(there);
}

const inForce = async (host: TestHost) => (await write(host)).plan.policies.map(({ card }) => card);
const codes = async (host: TestHost) => (await diagnoseProject(host)).findings.map(({ code }) => code);

test("a folder that was moved is recognised, and a yes takes its consents along", async () => {
  const host = await guardedProject();
  const moved = move(host);
  expect(readStatus(moved)).toMatchObject({ movedFrom: host.cwd, cards: [{ consent: { state: "off" } }] });
  expect((await write(moved)).findings).toMatchObject([{ code: "project-moved" }, {}]);
  expect(await codes(moved)).toContain("project-moved");
  const about = { from: host.cwd, cards: [{ card: CARD, version: "1.0.0", range: "^1.0.0" }] };
  expect(reviewAdoption(moved)).toEqual(about);
  expect(await adoptFormerProject(moved, "take")).toEqual(about);
  expect(await inForce(moved)).toEqual([CARD]);
  expect([readStatus(moved).movedFrom, reviewAdoption(moved)]).toEqual([null, undefined]);
});

test("until `write` has made a plan at the new place, the ledger names one that isn't there, which blocks each call", async () => {
  const moved = move(await guardedProject());
  await adoptFormerProject(moved, "take");
  const { key, ledger } = openProject(moved);
  expect(fs.existsSync(layout.plan(moved.drwnHome, key, ledger?.plan ?? "none"))).toBe(false);
  expect(ledger?.plan).toMatch(/^sha256-/u);
});

test("of a former place whose ledger is damaged nothing is taken over, and a no ends what blocks there", async () => {
  const host = await guardedProject();
  fs.appendFileSync(ledgerFile(host), "{");
  const moved = move(host);
  const place = layout.inodeRecord(moved.drwnHome, String(fs.statSync(moved.cwd).ino));
  expect((await problemOf(() => adoptFormerProject(moved, "take"))).code).toBe("DRWN_LEDGER_INVALID");
  expect([fs.existsSync(place), readStatus(moved).guarding.ok]).toEqual([true, false]);
  await adoptFormerProject(moved, "forget");
  expect([fs.existsSync(place), readStatus(moved).guarding.ok]).toEqual([false, true]);
});

test("a pause ends where the folder is taken over: it was for the former place", async () => {
  const host = await guardedProject();
  await pauseProject({ ...host, isAtTerminal: true }, 30);
  const moved = move(host);
  await adoptFormerProject(moved, "take");
  expect(readStatus(moved).pausedUntil).toBeNull();
});

test("a folder that has only the number of a project is left alone after `--forget`, too", async () => {
  const moved = move(await guardedProject());
  const place = layout.inodeRecord(moved.drwnHome, String(fs.statSync(moved.cwd).ino));
  fs.rmSync(path.join(moved.cwd, ".agents/drwn/config.json"));
  expect(reviewAdoption(moved)).toBeUndefined();
  expect(fs.existsSync(place)).toBe(true);
  await adoptFormerProject(moved, "forget");
  expect(fs.existsSync(place)).toBe(false);
  expect((await problemOf(() => adoptFormerProject(moved, "forget"))).code).toBe("DRWN_NOTHING_TO_ADOPT");
});

test.each(["take", "forget"] as const)(
  "whatever comes to the former place after the answer `%s` is another project",
  async (answer) => {
    const host = await guardedProject();
    await adoptFormerProject(move(host), answer);
    fs.mkdirSync(host.cwd);
    initProject(host);
    await publish(host, { ...GUARD, version: "1.1.0" });
    await addCards(host, [CARD]);
    const { plan } = await write(host);
    expect(plan.policies.map(({ cardVersion }) => cardVersion)).toEqual(answer === "take" ? [] : ["1.0.0"]);
  },
);

test("a folder in git that was moved is recognised, too", async () => {
  const host = await guardedProject();
  execFileSync("git", ["init", "-q", host.cwd]);
  await trust(host);
  const moved = move(host);
  await adoptFormerProject(moved, "take");
  expect(await inForce(moved)).toEqual([CARD]);
});

test("a folder that became a repository on the way is recognised, too", async () => {
  const host = await guardedProject();
  const moved = move(host);
  execFileSync("git", ["init", "-q", moved.cwd]);
  expect(readStatus(moved).movedFrom).toBe(host.cwd);
  expect(await inForce(moved)).toEqual([]);
});

test.each<[string, (host: TestHost, moved: TestHost) => void]>([
  ["a link to the new one", (host, moved) => fs.symlinkSync(moved.cwd, host.cwd)],
  ["another folder", (host) => fs.mkdirSync(host.cwd)],
])("a folder that was moved is recognised where its former path is %s", async (_, replace) => {
  const host = await guardedProject();
  const moved = move(host);
  replace(host, moved);
  expect(readStatus(moved).movedFrom).toBe(host.cwd);
  await adoptFormerProject(moved, "take");
  expect(await inForce(moved)).toEqual([CARD]);
});

test("a no is not asked about again, and nothing runs", async () => {
  const host = await guardedProject();
  const moved = move(host);
  await adoptFormerProject(moved, "forget");
  expect(readStatus(moved).movedFrom).toBeNull();
  expect(await inForce(moved)).toEqual([]);
  expect((await problemOf(() => adoptFormerProject(moved, "take"))).code).toBe("DRWN_NOTHING_TO_ADOPT");
});

test.each<[string, (host: TestHost) => TestHost]>([
  ["a copy", (host) => copy(host)],
  ["the same folder behind another name", (host) => link(host)],
])("%s inherits nothing that it did not have", async (_, arrive) => {
  const host = await guardedProject();
  const before = openProject(host).key;
  const there = arrive(host);
  expect(readStatus(there).movedFrom).toBeNull();
  // A link leads to the project itself, whose consents are its own.
  if (openProject(there).key !== before) expect(await inForce(there)).toEqual([]);
});

function copy(host: TestHost): TestHost {
  const there = path.join(machineOf(host), "copy");
  fs.cpSync(host.cwd, there, { recursive: true });
  return host.at(there);
}

function link(host: TestHost): TestHost {
  const there = path.join(machineOf(host), "link");
  fs.symlinkSync(host.cwd, there);
  return host.at(there);
}

test("a link that is pointed at another project brings no consents to it", async () => {
  const host = await guardedProject();
  const [other, link] = [path.join(machineOf(host), "other"), path.join(machineOf(host), "link")];
  fs.mkdirSync(other);
  initProject(host.at(other));
  fs.symlinkSync(host.cwd, link);
  expect(await inForce(host.at(link))).toEqual([CARD]);
  fs.rmSync(link);
  fs.symlinkSync(other, link);
  await addCards(host.at(link), [CARD]);
  expect(await inForce(host.at(link))).toEqual([]);
});

test("another repository at a trusted path keeps its guards, and no version of its joins", async () => {
  const host = await guardedProject();
  // Kept, so that its inode is not given to the other one.
  fs.renameSync(host.cwd, path.join(machineOf(host), "kept"));
  fs.mkdirSync(host.cwd);
  initProject(host);
  await publish(host, { ...GUARD, version: "1.1.0" });
  await addCards(host, [CARD]);
  const written = await write(host);
  expect(written.plan.policies).toMatchObject([{ cardVersion: "1.0.0" }]);
  expect(written.findings.map(({ code }) => code)).toEqual(["project-replaced", "hooks-not-applied"]);
  await trust(host);
  expect((await write(host)).findings).toEqual([]);
});
