import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import {
  addRegistry,
  listRegistries,
  removeRegistry,
  setCardScopes,
} from "../../../src/operations/machine/registry-settings.ts";
import { openNamedRegistry, openRegistryOf } from "../../../src/project/fetch/registries.ts";
import { temporaryFolder, writeTree } from "../../support/cards.ts";
import { testHost } from "../../support/host.ts";
import { problemOf, textOf } from "../../support/problems.ts";
import { newProject, publish } from "../../support/projects.ts";

const NPM = { name: "team", location: "https://npm.example.com/cards", isStatic: false };

describe("the registry of a scope", () => {
  test("is the folder of this machine when nothing else is said", async () => {
    expect((await openRegistryOf(testHost(), "@me/backend")).id).toBe("folder:default");
  });

  test("is the one that was set, and the identity is that of the place and not of the name", async () => {
    const host = testHost();
    await addRegistry(host, NPM);
    await addRegistry(host, { name: "shared", location: "cards", isStatic: false });
    await addRegistry(host, { name: "web", location: "https://cards.example.com", isStatic: true });
    const ids = [];
    for (const name of ["team", "shared", "web", "default"]) {
      await setCardScopes(host, ["@me"], name);
      ids.push((await openRegistryOf(host, "@me/backend")).id);
    }
    expect(ids).toEqual([
      "npm:https://npm.example.com/cards/",
      `folder:${host.cwd}/cards`,
      "static:https://cards.example.com/",
      "folder:default",
    ]);
    expect(listRegistries(host).find(({ name }) => name === "default")?.scopes).toEqual(["@me"]);
  });

  test("is the one of the user's .npmrc, behind what was set", async () => {
    const host = testHost();
    writeTree(host.home, { ".npmrc": "@me:registry=https://npm.example.com/\n" });
    expect((await openRegistryOf(host, "@me/backend")).id).toBe("npm:https://npm.example.com/");
    await setCardScopes(host, ["@me"], "default");
    expect((await openRegistryOf(host, "@me/backend")).id).toBe("folder:default");
  });

  test.each<[string, Record<string, string>]>([
    ["its .npmrc", { ".npmrc": "@me:registry=https://evil.example.com/\nregistry=https://evil.example.com/\n" }],
    [
      "a user's settings that it names",
      { ".npmrc": "userconfig=./mine\n", mine: "@me:registry=https://evil.example.com/" },
    ],
    ["a config.json of its own", { ".agents/drwn/registries.json": '{"scopes":{"@me":"evil"}}' }],
  ])("is not what a project says in %s", async (_, files) => {
    const host = newProject();
    writeTree(host.cwd, { "package.json": "{}", ...files });
    expect((await openRegistryOf(host, "@me/backend")).id).toBe("folder:default");
  });

  test("does not fall through to another one that has the card", async () => {
    const host = testHost();
    await publish(host, {});
    await addRegistry(host, { name: "empty", location: temporaryFolder(), isStatic: false });
    await setCardScopes(host, ["@me"], "empty");
    expect(await (await openRegistryOf(host, "@me/backend")).versions("@me/backend")).toEqual([]);
  });
});

describe("setting up registries", () => {
  test.each<[string, string, boolean, string]>([
    ["http", "http://npm.example.com/", false, "DRWN_URL_REFUSED"],
    ["credentials", "https://me:canary@npm.example.com/", false, "DRWN_URL_REFUSED"],
    ["a token in the query", "https://npm.example.com/?token=canary", false, "DRWN_URL_REFUSED"],
    ["another protocol", "ftp://npm.example.com/", false, "DRWN_URL_REFUSED"],
    ["a folder as a web server", "/srv/cards", true, "DRWN_URL_REFUSED"],
  ])("refuses %s", async (_, location, isStatic, code) => {
    const host = testHost();
    const problem = await problemOf(() => addRegistry(host, { name: "team", location, isStatic }));
    expect(problem.code).toBe(code);
    expect(textOf(problem)).not.toContain("canary");
    expect(fs.existsSync(path.join(host.drwnHome, "config.json"))).toBe(false);
  });

  test.each(["", "Team", "a b", "-a", "../x", "__proto__"])("refuses the name %j", async (name) => {
    const host = testHost();
    expect((await problemOf(() => addRegistry(host, { ...NPM, name }))).code).toBe("DRWN_NAME_INVALID");
    expect(fs.existsSync(path.join(host.drwnHome, "config.json"))).toBe(false);
  });

  test("refuses the name of the registry that is always there", async () => {
    expect((await problemOf(() => addRegistry(testHost(), { ...NPM, name: "default" }))).code).toBe(
      "DRWN_REGISTRY_EXISTS",
    );
  });

  test("refuses a name that is taken, one that is not there, and to remove what scopes belong to", async () => {
    const host = testHost();
    await addRegistry(host, NPM);
    expect((await problemOf(() => addRegistry(host, NPM))).code).toBe("DRWN_REGISTRY_EXISTS");
    expect((await problemOf(() => setCardScopes(host, ["@me"], "other"))).code).toBe("DRWN_REGISTRY_UNKNOWN");
    expect((await problemOf(() => setCardScopes(host, ["me"], "team"))).code).toBe("DRWN_NAME_INVALID");
    expect((await problemOf(() => setCardScopes(host, ["@me", "you"], "team"))).code).toBe("DRWN_NAME_INVALID");
    expect(listRegistries(host).flatMap(({ scopes }) => scopes)).toEqual([]);
    expect((await problemOf(() => openNamedRegistry(host, "other"))).code).toBe("DRWN_REGISTRY_UNKNOWN");
    await setCardScopes(host, ["@me"], "team");
    expect((await problemOf(() => removeRegistry(host, "team"))).code).toBe("DRWN_REGISTRY_UNABLE");
    expect((await problemOf(() => removeRegistry(host, "default"))).code).toBe("DRWN_REGISTRY_UNABLE");
    await setCardScopes(host, ["@me"], "default");
    await removeRegistry(host, "team");
    expect(listRegistries(host).map(({ name }) => name)).toEqual(["default"]);
  });
});
