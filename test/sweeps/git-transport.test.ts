import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { parseGitRequest } from "../../src/card/request.ts";
import { parseTypedCard } from "../../src/card/spec.ts";
import { openGitOrigin } from "../../src/registry/git/git.ts";
import type { CardOrigin } from "../../src/registry/registry.ts";
import { packedCard, temporaryFolder, writeTree } from "../support/cards.ts";
import { problemOf, textOf } from "../support/problems.ts";
import { committedFiles, emptyRepository } from "../support/repositories.ts";
import { serve } from "../support/servers.ts";
import { type Authority, gitBackend, makeAuthority, serveTls } from "../support/tls.ts";

interface Machine {
  home: string;
  env: Record<string, string | undefined>;
}

/** A user's machine; `gitconfig` is the user's own. */
function machine(env: Record<string, string> = {}, gitconfig = ""): Machine {
  const home = writeTree(temporaryFolder(), { ".gitconfig": gitconfig });
  return { home: temporaryFolder(), env: { PATH: process.env["PATH"], HOME: home, ...env } };
}

function sourceAt(address: string, on: Machine): CardOrigin {
  const request = parseGitRequest(address);
  if (request === undefined) throw new Error("this is no git request");
  return openGitOrigin(request, on);
}

/** A repository with the card at v1.0.0, as `backend.git` below the folder. */
function hostedCard(): { root: string; commit: string } {
  const repository = emptyRepository();
  const commit = repository.commit(committedFiles({ hooks: { guard: {} } }), "v1.0.0");
  const root = temporaryFolder();
  repository.git("clone", "--quiet", "--bare", repository.folder, path.join(root, "backend.git"));
  return { root, commit };
}

describe("git over https", () => {
  let authority: Authority;
  beforeEach(() => {
    authority = makeAuthority();
  });
  const trusting = () => machine({}, `[http]\n\tsslCAInfo = ${authority.file}\n`);

  test("gets the card that was committed, from a server that the user's git trusts", async () => {
    const { root, commit } = hostedCard();
    const { url } = await serveTls(authority, gitBackend(root));
    const card = await packedCard({ hooks: { guard: {} } });
    const source = sourceAt(`git+${url}backend.git#semver:^1.0.0`, trusting());
    expect(await source.resolve()).toMatchObject({ version: "1.0.0", tree: card.tree, commit });
    expect(source.registry.id).toBe(`git:${url}backend.git`);
    const fresh = sourceAt(`git+${url}backend.git#v1.0.0`, trusting());
    expect((await fresh.fetchLocked({ commit })).tree).toBe(card.tree);
  });

  test.each<[string, Record<string, string>]>([
    ["nothing else", {}],
    ["GIT_SSL_NO_VERIFY in the environment", { GIT_SSL_NO_VERIFY: "1" }],
    [
      "settings in the environment",
      { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "http.sslVerify", GIT_CONFIG_VALUE_0: "false" },
    ],
    ["parameters in the environment", { GIT_CONFIG_PARAMETERS: "'http.sslverify'='false'" }],
    ["another file of settings", { GIT_CONFIG_GLOBAL: "/dev/stdin", GIT_CONFIG: "/dev/stdin" }],
  ])("refuses a server whose certificate nobody vouches for, with %s", async (_, env) => {
    const { url, requests } = await serveTls(authority, gitBackend(hostedCard().root));
    const problem = await problemOf(() => sourceAt(`git+${url}backend.git`, machine(env)).resolve());
    expect(problem.code).toBe("DRWN_GIT_FAILED");
    expect(textOf(problem)).toMatch(/certificate/u);
    expect(requests).toEqual([]);
  });

  test("does not follow a redirect to http, on which anybody could change what is said", async () => {
    const target = await serve(gitBackend(hostedCard().root));
    const { url, requests } = await serveTls(authority, (request, response) =>
      response.writeHead(302, { location: `${target.url.slice(0, -1)}${request.url}` }).end(),
    );
    const problem = await problemOf(() => sourceAt(`git+${url}backend.git`, trusting()).resolve());
    expect(problem.code).toBe("DRWN_GIT_FAILED");
    expect(requests.length).toBeGreaterThan(0);
    expect(target.requests).toEqual([]);
  });

  test("asks nobody for a password", async () => {
    const { url } = await serveTls(authority, (_, response) =>
      response.writeHead(401, { "www-authenticate": 'Basic realm="cards"' }).end(),
    );
    const mark = path.join(temporaryFolder(), "asked");
    const asking = { GIT_ASKPASS: writeProgram(`touch ${mark}`), SSH_ASKPASS: writeProgram(`touch ${mark}`) };
    const on = trusting();
    const problem = await problemOf(() =>
      sourceAt(`git+${url}backend.git`, { ...on, env: { ...on.env, ...asking } }).resolve(),
    );
    expect(problem.code).toBe("DRWN_GIT_FAILED");
    expect(fs.existsSync(mark)).toBe(false);
  });
});

/** Writes a program of one shell line, and returns its path. */
function writeProgram(line: string, name = "program"): string {
  const file = path.join(temporaryFolder(), name);
  fs.writeFileSync(file, `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  return file;
}

/** An `ssh` that records how it was started, and then acts as the other end itself. */
function fakeSsh(): { PATH: string; said: () => string } {
  const log = path.join(temporaryFolder(), "log");
  const program = writeProgram(
    `printf '%s\\n' "$@" "askpass: $SSH_ASKPASS_REQUIRE $SSH_ASKPASS" >> ${log}\nfor last; do :; done\neval "exec $last"`,
    "ssh",
  );
  const said = () => (fs.existsSync(log) ? fs.readFileSync(log, "utf8") : "");
  return { PATH: `${path.dirname(program)}:${process.env["PATH"]}`, said };
}

describe("git over ssh", () => {
  test("gets the card that was committed, by the user's ssh, which may ask nothing", async () => {
    const { root, commit } = hostedCard();
    const { PATH, said } = fakeSsh();
    const card = await packedCard({ hooks: { guard: {} } });
    const source = sourceAt(`git+ssh://git@git.example.com:2222${root}/backend.git#v1.0.0`, machine({ PATH }));
    expect(await source.resolve()).toMatchObject({ version: "1.0.0", tree: card.tree, commit });
    expect(said()).toContain(`-p\n2222\ngit@git.example.com\ngit-upload-pack '${root}/backend.git'`);
    expect(said()).toContain("askpass: force false");
  });

  test.each<[string, (program: string) => Record<string, string>]>([
    ["GIT_SSH_COMMAND", (program) => ({ GIT_SSH_COMMAND: program })],
    ["GIT_SSH", (program) => ({ GIT_SSH: program })],
    ["GIT_SSH_VARIANT", () => ({ GIT_SSH_VARIANT: "plink" })],
    ["GIT_PROXY_COMMAND", (program) => ({ GIT_PROXY_COMMAND: program })],
    ["SSH_ASKPASS", (program) => ({ SSH_ASKPASS: program, SSH_ASKPASS_REQUIRE: "prefer" })],
    [
      "core.sshCommand in the environment",
      (program) => ({ GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "core.sshCommand", GIT_CONFIG_VALUE_0: program }),
    ],
    ["parameters in the environment", (program) => ({ GIT_CONFIG_PARAMETERS: `'core.sshcommand'='${program}'` })],
    [
      "another file of settings",
      (program) => ({ GIT_CONFIG_GLOBAL: writeSettings(program), GIT_CONFIG_SYSTEM: writeSettings(program) }),
    ],
    ["GIT_EXEC_PATH", (program) => ({ GIT_EXEC_PATH: path.dirname(program) })],
  ])("starts no program that %s names", async (_, hostile) => {
    const mark = path.join(temporaryFolder(), "ran");
    const { root } = hostedCard();
    const { PATH } = fakeSsh();
    const env = hostile(writeProgram(`touch ${mark}; exit 1`));
    const source = sourceAt(`git+ssh://git@git.example.com${root}/backend.git`, machine({ PATH, ...env }));
    expect((await source.resolve()).version).toBe("1.0.0");
    expect(fs.existsSync(mark)).toBe(false);
  });

  test.each([
    "git+ssh://-oProxyCommand=touch$IFS/backend.git",
    "git+ssh://git@-oProxyCommand=touch/backend.git",
    "git+ssh://-oProxyCommand=x@git.example.com/backend.git",
    "git+ssh://git@git.example.com/-x/backend.git",
    "git+ssh://git@git.example.com/backend.git'$(touch MARK)'",
    "git+ssh://git@git.example.com/`touch MARK`",
    "git+ssh://git@git.example.com:2222;touch/backend.git",
    "git+ssh://git:secret@git.example.com/backend.git",
    "git+ssh://git@git.example.com/backend.git#--upload-pack=touch MARK",
    "git+ssh://git@git.example.com/backend.git#-x",
    "git@git.example.com:backend.git",
    "ext::sh -c touch% MARK",
  ])("%s is no address, and starts nothing", async (address) => {
    const mark = path.join(temporaryFolder(), "ran");
    const { PATH, said } = fakeSsh();
    const typed = address.replaceAll("MARK", mark);
    const problem = await problemOf(() => sourceOrRefuse(typed, machine({ PATH })));
    expect(problem.code).toBe("DRWN_SPEC_INVALID");
    expect(textOf(problem)).not.toContain("secret");
    expect(said()).toBe("");
    expect(fs.existsSync(mark)).toBe(false);
  });
});

async function sourceOrRefuse(address: string, on: Machine): Promise<unknown> {
  const { request } = parseTypedCard(address);
  return sourceAt(request ?? address, on).resolve();
}

function writeSettings(program: string): string {
  return path.join(writeTree(temporaryFolder(), { config: `[core]\n\tsshCommand = ${program}\n` }), "config");
}
