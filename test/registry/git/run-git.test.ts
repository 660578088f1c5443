import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type Git, openGit } from "../../../src/registry/git/run-git.ts";
import { temporaryFolder, writeTree } from "../../support/cards.ts";
import { problemOf } from "../../support/problems.ts";
import { makeAuthority, serveTls } from "../../support/tls.ts";

const CANARY = "canary-of-a-token";

interface Settings {
  env?: Record<string, string>;
  /** The user's own. */
  gitconfig?: string;
  protocol?: "https" | "ssh";
}

async function gitWith({ env = {}, gitconfig = "", protocol = "https" }: Settings): Promise<Git> {
  const HOME = writeTree(temporaryFolder(), { ".gitconfig": gitconfig });
  const machine = { PATH: process.env["PATH"], HOME, ...env };
  const git = openGit({ gitDir: temporaryFolder(), env: machine, protocols: [protocol] });
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
      const git = await gitWith({ gitconfig });
      await problemOf(() => git.run(["ls-remote", "--", `${url}card.git`]));
    }
    const [unnamed, named] = heard;
    expect(unnamed).not.toContain(CANARY);
    expect(named).toContain("X-Own yes");
  });

  test("ssh lends it neither keys nor screen, tickets or ports", async () => {
    const ssh = program("ssh");
    const git = await gitWith({ protocol: "ssh", env: { PATH: `${ssh.folder}:${process.env["PATH"]}` } });
    await problemOf(() => git.run(["ls-remote", "--", "ssh://git@git.example.com/card.git"]));
    expect(ssh.said()).toContain("ssh -a -x -k -o ClearAllForwardings=yes ");
  });

  test("unless the user's settings name an ssh of their own", async () => {
    const [ssh, own] = [program("ssh"), program("own-ssh")];
    const git = await gitWith({
      protocol: "ssh",
      env: { PATH: `${ssh.folder}:${process.env["PATH"]}` },
      gitconfig: `[core]\n\tsshCommand = ${own.file} -v\n`,
    });
    await problemOf(() => git.run(["ls-remote", "--", "ssh://git@git.example.com/card.git"]));
    expect(own.said()).toContain("own-ssh -v ");
    expect(ssh.said()).toBe("");
  });
});
