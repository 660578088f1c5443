import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { readCard } from "../../../src/card/archive/read-card.ts";
import { readTarball } from "../../../src/card/archive/tarball.ts";
import { indexSource, writeIndex } from "../../../src/card/source/build-index.ts";
import { inspectSource } from "../../../src/card/source/inspect.ts";
import { packSource } from "../../../src/card/source/pack.ts";
import { loadSource } from "../../../src/card/source/source.ts";
import { integrityOf } from "../../../src/kernel/digest.ts";
import { denyingPolicy, readTree, sourceWith, writeTree } from "../../support/cards.ts";
import { problemOf, textOf } from "../../support/problems.ts";

const OBSERVER = `
import { word } from "../../lib/words.ts";
import { defineToolPolicy } from "darwinian-minds/hook-policy";
export default defineToolPolicy({ policyKind: "observer", timeoutMs: 100, async afterToolCall() { console.error(word); } });
`;
const PARTS = {
  manifest: {
    description: "Guards",
    license: "MIT",
    hooks: { include: ["guard", "audit"], capabilities: { audit: ["env"] } },
  },
  hooks: { guard: denyingPolicy("Bash"), audit: OBSERVER },
  skills: { review: "---\nname: review\n---\n" },
  files: {
    "lib/words.ts": 'export { word } from "./more/word.ts";',
    "lib/more/word.ts": 'export const word = "seen";',
    "lib/unused.ts": "export {};",
    "README.md": "# Backend",
    LICENSE: "MIT",
    "package.json": '{"name":"@me/backend","version":"1.0.0","scripts":{"postinstall":"touch /tmp/x"}}',
    ".env": "TOKEN=x",
    ".npmrc": "//x/:_authToken=x",
    "notes.txt": "private",
    "hooks/guard/README.md": "# Stops Bash",
    "hooks/kept/policy.ts": "not declared",
    "skills/other/SKILL.md": "not declared",
  },
};

describe("a packed card", () => {
  test("holds what the manifest names and what its policies import, and nothing else", async () => {
    const dir = sourceWith(PARTS);
    const before = readTree(dir);
    const { files, manifest, index, tree, tarball, integrity } = await packSource(dir);
    expect([...files.keys()]).toEqual([
      "LICENSE",
      "README.md",
      "card.json",
      "hooks/audit/policy.ts",
      "hooks/guard/README.md",
      "hooks/guard/policy.ts",
      "hooks/index.json",
      "lib/more/word.ts",
      "lib/words.ts",
      "package.json",
      "skills/review/SKILL.md",
    ]);
    expect(JSON.parse(String(files.get("package.json")))).toEqual({
      name: "@me/backend",
      version: "1.0.0",
      description: "Guards",
      license: "MIT",
      keywords: ["drwn-card"],
      drwn: { hooks: index.hooks },
    });
    expect(readCard(await readTarball(tarball))).toEqual({ manifest, index, tree, files, signature: null });
    expect(integrity).toBe(integrityOf(tarball));
    expect(readTree(dir)).toEqual(before);
  });

  test("says of each hook what it is, in the order of the manifest", async () => {
    const { index } = await packSource(sourceWith(PARTS));
    expect(index.hooks).toMatchObject([
      { name: "guard", kind: "enforcement", matcher: "Bash", phases: ["pre-tool"], timeoutMs: 5_000, capabilities: [] },
      { name: "audit", kind: "observer", matcher: null, phases: ["post-tool"], timeoutMs: 100, capabilities: ["env"] },
    ]);
    expect(index.hooks.map(({ files }) => files)).toEqual([
      ["hooks/guard/policy.ts"],
      ["hooks/audit/policy.ts", "lib/more/word.ts", "lib/words.ts"],
    ]);
  });

  test("is the same, byte for byte, from two folders, whatever their times, modes and stale index", async () => {
    const one = await packSource(sourceWith(PARTS));
    const dir = writeTree(sourceWith(PARTS), { "hooks/index.json": "stale" });
    fs.chmodSync(path.join(dir, "README.md"), 0o755);
    fs.utimesSync(path.join(dir, "README.md"), 1, 1);
    const other = await packSource(dir);
    expect(other.tree).toBe(one.tree);
    expect(other.tarball.equals(one.tarball)).toBe(true);
  });

  test("has another digest of a hook when a file that it imports changes, and only of that hook", async () => {
    const one = await indexSource(loadSource(sourceWith(PARTS)));
    const dir = writeTree(sourceWith(PARTS), { "lib/more/word.ts": 'export const word = "other";' });
    const other = await indexSource(loadSource(dir));
    expect(other.hooks[0]).toEqual(one.hooks[0]);
    expect(other.hooks[1]?.digest).not.toBe(one.hooks[1]?.digest);
  });

  test("without hooks has no index", async () => {
    const { files, index } = await packSource(sourceWith());
    expect(index.hooks).toEqual([]);
    expect([...files.keys()]).toEqual(["card.json", "package.json"]);
  });

  test.each<[string, Record<string, string>, string]>([
    ["an .env file", { "hooks/guard/.env": "x" }, "DRWN_PACK_REFUSED"],
    ["an .npmrc file", { "skills/review/.npmrc": "x" }, "DRWN_PACK_REFUSED"],
    ["a git folder", { "hooks/guard/.git/config": "x" }, "DRWN_PACK_REFUSED"],
    ["a key", { "hooks/guard/tls.pem": "x" }, "DRWN_PACK_REFUSED"],
    ["an SSH key", { "skills/review/id_rsa": "x" }, "DRWN_PACK_REFUSED"],
    ["installed packages", { "hooks/guard/node_modules/x/index.js": "x" }, "DRWN_PACK_REFUSED"],
    ["a device name", { "hooks/guard/aux.ts": "x" }, "DRWN_PACK_REFUSED"],
    ["a right-to-left name", { "hooks/guard/\u202etxt.ts": "x" }, "DRWN_PACK_REFUSED"],
    ["a skill with hooks", { "skills/review/SKILL.md": "---\nhooks: {}\n---\n" }, "DRWN_SKILL_INVALID"],
    ["an empty manifest", { "card.json": "" }, "DRWN_FILE_INVALID"],
  ])("with %s is refused", async (_, files, code) => {
    const dir = writeTree(sourceWith({ hooks: PARTS.hooks, skills: PARTS.skills, files: PARTS.files }), files);
    expect((await problemOf(() => packSource(dir))).code).toBe(code);
  });

  test("with one bad hook is refused with that hook's problem, with several with all of them", async () => {
    const bad = "export default 1;";
    const one = await problemOf(() => packSource(sourceWith({ hooks: { guard: bad, good: denyingPolicy("Bash") } })));
    expect(one.code).toBe("DRWN_POLICY_INVALID");
    expect(textOf(one)).toContain("hooks/guard/policy.ts");
    const two = await problemOf(() => packSource(sourceWith({ hooks: { guard: bad, other: bad } })));
    expect(two.code).toBe("DRWN_SOURCE_INVALID");
    expect(textOf(two)).toContain("hooks/guard/policy.ts");
    expect(textOf(two)).toContain("hooks/other/policy.ts");
  });

  test("whose policy imports the generated package.json or the index is refused", async () => {
    for (const file of ["package.json", "hooks/index.json"]) {
      const policy = `import x from "../../${file}";\nexport default { policyKind: "observer", afterToolCall() { x; } };`;
      const dir = sourceWith({ hooks: { guard: policy }, files: { [file]: "{}" } });
      expect((await problemOf(() => packSource(dir))).code).toBe("DRWN_POLICY_INVALID");
    }
  });
});

describe("the index of a source", () => {
  test("is written where it differs, and is what pack packs", async () => {
    const dir = sourceWith(PARTS);
    const { index, files } = await packSource(dir);
    expect(writeIndex(dir, index)).toEqual([{ action: "update-index", path: path.join(dir, "hooks/index.json") }]);
    expect(fs.readFileSync(path.join(dir, "hooks/index.json"))).toEqual(files.get("hooks/index.json"));
    expect(writeIndex(dir, index)).toEqual([]);
  });

  test("goes with the last hook", async () => {
    const dir = sourceWith({ files: { "hooks/index.json": "stale" } });
    expect(writeIndex(dir, await indexSource(loadSource(dir)))).toEqual([
      { action: "remove-index", path: path.join(dir, "hooks/index.json") },
    ]);
    expect(fs.existsSync(path.join(dir, "hooks/index.json"))).toBe(false);
  });
});

describe("inspecting a source", () => {
  test("finds nothing in one that is in order", async () => {
    const dir = sourceWith({ hooks: { guard: denyingPolicy("Bash") }, skills: PARTS.skills });
    const index = await indexSource(loadSource(dir));
    writeIndex(dir, index);
    expect(await inspectSource(dir)).toMatchObject({ manifest: { name: "@me/backend" }, index, findings: [] });
  });

  test.each<[string, Parameters<typeof sourceWith>[0], { code: string; severity: string; path: string }]>([
    [
      "no manifest field",
      { manifest: { name: 1 } },
      { code: "DRWN_FILE_INVALID", severity: "error", path: "card.json" },
    ],
    [
      "a missing hook",
      { manifest: { hooks: { include: ["gone"] } } },
      { code: "DRWN_HOOK_MISSING", severity: "error", path: "hooks/gone/policy.ts" },
    ],
    [
      "a bad policy",
      { hooks: { bad: "export default 1;" } },
      { code: "DRWN_POLICY_INVALID", severity: "error", path: "hooks/bad/policy.ts" },
    ],
    [
      "an orphaned hook",
      { files: { "hooks/left/policy.ts": "" } },
      { code: "DRWN_SOURCE_ORPHAN", severity: "warning", path: "hooks/left" },
    ],
    [
      "an orphaned skill",
      { files: { "skills/left/SKILL.md": "" } },
      { code: "DRWN_SOURCE_ORPHAN", severity: "warning", path: "skills/left" },
    ],
    [
      "a missing skill",
      { manifest: { skills: { include: ["gone"] } } },
      { code: "DRWN_SKILL_MISSING", severity: "error", path: "skills/gone/SKILL.md" },
    ],
    [
      "a skill without a SKILL.md",
      { manifest: { skills: { include: ["bare"] } }, files: { "skills/bare/notes.md": "" } },
      { code: "DRWN_SKILL_INVALID", severity: "error", path: "skills/bare/SKILL.md" },
    ],
    [
      "a skill with hooks",
      { skills: { evil: "---\nhooks: {}\n---\n" } },
      { code: "DRWN_SKILL_INVALID", severity: "error", path: "skills/evil/SKILL.md" },
    ],
    [
      "a missing index",
      { hooks: { guard: denyingPolicy("Bash") } },
      { code: "DRWN_INDEX_STALE", severity: "warning", path: "hooks/index.json" },
    ],
    [
      "a secret",
      { skills: { x: "# X" }, files: { "skills/x/server.pem": "x" } },
      { code: "DRWN_PACK_REFUSED", severity: "error", path: "" },
    ],
  ])("finds %s", async (_, parts, { code, severity, path: place }) => {
    const dir = sourceWith(parts);
    const { findings } = await inspectSource(dir);
    expect(findings).toEqual([expect.objectContaining({ code, severity, subject: path.join(dir, place) })]);
  });

  test("finds everything that is wrong, not the first of it", async () => {
    const dir = sourceWith({ hooks: { a: "export default 1;", b: "(" }, skills: { s: "---\nhooks: {}\n---\n" } });
    const { findings, index } = await inspectSource(dir);
    expect(findings.map(({ code }) => code).sort()).toEqual([
      "DRWN_POLICY_INVALID",
      "DRWN_POLICY_INVALID",
      "DRWN_SKILL_INVALID",
    ]);
    expect(index).toBeUndefined();
  });
});
