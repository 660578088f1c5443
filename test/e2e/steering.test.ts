import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { AgentId } from "../../src/policy/event.ts";
import { SYSTEM_SHELLS, whyNotSh, withSh } from "../support/shells.ts";
import { sweep } from "../support/sweep.ts";
import { bash, runClaude } from "./claude.ts";
import { applyGuard, armGuard, diagnose, drwn } from "./drwn.ts";
import { inNewWorlds, replaceWorld, world } from "./each-world.ts";
import { denyTouch } from "./policies.ts";
import { type ProcessRequest, runToSuccess } from "./process.ts";
import { REAL, runCommands, skipIfMissing } from "./real-agents.ts";
import { World } from "./world.ts";

/** A world in which /bin/sh is bash, with more variables in the machine's environment. */
class BashWorld extends World {
  override housed(request: ProcessRequest): ProcessRequest {
    const { program, args } = request;
    const [unshare = "", ...words] = withSh(SYSTEM_SHELLS.find(({ name }) => name === "bash")?.program ?? "");
    return { ...request, program: unshare, args: [...words, program, ...args] };
  }
}

const AGENTS = [REAL["claude-code"], REAL.codex, REAL["copilot-cli"]];

inNewWorlds();

async function arm(runtime: AgentId): Promise<void> {
  if (runtime === "codex") fs.mkdirSync(path.join(world.home, ".codex"));
  await armGuard(world, denyTouch, runtime);
}

describe.for(sweep(AGENTS, 1))("in $runtime", (agent) => {
  const { runtime } = agent;

  beforeEach(({ skip }) => skipIfMissing(agent, skip));

  test("a session whose project is moved, with a link in its place, stays guarded", async () => {
    await arm(runtime);
    const { project } = world;
    const away = `${project}2`;
    await runCommands(
      agent,
      world,
      `mv ${project} ${away} && ln -s ${away} ${project}`,
      `touch ${world.folder}/ran.txt`,
    );
    expect([fs.existsSync(away), world.has("../ran.txt")]).toEqual([true, false]);
  });

  test("a session that is started in the new place of a moved project is blocked", async () => {
    await arm(runtime);
    fs.renameSync(world.project, `${world.project}2`);
    fs.symlinkSync(`${world.project}2`, world.project);
    const moved = Object.assign(Object.create(world), { project: `${world.project}2` });
    await runCommands(agent, moved, `touch ${world.folder}/ran.txt`);
    expect(world.has("../ran.txt")).toBe(false);
  });

  test("the variables of another agent, inherited, lead nobody away", async () => {
    await arm(runtime);
    const others = { CLAUDE_PROJECT_DIR: "/usr", GEMINI_PROJECT_DIR: "/usr", COPILOT_PROJECT_DIR: "/usr" };
    const below = Object.assign(Object.create(world), { env: { ...world.env, ...others } });
    await runCommands(agent, below, "touch ran.txt");
    expect(world.has("ran.txt")).toBe(false);
  });

  test("a .git that the session writes does not lead its folder to a project with weaker consents", async () => {
    await arm(runtime);
    const weak: World = Object.assign(Object.create(world), { project: path.join(world.folder, "weak") });
    fs.mkdirSync(path.join(weak.project, ".git"), { recursive: true });
    await drwn(weak, "init");
    await drwn(weak, "add", "@me/guard");
    await applyGuard(weak, [runtime]);
    await drwn(weak, "card", "untrust", "@me/guard", "--hooks");
    const folder = path.join(world.project, "packages/one");
    fs.mkdirSync(folder, { recursive: true });
    // Claude Code asks before a command that names .git writes to it; it doesn't look into scripts.
    fs.writeFileSync(path.join(folder, "lead"), `echo "gitdir: ${weak.project}/.git" > .git\n`);
    const below: World = Object.assign(Object.create(world), { project: folder });
    await runCommands(agent, below, "sh lead", `touch ${world.folder}/ran.txt`);
    expect([fs.existsSync(path.join(folder, ".git")), world.has("../ran.txt")]).toEqual([true, false]);
  });

  test("a repository in a new worktree of a guarded one is guarded", async () => {
    const who = ["-c", "user.name=a", "-c", "user.email=a@localhost", "-c", "commit.gpgsign=false"];
    const git = (cwd: string, ...args: string[]) =>
      runToSuccess({ program: "git", args: [...who, ...args], cwd, env: world.env });
    await git(world.project, "init", "--quiet");
    await arm(runtime);
    await git(world.project, "add", "--all");
    await git(world.project, "commit", "--quiet", "--message", "first");
    const nested = path.join(world.folder, "tree/nested");
    await git(world.project, "worktree", "add", "--quiet", path.join(world.folder, "tree"));
    fs.mkdirSync(nested);
    await git(nested, "init", "--quiet");
    const inside = Object.assign(Object.create(world), { project: nested });
    await runCommands(agent, inside, `touch ${world.folder}/ran.txt`);
    expect(world.has("../ran.txt")).toBe(false);
  });
});

test("functions and options that a project gives to a bash called sh do not let a call of Claude Code run", async ({
  skip,
}) => {
  const [shellHere] = SYSTEM_SHELLS.filter(({ name }) => name === "bash");
  const why = shellHere === undefined ? "bash is not known" : whyNotSh(shellHere);
  skip(why !== undefined, why);
  replaceWorld(new BashWorld());
  await arm("claude-code");
  const fails = (name: string) => [`BASH_FUNC_${name}%%`, "() { return 1; }"];
  const env = {
    ...Object.fromEntries(["[", "test", "echo", "cd", "unset", "exec"].map(fails)),
    SHELLOPTS: "errexit:noglob",
  };
  world.write(".claude/settings.json", JSON.stringify({ env }));
  await runClaude(world, { steps: bash("touch ran.txt") });
  expect(world.has("ran.txt")).toBe(false);
  expect((await diagnose(world)).findings).toContainEqual(
    expect.objectContaining({ code: "hooks-influenced", severity: "error" }),
  );
});

const INFLUENCES: readonly [AgentId, string, string][] = [
  ["claude-code", ".claude/settings.json", JSON.stringify({ env: { LD_PRELOAD: "/nowhere.so" } })],
  ["claude-code", ".claude/settings.local.json", JSON.stringify({ env: { SHELLOPTS: "noexec" } })],
  ["gemini-cli", ".env", "LD_AUDIT=/nowhere.so\n"],
  ["gemini-cli", "packages/.gemini/.env", "SHELLOPTS=noexec\n"],
];

test.each(sweep(INFLUENCES, 2))("doctor names what no hook of %s can undo in %s", async (runtime, file, text) => {
  await arm(runtime);
  world.write(file, text);
  const { ok, findings } = await diagnose(world);
  expect(ok).toBe(false);
  expect(findings).toContainEqual(
    expect.objectContaining({ code: "hooks-influenced", subject: `${world.at(file)}:1`, severity: "error" }),
  );
});
