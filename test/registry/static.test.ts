import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openFolderRegistry } from "../../src/registry/folder.ts";
import { openHttp } from "../../src/registry/http/http.ts";
import type { Registry } from "../../src/registry/registry.ts";
import { openStaticRegistry } from "../../src/registry/static.ts";
import { packedCard, temporaryFolder } from "../support/cards.ts";
import { problemOf } from "../support/problems.ts";
import { serve } from "../support/servers.ts";

const NOW = new Date("2026-01-31T12:00:00.000Z");

/** A folder registry, and the same one as a web server hands it out. */
async function sharedFolder(): Promise<{ folder: string; local: Registry; web: Registry }> {
  const folder = path.join(temporaryFolder(), "cards of a team");
  const server = await serve(({ url = "" }, response) => {
    const file = path.join(folder, decodeURIComponent(url));
    if (fs.existsSync(file) && fs.statSync(file).isFile()) response.end(fs.readFileSync(file));
    else response.writeHead(404).end("<html>not found</html>");
  });
  const web = openStaticRegistry(server.url, openHttp({ options: {} }));
  return { folder, local: openFolderRegistry(folder, "folder:test"), web };
}

describe("a folder registry behind a web server", () => {
  test("says the same as the folder itself", async () => {
    const { local, web } = await sharedFolder();
    for (const version of ["1.0.0", "1.10.0", "1.9.0"]) {
      await local.publish(await packedCard({ version, hooks: { guard: { matcher: "Bash" } } }), NOW);
    }
    await local.annotate?.("@me/backend", "1.9.0", { deprecated: "use 1.10", yanked: true });
    const listed = await web.versions("@me/backend");
    expect(listed).toEqual(await local.versions("@me/backend"));
    expect(listed[1]).toMatchObject({ version: "1.9.0", deprecated: "use 1.10", yanked: true });
    const tarball = await web.fetch("@me/backend", "1.10.0");
    expect(tarball.equals(await local.fetch("@me/backend", "1.10.0"))).toBe(true);
    expect(web.id).toMatch(/^static:http:\/\/127\.0\.0\.1:\d+\/$/u);
  });

  test("lists the versions of all of 16 publishers at once", async () => {
    const { local, web } = await sharedFolder();
    const cards = await Promise.all(Array.from({ length: 16 }, (_, at) => packedCard({ version: `1.0.${at}` })));
    await Promise.all(cards.map((card) => local.publish(card, NOW)));
    expect(await web.versions("@me/backend")).toHaveLength(16);
  });

  test("brings a list in step that was lost, with the next version", async () => {
    const { folder, local, web } = await sharedFolder();
    await local.publish(await packedCard(), NOW);
    fs.rmSync(path.join(folder, "cards/@me/backend/versions.json"));
    expect(await web.versions("@me/backend")).toEqual([]);
    await local.publish(await packedCard({ version: "1.0.1" }), NOW);
    expect((await web.versions("@me/backend")).map(({ version }) => version)).toEqual(["1.0.0", "1.0.1"]);
  });

  test("has no card that was not published, and is not published to", async () => {
    const { web } = await sharedFolder();
    expect(await web.versions("@me/none")).toEqual([]);
    expect((await problemOf(() => web.fetch("@me/none", "1.0.0"))).code).toBe("DRWN_VERSION_NOT_FOUND");
    expect((await problemOf(() => web.versions("../../etc"))).code).toBe("DRWN_NAME_INVALID");
    const card = await packedCard();
    expect((await problemOf(() => web.publish(card, NOW))).code).toBe("DRWN_REGISTRY_UNABLE");
  });

  test.each<[string, (text: string) => string]>([
    ["about another card", (text) => text.replaceAll("@me/backend", "@me/other")],
    ["with unknown fields", (text) => text.replace("{", '{"more": 1,')],
    ["that is a web page", () => "<html>"],
  ])("refuses a list %s", async (_, spoil) => {
    const { folder, local, web } = await sharedFolder();
    await local.publish(await packedCard(), NOW);
    const file = path.join(folder, "cards/@me/backend/versions.json");
    fs.writeFileSync(file, spoil(fs.readFileSync(file, "utf8")));
    expect((await problemOf(() => web.versions("@me/backend"))).code).toBe("DRWN_REGISTRY_INVALID");
  });

  test("names both digests when a tarball was replaced", async () => {
    const { folder, local, web } = await sharedFolder();
    await local.publish(await packedCard(), NOW);
    const [blob = ""] = fs.readdirSync(path.join(folder, "blobs"));
    fs.writeFileSync(path.join(folder, "blobs", blob), (await packedCard({ files: { "README.md": "evil" } })).tarball);
    expect((await problemOf(() => web.fetch("@me/backend", "1.0.0"))).code).toBe("DRWN_INTEGRITY_MISMATCH");
  });
});
