import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readCard } from "../../../src/card/archive/read-card.ts";
import { readTarball } from "../../../src/card/archive/tarball.ts";
import { type PackedCard, signPacked } from "../../../src/card/source/pack.ts";
import { openHttp } from "../../../src/registry/http/http.ts";
import { loadNpmSettings } from "../../../src/registry/http/npm-settings.ts";
import { openNpmRegistry } from "../../../src/registry/npm/npm.ts";
import type { Registry } from "../../../src/registry/registry.ts";
import { resolveCard } from "../../../src/registry/resolve.ts";
import { packedCard, temporaryFolder, writeTree } from "../../support/cards.ts";
import { problemOf, textOf } from "../../support/problems.ts";
import { newSigner } from "../../support/projects.ts";
import { startVerdaccio, type Verdaccio } from "../../support/verdaccio.ts";

const NOW = new Date("2026-01-31T12:00:00.000Z");
const run = promisify(execFile);

let verdaccio: Verdaccio;
let token: string;
beforeAll(async () => {
  verdaccio = await startVerdaccio();
  token = await verdaccio.token("ada");
});
afterAll(() => verdaccio.remove());

/** A user of the registry, with a home folder of their own. */
async function client(npmrc = `//${new URL(verdaccio.url).host}/:_authToken=${token}\n`, env = {}): Promise<Registry> {
  const home = writeTree(temporaryFolder(), { ".npmrc": npmrc });
  const { options } = await loadNpmSettings({ home, env, cwd: home, nodePath: path.join(home, "bin/node") });
  return openNpmRegistry({ url: verdaccio.url, http: openHttp({ options }), options });
}

async function publishedCard(parts: Parameters<typeof packedCard>[0]): Promise<PackedCard> {
  const card = await packedCard(parts);
  await (await client()).publish(card, NOW);
  return card;
}

/** Runs npm as a user who has nothing but a token for this registry. */
async function npm(...args: string[]): Promise<string> {
  const cwd = temporaryFolder();
  const home = writeTree(temporaryFolder(), { ".npmrc": `//${new URL(verdaccio.url).host}/:_authToken=${token}\n` });
  const env = { PATH: process.env["PATH"], HOME: home };
  const { stdout } = await run("npm", [...args, "--registry", verdaccio.url, "--loglevel=error"], { cwd, env });
  return args[0] === "pack" ? path.join(cwd, stdout.trim()) : stdout;
}

describe("a card in an npm registry", () => {
  test("is found by another client with all that is known of it, and comes out byte for byte", async () => {
    const card = await publishedCard({ name: "@a/first", hooks: { guard: { matcher: "Bash" } } });
    const other = await client("");
    expect(await other.versions("@a/first")).toEqual([
      {
        name: "@a/first",
        version: "1.0.0",
        integrity: card.integrity,
        tree: card.tree,
        publishedAt: expect.stringMatching(/^20\d\d-.*Z$/u),
        hooks: card.index.hooks,
        deprecated: null,
        yanked: false,
        publisher: null,
        publishedBy: null,
      },
    ]);
    expect((await other.fetch("@a/first", "1.0.0")).equals(card.tarball)).toBe(true);
    expect(other.id).toBe(`npm:${verdaccio.url}`);
  });

  test("tells whose signature it carries before it is downloaded", async () => {
    const signed = await signPacked(await packedCard({ name: "@a/signed" }), newSigner());
    await (await client()).publish(signed, NOW);
    const other = await client("");
    expect(await other.versions("@a/signed")).toMatchObject([{ publisher: signed.publisher, tree: signed.tree }]);
    const read = readCard(await readTarball(await other.fetch("@a/signed", "1.0.0")));
    expect(read.signature?.publisher).toBe(signed.publisher);
  });

  test("is not published without a token, with a wrong one, or with the token of another registry", async () => {
    const { host } = new URL(verdaccio.url);
    for (const npmrc of ["", `//${host}/:_authToken=wrong`, `//example.com/:_authToken=${token}`]) {
      const registry = await client(npmrc);
      const problem = await problemOf(async () => registry.publish(await packedCard({ name: "@a/refused" }), NOW));
      expect(problem.code).toBe("DRWN_REGISTRY_REFUSED");
      expect(textOf(problem)).not.toContain(token);
    }
    expect(await (await client()).versions("@a/refused")).toEqual([]);
  });

  test.each<[string, (host: string) => [string, Record<string, string>]]>([
    ["a token from the environment", (host) => [`//${host}/:_authToken=\${CARD_TOKEN}`, { CARD_TOKEN: token }]],
    [
      "a name and a password",
      (host) => [`//${host}/:username=ada\n//${host}/:_password=${base64("ada-secret-word")}`, {}],
    ],
    ["both in one", (host) => [`//${host}/:_auth=${base64("ada:ada-secret-word")}`, {}]],
    [
      "the settings file that the environment names",
      (host) => {
        const folder = writeTree(temporaryFolder(), { npmrc: `//${host}/:_authToken=${token}\n` });
        return ["", { NPM_CONFIG_USERCONFIG: path.join(folder, "npmrc") }];
      },
    ],
  ])("is published with %s, as npm reads it", async (_, credentials) => {
    const registry = await client(...credentials(new URL(verdaccio.url).host));
    const name = `@a/by-${randomBytes(4).toString("hex")}`;
    await registry.publish(await packedCard({ name }), NOW);
    expect(await registry.versions(name)).toHaveLength(1);
  });

  test("of a closed scope is there for those who may read it, and for nobody else", async () => {
    const card = await publishedCard({ name: "@closed/first" });
    expect((await (await client()).fetch("@closed/first", "1.0.0")).equals(card.tarball)).toBe(true);
    const stranger = await client("");
    expect((await problemOf(() => stranger.versions("@closed/first"))).code).toBe("DRWN_REGISTRY_REFUSED");
  });

  test("keeps its version, whoever publishes it again", async () => {
    await publishedCard({ name: "@a/kept" });
    const registry = await client(`//${new URL(verdaccio.url).host}/:_authToken=${await verdaccio.token("bob")}\n`);
    for (const files of [{}, { "README.md": "other" }]) {
      const again = await packedCard({ name: "@a/kept", files });
      expect((await problemOf(() => registry.publish(again, NOW))).code).toBe("DRWN_VERSION_EXISTS");
    }
  });

  test("must have an honest version step here, too", async () => {
    await publishedCard({ name: "@a/step", hooks: { guard: {} } });
    const registry = await client();
    const weaker = await packedCard({ name: "@a/step", version: "1.0.1" });
    expect((await problemOf(() => registry.publish(weaker, NOW))).code).toBe("DRWN_BUMP_TOO_SMALL");
  });

  test("of 5 MB gets there and back", async () => {
    const card = await publishedCard({ name: "@a/large", files: { "README.md": randomBytes(5 * 1024 * 1024) } });
    expect(card.tarball.length).toBeGreaterThan(5_000_000);
    expect((await (await client("")).fetch("@a/large", "1.0.0")).equals(card.tarball)).toBe(true);
  });

  test("is there when the registry was stopped and started again, and the problem says so meanwhile", async () => {
    const card = await publishedCard({ name: "@a/lasting" });
    const registry = await client();
    await verdaccio.stop();
    const problem = await problemOf(() => registry.versions("@a/lasting"));
    await verdaccio.start();
    expect(problem.code).toBe("DRWN_REGISTRY_UNREACHABLE");
    expect((await registry.fetch("@a/lasting", "1.0.0")).equals(card.tarball)).toBe(true);
    await registry.publish(await packedCard({ name: "@a/lasting", version: "1.0.1" }), NOW);
    expect(await registry.versions("@a/lasting")).toHaveLength(2);
  });

  test("can be deprecated and yanked, and both can be taken back", async () => {
    await publishedCard({ name: "@a/old" });
    await publishedCard({ name: "@a/old", version: "1.0.1" });
    const registry = await client();
    const note = async () => {
      const { deprecated, yanked } = (await registry.versions("@a/old")).at(-1) ?? {};
      return { deprecated, yanked };
    };
    await registry.annotate?.("@a/old", "1.0.1", { deprecated: "use @a/new" });
    expect(await note()).toEqual({ deprecated: "use @a/new", yanked: false });
    expect(await npm("view", "@a/old@1.0.1", "deprecated")).toContain("use @a/new");
    await registry.annotate?.("@a/old", "1.0.1", { yanked: true });
    expect(await note()).toEqual({ deprecated: "use @a/new", yanked: true });
    expect((await resolveCard(registry, "@a/old", "^1.0.0")).version).toBe("1.0.0");
    await registry.annotate?.("@a/old", "1.0.1", { deprecated: null, yanked: false });
    expect(await note()).toEqual({ deprecated: null, yanked: false });
    expect((await resolveCard(registry, "@a/old", "^1.0.0")).version).toBe("1.0.1");
  });

  test("is gone when it was unpublished, and what was asked for is named", async () => {
    await publishedCard({ name: "@a/gone" });
    await npm("unpublish", "@a/gone@1.0.0", "--force");
    const registry = await client();
    expect(await registry.versions("@a/gone")).toEqual([]);
    expect((await problemOf(() => registry.fetch("@a/gone", "1.0.0"))).code).toBe("DRWN_VERSION_NOT_FOUND");
  });

  test("moves `latest` forward and never back", async () => {
    for (const version of ["1.1.0", "2.0.0", "1.1.1", "3.0.0-rc.1"]) await publishedCard({ name: "@a/tags", version });
    const tags = JSON.parse(await npm("view", "@a/tags", "dist-tags", "--json"));
    expect(tags).toEqual({ latest: "2.0.0", "release-1.1": "1.1.1", next: "3.0.0-rc.1" });
  });

  test("is found by a search that passes over other packages", async () => {
    await publishedCard({ name: "@a/findable", manifest: { description: "watches the shell" } });
    const found = await (await client()).search?.("findable");
    expect(found).toEqual([{ name: "@a/findable", version: "1.0.0", description: "watches the shell" }]);
  });
});

describe("npm and drwn", () => {
  test("npm shows and packs a card that drwn has published", async () => {
    const card = await publishedCard({ name: "@a/for-npm", hooks: { guard: {} } });
    expect(JSON.parse(await npm("view", "@a/for-npm", "dist.integrity", "--json"))).toBe(card.integrity);
    expect(fs.readFileSync(await npm("pack", "@a/for-npm@1.0.0")).equals(card.tarball)).toBe(true);
  });

  test("drwn reads a card that npm has published from a packed tarball", async () => {
    const card = await packedCard({ name: "@a/by-npm", hooks: { guard: { matcher: "Bash" } } });
    const file = path.join(temporaryFolder(), "card.tgz");
    fs.writeFileSync(file, card.tarball);
    await npm("publish", file, "--access", "public");
    const registry = await client("");
    const [published] = await registry.versions("@a/by-npm");
    expect(published).toMatchObject({ integrity: card.integrity, hooks: card.index.hooks, tree: "" });
    expect(readCard(await readTarball(await registry.fetch("@a/by-npm", "1.0.0"))).tree).toBe(card.tree);
  });

  test("a package that is no card is none to drwn", async () => {
    const folder = writeTree(temporaryFolder(), { "package.json": '{"name":"@a/package","version":"1.0.0"}' });
    await npm("publish", folder, "--access", "public");
    expect(await (await client()).versions("@a/package")).toEqual([]);
  });
});

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
