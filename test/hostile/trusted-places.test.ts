import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { diagnoseProject } from "../../src/operations/diagnose/diagnose.ts";
import { addCards } from "../../src/operations/project/add.ts";
import { initProject } from "../../src/operations/project/init.ts";
import { installCards } from "../../src/operations/project/install.ts";
import type { TestHost } from "../support/host.ts";
import { machineOf } from "../support/machine-state.ts";
import { anotherProject, CARD, GUARD, guardedProject, publish, trust, write } from "../support/projects.ts";
import { callTool } from "./machine.ts";

const WHO = {
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "a@example.com",
};

function git(host: TestHost, ...args: string[]): void {
  execFileSync("git", args, { cwd: host.cwd, env: { ...host.env, ...WHO }, stdio: "pipe" });
}

const codesOf = async (host: TestHost): Promise<string[]> =>
  (await diagnoseProject(host)).findings.map(({ code }) => code);

/** A project on the same machine whose own card, which would allow everything, nobody has approved. */
async function evilProject(host: TestHost): Promise<TestHost> {
  await publish(host, { ...GUARD, name: "@evil/card" });
  const evil = anotherProject(host, "evil");
  await addCards(evil, ["@evil/card"]);
  return evil;
}

describe("a guarded project", () => {
  test("keeps its guard when a checkout drops it from the lock, and doctor says so", async () => {
    const host = await guardedProject();
    git(host, "init", "--quiet", "--initial-branch=main");
    // The folder is a repository now: the guard is in force at its new identity from here on.
    await trust(host);
    await write(host);
    git(host, "add", "--all");
    git(host, "commit", "--quiet", "-m", "guarded");
    git(host, "checkout", "--quiet", "-b", "evil");
    fs.writeFileSync(path.join(host.cwd, ".agents/drwn/config.json"), '{ "version": 1, "cards": {} }');
    fs.writeFileSync(path.join(host.cwd, ".agents/drwn/card.lock"), '{ "lockfileVersion": 1, "cards": [] }');
    git(host, "commit", "--quiet", "--all", "-m", "no guard");
    git(host, "checkout", "--quiet", "main");
    git(host, "checkout", "--quiet", "evil");
    expect(callTool(host)).toBe("denied by the guard");
    await write(host);
    expect(callTool(host)).toBe("denied by the guard");
    expect(await codesOf(host)).toContain("guard-left-the-lock");
  });

  test("keeps its guard when .agents is gone altogether", async () => {
    const host = await guardedProject();
    fs.rmSync(path.join(host.cwd, ".agents"), { recursive: true });
    expect(callTool(host)).toBe("denied by the guard");
  });

  test("that is replaced by another repository keeps the guard that was approved, and runs nothing of the other", async () => {
    const host = await guardedProject();
    const evil = await evilProject(host);
    fs.rmSync(host.cwd, { recursive: true });
    fs.renameSync(evil.cwd, host.cwd);
    await installCards(host, { frozen: true });
    const { plan } = await write(host);
    expect(plan.policies.map(({ card }) => card)).toEqual([CARD]);
    expect(callTool(host)).toBe("denied by the guard");
    expect(await codesOf(host)).toEqual(expect.arrayContaining(["guard-left-the-lock", "hooks-not-applied"]));
  });

  test("is not what a link to another project is, once it is re-pointed", async () => {
    const host = await guardedProject();
    const evil = await evilProject(host);
    const link = path.join(machineOf(host), "link");
    fs.symlinkSync(host.cwd, link);
    expect(callTool(host, link)).toBe("denied by the guard");
    fs.rmSync(link);
    fs.symlinkSync(evil.cwd, link);
    expect(callTool(host, link)).toBe("silence");
    expect((await write(host.at(link))).plan.policies).toEqual([]);
    expect(callTool(host)).toBe("denied by the guard");
  });

  test("guards a folder in it that says it is a project of its own", async () => {
    const host = await guardedProject();
    const inner = host.at(path.join(host.cwd, "packages", "inner"));
    fs.mkdirSync(inner.cwd, { recursive: true });
    initProject(inner);
    expect(callTool(inner)).toBe("denied by the guard");
    await write(inner);
    expect(callTool(inner)).toBe("denied by the guard");
  });

  test("lends its consent to no project around it", async () => {
    const host = await guardedProject();
    const inner = host.at(path.join(host.cwd, "packages"));
    fs.mkdirSync(inner.cwd);
    initProject(inner);
    await addCards(inner, [CARD]);
    await trust(inner);
    await write(inner);
    const outer = host.at(machineOf(host));
    initProject(outer);
    expect(callTool(outer)).toBe("silence");
    expect(callTool(inner)).toBe("denied by the guard");
    expect(callTool(host)).toBe("denied by the guard");
  });
});
