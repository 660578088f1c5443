import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { diagnoseProject } from "../../src/operations/diagnose/diagnose.ts";
import { readStatus } from "../../src/operations/diagnose/status.ts";
import { listCards } from "../../src/operations/project/list.ts";
import { revokeConsent } from "../../src/operations/project/untrust.ts";
import { callTool } from "../hostile/machine.ts";
import type { TestHost } from "../support/host.ts";
import { machineOf, openProjectKey } from "../support/machine-state.ts";
import { CARD, GUARD, installed, trust, write } from "../support/projects.ts";

function git(cwd: string, ...args: string[]): void {
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], { cwd, stdio: "pipe" });
}

/** A guarded project in a git repository, and the same project in a second worktree. */
async function repositoryWithWorktree(): Promise<{ host: TestHost; worktree: TestHost }> {
  const host = await installed(GUARD);
  git(host.cwd, "init", "-q");
  git(host.cwd, "add", ".");
  git(host.cwd, "commit", "-q", "-m", "first");
  await trust(host);
  await write(host);
  const folder = path.join(machineOf(host), "worktree");
  git(host.cwd, "worktree", "add", "-q", folder);
  return { host, worktree: host.at(folder) };
}

test("a new worktree shares the consent of its repository, and the plan in force", async () => {
  const { host, worktree } = await repositoryWithWorktree();
  expect(openProjectKey(worktree)).toBe(openProjectKey(host));
  expect(listCards(worktree).cards[0]?.consent).toMatchObject({ state: "active", range: "^1.0.0", inForce: "1.0.0" });
  const written = await write(worktree);
  expect(written.changes).toEqual([]);
  for (const one of [host, worktree]) expect((await diagnoseProject(one)).findings).toEqual([]);
});

test("an untrust in one worktree holds in all of them", async () => {
  const { host, worktree } = await repositoryWithWorktree();
  await revokeConsent(worktree, CARD);
  expect(listCards(host).cards[0]?.consent?.state).toBe("off");
});

test("another clone of the same repository is another project", async () => {
  const { host } = await repositoryWithWorktree();
  const folder = path.join(machineOf(host), "clone");
  git(machineOf(host), "clone", "-q", host.cwd, folder);
  expect(fs.existsSync(path.join(folder, ".agents/drwn/card.lock"))).toBe(true);
  expect(listCards(host.at(folder)).cards[0]?.consent?.state).toBe("off");
});

test("a worktree of one project in a folder of another one is judged by both, though an agent writes it", async () => {
  const { host } = await repositoryWithWorktree();
  const other = host.at(path.join(machineOf(host), "other"));
  fs.cpSync(host.cwd, other.cwd, { recursive: true, filter: (file) => path.basename(file) !== ".git" });
  await trust(other);
  await write(other);
  const inside = host.at(path.join(other.cwd, "packages/one"));
  fs.mkdirSync(path.dirname(inside.cwd));
  git(host.cwd, "worktree", "add", "-q", inside.cwd);
  const agent = { ...inside, env: { ...inside.env, CLAUDECODE: "1" } };
  await write(agent);
  expect(openProjectKey(inside)).toBe(openProjectKey(host));
  expect(callTool(inside)).toBe("denied by the guard");
  expect(readStatus(inside).guarding.around).toEqual([other.cwd]);
});

test("what git does after the consent needs no write, and status says so", async () => {
  const host = await installed(GUARD);
  await trust(host);
  await write(host);
  git(host.cwd, "init", "-q");
  git(host.cwd, "add", ".");
  git(host.cwd, "commit", "-q", "-m", "first");
  const folder = path.join(machineOf(host), "worktree");
  git(host.cwd, "worktree", "add", "-q", "-b", "side", folder);
  const worktree = host.at(folder);
  expect(callTool(worktree)).toBe("denied by the guard");
  for (const one of [host, worktree]) {
    expect(readStatus(one).guarding.agents.map(({ standing }) => standing)).toEqual(["guarded"]);
    expect((await diagnoseProject(one)).findings.filter(({ severity }) => severity === "error")).toEqual([]);
    expect((await write(one)).changes).toEqual([]);
  }
});

test("where nothing leads from a worktree to the consent, status says that the others are open, as doctor does", async () => {
  const host = await installed(GUARD);
  await trust(host);
  await write(host);
  git(host.cwd, "init", "-q", `--separate-git-dir=${path.join(machineOf(host), "separate")}`);
  const { guarding } = readStatus(host);
  expect([guarding.stands, guarding.agents[0]?.because?.message]).toEqual([
    false,
    "the hook knows this folder, but not the other worktrees of its repository",
  ]);
  expect((await diagnoseProject(host)).ok).toBe(false);
  await write(host);
  expect(readStatus(host).guarding.stands).toBe(true);
});
