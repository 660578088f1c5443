import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createSource } from "../../../src/card/source/create.ts";
import {
  addHook,
  addServer,
  addSkill,
  removeHook,
  removeServer,
  removeSkill,
  setFields,
} from "../../../src/card/source/edit-source.ts";
import { loadSource } from "../../../src/card/source/source.ts";
import { denyingPolicy, readTree, sourceWith, temporaryFolder, writeTree } from "../../support/cards.ts";
import { problemOf } from "../../support/problems.ts";

const manifestOf = (dir: string) => JSON.parse(fs.readFileSync(path.join(dir, "card.json"), "utf8"));

describe("a new source", () => {
  test("has a manifest, a readme and what an editor needs, and names its card", () => {
    const dir = path.join(temporaryFolder(), "deep", "backend");
    const changes = createSource({ dir, name: "@me/backend" });
    expect(changes).toEqual([
      { action: "create-source", path: dir },
      { action: "create-manifest", path: path.join(dir, "card.json") },
    ]);
    const { $schema, ...manifest } = manifestOf(dir);
    expect(manifest).toEqual({ name: "@me/backend", version: "1.0.0", description: "" });
    expect(JSON.parse(fs.readFileSync(path.join(dir, $schema), "utf8")).required).toEqual(["name", "version"]);
    expect(fs.readFileSync(path.join(dir, "README.md"), "utf8")).toContain("# @me/backend");
    expect(fs.existsSync(path.join(dir, ".drwn", "hook-policy.d.ts"))).toBe(true);
    expect(loadSource(dir).manifest.name).toBe("@me/backend");
  });

  test("leaves files that are there as they are", () => {
    const dir = writeTree(temporaryFolder(), { "README.md": "mine" });
    createSource({ dir, name: "@me/backend" });
    expect(fs.readFileSync(path.join(dir, "README.md"), "utf8")).toBe("mine");
  });

  test("is refused where there is one, and under a bad name, with nothing written", async () => {
    const dir = sourceWith();
    const before = readTree(dir);
    expect((await problemOf(() => createSource({ dir, name: "@me/other" }))).code).toBe("DRWN_SOURCE_EXISTS");
    expect(readTree(dir)).toEqual(before);
    const empty = temporaryFolder();
    expect((await problemOf(() => createSource({ dir: empty, name: "../x" }))).code).toBe("DRWN_NAME_INVALID");
    expect(readTree(empty)).toEqual({});
  });

  test("is not written in a dry run", () => {
    const dir = path.join(temporaryFolder(), "x");
    expect(createSource({ dir, name: "@me/x", dryRun: true })).toHaveLength(2);
    expect(fs.existsSync(dir)).toBe(false);
  });
});

describe("a hook of a source", () => {
  test("is added as an observer and named last in the manifest", () => {
    const dir = sourceWith({ hooks: { first: denyingPolicy("Bash") } });
    expect(addHook(dir, "second")).toEqual([
      { action: "add-hook", path: path.join(dir, "hooks", "second") },
      { action: "update-manifest", path: path.join(dir, "card.json") },
    ]);
    expect(manifestOf(dir).hooks.include).toEqual(["first", "second"]);
    expect(fs.readFileSync(path.join(dir, "hooks/second/policy.ts"), "utf8")).toContain('policyKind: "observer"');
    expect(fs.readFileSync(path.join(dir, "hooks/second/README.md"), "utf8")).toContain("# second");
  });

  test("is removed with its files and its capabilities, which gives back the source as it was", () => {
    const dir = sourceWith();
    const before = readTree(dir);
    addHook(dir, "guard");
    setFields(dir, { capabilities: { guard: ["net"] } });
    expect(removeHook(dir, "guard")).toEqual([
      { action: "update-manifest", path: path.join(dir, "card.json") },
      { action: "remove-hook-files", path: path.join(dir, "hooks", "guard") },
    ]);
    expect(readTree(dir)).toEqual(before);
  });

  test("is adopted with every byte after its files were kept", () => {
    const dir = sourceWith({ hooks: { guard: "// mine" }, files: { "hooks/guard/lib.ts": "// also mine" } });
    expect(removeHook(dir, "guard", { keepFiles: true }).map(({ action }) => action)).toEqual(["update-manifest"]);
    expect(manifestOf(dir).hooks).toBeUndefined();
    expect(addHook(dir, "guard").map(({ action }) => action)).toEqual(["adopt-hook", "update-manifest"]);
    expect(readTree(path.join(dir, "hooks"))).toEqual({ "guard/lib.ts": "// also mine", "guard/policy.ts": "// mine" });
  });

  test("is adopted if a handler.json is its policy", () => {
    const dir = sourceWith({ files: { "hooks/guard/handler.json": "{}" } });
    expect(addHook(dir, "guard").map(({ action }) => action)).toEqual(["adopt-hook", "update-manifest"]);
    expect(readTree(path.join(dir, "hooks"))).toEqual({ "guard/handler.json": "{}" });
  });

  test("keeps a readme that was there before its policy", () => {
    const dir = sourceWith({ files: { "hooks/guard/README.md": "mine" } });
    addHook(dir, "guard");
    expect(fs.readFileSync(path.join(dir, "hooks/guard/README.md"), "utf8")).toBe("mine");
    expect(fs.existsSync(path.join(dir, "hooks/guard/policy.ts"))).toBe(true);
  });

  test("is neither added nor removed in a dry run, which says what would be done", () => {
    const dir = sourceWith({ hooks: { guard: "// mine" } });
    const before = readTree(dir);
    expect(addHook(dir, "audit", { dryRun: true }).map(({ action }) => action)).toEqual([
      "add-hook",
      "update-manifest",
    ]);
    expect(removeHook(dir, "guard", { dryRun: true }).map(({ action }) => action)).toEqual([
      "update-manifest",
      "remove-hook-files",
    ]);
    expect(readTree(dir)).toEqual(before);
  });

  test("edits leave the author's order, indentation and line ends alone", () => {
    const text = '{\r\n\t"version": "1.0.0",\r\n\t"name": "@me/backend",\r\n\t"keywords": [ "a",   "b" ]\r\n}';
    const dir = writeTree(temporaryFolder(), { "card.json": text });
    addHook(dir, "guard");
    const edited = fs.readFileSync(path.join(dir, "card.json"), "utf8");
    expect(edited.startsWith(text.slice(0, -3))).toBe(true);
    expect(edited).toMatch(/^\t"hooks": /mu);
    expect(edited).not.toMatch(/[^\r]\n|\n$/u);
    removeHook(dir, "guard");
    expect(fs.readFileSync(path.join(dir, "card.json"), "utf8")).toBe(text);
  });

  test.each<[string, (dir: string) => unknown, string]>([
    ["that is there", (dir) => addHook(dir, "guard"), "DRWN_HOOK_EXISTS"],
    ["that is not there", (dir) => removeHook(dir, "other"), "DRWN_HOOK_MISSING"],
    ["with a climbing name", (dir) => addHook(dir, "../x"), "DRWN_NAME_INVALID"],
    ["with a climbing name to remove", (dir) => removeHook(dir, ".."), "DRWN_NAME_INVALID"],
  ])("%s is refused, and nothing changes", async (_, work, code) => {
    const dir = sourceWith({ hooks: { guard: "// mine" } });
    const before = readTree(dir);
    expect((await problemOf(() => work(dir))).code).toBe(code);
    expect(readTree(dir)).toEqual(before);
  });

  test("is neither written nor removed through a link", async () => {
    const outside = writeTree(temporaryFolder(), { "guard/policy.ts": "// theirs" });
    const dir = sourceWith();
    fs.symlinkSync(outside, path.join(dir, "hooks"));
    expect((await problemOf(() => addHook(dir, "guard"))).code).toBe("DRWN_PACK_REFUSED");
    fs.writeFileSync(path.join(dir, "card.json"), '{"name":"@me/b","version":"1.0.0","hooks":{"include":["guard"]}}');
    expect((await problemOf(() => removeHook(dir, "guard"))).code).toBe("DRWN_PACK_REFUSED");
    expect(readTree(outside)).toEqual({ "guard/policy.ts": "// theirs" });
  });

  test("is not added to a manifest that is not valid", async () => {
    const dir = writeTree(temporaryFolder(), { "card.json": '{"name":"@me/b","version":"1.0.0","kinds":"x"}' });
    expect((await problemOf(() => addHook(dir, "guard"))).code).toBe("DRWN_FILE_INVALID");
    expect(fs.readdirSync(dir)).toEqual(["card.json"]);
  });
});

test("a skill is added, adopted and removed like a hook", async () => {
  const dir = sourceWith();
  const before = readTree(dir);
  expect(addSkill(dir, "review").map(({ action }) => action)).toEqual(["add-skill", "update-manifest"]);
  expect(fs.readFileSync(path.join(dir, "skills/review/SKILL.md"), "utf8")).toContain("name: review");
  expect((await problemOf(() => addSkill(dir, "review"))).code).toBe("DRWN_SKILL_EXISTS");
  removeSkill(dir, "review", { keepFiles: true });
  expect((await problemOf(() => removeSkill(dir, "review"))).code).toBe("DRWN_SKILL_MISSING");
  expect(addSkill(dir, "review").map(({ action }) => action)).toEqual(["adopt-skill", "update-manifest"]);
  expect(removeSkill(dir, "review").map(({ action }) => action)).toEqual(["update-manifest", "remove-skill-files"]);
  expect(readTree(dir)).toEqual(before);
});

test("an MCP server is added and removed in the manifest", async () => {
  const dir = sourceWith();
  const before = readTree(dir);
  const server = { command: "db-server", args: ["--ro"] };
  addServer(dir, { name: "db", server });
  expect(manifestOf(dir).servers).toEqual({ db: server });
  expect((await problemOf(() => addServer(dir, { name: "db", server }))).code).toBe("DRWN_SERVER_EXISTS");
  expect((await problemOf(() => addServer(dir, { name: "x", server: { command: "" } }))).code).toBe(
    "DRWN_FILE_INVALID",
  );
  removeServer(dir, "db");
  expect((await problemOf(() => removeServer(dir, "db"))).code).toBe("DRWN_SERVER_MISSING");
  expect(readTree(dir)).toEqual(before);
});

describe("fields of a source", () => {
  test("are set where they stand, added at the end, and taken out by null", () => {
    const dir = sourceWith({ hooks: { guard: "// x" } });
    setFields(dir, { version: "1.1.0", description: "Guards", minVersion: "0.1.0", restrictOnly: true });
    expect(manifestOf(dir)).toEqual({
      name: "@me/backend",
      version: "1.1.0",
      hooks: { include: ["guard"], restrictOnly: true },
      description: "Guards",
      harness: { minVersion: "0.1.0" },
    });
    setFields(dir, { description: null, minVersion: null, restrictOnly: null });
    expect(manifestOf(dir)).toEqual({ name: "@me/backend", version: "1.1.0", hooks: { include: ["guard"] } });
  });

  test("that are as they were change nothing", () => {
    expect(setFields(sourceWith(), { version: "1.0.0" })).toEqual([]);
  });

  test("with a value that the manifest cannot have are refused, and nothing is written", async () => {
    const dir = sourceWith();
    const before = readTree(dir);
    for (const fields of [{ version: "1" }, { description: "a\nb" }, { capabilities: { none: ["net"] } }]) {
      expect((await problemOf(() => setFields(dir, fields))).code).toBe("DRWN_FILE_INVALID");
    }
    expect(readTree(dir)).toEqual(before);
  });
});

describe("loading a source", () => {
  test.each<[string, (dir: string) => void]>([
    ["a linked file in a hook", (dir) => fs.symlinkSync("/etc/passwd", path.join(dir, "hooks/guard/data.txt"))],
    ["a linked folder in a hook", (dir) => fs.symlinkSync("/etc", path.join(dir, "hooks/guard/etc"))],
    ["a linked readme", (dir) => fs.symlinkSync("/etc/passwd", path.join(dir, "README.md"))],
    [
      "a linked hook",
      (dir) => {
        fs.renameSync(path.join(dir, "hooks/guard"), path.join(dir, "elsewhere"));
        fs.symlinkSync("../elsewhere", path.join(dir, "hooks/guard"));
      },
    ],
    [
      "a linked manifest",
      (dir) => {
        fs.renameSync(path.join(dir, "card.json"), path.join(dir, "real.json"));
        fs.symlinkSync("real.json", path.join(dir, "card.json"));
      },
    ],
    [
      "a file of 9 MiB",
      (dir) => fs.writeFileSync(path.join(dir, "hooks/guard/big.bin"), Buffer.alloc(9 * 1024 * 1024)),
    ],
  ])("with %s is refused", async (_, spoil) => {
    const dir = sourceWith({ hooks: { guard: "// x" } });
    spoil(dir);
    expect((await problemOf(() => loadSource(dir))).code).toBe("DRWN_PACK_REFUSED");
  });

  test("that is not there says how to make one", async () => {
    const problem = await problemOf(() => loadSource(temporaryFolder()));
    expect(problem.code).toBe("DRWN_SOURCE_MISSING");
    expect(problem.hint).toContain("drwn card new");
  });

  test("looks neither into hidden folders nor into installed packages", () => {
    const files = { ".git/config.txt": "x", "node_modules/x/index.js": "x", "lib/a.ts": "x", "notes.bin": "x" };
    const { importable, named } = loadSource(sourceWith({ files }));
    expect([...importable.keys()]).toEqual(["card.json", "lib/a.ts"]);
    expect([...named.keys()]).toEqual(["card.json"]);
  });
});
