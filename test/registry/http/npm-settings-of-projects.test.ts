import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { addRegistry } from "../../../src/operations/machine/registry-settings.ts";
import { openRegistryOf, openWeb } from "../../../src/project/fetch/registries.ts";
import { parseHttpUrl } from "../../../src/registry/http/url.ts";
import { writeTree } from "../../support/cards.ts";
import { type TestHost, testHost } from "../../support/host.ts";
import { problemOf } from "../../support/problems.ts";
import { newProject } from "../../support/projects.ts";
import { type Server, serve } from "../../support/servers.ts";

const SECRET = "canary-of-the-environment";
const TOKEN = "canary-of-a-token";
const PROJECT = { "package.json": "{}", ".agents/drwn/config.json": '{ "version": 1, "cards": {} }' };

/** A server that keeps every header that reaches it. */
async function listener(): Promise<{ server: Server; heard: string[]; host: string }> {
  const heard: string[] = [];
  const server = await serve((request, response) => {
    heard.push(request.rawHeaders.join("\n"));
    response.end("tarball");
  });
  return { server, heard, host: new URL(server.url).host };
}

/** What a user has who uses this server as a registry. */
const asRegistry = ({ server, host }: { server: Server; host: string }) =>
  `registry=${server.url}\n//${host}/:_authToken=${TOKEN}`;

async function download(host: TestHost, url: string): Promise<void> {
  await (await openWeb(host)).get(url, { maximumBytes: 1_000 });
}

describe("a project gives no credentials to the host that it names", () => {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  test.each<[string, (at: string) => Record<string, string>]>([
    ["a token from a variable", (at) => ({ ".npmrc": `//${at}/:_authToken=\${SECRET}` })],
    ["a token without the last slash", (at) => ({ ".npmrc": `//${at}:_authToken=\${SECRET}` })],
    ["a token for a folder", (at) => ({ ".npmrc": `//${at}/deep/:_authToken=\${SECRET}` })],
    ["an optional variable", (at) => ({ ".npmrc": `//${at}/:_authToken=\${SECRET?}` })],
    ["a variable inside of a text", (at) => ({ ".npmrc": `//${at}/:_authToken=a-\${SECRET}-b` })],
    ["a variable in the name of the line", (at) => ({ ".npmrc": `//\${HOST}/:_authToken=\${SECRET}`, at })],
    ["_auth", (at) => ({ ".npmrc": `//${at}/:_auth=\${SECRET}` })],
    [
      "a name and a password",
      (at) => ({ ".npmrc": `//${at}/:username=\${SECRET}\n//${at}/:_password=${base64("x")}` }),
    ],
    ["a token that it has itself", (at) => ({ ".npmrc": `//${at}/:_authToken=${TOKEN}` })],
    ["_auth for everything", () => ({ ".npmrc": `_auth=${base64(TOKEN)}\n_authToken=\${SECRET}\nalways-auth=true` })],
    ["a registry for everything", (at) => ({ ".npmrc": `registry=http://${at}/\n//${at}/:_authToken=\${SECRET}` })],
    ["another user's file", (at) => ({ ".npmrc": "userconfig=./mine", mine: `//${at}/:_authToken=\${SECRET}` })],
    ["another global file", (at) => ({ ".npmrc": "globalconfig=./mine", mine: `//${at}/:_authToken=\${SECRET}` })],
    ["another prefix", (at) => ({ ".npmrc": "prefix=.", "etc/npmrc": `//${at}/:_authToken=\${SECRET}` })],
    ["an .npmrc beside config.json", (at) => ({ ".agents/drwn/.npmrc": `//${at}/:_authToken=\${SECRET}` })],
  ])("by %s in its .npmrc", async (_, files) => {
    const { server, heard, host: at } = await listener();
    const host = testHost({ env: { SECRET, HOST: at } });
    writeTree(host.cwd, { ...PROJECT, ...files(at) });
    await download(host, `${server.url}deep/card.tgz`);
    expect(heard).toHaveLength(1);
    expect(heard.join()).not.toMatch(/authorization|canary/iu);
  });

  test.each<[string, (at: string, project: string) => Record<string, string>]>([
    ["a token", (at) => ({ [`npm_config_//${at}/:_authToken`]: SECRET, npm_config_registry: `http://${at}/` })],
    [
      "a token from a variable",
      (at) => ({ [`NPM_CONFIG_//${at}/:_authToken`]: `\${SECRET}`, NPM_CONFIG_REGISTRY: `http://${at}/` }),
    ],
    ["a settings file by its name", () => ({ npm_config_userconfig: "mine" })],
    ["a settings file of this folder", () => ({ NPM_CONFIG_USERCONFIG: "./mine" })],
    ["a settings file of the project", (_, project) => ({ NPM_CONFIG_USERCONFIG: `${project}/mine` })],
    ["a detour to it", (_, project) => ({ NPM_CONFIG_USERCONFIG: `${project}/../${path.basename(project)}/mine` })],
    ["a link to it", (_, project) => ({ NPM_CONFIG_USERCONFIG: `${project}/../link` })],
    ["a global file", (_, project) => ({ NPM_CONFIG_GLOBALCONFIG: `${project}/mine` })],
    ["a prefix", (_, project) => ({ npm_config_prefix: project })],
    ["PREFIX", (_, project) => ({ PREFIX: project })],
  ])("by %s in the environment, which an agent sets as the project says", async (_, env) => {
    const { server, heard, host: at } = await listener();
    const { cwd } = testHost();
    // Were it the user's, it would be sent: a token goes to the registries that the user names.
    const settings = `registry=http://${at}/\n//${at}/:_authToken=\${SECRET}`;
    writeTree(cwd, {
      ...PROJECT,
      ".git/HEAD": "",
      "sub/folder/file": "",
      mine: settings,
      "etc/npmrc": settings,
    });
    fs.symlinkSync(path.join(cwd, "mine"), path.join(cwd, "../link"));
    for (const folder of [cwd, path.join(cwd, "sub/folder")]) {
      await download(testHost({ cwd: folder, env: { SECRET, ...env(at, cwd) } }), `${server.url}card.tgz`);
    }
    expect(heard).toHaveLength(2);
    expect(heard.join()).not.toMatch(/authorization|canary/iu);
  });

  test("nor by an .npmrc above the user's home folder", async () => {
    const { server, heard, host: at } = await listener();
    const host = testHost({ env: { SECRET } });
    writeTree(path.dirname(host.home), { "package.json": "{}", ".npmrc": `//${at}/:_authToken=\${SECRET}` });
    await download(host, `${server.url}card.tgz`);
    expect(heard.join()).not.toMatch(/authorization|canary/iu);
  });
});

describe("what a project says about the way to a registry doesn't count", () => {
  test.each<[string, (evil: string) => Record<string, string>]>([
    ["a proxy", (evil) => ({ ".npmrc": `proxy=${evil}\nhttps-proxy=${evil}\nnoproxy=` })],
    ["a registry of the scope", (evil) => ({ ".npmrc": `@me:registry=${evil}\nregistry=${evil}` })],
    ["certificates", (evil) => ({ ".npmrc": `strict-ssl=false\ncafile=./ca.pem\nhttps-proxy=${evil}`, "ca.pem": "x" })],
  ])("%s in .npmrc", async (_, files) => {
    const [ours, evil] = [await listener(), await listener()];
    const host = newProject();
    writeTree(host.home, { ".npmrc": asRegistry(ours) });
    writeTree(host.cwd, { "package.json": "{}", ...files(evil.server.url) });
    await download(host, `${ours.server.url}card.tgz`);
    expect(ours.server.credentials).toEqual([`Bearer ${TOKEN}`]);
    expect(evil.heard).toEqual([]);
    expect((await openRegistryOf(host, "@me/backend")).id).toBe("folder:default");
  });

  test.each(["npm_config_proxy", "npm_config_https_proxy", "NPM_CONFIG_HTTPS_PROXY", "npm_config_@me:registry"])(
    "%s in the environment",
    async (name) => {
      const [ours, evil] = [await listener(), await listener()];
      const host = testHost({ env: { [name]: evil.server.url } });
      writeTree(host.home, { ".npmrc": asRegistry(ours) });
      await download(host, `${ours.server.url}card.tgz`);
      expect(ours.server.credentials).toEqual([`Bearer ${TOKEN}`]);
      expect(evil.heard).toEqual([]);
      expect((await openRegistryOf(host, "@me/backend")).id).toBe("folder:default");
    },
  );

  test("a proxy of the user's own doesn't get what is meant for this machine", async () => {
    const [ours, proxy] = [await listener(), await listener()];
    const host = testHost();
    writeTree(host.home, { ".npmrc": `proxy=${proxy.server.url}\n${asRegistry(ours)}` });
    await download(host, `${ours.server.url}card.tgz`);
    expect(ours.server.credentials).toEqual([`Bearer ${TOKEN}`]);
    expect(proxy.heard).toEqual([]);
  });
});

describe("a credential of the user's goes to the place that it is for", () => {
  test.each<[string, string[], string[]]>([
    ["the whole host", ["/"], ["a.tgz", "other/a.tgz"]],
    ["a folder", ["/team/"], ["team/a.tgz", "team/deep/a.tgz"]],
  ])("%s", async (_, [place], paths) => {
    const { server, host: at } = await listener();
    const host = testHost();
    writeTree(host.home, { ".npmrc": `registry=${server.url}\n//${at}${place}:_authToken=${TOKEN}` });
    for (const file of paths) await download(host, server.url + file);
    expect(server.credentials).toEqual(paths.map(() => `Bearer ${TOKEN}`));
  });

  test.each<[string, string, string]>([
    ["a folder beside it", "registry=URLteam/", "other/a.tgz"],
    ["a folder whose name begins like it", "registry=URLteam/", "team-of-others/a.tgz"],
    ["the folder above it", "@me:registry=URLteam/", "a.tgz"],
    ["a way out of it", "registry=URLteam/", "team/../other/a.tgz"],
    ["an encoded way out of it", "registry=URLteam/", "team/%2e%2e/other/a.tgz"],
    ["another host", "registry=https://registry.example.com/", "a.tgz"],
  ])("and not to %s", async (_, registry, file) => {
    const { server, host: at } = await listener();
    const host = testHost();
    const place = registry.includes("example.com") ? "registry.example.com" : `${at}/team`;
    writeTree(host.home, {
      ".npmrc": `${registry.replace("URL", server.url)}\n//${place}/:_authToken=${TOKEN}`,
    });
    await download(host, server.url + file);
    expect(server.credentials).toEqual([""]);
  });

  test.each(["..%2fother", "..%5cother", "%2e%2e%2Fother", "a%2f..%2f..%2fother"])(
    "an address with the hidden way out %s is refused",
    async (hidden) => {
      const problem = await problemOf(async () => parseHttpUrl(`https://registry.example.com/team/${hidden}/a.tgz`));
      expect(problem.code).toBe("DRWN_URL_REFUSED");
    },
  );
});

describe("a tarball that a project names gets a token only below a registry that the user has named", () => {
  const WHOLE_HOST = (at: string) => `//${at}/:_authToken=${TOKEN}\n`;

  test.each<[string, (url: string) => string, string]>([
    ["no registry, and a token for the host", () => "", "anybody/a.tgz"],
    ["a registry in a folder beside it", (url) => `registry=${url}team/`, "anybody/a.tgz"],
    ["a registry whose name begins like it", (url) => `@me:registry=${url}team`, "team-of-others/a.tgz"],
    ["a way out of the registry", (url) => `@me:registry=${url}team/`, "team/../anybody/a.tgz"],
    ["a doubled slash", (url) => `@me:registry=${url}team/`, "/team/a.tgz"],
    ["another spelling of the folder", (url) => `@me:registry=${url}team/`, "t%65am/a.tgz"],
    ["another port", () => "registry=http://127.0.0.1:1/", "a.tgz"],
    ["another scheme", (url) => `registry=${url.replace("http:", "https:")}`, "a.tgz"],
    ["an address that is none", () => "registry=team", "a.tgz"],
  ])("not with %s", async (_, named, file) => {
    const { server, host: at } = await listener();
    const host = testHost();
    writeTree(host.home, { ".npmrc": WHOLE_HOST(at) + named(server.url) });
    await download(host, server.url + file);
    expect(server.credentials).toEqual([""]);
  });

  test("by its registry in .npmrc, or by `drwn registry add`", async () => {
    const { server, host: at } = await listener();
    for (const isInFile of [true, false]) {
      const host = testHost();
      const line = isInFile ? `@team:registry=${server.url}team` : "";
      writeTree(host.home, { ".npmrc": WHOLE_HOST(at) + line });
      if (!isInFile) await addRegistry(host, { name: "team", location: `${server.url}team/`, isStatic: false });
      await download(host, `${server.url}team/-/a.tgz`);
    }
    expect(server.credentials).toEqual([`Bearer ${TOKEN}`, `Bearer ${TOKEN}`]);
  });

  test("also where the registry leads to another folder of its host, and where another host leads into it", async () => {
    const ours = await serve((request, response) => {
      if (request.url === "/team/a.tgz") response.writeHead(302, { location: "/anybody/a.tgz" });
      response.end("tarball");
    });
    const evil = await serve((_, response) => response.writeHead(302, { location: `${ours.url}team/b.tgz` }).end());
    const host = testHost();
    const line = `registry=${ours.url}team/\n`;
    writeTree(host.home, { ".npmrc": line + WHOLE_HOST(new URL(ours.url).host) });
    await download(host, `${ours.url}team/a.tgz`);
    await download(host, `${evil.url}a.tgz`);
    expect(ours.requests).toEqual(["GET /team/a.tgz", "GET /anybody/a.tgz", "GET /team/b.tgz"]);
    expect(ours.credentials).toEqual([`Bearer ${TOKEN}`, "", ""]);
    expect(evil.credentials).toEqual([""]);
  });

  test("and a refusal says how to name it", async () => {
    const server = await serve((_, response) => response.writeHead(401).end());
    const host = testHost();
    writeTree(host.home, { ".npmrc": WHOLE_HOST(new URL(server.url).host) });
    const problem = await problemOf(() => download(host, `${server.url}team/a.tgz`));
    expect(problem.code).toBe("DRWN_REGISTRY_REFUSED");
    expect(problem.hint).toContain(`drwn registry add <name> ${server.url}team/`);
  });
});
