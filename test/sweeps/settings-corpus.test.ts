import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { Target } from "../../src/agents/target.ts";
import { TARGETS } from "../../src/agents/targets.ts";
import Uninstall from "../../src/cli/commands/uninstall.ts";
import Write from "../../src/cli/commands/write.ts";
import { applyChanges, type Change } from "../../src/materialize/changes.ts";
import type { JsonOrigin } from "../../src/materialize/json-edit.ts";
import type { PlannedServers } from "../../src/materialize/targets/servers.ts";
import type { WantingPolicy } from "../../src/materialize/wanted.ts";
import { addCards } from "../../src/operations/add.ts";
import { CARD, newProject, publish, trust } from "../operations/world.ts";
import { temporaryFolder } from "../support/cards.ts";
import { runCommand } from "../support/cli.ts";
import { problemOf } from "../support/problems.ts";
import { JSON_CORPUS, TOML_CORPUS } from "./corpus.ts";

const ALL: WantingPolicy[] = [{ matcher: null, phases: ["pre-tool", "post-tool"] }];

/** One agent on a machine of its own. */
class Machine {
  readonly root: string;
  readonly home: string;
  private readonly target: Target;
  private readonly origins = new Map<string, JsonOrigin>();
  private servers: PlannedServers["record"];

  constructor(target: Target, folder = temporaryFolder()) {
    this.root = path.join(folder, "project");
    this.home = path.join(folder, "home");
    this.target = target;
  }

  planHooks(own: readonly WantingPolicy[], wiring: "user" | "project" = "user"): Change[] {
    const { home, root } = this;
    const host = { home, env: {}, drwnHome: path.join(home, ".agents", "drwn") };
    const originOf = (file: string) => this.origins.get(file);
    const planned = this.target.planHooks({ host, root, wiring, own, others: [], shared: "keep", originOf });
    for (const [file, origin] of planned.origins) this.origins.set(file, origin);
    return planned.changes;
  }

  writeServers(names: readonly string[]): Change[] {
    const servers = Object.fromEntries(names.map((name) => [name, { command: `${name}-server`, args: ["--stdio"] }]));
    const planned = this.target.planServers({ root: this.root, servers, record: this.servers });
    if (planned === null) return [];
    applyChanges(planned.changes);
    this.servers = planned.record;
    return planned.changes;
  }
}

/** The events under which the target puts entries into its file. */
function eventsOf(target: Target): string[] {
  const [change] = new Machine(target, "/nowhere").planHooks(ALL);
  return Object.keys(JSON.parse(change?.after?.toString() ?? "{}").hooks ?? {});
}

/** A file of the corpus with the names that the agent has for events before and after a call. */
function fitted(text: string, [before = "PreToolUse", after = "PostToolUse"]: readonly string[]): string {
  return text.replaceAll("PreToolUse", before).replaceAll("PostToolUse", after);
}

/** The one JSON file into which the target puts hooks; undefined: it makes files of its own. */
function hookFileOf(target: Target, wiring: "user" | "project"): string | undefined {
  const machine = new Machine(target, "/nowhere");
  const [change, ...more] = machine.planHooks(ALL, wiring).map(({ path }) => path);
  if (change === undefined || more.length > 0 || !change.endsWith(".json")) return undefined;
  const folder = wiring === "user" ? machine.home : machine.root;
  const file = path.relative(folder, change);
  // Some agents have no settings of a project that are one person's alone.
  return file.startsWith("..") ? undefined : file;
}

const bare = (text: string): string => text.replaceAll(/\s/gu, "");

/** A corpus in the shape of the agent's file: where that is one list, each file is its only item. */
function corpusFor(target: Target): readonly (readonly [string, string])[] {
  const [change] = new Machine(target, "/nowhere").planHooks(ALL);
  if (change?.after?.toString().startsWith("[") !== true) return JSON_CORPUS;
  return JSON_CORPUS.map(([name, text]) => [name, asItem(text)]);
}

function asItem(text: string): string {
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  const rest = text.slice(mark.length);
  return rest.trim() === "" ? text : `${mark}[${rest}]`;
}

/** Every byte of the one, but for white space, stands in the other, in the same order. */
function isWithin(one: string, other: string): boolean {
  let at = 0;
  const wanted = bare(one);
  for (const unit of bare(other).split("")) if (unit === wanted[at]) at++;
  return at === wanted.length;
}

const hookFiles = TARGETS.flatMap((target) =>
  (["user", "project"] as const).flatMap((wiring) => {
    const file = hookFileOf(target, wiring);
    return file === undefined ? [] : [{ target, wiring, file }];
  }),
);

test("the corpora are large", () => {
  expect(JSON_CORPUS.length).toBeGreaterThanOrEqual(100);
  expect(TOML_CORPUS.length).toBeGreaterThanOrEqual(100);
  expect(hookFiles.map(({ target }) => target.runtime)).toEqual(expect.arrayContaining(["claude-code", "codex"]));
});

test.each(hookFiles.map((one) => [one.target.runtime, one.file, one] as const))(
  "hooks of %s in %s: written, written again and taken out of every file of the corpus",
  (_, file, { target, wiring }) => {
    const machine = new Machine(target);
    const place = path.join(wiring === "user" ? machine.home : machine.root, file);
    fs.mkdirSync(path.dirname(place), { recursive: true });
    const events = eventsOf(target);
    for (const [name, corpus] of corpusFor(target)) {
      const original = fitted(corpus, events);
      fs.writeFileSync(place, original);
      const changes = machine.planHooks(ALL, wiring);
      expect([name, changes.length]).toEqual([name, 1]);
      applyChanges(changes);
      const written = fs.readFileSync(place, "utf8");
      expect([name, written.includes("drwn_hook="), isWithin(original, written)]).toEqual([name, true, true]);
      expect(() => JSON.parse(written.replace(/^\ufeff/u, ""))).not.toThrow();
      expect([name, machine.planHooks(ALL, wiring)]).toEqual([name, []]);
      applyChanges(machine.planHooks([], wiring));
      expect([name, fs.readFileSync(place, "utf8")]).toEqual([name, original]);
    }
  },
);

test.each(TARGETS.map((target) => [target.runtime, target] as const))(
  "MCP servers of %s: written, written again and taken out of every file of the corpus",
  (_, target) => {
    const machine = new Machine(target);
    const [place] = machine.writeServers(["alpha"]).map(({ path }) => path);
    if (place === undefined) return;
    machine.writeServers([]);
    fs.mkdirSync(path.dirname(place), { recursive: true });
    for (const [name, original] of place.endsWith(".toml") ? TOML_CORPUS : JSON_CORPUS) {
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
  hookFiles.flatMap((one) => REFUSED.map(([what, text]) => [one.target.runtime, one.file, what, text, one] as const)),
)("%s: %s with %s is refused by its name, and stays", async (_runtime, file, what, text, { target, wiring }) => {
  const machine = new Machine(target);
  const place = path.join(wiring === "user" ? machine.home : machine.root, file);
  fs.mkdirSync(path.dirname(place), { recursive: true });
  const isList = corpusFor(target) !== JSON_CORPUS;
  const own = isList && !text.startsWith("{") ? text.replace("[]", "{}") : fitted(text, eventsOf(target));
  const bytes = what.includes("UTF-8") ? Buffer.from([0x7b, 0xff, 0x7d]) : Buffer.from(own);
  fs.writeFileSync(place, bytes);
  const problem = await problemOf(() => machine.planHooks(ALL, wiring));
  expect(["DRWN_SETTINGS_INVALID", "DRWN_FILE_TOO_LARGE"]).toContain(problem.code);
  expect(problem.message).toContain(place);
  expect(fs.readFileSync(place).equals(bytes)).toBe(true);
});

const FIVE = [0, 1, 2, 3, 4].map((at) => at * 13 + 8);

test.each(FIVE)("file %i of each corpus, through the commands, is as it was when drwn has gone", async (at) => {
  const host = newProject();
  const [, json = ""] = JSON_CORPUS[at] ?? [];
  const [, toml = ""] = TOML_CORPUS[at] ?? [];
  const files = new Map(
    hookFiles
      .filter(({ wiring }) => wiring === "user")
      .map(({ target, file }) => [path.join(host.home, file), corpusFor(target)[at]?.[1] ?? json]),
  );
  files.set(path.join(host.cwd, ".mcp.json"), json);
  files.set(path.join(host.cwd, ".codex", "config.toml"), toml);
  for (const [file, text] of files) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  }
  await publish(host, { hooks: { guard: {} }, manifest: { servers: { db: { command: "db" } } } });
  await addCards(host, [CARD]);
  await trust(host);
  const agents = [...new Set(hookFiles.map(({ target }) => `--runtime=${target.runtime}`))];
  expect((await runCommand(host, Write, ...agents)).exitCode).toBe(0);
  for (const [file, text] of files) expect(fs.readFileSync(file, "utf8")).not.toBe(text);
  expect((await runCommand(host, Write)).stdout).toContain("Already up to date");
  expect((await runCommand(host, Uninstall)).exitCode).toBe(0);
  for (const [file, text] of files) expect([file, fs.readFileSync(file, "utf8")]).toEqual([file, text]);
});
