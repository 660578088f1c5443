import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { readTarball } from "../../src/card/archive/tarball.ts";
import { type FolderRegistry, openFolderRegistry } from "../../src/registry/folder.ts";
import { resolveCard } from "../../src/registry/resolve.ts";
import { packedCard, readTree, temporaryFolder, writeTree } from "../support/cards.ts";
import { problemOf, textOf } from "../support/problems.ts";
import { runAtOnce } from "../support/processes.ts";

const NOW = new Date("2026-01-31T12:00:00.000Z");

interface Opened {
  dir: string;
  registry: FolderRegistry;
}

function emptyRegistry(): Opened {
  const dir = path.join(temporaryFolder(), "registry");
  return { dir, registry: openFolderRegistry(dir, "folder:test") };
}

async function registryWith(...versions: string[]): Promise<Opened> {
  const opened = emptyRegistry();
  for (const version of versions) await opened.registry.publish(await packedCard({ version }), NOW);
  return opened;
}

function onlyFile(folder: string, extension: string): string {
  const found = fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(extension) && !name.endsWith("versions.json"));
  expect(found).toHaveLength(1);
  return path.join(folder, String(found[0]));
}

describe("a folder registry", () => {
  test("serves what was published, with all that is known of it", async () => {
    const { registry } = emptyRegistry();
    const card = await packedCard({ hooks: { guard: { matcher: "Bash" } } });
    await registry.publish(card, NOW);
    expect(await registry.versions("@me/backend")).toEqual([
      {
        name: "@me/backend",
        version: "1.0.0",
        integrity: card.integrity,
        tree: card.tree,
        publishedAt: NOW.toISOString(),
        hooks: card.index.hooks,
        publisher: null,
        publishedBy: null,
        deprecated: null,
        yanked: false,
      },
    ]);
    const tarball = await registry.fetch("@me/backend", "1.0.0");
    expect(tarball.equals(card.tarball)).toBe(true);
    expect([...(await readTarball(tarball)).keys()]).toEqual([...card.files.keys()]);
  });

  test("says who published a version, and nobody where nobody said so", async () => {
    const { registry } = emptyRegistry();
    await registry.publish(await packedCard(), NOW, "person");
    await registry.publish(await packedCard({ version: "1.0.1" }), NOW, "agent");
    await registry.publish(await packedCard({ version: "1.0.2" }), NOW);
    const listed = await registry.versions("@me/backend");
    expect(listed.map(({ publishedBy }) => publishedBy)).toEqual(["person", "agent", null]);
  });

  test("need not exist to be asked", async () => {
    const { registry, dir } = emptyRegistry();
    expect(await registry.versions("@me/backend")).toEqual([]);
    expect(await registry.list()).toEqual([]);
    expect(fs.existsSync(dir)).toBe(false);
  });

  test("lists its cards by name and their versions from the lowest", async () => {
    const { registry, dir } = await registryWith("1.9.0", "1.10.0", "1.2.0");
    writeTree(dir, { "cards/.DS_Store": "", "cards/@me/notes.txt": "", "cards/@me/backend/notes.txt": "" });
    await registry.publish(await packedCard({ name: "@a/first" }), NOW);
    expect(await registry.list()).toEqual(["@a/first", "@me/backend"]);
    expect((await registry.versions("@me/backend")).map(({ version }) => version)).toEqual([
      "1.2.0",
      "1.9.0",
      "1.10.0",
    ]);
  });

  test("leaves no temporary files behind", async () => {
    const { dir } = await registryWith("1.0.0", "1.0.1");
    expect(Object.keys(readTree(dir)).filter((file) => file.includes("tmp"))).toEqual([]);
  });

  test("refuses a version that is published, with other bytes or the same, and keeps the first", async () => {
    const { registry, dir } = await registryWith("1.0.0");
    const before = readTree(dir);
    const other = await packedCard({ files: { "README.md": "other" } });
    for (const card of [await packedCard(), other]) {
      expect((await problemOf(() => registry.publish(card, NOW))).code).toBe("DRWN_VERSION_EXISTS");
    }
    expect(readTree(dir)).toEqual(before);
  });

  test("lets one of 16 publishers of the same version win", async () => {
    const { registry } = emptyRegistry();
    const cards = await Promise.all(
      Array.from({ length: 16 }, (_, at) => packedCard({ files: { "README.md": `by ${at}` } })),
    );
    const outcomes = await Promise.allSettled(cards.map((card) => registry.publish(card, NOW)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "DRWN_VERSION_EXISTS" });
    }
    const winner = cards[outcomes.findIndex(({ status }) => status === "fulfilled")];
    expect((await registry.fetch("@me/backend", "1.0.0")).equals(winner?.tarball ?? Buffer.alloc(0))).toBe(true);
  });

  test("lets one of several processes win, too", async () => {
    const { dir, registry } = emptyRegistry();
    const files = path.join(temporaryFolder(), "cards.json");
    const cards = await Promise.all(
      Array.from({ length: 6 }, (_, at) => packedCard({ files: { "README.md": `by ${at}` } })),
    );
    const portable = cards.map(({ tarball, files: _, ...card }) => ({ ...card, tarball: tarball.toString("base64") }));
    fs.writeFileSync(files, JSON.stringify(portable));
    const printed = await runAtOnce(
      `import fs from "node:fs";
       import { openFolderRegistry } from "src/registry/folder.ts";
       const card = JSON.parse(fs.readFileSync(${JSON.stringify(files)}, "utf8"))[Number(process.argv[2])];
       const registry = openFolderRegistry(${JSON.stringify(dir)}, "folder:test");
       registry.publish({ ...card, files: new Map(), tarball: Buffer.from(card.tarball, "base64") }, new Date(0))
         .then(() => console.log("won"), (error) => console.log(error.code));`,
      cards.length,
    );
    expect(printed.sort()).toEqual([...Array<string>(5).fill("DRWN_VERSION_EXISTS"), "won"]);
    await registry.fetch("@me/backend", "1.0.0");
  });

  test("names both digests when a tarball was replaced under its version", async () => {
    const { registry, dir } = await registryWith("1.0.0");
    const other = await packedCard({ files: { "README.md": "evil" } });
    fs.writeFileSync(onlyFile(path.join(dir, "blobs"), ".tgz"), other.tarball);
    const problem = await problemOf(() => registry.fetch("@me/backend", "1.0.0"));
    expect(problem.code).toBe("DRWN_INTEGRITY_MISMATCH");
    expect(textOf(problem)).toContain((await packedCard()).integrity);
    expect(textOf(problem)).toContain(other.integrity);
  });

  test("says so when a tarball is missing, and what is no card name reaches no file", async () => {
    const { registry, dir } = await registryWith("1.0.0");
    fs.rmSync(onlyFile(path.join(dir, "blobs"), ".tgz"));
    expect((await problemOf(() => registry.fetch("@me/backend", "1.0.0"))).code).toBe("DRWN_REGISTRY_INVALID");
    expect((await problemOf(() => registry.versions("../../etc"))).code).toBe("DRWN_NAME_INVALID");
    expect((await problemOf(() => registry.fetch("@me/backend", "../1.0.0"))).code).toBe("DRWN_VERSION_INVALID");
    expect((await problemOf(() => registry.fetch("@me/backend", "9.0.0"))).code).toBe("DRWN_VERSION_NOT_FOUND");
  });

  test.each<[string, (text: string) => string, string]>([
    ["of another card", (text) => text.replace("@me/backend", "@me/other"), "DRWN_REGISTRY_INVALID"],
    ["of another version", (text) => text.replace('"1.0.0"', '"1.0.9"'), "DRWN_REGISTRY_INVALID"],
    ["with an unknown field", (text) => text.replace("{", '{"more": 1,'), "DRWN_FILE_INVALID"],
    ["with a field twice", (text) => text.replace("{", '{"name": "@x/y",'), "DRWN_FILE_INVALID"],
    ["with another kind of digest", (text) => text.replace(/sha512-[^"]+"/u, 'md5-x"'), "DRWN_FILE_INVALID"],
    ["that is cut short", (text) => text.slice(0, 20), "DRWN_FILE_INVALID"],
  ])("refuses a record %s", async (_, spoil, code) => {
    const { registry, dir } = await registryWith("1.0.0");
    const file = onlyFile(path.join(dir, "cards"), ".json");
    fs.writeFileSync(file, spoil(fs.readFileSync(file, "utf8")));
    expect((await problemOf(() => registry.versions("@me/backend"))).code).toBe(code);
  });

  test("fixes a tarball that was damaged before its record was written", async () => {
    const { registry, dir } = emptyRegistry();
    const card = await packedCard();
    await registry.publish(card, NOW);
    const blob = onlyFile(path.join(dir, "blobs"), ".tgz");
    fs.rmSync(path.join(dir, "cards"), { recursive: true });
    fs.writeFileSync(blob, "damaged");
    await registry.publish(card, NOW);
    expect((await registry.fetch("@me/backend", "1.0.0")).equals(card.tarball)).toBe(true);
  });
});

describe("resolving", () => {
  test.each([
    [null, "1.10.0"],
    ["^1.0.0", "1.10.0"],
    ["1.2.0", "1.2.0"],
    ["~1.2", "1.2.0"],
    ["2.0.0-rc.1", "2.0.0-rc.1"],
    [">=2.0.0-rc.0", "2.0.0-rc.1"],
    ["*", "1.10.0"],
  ])("%s gives %s", async (range, version) => {
    const { registry } = await registryWith("1.2.0", "1.10.0", "2.0.0-rc.1");
    expect((await resolveCard(registry, "@me/backend", range)).version).toBe(version);
  });

  test("gives a prerelease without a range only where there is nothing else", async () => {
    const { registry } = await registryWith("1.0.0-a", "1.0.0-b");
    expect((await resolveCard(registry, "@me/backend", null)).version).toBe("1.0.0-b");
  });

  test("says which cards and versions there are not, and which versions there are", async () => {
    const { registry } = await registryWith("1.0.0", "1.1.0");
    expect((await problemOf(() => resolveCard(registry, "@me/none", null))).code).toBe("DRWN_CARD_NOT_FOUND");
    const problem = await problemOf(() => resolveCard(registry, "@me/backend", "^2.0.0"));
    expect(problem.code).toBe("DRWN_VERSION_NOT_FOUND");
    expect(textOf(problem)).toContain("1.1.0, 1.0.0");
  });
});
