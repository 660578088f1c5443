import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareVersions, isPrerelease, satisfies } from "../../src/card/version.ts";
import { type FolderRegistry, openFolderRegistry } from "../../src/registry/folder.ts";
import type { PublishedVersion } from "../../src/registry/registry.ts";
import { lookUpCard, pickVersion, resolveCard } from "../../src/registry/resolve.ts";
import { packedCard, readTree, temporaryFolder } from "../support/cards.ts";
import { problemOf, textOf } from "../support/problems.ts";
import { runAtOnce } from "../support/processes.ts";

const NAME = "@me/backend";
const NOW = new Date("2026-01-31T12:00:00.000Z");

async function registryWith(...versions: string[]): Promise<{ dir: string; registry: FolderRegistry }> {
  const dir = path.join(temporaryFolder(), "registry");
  const registry = openFolderRegistry(dir, "folder:test");
  for (const version of versions) await registry.publish(await packedCard({ version }), NOW);
  return { dir, registry };
}

describe("a note on a version", () => {
  test("is there for everybody who asks, and leaves record and tarball as they were", async () => {
    const { dir, registry } = await registryWith("1.0.0", "1.1.0");
    const before = readTree(dir);
    await registry.annotate(NAME, "1.0.0", { deprecated: " use @me/other ", yanked: true });
    expect(await registry.versions(NAME)).toMatchObject([
      { version: "1.0.0", deprecated: "use @me/other", yanked: true },
      { version: "1.1.0", deprecated: null, yanked: false },
    ]);
    // The list for web servers is made of the records and of what was said of them.
    const kept = Object.entries(before).filter(([file]) => !file.endsWith("versions.json"));
    expect(readTree(dir)).toMatchObject(Object.fromEntries(kept));
  });

  test("can be taken back, and then nothing of it is left", async () => {
    const { dir, registry } = await registryWith("1.0.0");
    const before = readTree(dir);
    await registry.annotate(NAME, "1.0.0", { deprecated: "old", yanked: true });
    await registry.annotate(NAME, "1.0.0", { deprecated: null });
    expect(await registry.versions(NAME)).toMatchObject([{ deprecated: null, yanked: true }]);
    await registry.annotate(NAME, "1.0.0", { yanked: false });
    expect(readTree(dir)).toEqual(before);
  });

  test("keeps the notes of the other kind when several people write at once", async () => {
    const { dir, registry } = await registryWith("1.0.0");
    const printed = await runAtOnce(
      `import { openFolderRegistry } from "src/registry/folder.ts";
       const registry = openFolderRegistry(${JSON.stringify(dir)}, "folder:test");
       const note = Number(process.argv[2]) % 2 === 0 ? { deprecated: "old" } : { yanked: true };
       registry.annotate(${JSON.stringify(NAME)}, "1.0.0", note).then(() => console.log("noted"));`,
      4,
    );
    expect(printed).toEqual(Array(4).fill("noted"));
    expect(await registry.versions(NAME)).toMatchObject([{ deprecated: "old", yanked: true }]);
  });

  test("is about a version that was published", async () => {
    const { dir, registry } = await registryWith("1.0.0");
    const problem = await problemOf(() => registry.annotate(NAME, "2.0.0", { yanked: true }));
    expect(problem.code).toBe("DRWN_VERSION_NOT_FOUND");
    expect(Object.keys(readTree(dir)).filter((file) => file.startsWith("annotations"))).toEqual([]);
  });

  test.each([
    ["empty", "  "],
    ["two lines", "one\ntwo"],
    ["what moves the cursor", "\u001b[2J"],
    ["501 characters", "x".repeat(501)],
  ])("is refused when it is %s", async (_, deprecated) => {
    const { registry } = await registryWith("1.0.0");
    expect((await problemOf(() => registry.annotate(NAME, "1.0.0", { deprecated }))).code).toBe(
      "DRWN_DEPRECATION_INVALID",
    );
    expect(await registry.versions(NAME)).toMatchObject([{ deprecated: null }]);
  });

  test.each([
    ["{", "DRWN_FILE_INVALID"],
    ['{"annotationVersion":1,"yanked":false}', "DRWN_FILE_INVALID"],
    ['{"annotationVersion":1,"yanked":true,"by":"me"}', "DRWN_FILE_INVALID"],
  ])("that reads %s is a problem, not silence", async (text, code) => {
    const { dir, registry } = await registryWith("1.0.0");
    await registry.annotate(NAME, "1.0.0", { yanked: true });
    fs.writeFileSync(path.join(dir, "annotations", NAME, "1.0.0", "yanked.json"), text);
    expect((await problemOf(() => registry.versions(NAME))).code).toBe(code);
  });
});

describe("resolving", () => {
  test.each<[string[], string | null, boolean, string]>([
    [["1.2.0"], "^1.0.0", false, "1.1.0"],
    [["1.2.0"], null, false, "1.1.0"],
    [["1.2.0", "1.1.0"], "^1.0.0", false, "1.0.0"],
    [[], "^1.0.0", true, "1.2.0"],
    [[], null, true, "2.0.0-rc.1"],
    [[], ">=1.0.0", true, "2.0.0-rc.1"],
    [["2.0.0-rc.1"], null, true, "1.2.0"],
  ])("with %j yanked, %s (prereleases: %s) gives %s", async (yanked, range, prerelease, version) => {
    const { registry } = await registryWith("1.0.0", "1.1.0", "1.2.0", "2.0.0-rc.1");
    for (const one of yanked) await registry.annotate(NAME, one, { yanked: true });
    expect((await resolveCard(registry, NAME, range, { prerelease })).version).toBe(version);
  });

  test("does not take a yanked version that is named exactly, and says that it was yanked", async () => {
    const { registry } = await registryWith("1.0.0");
    await registry.annotate(NAME, "1.0.0", { yanked: true });
    for (const range of ["1.0.0", null]) {
      const problem = await problemOf(() => resolveCard(registry, NAME, range));
      expect(problem.code).toBe("DRWN_VERSION_NOT_FOUND");
      expect(textOf(problem)).toContain("yanked: 1.0.0");
    }
  });

  test("shows a yanked version to who names it exactly and only looks", async () => {
    const { registry } = await registryWith("1.0.0", "1.1.0");
    await registry.annotate(NAME, "1.1.0", { yanked: true });
    expect(await lookUpCard(registry, NAME, "1.1.0")).toMatchObject({ version: "1.1.0", yanked: true });
    expect(await lookUpCard(registry, NAME, "^1.1.0 || ^1.0.0")).toMatchObject({ version: "1.0.0" });
    expect((await problemOf(() => lookUpCard(registry, NAME, "1.2.0"))).code).toBe("DRWN_VERSION_NOT_FOUND");
  });

  test("takes the highest of what may be taken, and nothing else", () => {
    const part = fc.integer({ min: 0, max: 3 });
    const published = fc.array(
      fc.record({ core: fc.tuple(part, part, part), isPrerelease: fc.boolean(), yanked: fc.boolean() }),
      { maxLength: 8 },
    );
    const range = fc.constantFrom(null, "^1.0.0", "~1.2.0", ">=0.1.0", "*", "1.1.1", ">=1.1.0-rc.0");
    fc.assert(
      fc.property(published, range, fc.boolean(), (parts, asked, prerelease) => {
        const versions = parts.map(({ core, isPrerelease: isOne, yanked }) =>
          describeVersion(`${core.join(".")}${isOne ? "-rc.1" : ""}`, yanked),
        );
        const picked = pickVersion(versions, asked, { prerelease });
        const allowed = versions.filter(
          ({ version, yanked }) => !yanked && (asked === null || satisfies(version, asked, { prerelease })),
        );
        const releases = allowed.filter(({ version }) => !isPrerelease(version));
        // A prerelease stands back where a release may be had, unless it was asked for.
        const rivals = prerelease || releases.length === 0 ? allowed : releases;
        const highest = rivals.map(({ version }) => version).sort(compareVersions);
        expect(picked?.version).toBe(highest.at(-1));
      }),
    );
  });

  test("takes a deprecated version, and hands on what is said of it", async () => {
    const { registry } = await registryWith("1.0.0");
    await registry.annotate(NAME, "1.0.0", { deprecated: "use @me/other" });
    expect(await resolveCard(registry, NAME, "^1.0.0")).toMatchObject({ deprecated: "use @me/other" });
  });
});

function describeVersion(version: string, yanked: boolean): PublishedVersion {
  const about = {
    name: NAME,
    integrity: "sha512-" as const,
    tree: "",
    publishedAt: "",
    hooks: [],
    publisher: null,
    publishedBy: null,
  };
  return { ...about, version, deprecated: null, yanked };
}

describe("a search", () => {
  async function shop(): Promise<FolderRegistry> {
    const { registry } = await registryWith();
    const parts = [
      { name: "@me/git-guard", manifest: { description: "Stops a push to main" } },
      { name: "@me/backend", manifest: { description: "Guards for the Backend, with git rules", keywords: ["sql"] } },
      { name: "@you/quiet" },
    ];
    for (const part of parts) await registry.publish(await packedCard(part), NOW);
    return registry;
  }

  test.each<[string, string[]]>([
    ["git", ["@me/git-guard", "@me/backend"]],
    ["GUARD", ["@me/git-guard", "@me/backend"]],
    ["guard git", ["@me/git-guard", "@me/backend"]],
    ["backend sql", ["@me/backend"]],
    ["@you/", ["@you/quiet"]],
    ["push guard", ["@me/git-guard"]],
    ["nothing like it", []],
    ["", ["@me/backend", "@me/git-guard", "@you/quiet"]],
  ])("for “%s” finds %j", async (text, names) => {
    const registry = await shop();
    expect((await registry.search(text)).map(({ name }) => name)).toEqual(names);
  });

  test("shows the version that would be added, and no card that has none", async () => {
    const { registry } = await registryWith("1.0.0", "1.1.0");
    await registry.annotate(NAME, "1.1.0", { yanked: true });
    expect(await registry.search("backend")).toEqual([{ name: NAME, version: "1.0.0", description: "" }]);
    await registry.annotate(NAME, "1.0.0", { yanked: true });
    expect(await registry.search("backend")).toEqual([]);
  });
});
