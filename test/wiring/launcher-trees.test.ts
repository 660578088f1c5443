import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import { denying, from } from "../hook/launched.ts";
import { type ArmedHome, armHome, hookNode, write } from "../support/armed-home.ts";
import { verdictOf } from "../support/hook-calls.ts";

/** What a folder on the way down is: a plain one, a repository, a worktree of the guarded one, or what somebody made to mislead. */
const KINDS = {
  plain: () => {},
  repository: (folder: string) => write(path.join(folder, ".git/HEAD"), "ref: refs/heads/main\n"),
  "another repository's worktree": (folder: string, { world }: ArmedHome) => {
    const gitDir = path.join(world, "elsewhere/.git/worktrees/x");
    write(path.join(gitDir, "commondir"), "../..\n");
    write(path.join(folder, ".git"), `gitdir: ${gitDir}\n`);
  },
  submodule: (folder: string, { project }: ArmedHome) => {
    const modules = path.join(project, ".git/modules/sub");
    write(path.join(modules, "HEAD"), "x");
    write(path.join(folder, ".git"), `gitdir: ${path.relative(folder, modules)}\n`);
  },
  "a link for .git": (folder: string, { world }: ArmedHome) => {
    fs.mkdirSync(path.join(world, "linked"), { recursive: true });
    fs.symlinkSync(path.join(world, "linked"), path.join(folder, ".git"));
  },
  "a dangling .git": (folder: string) => fs.symlinkSync("/nowhere", path.join(folder, ".git")),
  "a .git that is /": (folder: string) => write(path.join(folder, ".git"), "gitdir: /\n"),
  "a .git of itself": (folder: string) => write(path.join(folder, ".git"), "gitdir: .\n"),
  "a .git of text": (folder: string) => write(path.join(folder, ".git"), "gitdir: $(touch x) -\u0000\n\n"),
  "a .git of much": (folder: string) => write(path.join(folder, ".git"), `gitdir: ${"a/".repeat(4_000)}`),
  "a commondir that leads out": (folder: string, { world }: ArmedHome) => {
    write(path.join(world, "odd/commondir"), "/usr\n");
    write(path.join(folder, ".git"), `gitdir: ${path.join(world, "odd")}\n`);
  },
  "a project nobody consented in": (folder: string) => write(path.join(folder, ".agents/drwn/config.json"), "{}"),
} satisfies Record<string, (folder: string, armed: ArmedHome) => void>;

type Kind = keyof typeof KINDS;

/** Answers everything at once, so that many trees can be tried: what counts is that it was asked. */
function answerQuickly({ world, home }: ArmedHome): void {
  const node = path.join(world, "node");
  write(node, "#!/bin/sh\necho '{}'\nexit 100\n");
  fs.chmodSync(node, 0o755);
  const launcher = layout.launcher(home);
  fs.writeFileSync(launcher, fs.readFileSync(launcher, "utf8").replace(hookNode().execPath, node));
}

/** The project is the top of a repository, and `worktree` a worktree of it that drwn has never seen. */
function armRepository(): ArmedHome & { worktree: string } {
  const armed = armHome([denying]);
  answerQuickly(armed);
  write(path.join(armed.project, ".git/HEAD"), "ref: refs/heads/main\n");
  write(layout.marker(armed.home, path.join(armed.project, ".git")), `${armed.key}\n`);
  const worktree = path.join(armed.world, "worktree");
  const gitDir = path.join(armed.project, ".git/worktrees/one");
  write(path.join(gitDir, "commondir"), "../..\n");
  write(path.join(gitDir, "gitdir"), `${worktree}/.git\n`);
  write(path.join(worktree, ".git"), `gitdir: ${gitDir}\n`);
  return { ...armed, worktree };
}

describe("every folder below a guarded one is guarded", () => {
  test("in the project and in a worktree of it, whatever repositories, submodules, links and .git files lie on the way", () => {
    const kinds = fc.array(fc.constantFrom(...(Object.keys(KINDS) as Kind[])), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(kinds, fc.boolean(), fc.boolean(), (way, inWorktree, byLink) => {
        const armed = armRepository();
        let folder = inWorktree ? armed.worktree : armed.project;
        for (const [depth, kind] of way.entries()) {
          folder = path.join(folder, `d ${depth}`);
          fs.mkdirSync(folder);
          KINDS[kind](folder, armed);
        }
        const link = path.join(armed.world, "a link");
        fs.symlinkSync(folder, link);
        expect([way, armed.call({}, from(byLink ? link : folder)).stdout]).toEqual([way, "{}\n"]);
      }),
      { numRuns: 60 },
    );
  });

  test.each<[string, (folder: string, gitDir: string) => void]>([
    ["a .git file", (folder, gitDir) => write(path.join(folder, ".git"), `gitdir: ${gitDir}\n`)],
    ["a link for .git", (folder, gitDir) => fs.symlinkSync(gitDir, path.join(folder, ".git"))],
    [
      "a worktree",
      (folder, gitDir) => {
        write(path.join(gitDir, "worktrees/x/commondir"), "../..\n");
        write(path.join(folder, ".git"), `gitdir: ${gitDir}/worktrees/x\n`);
      },
    ],
  ])("and %s in it that leads to another project adds that one, and takes none away", (_, lead) => {
    const armed = armRepository();
    const gitDir = path.join(armed.world, "weak/.git");
    const folder = path.join(armed.project, "packages/one");
    fs.mkdirSync(gitDir, { recursive: true });
    write(layout.marker(armed.home, gitDir), "abc\n");
    fs.mkdirSync(folder, { recursive: true });
    lead(folder, gitDir);
    write(path.join(armed.world, "node"), '#!/bin/sh\necho "$*"\nexit 100\n');
    // The second call finds it by the path that the first has noted.
    for (let i = 0; i < 2; i++) {
      const told = armed.call({}, from(folder)).stdout;
      expect([told.includes("abc"), told.includes(armed.key)]).toEqual([true, true]);
    }
  });

  test("and none beside it is", () => {
    for (const kind of Object.keys(KINDS) as Kind[]) {
      const armed = armRepository();
      const folder = path.join(armed.world, "beside");
      fs.mkdirSync(folder);
      if (kind !== "submodule") KINDS[kind](folder, armed);
      expect([kind, armed.call({}, from(folder)).stdout]).toEqual([kind, ""]);
    }
  });

  test("in a worktree whose .git is led elsewhere after its first call", () => {
    const armed = armRepository();
    expect(armed.call({}, from(armed.worktree)).stdout).toBe("{}\n");
    for (const text of ["gitdir: /nowhere\n", ""]) {
      fs.writeFileSync(path.join(armed.worktree, ".git"), text);
      expect(armed.call({}, from(armed.worktree)).stdout).toBe("{}\n");
    }
    fs.rmSync(path.join(armed.worktree, ".git"));
    expect(armed.call({}, from(armed.worktree)).stdout).toBe("{}\n");
  });

  test("in a worktree of a repository that was moved", () => {
    const armed = armRepository();
    fs.renameSync(armed.project, path.join(armed.world, "moved"));
    expect(armed.call({}, from(armed.worktree)).stdout).toBe("{}\n");
  });

  test("in a folder that a link in the project leads to, by the name of the link", () => {
    const armed = armRepository();
    const outside = path.join(armed.world, "outside");
    fs.mkdirSync(outside);
    fs.symlinkSync(outside, path.join(armed.project, "link"));
    expect(armed.call({}, from(path.join(armed.project, "link"))).stdout).toBe("{}\n");
    expect(armed.call({}, from(outside)).stdout).toBe("");
  });

  test.skipIf(spawnSync("git", ["--version"]).status !== 0)("in what the real git makes (needs git)", () => {
    const armed = armHome([denying]);
    const git = (cwd: string, ...args: string[]): void => {
      const who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always"];
      const { status, stderr } = spawnSync("git", [...who, ...args], { cwd, encoding: "utf8" });
      if (status !== 0) throw new Error(stderr);
    };
    const other = path.join(armed.world, "other");
    for (const repository of [armed.project, other]) {
      write(path.join(repository, "file"), "x");
      git(repository, "init", "-q");
      git(repository, "add", "-A");
      git(repository, "commit", "-qm", "x");
    }
    git(armed.project, "submodule", "add", "-q", other, "sub");
    git(armed.project, "commit", "-qm", "sub");
    write(layout.marker(armed.home, path.join(armed.project, ".git")), `${armed.key}\n`);
    const tree = path.join(armed.world, "tree");
    git(armed.project, "worktree", "add", "-q", "--detach", tree);
    git(tree, "submodule", "--quiet", "update", "--init");
    fs.mkdirSync(path.join(tree, "nested/deep"), { recursive: true });
    git(path.join(tree, "nested"), "init", "-q");
    for (const folder of ["", "sub", "nested", "nested/deep"])
      expect([folder, verdictOf(armed.call({}, from(path.join(tree, folder))))]).toEqual([folder, "deny"]);
  });
});
