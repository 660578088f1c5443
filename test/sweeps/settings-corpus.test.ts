import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { allTargets } from "../../src/agents/targets.ts";
import Uninstall from "../../src/cli/commands/uninstall.ts";
import Write from "../../src/cli/commands/write.ts";
import { addCards } from "../../src/operations/project/add.ts";
import { applyChanges } from "../../src/wiring/changes.ts";
import { runCommand } from "../support/cli.ts";
import { problemOf } from "../support/problems.ts";
import { CARD, newProject, publish, trust } from "../support/projects.ts";
import { fitted, locate, Machine, marks, PLACES, SERVED } from "../support/settings-places.ts";
import { jsonCorpus, TOML_CORPUS } from "./corpus.ts";

const bare = (text: string): string => text.replaceAll(/\s/gu, "");

/** Whether the other text holds every byte of the one, except white space, in the same order. */
function isWithin(one: string, other: string): boolean {
  let at = 0;
  const wanted = bare(one);
  for (const unit of bare(other).split("")) if (unit === wanted[at]) at++;
  return at === wanted.length;
}

test("the corpora are large, and every agent with a settings file has its own", () => {
  for (const shape of ["entries", "groups", "handlers"] as const) {
    expect([shape, new Set(jsonCorpus(shape).map(([, text]) => text)).size]).toEqual([shape, expect.any(Number)]);
    expect(new Set(jsonCorpus(shape).map(([, text]) => text)).size).toBeGreaterThanOrEqual(100);
  }
  expect(new Set(TOML_CORPUS.map(([, text]) => text)).size).toBeGreaterThanOrEqual(100);
  expect(SERVED.map(({ runtime }) => runtime)).toEqual([
    "claude-code",
    "codex",
    "cursor",
    "gemini-cli",
    "kilo",
    "opencode",
    "qwen-code",
  ]);
  expect(PLACES.map(({ target, kind, shape }) => [target.runtime, kind, shape].join(" ")).sort()).toEqual([
    "arawn user groups",
    "claude-code project groups",
    "claude-code shared groups",
    "claude-code user groups",
    "codex project groups",
    "codex user groups",
    "copilot-cli user handlers",
    "cursor user handlers",
    "gemini-cli user groups",
    "polytoken shared entries",
    "polytoken user entries",
    "qwen-code user groups",
  ]);
});

test.each(PLACES.map((place) => [place.target.runtime, place.kind, place.file, place] as const))(
  "hooks of %s, %s, in %s: written, written again and taken out of every file of the corpus",
  (_runtime, kind, file, place) => {
    const machine = new Machine(place.target);
    const settings = locate(place, machine);
    for (const [name, corpus] of jsonCorpus(place.shape)) {
      const original = fitted(corpus, place);
      fs.writeFileSync(settings, original, { mode: 0o640 });
      const { changes } = machine.planHooks(kind);
      expect([name, changes.filter((change) => change.path === settings).length]).toEqual([name, 1]);
      applyChanges(changes);
      const written = fs.readFileSync(settings, "utf8");
      expect([name, marks(written) > marks(original), isWithin(original, written)]).toEqual([name, true, true]);
      expect(() => JSON.parse(written.replace(/^\ufeff/u, ""))).not.toThrow();
      expect([name, machine.planHooks(kind).changes]).toEqual([name, []]);
      applyChanges(machine.planHooks(kind, false).changes);
      expect([name, fs.readFileSync(settings, "utf8")]).toEqual([name, original]);
      expect([file, fs.statSync(settings).mode & 0o777]).toEqual([file, 0o640]);
    }
  },
);

test.each(allTargets().map((target) => [target.runtime, target] as const))(
  "%s: what stands beside its files is as it was, and folders that were made go with them",
  (_, target) => {
    const machine = new Machine(target);
    fs.mkdirSync(path.join(machine.home, ".config"), { recursive: true });
    fs.mkdirSync(machine.root, { recursive: true });
    const empty = tree(path.dirname(machine.home));
    const { changes } = machine.planHooks("user");
    applyChanges(changes);
    expect(machine.planHooks("user").changes).toEqual([]);
    applyChanges(machine.planHooks("user", false).changes);
    // The folder of an app's module stays: the project's own files are in it.
    if (target.runtime !== "mastra") expect(tree(path.dirname(machine.home))).toEqual(empty);
    const corpus = [...jsonCorpus("groups"), ...TOML_CORPUS];
    for (const [at, [, text]] of corpus.entries()) {
      for (const change of changes) {
        const folder = path.dirname(change.path);
        fs.mkdirSync(path.join(folder, "..", `other-${at}`), { recursive: true });
        fs.mkdirSync(folder, { recursive: true });
        fs.writeFileSync(path.join(folder, "..", `other-${at}`, path.basename(change.path)), text);
        fs.writeFileSync(path.join(folder, `other-${at}${path.extname(change.path)}`), text);
      }
    }
    const before = tree(path.dirname(machine.home));
    applyChanges(machine.planHooks("user").changes);
    expect(tree(path.dirname(machine.home))).toMatchObject(before);
    expect(machine.planHooks("user").changes).toEqual([]);
    applyChanges(machine.planHooks("user", false).changes);
    expect(tree(path.dirname(machine.home))).toEqual(before);
  },
);

/** Every file with its text, and every folder. */
function tree(folder: string): Record<string, string> {
  return Object.fromEntries(
    fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => {
      const file = path.join(folder, name);
      return [name, fs.statSync(file).isDirectory() ? "/" : fs.readFileSync(file, "utf8")];
    }),
  );
}

test.each(SERVED.map((target) => [target.runtime, target] as const))(
  "MCP servers of %s: written, written again and taken out of every file of the corpus",
  (_, target) => {
    const machine = new Machine(target);
    const [place] = machine.writeServers(["alpha"]).map(({ path }) => path);
    if (place === undefined) throw new Error("no file of servers was written");
    machine.writeServers([]);
    fs.mkdirSync(path.dirname(place), { recursive: true });
    for (const [name, original] of place.endsWith(".toml") ? TOML_CORPUS : jsonCorpus("groups")) {
      fs.writeFileSync(place, original);
      machine.writeServers(["alpha", "beta"]);
      const written = fs.readFileSync(place, "utf8");
      expect([name, written.includes("beta-server"), isWithin(original, written)]).toEqual([name, true, true]);
      expect([name, machine.writeServers(["alpha", "beta"])]).toEqual([name, []]);
      machine.writeServers(["beta"]);
      machine.writeServers([]);
      expect([name, fs.readFileSync(place, "utf8")]).toEqual([name, original]);
    }
  },
);

/** Agents that read comments in their settings, as drwn does there. */
const COMMENTED: ReadonlySet<string> = new Set(["gemini-cli", "qwen-code"]);

const REFUSED: readonly [string, string][] = [
  ["a comment", '// mine\n{"hooks": {}}\n'],
  ["a comma too many", '{"hooks": {},}\n'],
  ["a list as its root", "[]\n"],
  ["hooks that are a list", '{"hooks": []}\n'],
  ["an event that is an object", '{"hooks": {"PreToolUse": {}}}\n'],
  ["a group that is text", '{"hooks": {"PreToolUse": ["x"]}}\n'],
  ["a name twice", '{"hooks": {}, "hooks": {}}\n'],
  ["bytes that are no UTF-8", "\ufffe"],
  ["more than drwn reads", `{"a": "${"x".repeat(4 * 1024 * 1024)}"}\n`],
];

test.each(
  PLACES.flatMap((place) =>
    REFUSED.filter(([what]) => what !== "a comment" || !COMMENTED.has(place.target.runtime)).map(
      ([what, text]) => [place.target.runtime, place.kind, what, text, place] as const,
    ),
  ),
)("%s: settings (%s) with %s are refused by their name, and stay", async (_runtime, kind, what, text, place) => {
  const machine = new Machine(place.target);
  const settings = locate(place, machine);
  const own = place.shape === "entries" && !text.startsWith("{") ? text.replace("[]", "{}") : fitted(text, place);
  const bytes = what.includes("UTF-8") ? Buffer.from([0x7b, 0xff, 0x7d]) : Buffer.from(own);
  fs.writeFileSync(settings, bytes);
  const problem = await problemOf(() => machine.planHooks(kind));
  expect(["DRWN_SETTINGS_INVALID", "DRWN_FILE_TOO_LARGE"]).toContain(problem.code);
  expect(problem.message).toContain(settings);
  expect(fs.readFileSync(settings).equals(bytes)).toBe(true);
});

const FIVE = [0, 1, 2, 3, 4].map((at) => at * 13 + 8);

test.each(FIVE)("file %i of each corpus, through the commands, is as it was when drwn has gone", async (at) => {
  const host = newProject();
  const [, json = ""] = jsonCorpus("groups")[at] ?? [];
  const [, toml = ""] = TOML_CORPUS[at] ?? [];
  const places = PLACES.filter(({ kind }) => kind === "user");
  const files = new Map(
    places.map((place) => [path.join(host.home, place.file), fitted(jsonCorpus(place.shape)[at]?.[1] ?? "", place)]),
  );
  for (const file of [".mcp.json", ".gemini/settings.json", ".cursor/mcp.json", "opencode.json"])
    files.set(path.join(host.cwd, file), json);
  files.set(path.join(host.cwd, ".codex", "config.toml"), toml);
  for (const [file, text] of files) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  }
  await publish(host, { hooks: { guard: {} }, manifest: { servers: { db: { command: "db" } } } });
  await addCards(host, [CARD]);
  await trust(host);
  const agents = allTargets().map(({ runtime }) => `--runtime=${runtime}`);
  expect((await runCommand(host, Write, ...agents)).exitCode).toBe(0);
  for (const [file, text] of files) expect(fs.readFileSync(file, "utf8")).not.toBe(text);
  expect((await runCommand(host, Write)).stdout).toContain("Already up to date");
  expect((await runCommand(host, Uninstall)).exitCode).toBe(0);
  for (const [file, text] of files) expect([file, fs.readFileSync(file, "utf8")]).toEqual([file, text]);
});
