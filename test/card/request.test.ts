import { describe, expect, test } from "vitest";
import { originIdOf, parseRequest } from "../../src/card/request.ts";
import { parseTypedCard } from "../../src/card/spec.ts";
import { problemOf, textOf } from "../support/problems.ts";

const HEAD = { by: "head" };

describe("what config.json asks for", () => {
  test.each<[string, object]>([
    ["^1.0.0", { kind: "range", range: "^1.0.0" }],
    ["github:me/backend", git("https://github.com/me/backend.git", HEAD)],
    ["github:me/backend.git#v1.0.0", git("https://github.com/me/backend.git", { by: "ref", ref: "v1.0.0" })],
    ["gitlab:group/sub/backend", git("https://gitlab.com/group/sub/backend.git", HEAD)],
    ["git+https://git.example.com:8443/me/b.git#semver:^1", git("https://git.example.com:8443/me/b.git", range("^1"))],
    [
      "git+ssh://git@git.example.com/me/b.git#release/1.x",
      git("ssh://git@git.example.com/me/b.git", { by: "ref", ref: "release/1.x" }),
    ],
    ["git+file:///srv/b#semver:^1::path:cards/b", { ...git("file:///srv/b", range("^1")), subfolder: "cards/b" }],
    ["git+file:///srv/b#path:cards/b", { ...git("file:///srv/b", HEAD), subfolder: "cards/b" }],
    ["https://example.com/card.tgz", { kind: "tarball", location: "https://example.com/card.tgz" }],
    ["file:../a card.tar.gz", { kind: "tarball", location: "../a card.tar.gz" }],
    ["file:/srv/card", { kind: "folder", path: "/srv/card" }],
  ])("%s", (text, request) => {
    expect(parseRequest(text)).toEqual(request);
  });

  test.each([
    ["an option of git", "git+--upload-pack=touch /tmp/x"],
    ["an option as a host", "git+ssh://-oProxyCommand=touch/x/y"],
    ["an option as a user", "git+ssh://-oProxyCommand=x@host/x"],
    ["an option as a path", "git+https://host/-x"],
    ["an option as an owner", "github:--upload-pack=x/y"],
    ["an option as a tag", "github:me/b#--upload-pack=x"],
    ["a transport helper", "git+ext::sh -c touch% /tmp/x"],
    ["a transport helper without git+", "ext::sh -c touch% /tmp/x"],
    ["another helper", "git+fd::17"],
    ["plain git", "git://host/me/b.git"],
    ["git over http", "git+http://host/me/b.git"],
    ["the scp form", "git+ssh:git@host:me/b.git"],
    ["a local path", "git+/srv/b"],
    ["a relative path", "git+file://../b"],
    ["a way up", "git+https://host/a/../../b.git"],
    ["a port that is none", "git+https://host:99999/b.git"],
    ["a number of a machine that is none", "git+https://1.2.3.4.5/b.git"],
    ["a password", "git+https://me:canary@host/b.git"],
    ["a token", "git+https://canary@host/b.git"],
    ["a password for ssh", "git+ssh://git:canary@host/b.git"],
    ["a query", "git+https://host/b.git?token=canary"],
    ["a newline", "git+https://host/b.git\n--upload-pack=x"],
    ["a range of refs", "github:me/b#v1..v2"],
    ["a range that is none", "github:me/b#semver:what"],
    ["a folder outside", "github:me/b#path:../x"],
    ["a hidden folder", "github:me/b#path:.git"],
    ["two folders", "github:me/b#path:a::path:b"],
    ["another host", "bitbucket:me/b"],
    ["another protocol with a password", "svn://me:canary@host/b"],
    ["another protocol with a token", "svn://host/b?token=canary"],
    ["a URL with a password", "https://me:canary@example.com/card.tgz"],
    ["a URL with a token", "https://example.com/card.tgz?token=canary"],
    ["a URL of something else", "https://example.com/"],
    ["an option as a path of a file", "file:-x"],
    ["a home folder, which is the shell's affair", "file:~/card"],
    ["another host's file", "file://host/card.tgz"],
    ["no path", "file:"],
    ["nothing", ""],
    ["a tag of npm", "latest"],
  ])("%s is refused, and no secret in it is repeated", async (_, text) => {
    const problem = await problemOf(() => parseRequest(text));
    expect(["DRWN_SPEC_INVALID", "DRWN_RANGE_INVALID"]).toContain(problem.code);
    expect(textOf(problem)).not.toMatch(/canary/u);
  });

  test.each([
    ["github:me/backend#v1.0.0", "git:https://github.com/me/backend.git"],
    ["github:me/backend#path:cards/b", "git:https://github.com/me/backend.git#path:cards/b"],
    ["file:../card.tgz", "tarball:../card.tgz"],
    ["file:../card", "file:../card"],
    ["^1.0.0", undefined],
  ])("%s comes from %s, whatever it picks out there", (text, id) => {
    expect(originIdOf(parseRequest(text))).toBe(id);
  });
});

describe("what a user types", () => {
  test.each([
    ["@me/backend", "@me/backend", null],
    ["@me/backend@^1.0.0", "@me/backend", "^1.0.0"],
    ["@me/backend@github:me/b#v1", "@me/backend", "github:me/b#v1"],
    ["@me/backend@../b", "@me/backend", "file:../b"],
    ["git+ssh://git@host/me/b.git", null, "git+ssh://git@host/me/b.git"],
    ["./card.tgz", null, "file:./card.tgz"],
    ["/srv/card", null, "file:/srv/card"],
    [".", null, "file:."],
  ])("%s", (text, name, request) => {
    expect(parseTypedCard(text)).toEqual({ name, request });
  });

  test.each(["svn://me:canary@host/b", "@me/backend@svn://host/b?token=canary"])(
    "%s keeps its secret",
    async (text) => {
      expect(textOf(await problemOf(() => parseTypedCard(text)))).not.toContain("canary");
    },
  );

  test.each(["", "backend", "me/backend", "@me", "@me/backend@", "@me/backend@what", "@me/backend@ext::x", "-x"])(
    "%j is refused",
    async (text) => {
      expect((await problemOf(() => parseTypedCard(text))).code).toBe("DRWN_SPEC_INVALID");
    },
  );
});

function git(repository: string, pick: object) {
  return { kind: "git", repository, subfolder: null, pick };
}

function range(text: string) {
  return { by: "range", range: text };
}
