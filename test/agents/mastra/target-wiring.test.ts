import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { findAgents } from "../../../src/agents/find-agents.ts";
import { planModule } from "../../../src/agents/mastra/target.ts";
import { checkRepository } from "../../../src/check/doctor/check-repository.ts";
import { layout } from "../../../src/contract/layout.ts";
import { shellQuote } from "../../../src/kernel/text.ts";
import { uninstall } from "../../../src/operations/project/uninstall.ts";
import { writeProject } from "../../../src/operations/project/write.ts";
import type { AgentId } from "../../../src/policy/event.ts";
import { temporaryFolder, writeTree } from "../../support/cards.ts";
import type { TestHost } from "../../support/host.ts";
import { snapshot } from "../../support/machine-state.ts";
import { problemOf } from "../../support/problems.ts";
import { GUARD, installed, newProject, trust } from "../../support/projects.ts";

const write = (host: TestHost, ...runtimes: AgentId[]) => writeProject(host, { wiring: undefined, runtimes });
const moduleOf = (host: TestHost): string => path.join(host.cwd, ".agents/drwn/mastra.js");
const typesOf = (host: TestHost): string => path.join(host.cwd, ".agents/drwn/mastra.d.ts");

async function withCard(): Promise<TestHost> {
  const host = await installed(GUARD);
  await trust(host);
  return host;
}

test("write makes a module that binds the app to the project and this machine, and its types", async () => {
  const host = await withCard();
  const { agents } = await write(host, "mastra");
  expect(agents).toEqual([{ runtime: "mastra", file: moduleOf(host) }]);
  const text = fs.readFileSync(moduleOf(host), "utf8");
  expect(text).toContain(JSON.stringify(layout.launcher(host.drwnHome)));
  expect(text).toContain(`project: ${JSON.stringify(host.cwd)}`);
  expect(fs.readFileSync(typesOf(host), "utf8")).toContain('hooks: Guards["hooks"]');
  expect((await write(host, "mastra")).changes).toEqual([]);
  expect(checkRepository(host.cwd, host.drwnHome)).toEqual([]);
});

test("an edited module is put right again", async () => {
  const host = await withCard();
  await write(host, "mastra");
  const before = fs.readFileSync(moduleOf(host), "utf8");
  fs.writeFileSync(moduleOf(host), before.replace("guardProject({", "(() => ({ hooks: {} }))({"));
  await write(host, "mastra");
  expect(fs.readFileSync(moduleOf(host), "utf8")).toBe(before);
});

test("the module stays while the project names Mastra, and goes with it, leaving the project as it was", async () => {
  const host = newProject();
  await write(host, "mastra");
  expect(fs.existsSync(moduleOf(host))).toBe(true);
  await write(host, "claude-code");
  const before = snapshot(host.cwd);
  await write(host, "claude-code", "mastra");
  expect(snapshot(host.cwd)).not.toEqual(before);
  await write(host, "claude-code");
  expect(snapshot(host.cwd)).toEqual(before);
});

test("uninstall takes the module out", async () => {
  const host = await withCard();
  await write(host, "mastra");
  await uninstall(host, { dryRun: false, purge: false, shared: false });
  expect([moduleOf(host), typesOf(host)].filter((file) => fs.existsSync(file))).toEqual([]);
});

test("a file that somebody else made is neither written over nor taken out", async () => {
  const host = await withCard();
  fs.writeFileSync(typesOf(host), "export {};\n");
  expect(await problemOf(() => write(host, "mastra"))).toMatchObject({ code: "DRWN_TARGET_OCCUPIED" });
  expect(fs.existsSync(moduleOf(host))).toBe(false);
  await uninstall(host, { dryRun: false, purge: false, shared: false });
  expect(fs.readFileSync(typesOf(host), "utf8")).toBe("export {};\n");
});

test("a link that leads out of the project is not followed", async () => {
  const host = await withCard();
  const outside = path.join(temporaryFolder(), "theirs.js");
  fs.symlinkSync(outside, moduleOf(host));
  expect(await problemOf(() => write(host, "mastra"))).toMatchObject({ code: "DRWN_SETTINGS_UNSAFE" });
  expect(fs.existsSync(outside)).toBe(false);
});

test("the module of another project, to which a link leads, is not taken out", async () => {
  const other = newProject();
  await write(other, "mastra");
  const host = newProject();
  fs.rmSync(path.dirname(moduleOf(host)), { recursive: true });
  fs.symlinkSync(path.dirname(moduleOf(other)), path.dirname(moduleOf(host)));
  expect(planModule({ root: host.cwd, home: host.drwnHome, isWanted: false })).toEqual([]);
});

test("an app that cannot find drwn's package is told of", async () => {
  const host = await withCard();
  const { findings } = await write(host, "mastra");
  // No registry has it: the hint names the package that runs.
  const hint = `npm install ${shellQuote(path.resolve(import.meta.dirname, "../../.."))}`;
  expect(findings).toContainEqual(expect.objectContaining({ code: "mastra-package-missing", severity: "error", hint }));
  writeTree(path.join(host.cwd, "node_modules/darwinian-minds"), {
    "package.json": JSON.stringify({ name: "darwinian-minds", exports: { "./mastra": { default: "./mastra.js" } } }),
    "mastra.js": "export {};\n",
  });
  expect((await write(host, "mastra")).findings).not.toContainEqual(
    expect.objectContaining({ code: "mastra-package-missing" }),
  );
});

test.each([
  ["a dependency", { dependencies: { "@mastra/core": "^1.71.0" } }, true],
  ["no dependency", { dependencies: { zod: "4" } }, false],
  ["nonsense", { dependencies: null }, false],
])("init finds Mastra in a project with %s of it", (_, manifest, isFound) => {
  const root = temporaryFolder();
  fs.writeFileSync(path.join(root, "package.json"), JSON.stringify(manifest));
  expect(findAgents(newProject(), { root, isGlobal: false }).includes("mastra")).toBe(isFound);
});
