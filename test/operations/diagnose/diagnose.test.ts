import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import Doctor from "../../../src/cli/commands/doctor.ts";
import { layout } from "../../../src/contract/layout.ts";
import { drwn, sayIn } from "../../../src/kernel/advice.ts";
import { diagnoseProject } from "../../../src/operations/diagnose/diagnose.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { projectFiles } from "../../../src/project/identity.ts";
import { bundleFile, CASES, failing, journal, planFile } from "../../check/doctor/cases.ts";
import { runCommand } from "../../support/cli.ts";
import type { TestHost } from "../../support/host.ts";
import { machineOf, openProjectKey, snapshot } from "../../support/machine-state.ts";
import { problemOf } from "../../support/problems.ts";
import { CARD, GUARD, guardedProject, installed, publish, trust, write } from "../../support/projects.ts";
import { sweep } from "../../support/sweep.ts";

const GUARDED = {
  ...{ runtime: "claude-code", title: "Claude Code", state: "guarded", managedFile: null, because: null },
  ...{ isFound: true, cards: [CARD] },
};
const ALL_IS_WELL = {
  ok: true,
  guarding: {
    ok: true,
    agents: [GUARDED],
    leftOut: [],
    notInForce: [],
    replaced: [],
    enclosing: [],
    findings: [],
    notAsked: ["Claude Code (`claude` isn't on PATH)"],
  },
  findings: [],
  hookIssues: [],
};

test("a project in which all is in force has no finding", async () => {
  expect(await diagnoseProject(await guardedProject())).toEqual(ALL_IS_WELL);
});

test.each(sweep(Object.entries(CASES), 14))(
  "doctor finds %s, changes nothing, and what it advises fixes it",
  async (_, { codes, ok, reason, fix, spoil }) => {
    const host = await guardedProject();
    await spoil(host);
    const before = snapshot(machineOf(host));
    const diagnosis = await diagnoseProject(host);
    expect(snapshot(machineOf(host))).toEqual(before);
    expect([...new Set(diagnosis.findings.map(({ code }) => code))]).toEqual(codes);
    expect(diagnosis.ok).toBe(ok);
    if (reason === null) {
      expect(diagnosis.hookIssues).toEqual([]);
      return;
    }
    const version = JSON.parse(fs.readFileSync(projectFiles.lock(host.cwd), "utf8")).cards[0].version;
    expect(diagnosis.hookIssues).toMatchObject([{ card: CARD, version, reason: expect.stringMatching(reason) }]);
    if (fix === undefined) return;
    expect(sayIn("project", diagnosis.hookIssues[0]?.fix ?? "")).toBe(fix);
    if (fix !== "drwn write") return;
    await write(host);
    expect(await diagnoseProject(host)).toEqual(ALL_IS_WELL);
  },
);

test("an installed card that nobody consented to is a warning and an issue, and other cards are not concerned", async () => {
  const host = await guardedProject();
  await publish(host, { name: "@me/second", hooks: { a: {}, b: {} } });
  await addCards(host, ["@me/second"]);
  const diagnosis = await diagnoseProject(host);
  expect(diagnosis.ok).toBe(true);
  expect(diagnosis.hookIssues).toEqual([
    {
      card: "@me/second",
      version: "1.0.0",
      hooks: ["a", "b"],
      reason: "nobody on this machine has consented to its hooks in this project",
      fix: drwn("card trust", "@me/second", "--hooks"),
    },
  ]);
  expect(diagnosis.findings).toMatchObject([{ code: "hooks-not-applied", severity: "warning", subject: "@me/second" }]);
});

test("a consent that was never written is an issue of its card", async () => {
  const host = await installed(GUARD);
  await trust(host);
  const diagnosis = await diagnoseProject(host);
  expect(diagnosis.ok).toBe(false);
  expect(diagnosis.hookIssues).toMatchObject([
    { card: CARD, hooks: ["guard"], reason: "the consents are not written yet" },
  ]);
});

test("a person is told of several files of drwn's own once, and of each by --verbose", async () => {
  const host = await guardedProject();
  for (const file of [planFile(host), bundleFile(host)]) fs.rmSync(file);
  const own = (text: string) => text.split("\n").filter((line) => line.includes("[not-written]"));
  expect(own((await runCommand(host, Doctor)).stdout)).toEqual([
    "error drwn's own files: 2 of them, which --verbose names, are not as `drwn write` would have them [not-written]",
  ]);
  expect(own((await runCommand(host, Doctor, "--verbose")).stdout)).toHaveLength(2);
});

test("an agent that could not start the hook gets no answer, and doctor reports what it would see", async () => {
  const host = await guardedProject();
  const launcher = fs.readFileSync(layout.launcher(host.drwnHome), "utf8");
  // What is not there would be sought in the usual places.
  const nodePath = path.join(host.home, "node");
  fs.writeFileSync(nodePath, "#!/bin/sh\nexit 126\n", { mode: 0o755 });
  const moved: TestHost = { ...host, nodePath, env: { HOME: host.home, PATH: "/nowhere" } };
  await write(moved);
  expect(fs.readFileSync(layout.launcher(host.drwnHome), "utf8")).not.toBe(launcher);
  const diagnosis = await diagnoseProject(moved);
  expect(diagnosis.findings).toMatchObject([
    {
      code: "hook-does-not-answer",
      severity: "error",
      message: expect.stringMatching(/does not answer for this plan: .*died \(status 126\)/iu),
    },
  ]);
  expect(diagnosis.hookIssues).toMatchObject([{ card: CARD, fix: drwn("write") }]);
});

test("the failures of a policy are counted, with the last one and its time", async () => {
  const host = await guardedProject();
  await CASES["policies that failed, in the journal"]?.spoil(host);
  expect((await diagnoseProject(host)).findings).toEqual([
    {
      code: "policy-failed",
      severity: "warning",
      subject: `${CARD}@1.0.0#guard`,
      message: "failed 2 times lately, last at 2026-03-01T11:00:00.000Z: second",
      hint: null,
    },
  ]);
});

test.each<[string, (host: TestHost) => string]>([
  ["the hook process", ({ drwnHome }) => layout.hookProgram(drwnHome, "hook-calls.cjs")],
  ["the launcher", ({ drwnHome }) => layout.launcher(drwnHome)],
  ["a compiled policy", bundleFile],
  ["the plan", planFile],
  ["the marker", ({ drwnHome, cwd }) => layout.marker(drwnHome, cwd)],
  ["the consent log", (host) => layout.consentLog(host.drwnHome, openProjectKey(host))],
  ["the journal", (host) => layout.journal(host.drwnHome, openProjectKey(host))],
])("a pipe in the place of %s is named, and not waited for", async (_, find) => {
  const host = await guardedProject();
  const file = find(host);
  fs.rmSync(file, { force: true });
  execFileSync("mkfifo", [file]);
  const { findings } = await diagnoseProject(host);
  expect(findings.map(({ message }) => message)).toContain(`${file} is not a regular file`);
});

test("a journal that grew large is read from its end", async () => {
  const host = await guardedProject();
  const old = Array.from({ length: 4_000 }, () => failing("2026-01-01T00:00:00.000Z", "long ago"));
  const recent = Array.from({ length: 3_000 }, () => failing("2026-03-01T00:00:00.000Z", undefined));
  journal(host, [...old, ...recent]);
  expect((await diagnoseProject(host)).findings).toEqual([]);
});

test("an altered launcher is found without being run", async () => {
  const host = await guardedProject();
  const trace = path.join(machineOf(host), "ran");
  fs.writeFileSync(layout.launcher(host.drwnHome), `#!/bin/sh\ntouch '${trace}'\n`);
  await diagnoseProject(host);
  expect(fs.existsSync(trace)).toBe(false);
});

test("doctor outside a project is a problem", async () => {
  const host = await guardedProject();
  expect((await problemOf(() => diagnoseProject(host.at(host.home)))).code).toBe("DRWN_PROJECT_MISSING");
});
