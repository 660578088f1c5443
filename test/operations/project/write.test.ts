import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { layout } from "../../../src/contract/layout.ts";
import { drwn } from "../../../src/kernel/advice.ts";
import { diagnoseProject } from "../../../src/operations/diagnose/diagnose.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { revokeConsent } from "../../../src/operations/project/untrust.ts";
import { isWaiting, previewWrite, writeProject } from "../../../src/operations/project/write.ts";
import { writeConfig } from "../../../src/project/config.ts";
import { projectFiles } from "../../../src/project/identity.ts";
import { openProject } from "../../../src/project/open/open-project.ts";
import { readLedger } from "../../../src/trust/ledger-file.ts";
import { markersOf } from "../../../src/trust/project-key.ts";
import type { TestHost } from "../../support/host.ts";
import { entriesOf, machineOf, openProjectKey, snapshot, userSettings } from "../../support/machine-state.ts";
import { problemOf } from "../../support/problems.ts";
import {
  CARD,
  GUARD,
  guardedProject,
  installed,
  newProject,
  publish,
  SKILL,
  trust,
  write,
} from "../../support/projects.ts";

test("the programs are put there, and are kept up to date", async () => {
  const host = await guardedProject();
  const folder = path.join(host.drwnHome, "bin");
  const programs = fs.readdirSync(folder).filter((name) => name.endsWith(".cjs"));
  expect(programs).toEqual(["hook-calls.cjs", "hook.cjs", "load.cjs"]);
  for (const program of programs) {
    const file = path.join(folder, program);
    const shipped = fs.readFileSync(file, "utf8");
    fs.writeFileSync(file, "// of an earlier version");
    await write(host);
    expect(fs.readFileSync(file, "utf8")).toBe(shipped);
  }
});

test("agents that a person chose stay chosen, whatever config.json names: for the next write, and for doctor", async () => {
  const host = await guardedProject();
  await writeConfig(host.cwd, { version: 1, cards: { [CARD]: "^1.0.0" } });
  const agents = (written: { agents: { runtime: string }[] }) => written.agents.map(({ runtime }) => runtime);
  expect(agents(await write(host))).toEqual(["claude-code"]);
  await writeProject(host, { wiring: undefined, runtimes: ["gemini-cli"] });
  expect(agents(await write(host))).toEqual(["gemini-cli"]);
  expect(entriesOf(userSettings(host))).toEqual({});
  expect((await diagnoseProject(host)).findings.filter(({ severity }) => severity === "error")).toEqual([]);
  await writeConfig(host.cwd, { version: 1, cards: { [CARD]: "^1.0.0" }, runtimes: ["codex"] });
  expect(agents(await write(host))).toEqual(["gemini-cli"]);
  await writeProject(host, { wiring: undefined, runtimes: ["all"] });
  expect(agents(await write(host))).toEqual(["claude-code", "codex"]);
});

test("what was consented to is put in force: program, compiled policy, plan, ledger, marker and hook entry", async () => {
  const host = await guardedProject();
  const { drwnHome: home } = host;
  const { key, identity } = openProject(host);
  const ledger = readLedger(home, key);
  const plan = JSON.parse(fs.readFileSync(layout.plan(home, key, ledger?.plan ?? ""), "utf8"));
  const bundle = ledger?.grants[0]?.approved[0]?.bundles["guard"];
  expect(plan).toEqual({
    version: 2,
    project: host.cwd,
    policies: [
      {
        card: CARD,
        cardVersion: "1.0.0",
        hook: "guard",
        kind: "enforcement",
        mode: "enforce",
        askFallback: "allow-reversible",
        publisher: null,
        match: expect.stringMatching(/Bash/u),
        matcher: "Bash",
        phases: ["pre-tool"],
        timeoutMs: 5_000,
        capabilities: [],
        bundle,
      },
    ],
  });
  expect(new RegExp(plan.policies[0].match, "u").test("Bash")).toBe(true);
  expect(fs.existsSync(layout.bundle(home, key, bundle ?? ""))).toBe(true);
  for (const marker of markersOf(home, identity)) expect(fs.readFileSync(marker, "utf8")).toBe(`${key}\n`);
  expect(fs.statSync(layout.launcher(home)).mode & 0o777).toBe(0o755);
  const [group] = entriesOf(userSettings(host))["PreToolUse"] ?? [];
  expect(group).toMatchObject({ hooks: [{ timeout: 60, onFailure: "block" }] });
  expect(group?.hooks[0]?.command).toContain(layout.launcher(home));
});

test("a second write changes nothing, and a preview says the same", async () => {
  const host = await guardedProject();
  const before = snapshot(machineOf(host));
  expect((await write(host)).changes).toEqual([]);
  expect((await previewWrite(host, { wiring: undefined })).changes).toEqual([]);
  expect(snapshot(machineOf(host))).toEqual(before);
});

test.each<[string, (host: TestHost) => Promise<unknown>, "user" | "project" | undefined]>([
  [
    "a first consent",
    async (host) => {
      await addCards(host, [CARD]);
      await trust(host);
    },
    undefined,
  ],
  [
    "a version that joins",
    async (host) => {
      await addCards(host, [`${CARD}@1.0.0`]);
      await trust(host);
      await write(host);
      await publish(host, { ...GUARD, version: "1.1.0" });
      await addCards(host, [`${CARD}@^1.0.0`]);
    },
    undefined,
  ],
  [
    "an untrust",
    async (host) => {
      await addCards(host, [CARD]);
      await trust(host);
      await write(host);
      await revokeConsent(host, CARD);
    },
    undefined,
  ],
  [
    "another place of the entry",
    async (host) => {
      await addCards(host, [CARD]);
      await trust(host);
      await write(host);
    },
    "project",
  ],
])("a preview of %s changes nothing on disk, and write makes just what it said", async (_, prepare, wiring) => {
  const host = newProject();
  await publish(host);
  await prepare(host);
  const before = snapshot(machineOf(host));
  const preview = await previewWrite(host, { wiring });
  expect(preview.changes.length).toBeGreaterThan(0);
  expect(snapshot(machineOf(host))).toEqual(before);
  const written = await writeProject(host, { wiring });
  expect(written.changes).toEqual(preview.changes);
  expect((await write(host)).changes).toEqual([]);
});

test("without consent skills are written, hooks are not, and the result says which and why", async () => {
  const host = newProject();
  await publish(host, { ...GUARD, ...SKILL });
  await addCards(host, [CARD]);
  const written = await write(host);
  expect(fs.readFileSync(path.join(host.cwd, ".claude/skills/review/SKILL.md"), "utf8")).toBe("# Review\n");
  expect(written.plan.policies).toEqual([]);
  expect(written.findings.filter(isWaiting)).toEqual([
    {
      code: "hooks-not-applied",
      severity: "warning",
      subject: CARD,
      message: "nobody on this machine has consented to its hooks in this project",
      hint: drwn("card trust", CARD, "--hooks"),
    },
  ]);
  expect(fs.existsSync(userSettings(host))).toBe(false);
  expect(fs.existsSync(layout.roots(host.drwnHome))).toBe(false);
});

test("a compiled policy that is gone or altered is made again from the stored card, the same bytes", async () => {
  const host = await guardedProject();
  const key = openProjectKey(host);
  const [bundle = ""] = Object.values(readLedger(host.drwnHome, key)?.grants[0]?.approved[0]?.bundles ?? {});
  const file = layout.bundle(host.drwnHome, key, bundle);
  const before = snapshot(machineOf(host));
  fs.rmSync(file);
  expect((await write(host)).changes).toMatchObject([{ action: "create", path: file }]);
  fs.chmodSync(file, 0o600);
  fs.appendFileSync(file, "//");
  expect((await write(host)).changes).toMatchObject([{ action: "update", path: file }]);
  expect(snapshot(machineOf(host))).toEqual(before);
});

test("a compiled policy of an earlier version that cannot be made again stops the write", async () => {
  const host = await guardedProject();
  const key = openProjectKey(host);
  const [bundle = ""] = Object.values(readLedger(host.drwnHome, key)?.grants[0]?.approved[0]?.bundles ?? {});
  await publish(host, { ...GUARD, version: "2.0.0" });
  await addCards(host, [`${CARD}@2.0.0`]);
  fs.rmSync(layout.bundle(host.drwnHome, key, bundle));
  const problem = await problemOf(() => write(host));
  expect(problem.code).toBe("DRWN_INTEGRITY_MISMATCH");
  expect(problem.details).toEqual([layout.bundle(host.drwnHome, key, bundle)]);
});

test("a write out of step with config.json is refused", async () => {
  const host = await guardedProject();
  writeConfig(host.cwd, { version: 1, cards: {} });
  expect((await problemOf(() => write(host))).code).toBe("DRWN_LOCK_OUTDATED");
  fs.rmSync(projectFiles.lock(host.cwd));
  expect((await write(host)).findings).toMatchObject([{ code: "guard-left-the-lock" }]);
});

test("what nothing names any more is kept for a day, and what is approved for ever", async () => {
  const host = await guardedProject();
  const key = openProjectKey(host);
  const folder = layout.project(host.drwnHome, key);
  const files = () =>
    fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /plan-|\.cjs/u.test(name));
  expect(files()).toHaveLength(2);
  await publish(host, { ...GUARD, version: "1.1.0" });
  await addCards(host, [CARD]);
  await write(host);
  expect(files()).toHaveLength(4);
  host.advance(25 * 60 * 60 * 1000);
  await write(host);
  expect(files()).toHaveLength(3);
  await revokeConsent(host, CARD);
  await write(host);
  expect(files()).toHaveLength(3);
  host.advance(23 * 60 * 60 * 1000);
  await write(host);
  expect(files()).toHaveLength(3);
  host.advance(2 * 60 * 60 * 1000);
  await write(host);
  expect(files()).toEqual([]);
});

test("two cards that bring a skill of one name are a problem: neither may take the place of the other", async () => {
  const host = await installed({ ...SKILL, name: "@me/one" }, { ...SKILL, name: "@me/two" });
  const problem = await problemOf(() => write(host));
  expect([problem.code, problem.message]).toEqual([
    "DRWN_TARGET_OCCUPIED",
    "@me/one and @me/two both bring the skill `review`",
  ]);
});
