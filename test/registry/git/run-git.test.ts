import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type Git, openGit } from "../../../src/registry/git/run-git.ts";
import { temporaryFolder, writeTree } from "../../support/cards.ts";
import { problemOf, textOf } from "../../support/problems.ts";
import { makeAuthority, serveTls } from "../../support/tls.ts";

const CANARY = "canary-of-a-token";

interface Settings {
  env?: Record<string, string>;
  /** The user's own. */
  gitconfig?: string;
  repository?: string;
  netrc?: string;
}

const OVER_SSH = "ssh://git@git.example.com/card.git";

async function gitWith(settings: Settings = {}): Promise<Git> {
  const { env = {}, gitconfig = "", netrc = "", repository = "https://git.example.com/card.git" } = settings;
  const HOME = writeTree(temporaryFolder(), { ".gitconfig": gitconfig, ".netrc": netrc });
  const machine = { PATH: process.env["PATH"], HOME, ...env };
  const git = openGit({ gitDir: temporaryFolder(), env: machine, repository });
  await git.run(["init", "--quiet", "--bare", "--template="]);
  return git;
}

/** A program of that name, which writes down how it was started. */
function program(name: string): { folder: string; file: string; said: () => string } {
  const folder = temporaryFolder();
  const [file, log] = [path.join(folder, name), path.join(folder, "log")];
  fs.writeFileSync(file, `#!/bin/sh\nprintf '%s ' "$0" "$@" >> ${log}\nexit 1\n`, { mode: 0o755 });
  return { folder, file, said: () => (fs.existsSync(log) ? fs.readFileSync(log, "utf8") : "") };
}

describe("what the environment says to git doesn't count", () => {
  const file = () => path.join(writeTree(temporaryFolder(), { config: `[drwn]\n\tcanary = ${CANARY}\n` }), "config");
  test.each<[string, () => Record<string, string>]>([
    [
      "counted settings",
      () => ({ GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "drwn.canary", GIT_CONFIG_VALUE_0: CANARY }),
    ],
    ["parameters", () => ({ GIT_CONFIG_PARAMETERS: `'drwn.canary'='${CANARY}'` })],
    ["the user's file", () => ({ GIT_CONFIG_GLOBAL: file() })],
    ["the machine's file", () => ({ GIT_CONFIG_SYSTEM: file() })],
    ["one file", () => ({ GIT_CONFIG: file() })],
    ["another repository", () => ({ GIT_DIR: path.dirname(file()), GIT_COMMON_DIR: path.dirname(file()) })],
  ])("%s", async (_, env) => {
    const git = await gitWith({ env: env(), gitconfig: "[drwn]\n\town = mine\n" });
    const listed = String(await git.run(["config", "--list"]));
    expect(listed).toContain("drwn.own=mine");
    expect(listed).not.toContain(CANARY);
  });

  test.each(["GIT_TRACE", "GIT_TRACE2", "GIT_TRACE_CURL", "GIT_TRACE_PACKET", "GIT_TRACE_SETUP"])(
    "%s, which would write what it sends into a file",
    async (name) => {
      const trace = path.join(temporaryFolder(), "trace");
      const git = await gitWith({ env: { [name]: trace } });
      await git.run(["config", "--list"]);
      expect(fs.existsSync(trace)).toBe(false);
    },
  );
});

describe("git tells a host nothing that isn't for it", () => {
  test("a header for every host stays here, unless the user's settings name this one", async () => {
    const authority = makeAuthority();
    const heard: string[] = [];
    const { url } = await serveTls(authority, (request, response) => {
      heard.push(request.rawHeaders.join(" "));
      response.writeHead(404).end();
    });
    const own = `[http "${url}"]\n\textraHeader = X-Own: yes\n`;
    for (const more of ["", own]) {
      const gitconfig = `[http]\n\tsslCAInfo = ${authority.file}\n\textraHeader = X-Token: ${CANARY}\n${more}`;
      const repository = `${url}card.git`;
      const git = await gitWith({ gitconfig, repository });
      await problemOf(() => git.run(["ls-remote", "--", repository]));
    }
    const [unnamed, named] = heard;
    expect(unnamed).not.toContain(CANARY);
    expect(named).toContain("X-Own yes");
  });

  describe("nor a password for every host", () => {
    const PASSWORD = "canary-of-a-password";
    const HELPER = `helper = "!f() { test "$1" = get && echo username=u && echo password=${PASSWORD}; }; f"`;

    /** What the server got from a git of this user's, as `name:password`. */
    async function heardBy(settings: (url: string) => Settings) {
      const authority = makeAuthority();
      const { url, credentials } = await serveTls(authority, (_, response) => {
        response.writeHead(401, { "www-authenticate": 'Basic realm="cards"' }).end();
      });
      const repository = `${url}card.git`;
      const { gitconfig = "", ...rest } = settings(url);
      const own = `[http]\n\tsslCAInfo = ${authority.file}\n${gitconfig}`;
      const problem = await problemOf(async () => {
        const git = await gitWith({ repository, ...rest, gitconfig: own });
        await git.run(["ls-remote", "--", repository]);
      });
      const heard = credentials.map((sent) => Buffer.from(sent.replace("Basic ", ""), "base64").toString());
      return { problem, heard: heard.filter((one) => one !== "") };
    }

    test("of a helper that answers for each", async () => {
      const { heard, problem } = await heardBy(() => ({ gitconfig: `[credential]\n\t${HELPER}\n` }));
      expect(heard).toEqual([]);
      expect(textOf(problem)).toMatch(/answers for every host/u);
      expect(problem.hint).toMatch(/git config --global credential\.https:\/\/localhost:\d+\.helper/u);
    });

    test.each<[string, (url: string) => string]>([
      ["that the settings name for this one", (url) => `[credential "${url}"]\n\t${HELPER}\n`],
      ["beside another for this one", (url) => `[credential]\n\t${HELPER}\n[credential "${url}"]\n\thelper = cache\n`],
      [
        "that knows this one",
        (url) =>
          `[credential]\n\thelper = "!f() { grep -q 'host=${new URL(url).host}$' && echo username=u && echo password=${PASSWORD}; }; f"\n`,
      ],
    ])("but that of a helper %s", async (_, gitconfig) => {
      const { heard } = await heardBy((url) => ({ gitconfig: gitconfig(url) }));
      expect(heard).toEqual([`u:${PASSWORD}`]);
    });

    test("of a program that would be asked as a person is", async () => {
      const ask = path.join(temporaryFolder(), "ask");
      fs.writeFileSync(ask, `#!/bin/sh\necho ${PASSWORD}\n`, { mode: 0o755 });
      const { heard } = await heardBy(() => ({ gitconfig: `[core]\n\taskPass = ${ask}\n` }));
      expect(heard).toEqual([]);
    });

    test.each([
      `default login u password ${PASSWORD}`,
      `machine other login default password default\n\tDEFAULT\n login u password ${PASSWORD}`,
      `default login u password ${PASSWORD}\nmachine localhost login u password ${PASSWORD}`,
      `machine localhost\ndefault login u password ${PASSWORD}`,
    ])("of ~/.netrc: %j", async (netrc) => {
      const { heard, problem } = await heardBy(() => ({ netrc }));
      expect(heard).toEqual([]);
      expect([problem.code, problem.hint]).toEqual([
        "DRWN_URL_REFUSED",
        expect.stringContaining("machine localhost login"),
      ]);
    });

    test.each([
      `machine localhost login u password ${PASSWORD}`,
      `machine localhost login u password ${PASSWORD}\ndefault login v password w`,
      `# default\nmachine default login a password b\nmachine localhost login u password ${PASSWORD}`,
    ])("but that for the host in ~/.netrc: %j", async (netrc) => {
      expect((await heardBy(() => ({ netrc }))).heard).toEqual([`u:${PASSWORD}`]);
    });
  });

  test("ssh lends it neither keys nor screen, tickets or ports", async () => {
    const ssh = program("ssh");
    const git = await gitWith({ repository: OVER_SSH, env: { PATH: `${ssh.folder}:${process.env["PATH"]}` } });
    await problemOf(() => git.run(["ls-remote", "--", OVER_SSH]));
    expect(ssh.said()).toContain("ssh -a -x -k -o ClearAllForwardings=yes ");
  });

  test("unless the user's settings name an ssh of their own", async () => {
    const [ssh, own] = [program("ssh"), program("own-ssh")];
    const git = await gitWith({
      repository: OVER_SSH,
      env: { PATH: `${ssh.folder}:${process.env["PATH"]}` },
      gitconfig: `[core]\n\tsshCommand = ${own.file} -v\n`,
    });
    await problemOf(() => git.run(["ls-remote", "--", OVER_SSH]));
    expect(own.said()).toContain("own-ssh -v ");
    expect(ssh.said()).toBe("");
  });
});

test("a git that ignores its end is killed, and what it started keeps nobody waiting", async () => {
  const folder = writeTree(temporaryFolder(), { git: "#!/bin/sh\ntrap '' TERM\nsleep 60 &\nsleep 60\n" });
  fs.chmodSync(path.join(folder, "git"), 0o755);
  const env = { PATH: `${folder}:${process.env["PATH"]}` };
  const git = openGit({ gitDir: folder, env, repository: "file:///card.git", deadlineMs: 200 });
  const started = performance.now();
  expect((await problemOf(() => git.run(["fetch"]))).message).toBe("git fetch failed: no answer within 200 ms");
  expect(performance.now() - started).toBeLessThan(30_000);
});

test("without a git the problem says so", async () => {
  const git = openGit({ gitDir: temporaryFolder(), env: { PATH: "/nowhere" }, repository: "file:///card.git" });
  expect((await problemOf(() => git.run(["fetch"]))).message).toBe("git fetch failed: git is not installed");
});

test("of what a host says without end only the beginning is read", async () => {
  const folder = writeTree(temporaryFolder(), { git: "#!/bin/sh\nyes | head -n 1000000 >&2\nexit 1\n" });
  fs.chmodSync(path.join(folder, "git"), 0o755);
  const env = { PATH: `${folder}:${process.env["PATH"]}` };
  const git = openGit({ gitDir: folder, env, repository: "file:///card.git" });
  const { details } = await problemOf(() => git.run(["fetch"]));
  expect(details).toEqual([...Array(6).fill("y"), "… 524282 more lines"]);
});
