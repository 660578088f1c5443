import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { isOwnSource } from "../../src/authoring/find-source.ts";
import { findCard } from "../../src/authoring/proving/find-hooks.ts";
import { indexSource } from "../../src/card/source/build-index.ts";
import { loadSource } from "../../src/card/source/source.ts";
import SourceUse from "../../src/cli/commands/card/source/use.ts";
import CardTest from "../../src/cli/commands/card/test.ts";
import Replay from "../../src/cli/commands/replay.ts";
import { formatJson } from "../../src/kernel/format/json.ts";
import { newCard } from "../../src/operations/author/edit-source.ts";
import { sourceWith, temporaryFolder } from "../support/cards.ts";
import { type CommandClass, runCommand } from "../support/cli.ts";
import { type TestHost, testHost } from "../support/host.ts";
import { problemOf } from "../support/problems.ts";
import { inAgent, newProject, owning } from "../support/projects.ts";

/** A cloned repository's card, whose code leaves a file wherever it is allowed to run with what it declares. */
async function clone(host: TestHost): Promise<{ folder: string; trace: string }> {
  const trace = path.join(temporaryFolder(), "ran");
  const policy = `import fs from "node:fs";
import { defineToolPolicy } from "darwinian-minds/hook-policy";
export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash",
  beforeToolCall() { fs.writeFileSync(${JSON.stringify(trace)}, "x"); return undefined; },
});
`;
  const line = JSON.stringify({ id: "ls", tool: "Bash", input: { command: "ls" }, expect: "allow" });
  const folder = path.join(host.cwd, "clone");
  const source = sourceWith({
    manifest: { hooks: { include: ["guard"], capabilities: { guard: ["fs-write"] } } },
    hooks: { guard: policy },
    files: { "hooks/guard/cases.jsonl": line },
  });
  const { index } = await indexed(source);
  fs.cpSync(source, folder, { recursive: true });
  fs.writeFileSync(path.join(folder, "hooks/index.json"), index);
  return { folder, trace };
}

/** The index that its author has committed. */
async function indexed(source: string): Promise<{ index: string }> {
  return { index: formatJson(await indexSource(loadSource(source))) };
}

describe("a folder with a card.json that nobody registered here", () => {
  test.each<[string, CommandClass, string[]]>([
    ["card test", CardTest, []],
    ["card test --json", CardTest, ["--json"]],
    ["card test --mutate", CardTest, ["--mutate"]],
    ["card test --stack", CardTest, ["--stack"]],
    ["card test --hook", CardTest, ["--hook", "guard"]],
    ["card test --tool", CardTest, ["--tool", "Bash"]],
    ["card test --tool --allow", CardTest, ["--allow", "fs-write", "--tool", "Bash"]],
    ["card test --tool --json", CardTest, ["--tool", "Bash", "--json"]],
    ["replay", Replay, []],
  ])("isn't run by %s, however it is named", async (_, Command, flags) => {
    const host = newProject();
    const { folder, trace } = await clone(host);
    fs.symlinkSync(folder, path.join(host.cwd, "link"));
    for (const name of [folder, "clone", "./clone", "link", "clone/../clone"]) {
      const { exitCode } = await runCommand(host, Command, name, ...flags);
      expect([name, exitCode, fs.existsSync(trace)]).toEqual([name, 1, false]);
    }
    const inside = await runCommand(host.at(folder), Command, ".", ...flags);
    expect([inside.exitCode, fs.existsSync(trace)]).toEqual([1, false]);
  });

  test.each<[string, CommandClass, string[]]>([
    ["card test", CardTest, ["--run"]],
    ["card test --mutate", CardTest, ["--run", "--mutate"]],
    ["replay", Replay, ["--run"]],
  ])("reaches nothing in %s with --run", async (_, Command, flags) => {
    const host = newProject();
    const { folder, trace } = await clone(host);
    await runCommand(host, Command, folder, ...flags);
    expect(fs.existsSync(trace)).toBe(false);
  });

  test.each([
    ["in the standard place", "home/sources/@evil/x", undefined],
    ["in a list of sources", "clone", "clone"],
  ])("isn't one's own by a DRWN_HOME in its repository: %s", async (_, place, listed) => {
    const host = newProject();
    fs.mkdirSync(path.join(host.cwd, ".git/refs"), { recursive: true });
    fs.writeFileSync(path.join(host.cwd, ".git/HEAD"), "ref: refs/heads/main\n");
    const { folder, trace } = await clone(host);
    const there = { ...host, drwnHome: path.join(host.cwd, "home") };
    const source = path.join(host.cwd, place);
    if (source !== folder) fs.cpSync(folder, source, { recursive: true });
    if (listed !== undefined) owning(there, source);
    for (const at of [host.cwd, source]) {
      const { exitCode, stderr } = await runCommand({ ...there, cwd: at }, CardTest, source, "--run");
      expect([exitCode, stderr, fs.existsSync(trace)]).toEqual([1, expect.stringContaining("DRWN_HOME_UNSAFE"), false]);
    }
  });

  test("isn't compiled, so that its committed index must belong to it", async () => {
    const host = newProject();
    const { folder } = await clone(host);
    fs.appendFileSync(path.join(folder, "hooks/guard/policy.ts"), "// other\n");
    const { stderr } = await runCommand(host, CardTest, folder, "--run");
    expect(stderr).toContain("DRWN_INDEX_STALE");
  });

  test("is one's own from `card source use` on, which no agent can run", async () => {
    const host = newProject();
    const { folder } = await clone(host);
    const agent = inAgent(host);
    expect((await runCommand(agent, SourceUse, folder)).stderr).toContain("DRWN_AGENT_SESSION");
    expect(isOwnSource(host, folder)).toBe(false);
    expect((await runCommand(host, SourceUse, folder)).exitCode).toBe(0);
    expect(isOwnSource(host, folder)).toBe(true);
    expect(isOwnSource(host, path.dirname(folder))).toBe(false);
  });
});

function moveCopy(folder: string, other: string): void {
  fs.cpSync(other, `${folder}.new`, { recursive: true });
  fs.renameSync(`${folder}.new`, folder);
}

test.each([
  ["a clone", (folder: string, other: string) => fs.cpSync(other, folder, { recursive: true })],
  ["a folder that was moved there", moveCopy],
  ["a link", (folder: string, other: string) => fs.symlinkSync(other, folder)],
])("%s in the place of a source that is gone isn't one's own, until a person says so", async (_, put) => {
  const host = newProject();
  const { path: folder } = await newCard(host, { name: "@me/mine", into: "cards" });
  fs.appendFileSync(path.join(folder, "card.json"), "\n");
  fs.mkdirSync(path.join(folder, "hooks/more"), { recursive: true });
  expect(isOwnSource(host, folder)).toBe(true);
  const other = sourceWith({});
  fs.rmSync(folder, { recursive: true });
  put(folder, other);
  expect(isOwnSource(host, folder)).toBe(false);
  expect((await runCommand(host, SourceUse, folder)).exitCode).toBe(0);
  expect(isOwnSource(host, folder)).toBe(true);
});

test("a source that this machine made is one's own", async () => {
  const host = testHost();
  const standard = await newCard(host, { name: "@me/one" });
  const elsewhere = await newCard(host, { name: "@me/two", into: "cards" });
  expect([standard, elsewhere].map((made) => isOwnSource(host, made.path))).toEqual([true, true]);
  expect(isOwnSource(host, sourceWith({}))).toBe(false);
  const registered = sourceWith({});
  expect(isOwnSource(owning(host, registered), registered)).toBe(true);
});

test("a card of drwn's own is found by its name alone, whatever source has that name", async () => {
  const host = newProject();
  owning(host, sourceWith({ manifest: { name: "@drwn/secrets" } }));
  expect(await findCard(host, "@drwn/secrets")).toMatchObject({
    from: "published",
    manifest: { name: "@drwn/secrets" },
  });
});

test("nobody makes a card in drwn's own scope", async () => {
  const problem = await problemOf(() => newCard(testHost(), { name: "@drwn/git" }));
  expect([problem.code, problem.hint]).toEqual(["DRWN_REGISTRY_UNABLE", "drwn card new @me/git --from @drwn/git"]);
});
