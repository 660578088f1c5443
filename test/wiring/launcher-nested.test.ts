import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import { denying, from } from "../hook/launched.ts";
import { armGlobal, armHome, armProject, type LiteralPolicy, write } from "../support/armed-home.ts";
import { reasonOf, verdictOf } from "../support/hook-calls.ts";

/** Says this about calls of one tool, and nothing about others. */
const about = (tool: string, action: "ask" | "deny", more: Partial<LiteralPolicy> = {}): LiteralPolicy => ({
  policy: `{ beforeToolCall: ({ toolName }) => toolName === "${tool}" ? { action: "${action}", reason: "${tool}" } : undefined }`,
  ...more,
});
const ALLOWING: LiteralPolicy = { policy: "{ beforeToolCall() {} }", card: "@me/inner" };

describe("a project in another one", () => {
  test("that nobody consented to anything in is judged by the outer one", () => {
    const armed = armHome([denying]);
    const inner = path.join(armed.project, "packages/a");
    write(path.join(inner, ".agents/drwn/config.json"), "{}");
    expect(reasonOf(armed.call({}, from(inner)))).toBe("[@me/guards#guard-0] no");
  });

  test.each(["inside of", "beside"])("is judged by the outer one %s its own consent", (where) => {
    const armed = armHome([about("Bash", "deny")]);
    const inner = path.join(armed.project, "packages/a");
    const { journal } = armProject(armed, inner, [ALLOWING]);
    const folder = where === "beside" ? path.join(armed.project, "packages") : path.join(inner, "src");
    fs.mkdirSync(folder, { recursive: true });
    expect(reasonOf(armed.call({}, from(folder)))).toBe("[@me/guards#guard-0] Bash");
    expect(journal()).toHaveLength(where === "beside" ? 0 : 1);
  });

  test("adds its own denial, and an ask of either doesn't loosen it", () => {
    const armed = armHome([about("Bash", "ask")]);
    const inner = path.join(armed.project, "a");
    armProject(armed, inner, [about("Bash", "deny", { card: "@me/inner" })]);
    expect(reasonOf(armed.call({}, from(inner)))).toBe("[@me/inner#guard-0] Bash");
    expect(verdictOf(armed.call({}, from(armed.project)))).toBe("ask");
  });

  test("of three levels, under what holds in every folder: each of them denies", () => {
    const armed = armHome([about("Write", "deny", { card: "@me/outer" })]);
    const middle = path.join(armed.project, "a");
    const inner = path.join(middle, "b/c");
    armProject(armed, middle, [about("Edit", "deny", { card: "@me/middle" })]);
    armProject(armed, inner, [about("Bash", "deny", { card: "@me/inner" })]);
    armGlobal(armed, [about("Read", "deny", { card: "@me/global" })]);
    const cards = { Write: "@me/outer", Edit: "@me/middle", Bash: "@me/inner", Read: "@me/global" };
    for (const [tool, card] of Object.entries(cards)) {
      expect(reasonOf(armed.call({ tool_name: tool }, from(inner)))).toBe(`[${card}#guard-0] ${tool}`);
    }
    expect(verdictOf(armed.call({ tool_name: "Grep" }, from(inner)))).toBe("silence");
  });

  test.each<[string, (files: { ledgerFile: string; planFile: string }) => void]>([
    ["whose ledger is gone", ({ ledgerFile }) => fs.rmSync(ledgerFile)],
    ["whose plan was altered", ({ planFile }) => fs.appendFileSync(planFile, " ")],
  ])("is blocked in an outer one %s", (_, spoil) => {
    const armed = armHome([ALLOWING]);
    const inner = path.join(armed.project, "a");
    armProject(armed, inner, [ALLOWING]);
    expect(verdictOf(armed.call({}, from(inner)))).toBe("silence");
    spoil(armed);
    expect([verdictOf(armed.call({}, from(inner))), verdictOf(armed.call({}, from(armed.project)))]).toEqual([
      "deny",
      "deny",
    ]);
  });

  test("with a pause of its own is judged by the outer one, and the pause of the outer one is not its own", () => {
    const armed = armHome([about("Write", "deny", { card: "@me/outer" })]);
    const inner = path.join(armed.project, "a");
    const { ledger, ledgerFile } = armProject(armed, inner, [about("Bash", "deny", { card: "@me/inner" })]);
    const pausedUntil = new Date(Date.now() + 60_000).toISOString();
    write(ledgerFile, JSON.stringify({ ...ledger, pausedUntil }));
    expect(verdictOf(armed.call({}, from(inner)))).toBe("silence");
    expect(verdictOf(armed.call({ tool_name: "Write" }, from(inner)))).toBe("deny");
    write(ledgerFile, JSON.stringify(ledger));
    armed.writeLedger({ ...armed.ledger, pausedUntil });
    expect(verdictOf(armed.call({}, from(inner)))).toBe("deny");
    expect(verdictOf(armed.call({ tool_name: "Write" }, from(inner)))).toBe("silence");
  });

  test("that was moved inside of the outer one is blocked", () => {
    const armed = armHome([ALLOWING]);
    const inner = path.join(armed.project, "a");
    armProject(armed, inner, [denying]);
    fs.renameSync(inner, `${inner}2`);
    expect(armed.call({}, from(`${inner}2`)).stderr).toContain("drwn trust --adopt");
  });

  test("may have the same card with another right to look into files, each in its own folder", () => {
    const reads = (file: string): LiteralPolicy => ({
      policy: `{ beforeToolCall: () => ({ action: "deny", reason: require("node:fs").readFileSync(${JSON.stringify(file)}, "utf8") }) }`,
      capabilities: ["fs-read"],
    });
    const world = armHome([ALLOWING]);
    const outer = path.join(world.world, "outer");
    const inner = path.join(outer, "inner");
    write(path.join(outer, "note"), "of the outer one");
    armProject(world, outer, [reads(path.join(outer, "note"))]);
    armProject(world, inner, [ALLOWING]);
    expect(reasonOf(world.call({}, from(inner)))).toContain("of the outer one");
  });

  test("whose policies look at results tells them, though the outer one's don't", () => {
    const armed = armHome([ALLOWING]);
    const inner = path.join(armed.project, "a");
    const { journal } = armProject(armed, inner, [{ policy: "{ afterToolCall() {} }", phases: ["post-tool"] }]);
    armed.call({}, { ...from(inner), phase: "post" });
    expect(journal()).toMatchObject([{ phase: "post-tool" }]);
    armed.call({}, { ...from(armed.project), phase: "post" });
    expect(armed.journal()).toEqual([]);
  });
});

describe("a folder that became a repository after its consent", () => {
  const git = (cwd: string, ...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args], { cwd, stdio: "pipe" });

  function makeRepository(at: string): void {
    git(at, "init", "-q");
    write(path.join(at, "file"), "x");
    git(at, "add", "-A");
    git(at, "commit", "-qm", "x");
  }

  test.each<[string, (world: string, project: string) => string]>([
    ["itself", (_, project) => project],
    ["with the folder around it", (world) => world],
    [
      "a folder in it",
      (_, project) => {
        fs.mkdirSync(path.join(project, "packages/a"), { recursive: true });
        return path.join(project, "packages/a");
      },
    ],
  ])("is guarded in a worktree outside of it: %s", (_, repositoryOf) => {
    const armed = armHome([denying]);
    const repository = repositoryOf(armed.world, armed.project);
    write(path.join(armed.project, "x/file"), "x");
    makeRepository(repository);
    const elsewhere = armHome([ALLOWING]).world;
    const worktree = path.join(elsewhere, "work tree");
    git(repository, "worktree", "add", "-q", "-b", "side", worktree);
    const inside = repository === armed.world ? path.join(worktree, "project") : worktree;
    // The first call notes the path of the worktree.
    for (let i = 0; i < 2; i++) expect(reasonOf(armed.call({}, from(inside)))).toBe("[@me/guards#guard-0] no");
    if (repository === armed.world) expect(verdictOf(armed.call({}, from(worktree)))).toBe("silence");
    if (repository === armed.project) expect(fs.existsSync(layout.marker(armed.home, worktree))).toBe(true);
  });
});
