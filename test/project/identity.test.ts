import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { findProjectRoot, identifyProject } from "../../src/project/identity.ts";
import { locateProject } from "../../src/project/open/locate-project.ts";
import { temporaryFolder, writeTree } from "../support/cards.ts";
import { problemOf, textOf } from "../support/problems.ts";

const CONFIG = { ".agents/drwn/config.json": "{}" };

function git(cwd: string, ...args: string[]): void {
  const identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always"];
  execFileSync("git", [...identity, ...args], { cwd, stdio: "pipe" });
}

function repository(): string {
  const folder = path.join(temporaryFolder(), "repository");
  fs.mkdirSync(folder);
  git(folder, "init", "-q");
  writeTree(folder, { "nested/file": "" });
  git(folder, "add", ".");
  git(folder, "commit", "-q", "-m", "first");
  return folder;
}

test("the project is the nearest folder above that holds one", () => {
  const root = writeTree(temporaryFolder(), {
    ...CONFIG,
    "packages/inner/.agents/drwn/config.json": "{}",
    "a/b/c": "",
  });
  expect(findProjectRoot(path.join(root, "a/b"))).toBe(root);
  expect(findProjectRoot(path.join(root, "packages"))).toBe(root);
  expect(findProjectRoot(path.join(root, "packages/inner"))).toBe(path.join(root, "packages/inner"));
});

test("through a link to its folder a project is the same as at its real place", () => {
  const base = writeTree(temporaryFolder(), { "real/.agents/drwn/config.json": "{}", "real/sub/file": "" });
  fs.symlinkSync("real", path.join(base, "link"));
  expect(findProjectRoot(path.join(base, "link/sub"))).toBe(path.join(base, "real"));
  expect(identifyProject(path.join(base, "link"))).toEqual(identifyProject(path.join(base, "real")));
});

test("where there is no project a person is told how to make one", async () => {
  const folder = temporaryFolder();
  const problem = await problemOf(() => locateProject({ cwd: folder, drwnHome: path.join(folder, "home") }));
  expect(problem.code).toBe("DRWN_PROJECT_MISSING");
  expect(textOf(problem)).toContain(folder);
  expect(problem.hint).toBe("drwn init");
});

test("outside git a project is its path", () => {
  const root = temporaryFolder();
  expect(identifyProject(root)).toMatchObject({ path: root, gitCommonDir: null, gitPath: null });
});

test("in git it is also its place in the repository", () => {
  const root = repository();
  const gitCommonDir = path.join(root, ".git");
  expect(identifyProject(root)).toMatchObject({ path: root, gitCommonDir, gitPath: "" });
  const nested = path.join(root, "nested");
  expect(identifyProject(nested)).toMatchObject({ path: nested, gitCommonDir, gitPath: "nested" });
});

test("a worktree agrees with its repository in all but the path, in nested folders too", () => {
  const root = repository();
  const worktree = path.join(path.dirname(root), "worktree");
  git(root, "worktree", "add", "-q", worktree);
  for (const inner of ["", "nested"]) {
    const [here, there] = [identifyProject(path.join(root, inner)), identifyProject(path.join(worktree, inner))];
    expect(there.path).toBe(path.join(worktree, inner));
    expect([there.gitCommonDir, there.gitPath]).toEqual([here.gitCommonDir, here.gitPath]);
  }
});

test("a worktree of a bare repository has a common place too", () => {
  const root = repository();
  const base = path.dirname(root);
  git(base, "clone", "-q", "--bare", root, "bare.git");
  for (const name of ["one", "two"])
    git(path.join(base, "bare.git"), "worktree", "add", "-q", "-b", name, path.join(base, name));
  const [one, two] = ["one", "two"].map((name) => identifyProject(path.join(base, name)));
  expect(one?.gitCommonDir).toBe(path.join(base, "bare.git"));
  expect(two?.gitCommonDir).toBe(path.join(base, "bare.git"));
});

test("a submodule is a repository of its own", () => {
  const [root, inner] = [repository(), repository()];
  git(root, "submodule", "add", "-q", inner, "module");
  const identity = identifyProject(path.join(root, "module"));
  expect(identity).toMatchObject({
    path: path.join(root, "module"),
    gitCommonDir: path.join(root, ".git/modules/module"),
    gitPath: "",
  });
});

test.each([
  ["points nowhere", "gitdir: /nowhere/at/all\n"],
  ["says nothing", "hello\n"],
  ["is empty", ""],
])("a .git file that %s is no repository", (_, text) => {
  const root = writeTree(temporaryFolder(), { ".git": text });
  expect(identifyProject(root)).toMatchObject({ path: root, gitCommonDir: null, gitPath: null });
});

test("a folder keeps its inode when it is moved, and no other folder has it", () => {
  const base = temporaryFolder();
  const [here, there] = [path.join(base, "here"), path.join(base, "there")];
  fs.mkdirSync(here);
  const { inode } = identifyProject(here);
  fs.renameSync(here, there);
  fs.mkdirSync(here);
  expect(identifyProject(there).inode).toBe(inode);
  expect(identifyProject(here).inode).not.toBe(inode);
});
