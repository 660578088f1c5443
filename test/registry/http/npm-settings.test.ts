import path from "node:path";
import { describe, expect, test } from "vitest";
import { loadNpmSettings, mayNameRegistries } from "../../../src/registry/http/npm-settings.ts";
import { temporaryFolder, writeTree } from "../../support/cards.ts";

const TEAM = "http://registry.example.com/";

/** What npm says of the scope, and whether it had to be asked. */
async function askFor(files: Record<string, string>, env: Record<string, string> = {}) {
  const home = writeTree(temporaryFolder(), files);
  const machine = { home, env, cwd: temporaryFolder(), nodePath: path.join(home, "usr/bin/node") };
  const settings = await loadNpmSettings(machine);
  return { named: settings.registryOf("@team"), asked: mayNameRegistries(machine) };
}

describe("where npm would name a registry for a scope, it is asked", () => {
  test.each<[string, Record<string, string>, Record<string, string>?]>([
    ["in the user's file", { ".npmrc": `@team:registry=${TEAM}\n` }],
    ["in the global file beside Node", { "usr/etc/npmrc": `@team:registry=${TEAM}\n` }],
    ["with a name from the environment", { ".npmrc": `\${SCOPE}:registry=${TEAM}\n` }, { SCOPE: "@team" }],
  ])("%s", async (_, files, env) => {
    expect(await askFor(files, env)).toEqual({ named: TEAM, asked: true });
  });

  test("in a file that another one leads to", async () => {
    const elsewhere = writeTree(temporaryFolder(), { npmrc: `@team:registry=${TEAM}\n`, "etc/npmrc": "" });
    for (const line of [`globalconfig=${elsewhere}/npmrc`, `prefix=${elsewhere}`]) {
      expect((await askFor({ ".npmrc": `${line}\n` })).asked).toBe(true);
    }
    for (const name of ["npm_config_userconfig", "NPM_CONFIG_GLOBALCONFIG"]) {
      expect(await askFor({}, { [name]: `${elsewhere}/npmrc` })).toEqual({ named: TEAM, asked: true });
    }
  });
});

describe("where no scope can have one, npm's reader is not loaded", () => {
  test.each<[string, Record<string, string>]>([
    ["no file", {}],
    ["an empty file", { ".npmrc": "" }],
    ["a token alone", { ".npmrc": "//registry.example.com/:_authToken=abc\n" }],
    ["a registry for everything", { ".npmrc": `registry=${TEAM}\n` }],
    ["a proxy in the global file", { "usr/etc/npmrc": "proxy=http://127.0.0.1:1\n" }],
  ])("%s", async (_, files) => {
    expect(await askFor(files)).toEqual({ named: undefined, asked: false });
  });

  test("but a file that cannot be read is for npm to judge", () => {
    const home = writeTree(temporaryFolder(), { ".npmrc/file": "" });
    expect(mayNameRegistries({ home, env: {}, cwd: home, nodePath: path.join(home, "usr/bin/node") })).toBe(true);
  });
});
