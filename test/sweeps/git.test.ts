import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parseGitRequest } from "../../src/card/request.ts";
import { writeIndex } from "../../src/card/source/build-index.ts";
import { packSource } from "../../src/card/source/pack.ts";
import { openGitOrigin } from "../../src/registry/git/git.ts";
import type { CardOrigin } from "../../src/registry/registry.ts";
import { denyingPolicy, packedCard, readTree, sourceWith, temporaryFolder, writeTree } from "../support/cards.ts";
import { problemOf, textOf } from "../support/problems.ts";
import { committedFiles, emptyRepository, type Repository } from "../support/repositories.ts";

interface Machine {
  home: string;
  env: Record<string, string | undefined>;
}

function machine(env: Record<string, string> = {}): Machine {
  return { home: temporaryFolder(), env: { PATH: process.env["PATH"], HOME: temporaryFolder(), ...env } };
}

function sourceOf({ folder }: Pick<Repository, "folder">, behind = "", on = machine()): CardOrigin {
  const request = parseGitRequest(`git+file://${folder}${behind}`);
  if (request === undefined) throw new Error("this is no git request");
  return openGitOrigin(request, on);
}

describe("a card in a git repository", () => {
  test("is the same tree that its author has packed, and pins its commit", async () => {
    const author = sourceWith({ hooks: { guard: denyingPolicy("Bash") }, files: { "README.md": "# Guards\n" } });
    const packed = await packSource(author);
    writeIndex(author, packed.index);
    const repository = emptyRepository();
    const commit = repository.commit(readTree(author), "v1.0.0");
    const source = sourceOf(repository, "#semver:^1.0.0");
    const resolved = await source.resolve();
    expect(resolved).toMatchObject({ name: "@me/backend", version: "1.0.0", tree: packed.tree, commit });
    expect(resolved.hooks).toEqual(packed.index.hooks);
    expect((await source.registry.fetch("@me/backend", "1.0.0")).equals(packed.tarball)).toBe(true);
    expect(source.registry.id).toBe(`git:file://${repository.folder}`);
  });

  test("is never evaluated", async () => {
    const mark = path.join(temporaryFolder(), "evaluated");
    const files = committedFiles({ hooks: { guard: {} }, files: {} });
    const repository = emptyRepository();
    const policy = `require("node:fs").writeFileSync(${JSON.stringify(mark)}, "")`;
    repository.commit({ ...files, "hooks/guard/policy.ts": policy, "package.json": lifecycle(mark) }, "v1.0.0");
    expect((await problemOf(() => sourceOf(repository).resolve())).code).toBe("DRWN_INDEX_STALE");
    repository.commit({ ...files, "package.json": lifecycle(mark) }, "v1.0.0");
    await sourceOf(repository).resolve();
    expect(fs.existsSync(mark)).toBe(false);
  });

  test.each<[string, string, string]>([
    ["", "2.0.0", "the default branch"],
    ["#semver:^1.0.0", "1.1.0", "the highest tag in the range"],
    ["#semver:%5E1.0.0", "1.1.0", "a range that was escaped"],
    ["#semver:>=1.0.0", "2.0.0", "a range with an end of its own"],
    ["#v1.0.0", "1.0.0", "a tag"],
    ["#side", "1.0.5", "a branch"],
  ])("%s means %s: %s", async (behind, version) => {
    const repository = emptyRepository();
    for (const tag of ["1.0.0", "1.1.0", "1.2.0-rc.1", "2.0.0"]) {
      repository.commit(committedFiles({ version: tag }), `v${tag}`);
    }
    repository.git("checkout", "--quiet", "-b", "side", "v1.0.0");
    repository.commit(committedFiles({ version: "1.0.5" }));
    repository.git("checkout", "--quiet", "main");
    repository.git("tag", "unrelated");
    expect((await sourceOf(repository, behind).resolve()).version).toBe(version);
  });

  test("is found by a full commit id that no name leads to any more", async () => {
    const repository = emptyRepository();
    const commit = repository.commit(committedFiles(), "v1.0.0");
    repository.commit(committedFiles({ version: "1.0.1" }));
    expect(await sourceOf(repository, `#${commit}`).resolve()).toMatchObject({ version: "1.0.0", commit });
  });

  test("may lie in a folder of the repository", async () => {
    const repository = emptyRepository();
    const files = Object.entries(committedFiles()).map(([file, bytes]) => [`cards/backend/${file}`, bytes] as const);
    repository.commit({ ...Object.fromEntries(files), "README.md": "of the repository" }, "v1.0.0");
    const source = sourceOf(repository, "#semver:^1.0.0::path:cards/backend");
    expect((await source.resolve()).tree).toBe((await packedCard()).tree);
    expect(source.registry.id).toBe(`git:file://${repository.folder}#path:cards/backend`);
    const problem = await problemOf(() => sourceOf(repository, "#path:cards/other").resolve());
    expect(problem.code).toBe("DRWN_GIT_FAILED");
  });

  test("has the versions of its tags; those that hold no such card are passed over", async () => {
    const repository = emptyRepository();
    repository.commit({ "README.md": "no card yet" }, "v0.1.0");
    repository.commit(committedFiles(), "v1.0.0");
    repository.commit(committedFiles({ version: "1.0.1" }), "v1.0.2");
    repository.commit(committedFiles({ version: "1.1.0", hooks: { guard: {} } }), "v1.1.0");
    const { registry } = sourceOf(repository);
    const versions = await registry.versions("@me/backend");
    expect(versions.map(({ version }) => version)).toEqual(["1.0.0", "1.1.0"]);
    expect(await registry.versions("@me/other")).toEqual([]);
    const problem = await problemOf(() => sourceOf(repository, "#semver:1.0.2").resolve());
    expect(textOf(problem)).toContain("the tag v1.0.2");
  });

  test("keeps the commit that was locked when its tag is moved", async () => {
    const repository = emptyRepository();
    const commit = repository.commit(committedFiles(), "v1.0.0");
    const before = await sourceOf(repository, "#v1.0.0").resolve();
    const moved = repository.commit(committedFiles({ files: { "README.md": "other" } }), "v1.0.0");
    const fresh = sourceOf(repository, "#v1.0.0");
    expect(await fresh.resolve()).toMatchObject({ version: "1.0.0", commit: moved });
    expect((await sourceOf(repository, "#v1.0.0").fetchLocked({ commit })).tree).toBe(before.tree);
  });

  test("is not replaced by another one when its commit is gone", async () => {
    const repository = emptyRepository();
    repository.commit({ "README.md": "first" });
    const commit = repository.commit(committedFiles(), "v1.0.0");
    repository.git("reset", "--quiet", "--hard", "HEAD~1");
    repository.commit(committedFiles({ files: { "README.md": "other" } }), "v1.0.0");
    repository.git("reflog", "expire", "--expire=now", "--all");
    repository.git("gc", "--quiet", "--prune=now");
    const problem = await problemOf(() => sourceOf(repository, "#v1.0.0").fetchLocked({ commit }));
    expect(problem.code).toBe("DRWN_GIT_FAILED");
    expect(textOf(problem)).toContain(commit);
  });

  test.each<[string, string]>([
    ["#v9.0.0", "no tag or branch v9.0.0"],
    ["#semver:^9.0.0", "v1.0.0"],
    ["#abc1234", "full id"],
    [`#${"0".repeat(40)}`, "does not hand out"],
  ])("%s: what there is not is named", async (behind, said) => {
    const repository = emptyRepository();
    repository.commit(committedFiles(), "v1.0.0");
    expect(textOf(await problemOf(() => sourceOf(repository, behind).resolve()))).toContain(said);
  });

  test("leaves no checkout behind, and works in one copy for all", async () => {
    const repository = emptyRepository();
    repository.commit(committedFiles(), "v1.0.0");
    const on = machine();
    await sourceOf(repository, "#v1.0.0", on).resolve();
    await sourceOf(repository, "", on).resolve();
    expect(fs.readdirSync(path.join(on.home, "git"))).toHaveLength(1);
    expect(Object.keys(readTree(on.home)).filter((file) => file.includes("tmp"))).toEqual([]);
  });
});

describe("a hostile repository", () => {
  test.each<[string, (folder: string) => void]>([
    ["a file that is a link", (folder) => fs.symlinkSync("/etc/passwd", path.join(folder, "README.md"))],
    ["a folder that is a link", (folder) => linkFolder(folder, "hooks")],
    ["a hook that is a link", (folder) => linkFolder(folder, "hooks/guard")],
  ])("with %s is refused", async (_, spoil) => {
    const repository = emptyRepository();
    repository.commit(committedFiles({ hooks: { guard: {} } }));
    fs.rmSync(path.join(repository.folder, "README.md"), { force: true });
    spoil(repository.folder);
    repository.git("add", "--all");
    repository.git("commit", "--quiet", "-m", "links");
    expect((await problemOf(() => sourceOf(repository).resolve())).code).toBe("DRWN_PACK_REFUSED");
  });

  test("with submodules, attributes, filters and hooks has nothing of them run", async () => {
    const mark = path.join(temporaryFolder(), "ran");
    const repository = emptyRepository();
    const card = committedFiles();
    repository.commit({
      ...card,
      ".gitattributes": "* filter=evil diff=evil\n",
      ".gitmodules": `[submodule "x"]\n\tpath = x\n\turl = ext::touch ${mark}\n`,
      ".git-hooks/post-checkout": `#!/bin/sh\ntouch ${mark}\n`,
    });
    const head = repository.git("rev-parse", "HEAD").trim();
    repository.git("update-index", "--add", "--cacheinfo", `160000,${head},x`);
    repository.git("commit", "--quiet", "-m", "a submodule");
    const gitconfig = `[filter "evil"]\n\tsmudge = touch ${mark}\n[core]\n\thooksPath = ${repository.folder}/.git-hooks\n\tfsmonitor = touch ${mark}\n`;
    const on = machine();
    writeTree(String(on.env["HOME"]), { ".gitconfig": gitconfig });
    expect((await sourceOf(repository, "", on).resolve()).tree).toBe((await packedCard()).tree);
    expect(fs.existsSync(mark)).toBe(false);
  });

  test("with a secret beside the card does not get it into the card, and one in it is refused", async () => {
    const repository = emptyRepository();
    repository.commit({ ...committedFiles({ hooks: { guard: {} } }), ".env": "secret", ".npmrc": "secret" });
    const card = await packedCard({ hooks: { guard: {} } });
    expect((await sourceOf(repository).resolve()).tree).toBe(card.tree);
    repository.commit({ ...committedFiles({ hooks: { guard: {} } }), "hooks/guard/.env": "secret" });
    expect((await problemOf(() => sourceOf(repository).resolve())).code).toBe("DRWN_PACK_REFUSED");
  });
});

describe("a hostile machine", () => {
  test.each<[string, (mark: string) => Record<string, string>]>([
    ["GIT_DIR", () => ({ GIT_DIR: "/nonexistent", GIT_WORK_TREE: "/nonexistent" })],
    ["GIT_EXEC_PATH", () => ({ GIT_EXEC_PATH: "/nonexistent" })],
    ["GIT_CONFIG_*", (mark) => configured("core.fsmonitor", `touch ${mark}`)],
    ["GIT_TRACE", (mark) => ({ GIT_TRACE: mark, GIT_TRACE_SETUP: mark })],
    ["GIT_OBJECT_DIRECTORY", () => ({ GIT_OBJECT_DIRECTORY: "/nonexistent" })],
    ["GIT_ALLOW_PROTOCOL", () => ({ GIT_ALLOW_PROTOCOL: "https", GIT_PROTOCOL_FROM_USER: "0" })],
  ])("%s of the environment does not reach git", async (_, env) => {
    const mark = path.join(temporaryFolder(), "ran");
    const repository = emptyRepository();
    repository.commit(committedFiles());
    expect((await sourceOf(repository, "", machine(env(mark))).resolve()).version).toBe("1.0.0");
    expect(fs.existsSync(mark)).toBe(false);
  });

  test.each(["ext::touch MARK --", "file:///nonexistent/"])(
    "a user's setting that turns https into %s is refused by git",
    async (instead) => {
      const mark = path.join(temporaryFolder(), "ran");
      const on = machine();
      const rewrite = `[url "${instead.replace("MARK", mark)}"]\n\tinsteadOf = https://git.example.com/\n[protocol "ext"]\n\tallow = always\n`;
      writeTree(String(on.env["HOME"]), { ".gitconfig": rewrite });
      const request = parseGitRequest("git+https://git.example.com/me/backend.git");
      if (request === undefined) throw new Error("this is no git request");
      const problem = await problemOf(() => openGitOrigin(request, on).resolve());
      expect(textOf(problem)).toMatch(/transport '(?:ext|file)' not allowed/u);
      expect(fs.existsSync(mark)).toBe(false);
    },
  );

  test("without git is told so", async () => {
    const on = machine({ PATH: temporaryFolder() });
    const problem = await problemOf(() => sourceOf(emptyRepository(), "", on).resolve());
    expect(textOf(problem)).toContain("git is not installed");
  });
});

function lifecycle(mark: string): string {
  const scripts = { prepare: `touch ${mark}`, prepack: `touch ${mark}`, postinstall: `touch ${mark}` };
  return JSON.stringify({ name: "@me/backend", version: "1.0.0", scripts });
}

function linkFolder(folder: string, relative: string): void {
  const elsewhere = path.join(folder, "elsewhere");
  fs.renameSync(path.join(folder, relative), elsewhere);
  fs.symlinkSync(elsewhere, path.join(folder, relative));
}

function configured(key: string, value: string): Record<string, string> {
  return { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: key, GIT_CONFIG_VALUE_0: value };
}
