import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import { hookCommand, isHookCommand, renderLauncher } from "../../src/materialize/launcher.ts";
import { type ArmedHome, armHome, type LiteralPolicy, reasonOf, verdictOf, write } from "../support/armed-home.ts";

const denying: LiteralPolicy = { policy: `{ beforeToolCall: () => ({ action: "deny", reason: "no" }) }` };
const from = (folder: string) => ({ cwd: folder, env: { CLAUDE_PROJECT_DIR: folder } });
const hasGit = spawnSync("git", ["--version"]).status === 0;
const shells = ["sh", "dash", "bash"].filter((shell) => spawnSync(shell, ["-c", ":"]).status === 0);

describe.each(shells)("under %s", (shell) => {
  test.each(["plain", "with space", `q'uo"te`, "dollar $HOME `id`", "back\\slash", "-dash", "star*[a]", "größe\ttab"])(
    "a home and a project called %j work",
    (name) => {
      const armed = armHome([denying], { home: `${name}/home`, project: `${name}/project` });
      expect(reasonOf(armed.call({}, { shell }))).toBe("[@me/guards#guard-0] no");
      const outside = armed.call({}, { shell, ...from(armed.world) });
      expect([verdictOf(outside), outside.stderr]).toEqual(["silence", ""]);
    },
  );

  test("the launcher itself works", () => {
    const armed = armHome([denying]);
    const text = fs.readFileSync(layout.launcher(armed.home), "utf8");
    for (const name of ["hook", "hook.cjs"]) expect(fs.existsSync(path.join(armed.home, "bin", name))).toBe(true);
    expect(spawnSync(shell, ["-n", layout.launcher(armed.home)]).status).toBe(0);
    expect(text).not.toContain("__NODE__");
    const input = JSON.stringify({ tool_name: "Bash", tool_input: {} });
    const result = armed.run(`${shell} '${layout.launcher(armed.home)}' claude-code`, { input });
    expect(verdictOf(result)).toBe("deny");
  });

  test("a missing launcher blocks in drwn projects and is silent elsewhere", () => {
    const armed = armHome([denying]);
    fs.rmSync(layout.launcher(armed.home));
    const deep = path.join(armed.project, "a/b c");
    fs.mkdirSync(deep, { recursive: true });
    for (const folder of [armed.project, deep]) {
      const inside = armed.call({}, { shell, ...from(folder) });
      expect(verdictOf(inside)).toBe("block");
      expect(inside.stderr).toMatch(/^drwn: .*drwn write.*remove the entry.*\n$/u);
    }
    const outside = armed.call({}, { shell, ...from(armed.world) });
    expect([verdictOf(outside), outside.stderr]).toEqual(["silence", ""]);
    expect(verdictOf(armed.call({}, { shell, phase: "post" }))).toBe("silence");
  });
});

/** In place of both: the program that answers everything, and the one that answers the tool calls of an agent. */
function writePrograms({ home }: ArmedHome, text: string): void {
  for (const name of ["hook.cjs", "hook-claude-code.cjs"]) fs.writeFileSync(layout.hookProgram(home, name), text);
}

const deaths: [name: string, harm: (armed: ArmedHome) => void, says: string][] = [
  ["the launcher is not executable", ({ home }) => fs.chmodSync(layout.launcher(home), 0o644), "drwn write"],
  [
    "the launcher is empty of sense",
    ({ home }) => fs.writeFileSync(layout.launcher(home), "#!/bin/sh\nexit 7\n"),
    "drwn write",
  ],
  ["the launcher is empty", ({ home }) => fs.truncateSync(layout.launcher(home)), "drwn write"],
  [
    "the launcher says that all is well",
    ({ home }) => fs.writeFileSync(layout.launcher(home), "#!/bin/sh\nexit 0\n"),
    "drwn write",
  ],
  [
    "the launcher's shell is missing",
    ({ home }) => fs.writeFileSync(layout.launcher(home), "#!/nowhere/sh\n"),
    "drwn write",
  ],
  ["the hook process is missing", ({ home }) => fs.rmSync(layout.hook(home)), "drwn write"],
  ["the hook process does not parse", (armed) => writePrograms(armed, "this is no code"), "status 1"],
  ["the hook process exits otherwise", (armed) => writePrograms(armed, "process.exit(9)"), "status 9"],
  ["the hook process is killed", (armed) => writePrograms(armed, "process.kill(process.pid, 'SIGKILL')"), "status 137"],
  ["the hook process is empty", (armed) => writePrograms(armed, ""), "status 0"],
  ["the hook process ends without an answer", (armed) => writePrograms(armed, "process.exit(0)"), "status 0"],
  [
    "the hook process is no file",
    ({ home }) => {
      fs.rmSync(layout.hook(home));
      execFileSync("mkfifo", [layout.hook(home)]);
    },
    "is missing",
  ],
  ["the hook process aborts", (armed) => writePrograms(armed, "process.abort()"), "status 134"],
  ["the list of projects is gone", ({ home }) => fs.rmSync(layout.roots(home), { recursive: true }), "drwn write"],
  ["the marker is empty", ({ home, project }) => fs.writeFileSync(layout.marker(home, project), ""), "drwn write"],
  [
    "the marker is no file",
    ({ home, project }) => {
      fs.rmSync(layout.marker(home, project));
      execFileSync("mkfifo", [layout.marker(home, project)]);
    },
    "drwn write",
  ],
  [
    "the marker is a path",
    ({ home, project }) => fs.writeFileSync(layout.marker(home, project), "../../x\n"),
    "drwn write",
  ],
  [
    "the marker is too long",
    ({ home, project }) => fs.writeFileSync(layout.marker(home, project), "a".repeat(65)),
    "drwn write",
  ],
  [
    "the marker names another project",
    ({ home, project }) => fs.writeFileSync(layout.marker(home, project), "abc\n"),
    "drwn card trust",
  ],
];

describe.each(deaths)("when %s", (_, harm, says) => {
  test("calls in the project are blocked, with one line", () => {
    const armed = armHome([denying]);
    harm(armed);
    const result = armed.call();
    expect(["block", "deny"]).toContain(verdictOf(result));
    expect(reasonOf(result)).toContain(says);
    expect(reasonOf(result).match(/drwn: /gu) ?? []).toHaveLength(verdictOf(result) === "block" ? 1 : 0);
  });

  test("after a call, and outside of the project, nothing is disturbed", () => {
    const armed = armHome([denying]);
    harm(armed);
    expect(verdictOf(armed.call({}, { phase: "post" }))).toBe("silence");
    const outside = armed.call({}, from(armed.world));
    expect(verdictOf(outside)).toBe("silence");
    expect(outside.stderr).not.toContain("drwn: ");
  });
});

test("a launcher that was cut off behind any of its lines lets no call through", () => {
  const armed = armHome([denying]);
  const lines = fs.readFileSync(layout.launcher(armed.home), "utf8").split("\n");
  // Behind the last of these it is whole.
  const statements = lines.slice(0, lines.lastIndexOf("esac"));
  const passed = statements.flatMap((line, at) => {
    fs.writeFileSync(layout.launcher(armed.home), statements.slice(0, at + 1).join("\n"));
    return ["block", "deny"].includes(verdictOf(armed.call())) ? [] : [`${at + 1}: ${line}`];
  });
  expect(passed).toEqual([]);
});

describe("the entry of an earlier version, which takes 0 for an answer", () => {
  const earlier = ({ home }: ArmedHome, phase: string) =>
    `drwn_hook='${layout.launcher(home)}'; if [ -x "$drwn_hook" ]; then "$drwn_hook" claude-code ${phase}; ` +
    "drwn_end=$?; case $drwn_end in 0|2) exit $drwn_end;; esac; fi; echo 'drwn: the hook does not work' >&2; exit 2";
  const input = JSON.stringify({ tool_name: "Bash", tool_input: {} });

  test("gets a deny, silence and a block as it did", () => {
    const armed = armHome([denying]);
    expect(reasonOf(armed.run(earlier(armed, "pre"), { input }))).toBe("[@me/guards#guard-0] no");
    const told = [
      armed.run(earlier(armed, "post"), { input }),
      armed.run(earlier(armed, "pre"), { input, ...from("/") }),
    ];
    expect(told.map(({ status, stdout, stderr }) => [status, stdout, stderr])).toEqual([
      [0, "", ""],
      [0, "", ""],
    ]);
    fs.rmSync(layout.hook(armed.home));
    expect(verdictOf(armed.run(earlier(armed, "pre"), { input }))).toBe("block");
    expect(armed.run(earlier(armed, "post"), { input }).status).toBe(0);
  });
});

test("a record of the project that never ends is read for two seconds, and blocks", () => {
  const armed = armHome([denying]);
  const marker = layout.marker(armed.home, armed.project);
  fs.writeFileSync(marker, "");
  fs.truncateSync(marker, 2 ** 40);
  const result = armed.call();
  expect([verdictOf(result), reasonOf(result)]).toEqual(["block", expect.stringContaining("the hook does not work")]);
});

test("a launcher that was cut short anywhere does not say that it did its work, and decides nothing", () => {
  const armed = armHome([denying]);
  const launcher = layout.launcher(armed.home);
  const text = fs.readFileSync(launcher, "utf8");
  for (let length = 40; length < text.length - 2; length += 211) {
    fs.writeFileSync(launcher, text.slice(0, length));
    const { status } = spawnSync("/bin/sh", [launcher, "claude-code", "pre"], { cwd: armed.project, input: "" });
    expect([length, status]).toEqual([length, 3]);
  }
});

describe("Node", () => {
  const moveNode = ({ home }: ArmedHome): void => {
    const template = fs.readFileSync(path.resolve(import.meta.dirname, "../../templates/launcher.sh"), "utf8");
    fs.writeFileSync(layout.launcher(home), renderLauncher(template, { nodePath: "/nowhere/$& node" }));
  };

  test("is found again on the PATH when it has moved", () => {
    const armed = armHome([denying]);
    moveNode(armed);
    expect(verdictOf(armed.call({}, { env: { PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin` } }))).toBe(
      "deny",
    );
  });

  test.each(["/nowhere", ".", ""])("blocks when it is not on the PATH %j either", (PATH) => {
    const armed = armHome([denying]);
    moveNode(armed);
    fs.writeFileSync(path.join(armed.project, "node"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
    const result = armed.call({}, { shell: "/bin/sh", env: { PATH } });
    expect(verdictOf(result)).toBe("block");
    expect(result.stderr).toMatch(/^drwn: .*drwn write \(.*remove the entry .*\)\n$/u);
  });
});

describe("the program for the calls of one agent", () => {
  const own = ({ home }: ArmedHome) => layout.hookProgram(home, "hook-claude-code.cjs");

  test("answers where one process can run all policies, and nowhere else", () => {
    const together = armHome([denying]);
    const apart = armHome([denying, { ...denying, publisher: "another" }]);
    for (const armed of [together, apart])
      fs.writeFileSync(own(armed), "process.stdout.write('{}'); process.exit(100);\n");
    expect(together.call().stdout).toBe("{}");
    expect(verdictOf(apart.call())).toBe("deny");
  });

  test("is missed by nobody: the one that answers everything gives the same answer", () => {
    const armed = armHome([denying]);
    const said = armed.call().stdout;
    fs.rmSync(own(armed));
    expect(verdictOf(armed.call())).toBe("deny");
    expect(armed.call().stdout).toBe(said);
  });

  test("blocks where Node does not confine it", () => {
    const armed = armHome([denying]);
    const words = ["claude-code", "pre", armed.key, armed.home, armed.project, "", "50000"];
    const input = JSON.stringify({ tool_name: "Bash", tool_input: {} });
    const result = spawnSync(process.execPath, [own(armed), ...words], { input, encoding: "utf8" });
    expect([result.status, result.stdout]).toEqual([2, ""]);
    expect(result.stderr).toContain("it was not confined");
  });
});

describe("an event after a call", () => {
  const withoutNode = (armed: ArmedHome) => {
    writePrograms(armed, "process.stdout.write('{}'); process.exit(100);\n");
    return armed;
  };
  const started = (armed: ArmedHome, phase: "pre" | "post") =>
    armed.run(hookCommand({ home: armed.home, runtime: "claude-code", phase })).stdout;

  test("starts no Node where no policy of the project wants one", () => {
    const armed = withoutNode(armHome([denying]));
    expect([started(armed, "pre"), started(armed, "post")]).toEqual(["{}", ""]);
  });

  test.each<[string, Partial<LiteralPolicy>]>([
    ["one wants it", { phases: ["pre-tool", "post-tool"] }],
    ["policies need processes of their own, so that no note says what they want", { capabilities: ["env"] }],
  ])("starts Node where %s", (_, change) => {
    const armed = withoutNode(armHome([{ ...denying, ...change }]));
    expect(started(armed, "post")).toBe("{}");
  });

  test.each<[string, (note: string) => void]>([
    ["is a pipe that nobody writes to", (note) => execFileSync("mkfifo", [note])],
    ["is a device without end", (note) => fs.symlinkSync("/dev/zero", note)],
    ["is a folder", (note) => fs.mkdirSync(note)],
  ])("answers when the note %s", (_, put) => {
    const armed = armHome([denying]);
    const note = layout.confined(armed.home, armed.key);
    fs.rmSync(note);
    put(note);
    expect(reasonOf(armed.call())).toBe("[@me/guards#guard-0] no");
  });

  test("never does without Node before a call, whatever the note says", () => {
    const armed = withoutNode(armHome([denying]));
    for (const note of ["10 post", "10 ", "", "pre pre pre", "0 none"]) {
      write(layout.confined(armed.home, armed.key), `${note}\n`);
      expect(started(armed, "pre")).toBe("{}");
    }
  });
});

describe("a hostile environment", () => {
  test.each<[string, (evil: string) => Record<string, string>]>([
    ["NODE_OPTIONS", (evil) => ({ NODE_OPTIONS: `--require ${evil}` })],
    ["a broken NODE_OPTIONS", () => ({ NODE_OPTIONS: "--no-such-option" })],
    ["NODE_PATH", (evil) => ({ NODE_PATH: path.dirname(evil) })],
    ["NODE_EXTRA_CA_CERTS", (evil) => ({ NODE_EXTRA_CA_CERTS: evil })],
    ["NODE_V8_COVERAGE", () => ({ NODE_V8_COVERAGE: "coverage-of-hook" })],
    ["NODE_CHANNEL_FD", () => ({ NODE_CHANNEL_FD: "0" })],
    ["NODE_UNIQUE_ID", () => ({ NODE_UNIQUE_ID: "1" })],
    ["OPENSSL_CONF", () => ({ OPENSSL_CONF: "/nowhere" })],
    ["DRWN_HOME", () => ({ DRWN_HOME: "/nowhere" })],
    ["HOME", () => ({ HOME: "/nowhere" })],
    ["CDPATH", () => ({ CDPATH: "/:/tmp" })],
    ["IFS", () => ({ IFS: "/ab" })],
    ["LC_ALL", () => ({ LC_ALL: "tr_TR.UTF-8" })],
    ["a CLAUDE_PROJECT_DIR that does not exist", () => ({ CLAUDE_PROJECT_DIR: "/nowhere/at/all" })],
    ["a CLAUDE_PROJECT_DIR that means the folder before", () => ({ CLAUDE_PROJECT_DIR: "-", OLDPWD: "/" })],
    ["an empty CLAUDE_PROJECT_DIR", () => ({ CLAUDE_PROJECT_DIR: "" })],
    ["a lying PWD", () => ({ CLAUDE_PROJECT_DIR: "", PWD: "/" })],
    [
      "variables of the launcher",
      () => ({ home: "/", phase: "post", marker: "/x", node: "/bin/true", common: "/x", top: "/x", key: "0" }),
    ],
    ["variables of the command", () => ({ drwn_hook: "/bin/true", drwn_end: "0", drwn_dir: "/" })],
  ])("does not disarm the hook by %s", (_, env) => {
    const armed = armHome([denying]);
    const evil = path.join(armed.world, "evil.cjs");
    write(evil, "process.exit(0)");
    const result = armed.call({}, { env: env(evil) });
    expect(result.said?.hookSpecificOutput?.permissionDecisionReason).toBe("[@me/guards#guard-0] no");
    expect(result.stderr).toBe("");
    expect(fs.existsSync(path.join(armed.project, "coverage-of-hook"))).toBe(false);
  });
});

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
    expect(verdictOf(armed.call({}, from(moved)))).toBe("silence");
  });

  test("is the nearest of several", () => {
    const armed = armHome([denying]);
    const inner = path.join(armed.project, "inner");
    fs.mkdirSync(inner);
    write(layout.marker(armed.home, inner), "abc\n");
    expect(reasonOf(armed.call({}, from(inner)))).toContain("drwn card trust");
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

  test("prefers its own consent to the one of a folder around it", () => {
    const { armed, worktree } = armRepository("");
    write(layout.marker(armed.home, armed.world), "abc\n");
    expect(reasonOf(armed.call({}, from(worktree)))).toBe("[@me/guards#guard-0] no");
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

describe("the command in an agent's settings", () => {
  const home = "/home/o'brien/.agents/drwn";
  const command = hookCommand({ home, runtime: "claude-code", phase: "pre" });

  test("is one line, the same every time, and recognised as ours", () => {
    expect(command).not.toContain("\n");
    expect(command).toBe(hookCommand({ home, runtime: "claude-code", phase: "pre" }));
    expect(isHookCommand(command, home)).toBe(true);
    expect(isHookCommand(hookCommand({ home, runtime: "codex", phase: "post" }), home)).toBe(true);
  });

  test.each(["", "echo drwn_hook", `echo; ${command}`, "/home/o'brien/.agents/drwn/bin/hook claude-code pre"])(
    "is not mistaken for %j",
    (other) => {
      expect(isHookCommand(other, home)).toBe(false);
      expect(isHookCommand(command, "/home/other/.agents/drwn")).toBe(false);
    },
  );
});
