import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import { denying, from } from "../hook/launched.ts";
import { type ArmedHome, armHome, armProject, write } from "../support/armed-home.ts";
import { reasonOf, verdictOf } from "../support/hook-calls.ts";

const hasGit = spawnSync("git", ["--version"]).status === 0;

describe("the project of a session", () => {
  test("is found from any folder inside it, and from none beside it", () => {
    const armed = armHome([denying]);
    const inside = path.join(armed.project, "a/b");
    const beside = `${armed.project}-2`;
    for (const folder of [inside, beside]) fs.mkdirSync(folder, { recursive: true });
    expect(verdictOf(armed.call({}, from(inside)))).toBe("deny");
    expect(verdictOf(armed.call({}, from(beside)))).toBe("silence");
  });

  test("follows where the agent was started, not where it has gone to", () => {
    const armed = armHome([denying]);
    expect(verdictOf(armed.call({ cwd: "/" }, { cwd: "/" }))).toBe("deny");
  });

  test("is found through links", () => {
    const armed = armHome([denying]);
    const link = path.join(armed.world, "link");
    fs.symlinkSync(armed.project, link);
    expect(verdictOf(armed.call({}, from(link)))).toBe("deny");
    expect(verdictOf(armed.call({}, { cwd: link, env: { CLAUDE_PROJECT_DIR: "", PWD: link } }))).toBe("deny");
  });

  test("is the one that the session was started in, when that was moved or removed meanwhile", () => {
    const armed = armHome([denying]);
    const moved = path.join(armed.world, "moved");
    fs.renameSync(armed.project, moved);
    for (const folder of [armed.project, path.join(armed.project, "gone/too/")]) {
      const result = armed.call({}, { cwd: moved, env: { CLAUDE_PROJECT_DIR: folder } });
      expect(reasonOf(result)).toBe("[@me/guards#guard-0] no");
    }
    const there = armed.call({}, from(moved));
    expect([verdictOf(there), there.stderr]).toEqual(["block", expect.stringContaining("drwn trust --adopt")]);
  });

  test("is the nearest of several", () => {
    const armed = armHome([denying]);
    const inner = path.join(armed.project, "inner");
    fs.mkdirSync(inner);
    write(layout.marker(armed.home, inner), "abc\n");
    expect(reasonOf(armed.call({}, from(inner)))).toContain("drwn trust");
    expect(reasonOf(armed.call())).toBe("[@me/guards#guard-0] no");
  });

  test("can be the root of the disk", () => {
    const armed = armHome([denying]);
    write(layout.marker(armed.home, "/"), `${armed.key}\n`);
    expect(verdictOf(armed.call({}, from("/")))).toBe("deny");
    expect(verdictOf(armed.call({}, from("/tmp")))).toBe("deny");
  });
});

describe.skipIf(!hasGit)("a git worktree (needs git)", () => {
  const git = (cwd: string, ...args: string[]): void => {
    const who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always"];
    const { status, stderr } = spawnSync("git", [...who, ...args], { cwd, encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
  };
  /** The project is `inside` of a repository, and consent was given in its main worktree. */
  const armRepository = (inside: string): { armed: ArmedHome; repository: string; worktree: string } => {
    const armed = armHome([denying]);
    const repository = path.join(armed.world, "repo");
    write(path.join(repository, inside, "deep er/file"), "x");
    git(repository, "init", "-q");
    git(repository, "add", "-A");
    git(repository, "commit", "-qm", "x");
    const worktree = path.join(armed.world, "work tree");
    git(repository, "worktree", "add", "-q", "-b", "side", worktree);
    write(layout.marker(armed.home, path.join(repository, inside)), `${armed.key}\n`);
    write(layout.marker(armed.home, path.join(repository, ".git", inside)), `${armed.key}\n`);
    return { armed, repository, worktree };
  };

  test.each(["", "packages/app"])("is guarded like the main one (project at %j)", (inside) => {
    const { armed, repository, worktree } = armRepository(inside);
    for (const top of [repository, worktree]) {
      expect(verdictOf(armed.call({}, from(path.join(top, inside))))).toBe("deny");
      expect(verdictOf(armed.call({}, from(path.join(top, inside, "deep er"))))).toBe("deny");
    }
    if (inside !== "") expect(verdictOf(armed.call({}, from(worktree)))).toBe("silence");
    expect(verdictOf(armed.call({}, from(armed.world)))).toBe("silence");
  });

  test("is guarded when only its repository knows the project", () => {
    const { armed, repository, worktree } = armRepository("");
    fs.rmSync(layout.marker(armed.home, repository));
    for (const top of [repository, worktree]) expect(verdictOf(armed.call({}, from(top)))).toBe("deny");
  });

  test("is guarded when its links end as lines of Windows do", () => {
    const { armed, worktree } = armRepository("");
    const file = path.join(worktree, ".git");
    const text = fs.readFileSync(file, "utf8").trim();
    fs.writeFileSync(file, `${text}\r\n`);
    const common = path.join(text.slice("gitdir: ".length), "commondir");
    fs.writeFileSync(common, `${fs.readFileSync(common, "utf8").trim()}\r\n`);
    expect(reasonOf(armed.call({}, from(worktree)))).toBe("[@me/guards#guard-0] no");
  });

  test("is guarded when its links are relative", () => {
    const { armed, worktree } = armRepository("");
    const [, target = ""] = fs.readFileSync(path.join(worktree, ".git"), "utf8").trim().split("gitdir: ");
    fs.writeFileSync(path.join(worktree, ".git"), `gitdir: ${path.relative(worktree, target)}\n`);
    expect(verdictOf(armed.call({}, from(worktree)))).toBe("deny");
  });

  test("is judged by a project around it, too", () => {
    const { armed, worktree } = armRepository("");
    const denyWrites = `{ beforeToolCall: ({ toolName }) => toolName === "Write" ? { action: "deny", reason: "not here" } : undefined }`;
    armProject(armed, armed.world, [{ policy: denyWrites, card: "@me/outer" }]);
    // The first call notes the path of the worktree.
    for (let i = 0; i < 2; i++) {
      expect(reasonOf(armed.call({}, from(worktree)))).toBe("[@me/guards#guard-0] no");
      expect(reasonOf(armed.call({ tool_name: "Write" }, from(worktree)))).toBe("[@me/outer#guard-0] not here");
    }
  });

  test("a submodule is a repository of its own", () => {
    const { armed, repository } = armRepository("");
    const other = armRepository("").repository;
    git(repository, "submodule", "add", "-q", other, "sub");
    fs.rmSync(layout.marker(armed.home, repository));
    fs.rmSync(layout.marker(armed.home, path.join(repository, ".git")));
    expect(verdictOf(armed.call({}, from(path.join(repository, "sub"))))).toBe("silence");
    write(layout.marker(armed.home, path.join(repository, ".git/modules/sub")), `${armed.key}\n`);
    expect(verdictOf(armed.call({}, from(path.join(repository, "sub"))))).toBe("deny");
  });

  test.each(["", "gitdir: ", "gitdir: /nowhere", "gitdir: -", "nonsense", "gitdir: $(touch x)"])(
    "with a broken .git file (%j) is as any other folder",
    (content) => {
      const armed = armHome([denying]);
      const folder = path.join(armed.world, "broken");
      write(path.join(folder, ".git"), content);
      const result = armed.call({}, from(folder));
      expect([verdictOf(result), result.stderr]).toEqual(["silence", ""]);
      write(path.join(armed.project, ".git"), content);
      expect(verdictOf(armed.call())).toBe("deny");
    },
  );
});

test("a session whose folder is named by a way out of a project is where that leads", () => {
  const armed = armHome([denying]);
  for (const out of ["..", "../.", "a/../.."]) {
    const result = armed.call({}, { cwd: armed.world, env: { CLAUDE_PROJECT_DIR: `${armed.project}/${out}` } });
    expect([out, verdictOf(result), result.stderr]).toEqual([out, "silence", ""]);
  }
});
