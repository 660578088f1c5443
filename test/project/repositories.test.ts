import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { normalRepository, repositoriesOf } from "../../src/project/repositories.ts";
import { temporaryFolder } from "../support/cards.ts";

describe("a repository", () => {
  test.each([
    ["https://github.com/acme/app.git", "github.com/acme/app"],
    ["https://github.com/acme/app/", "github.com/acme/app"],
    ["https://ada:secret@GitHub.com/acme/app", "github.com/acme/app"],
    ["git@github.com:acme/app.git", "github.com/acme/app"],
    ["github.com:acme/app", "github.com/acme/app"],
    ["ssh://git@github.com:22/acme/app.git", "github.com/acme/app"],
    ["git+ssh://git@github.com/acme/app.git", "github.com/acme/app"],
    ["https://git.acme.example:8443/group/sub/app", "git.acme.example/group/sub/app"],
    ["/srv/git/app.git", "file:/srv/git/app"],
    ["file:///srv/git/app", "file:/srv/git/app"],
    ["../app", "file:../app"],
  ])("%s is %s", (url, repository) => {
    expect(normalRepository(url)).toBe(repository);
  });

  test.each([
    ["https://github.com/acme/app", "https://github.com/acme/other"],
    ["https://github.com/acme/app", "https://gitlab.com/acme/app"],
    ["https://github.com/acme/App", "https://github.com/acme/app"],
    ["https://evil.example/github.com/acme/app", "https://github.com/acme/app"],
    ["github.com:evil/acme/app", "https://github.com/acme/app"],
  ])("%s is not %s", (one, other) => {
    expect(normalRepository(one)).not.toBe(normalRepository(other));
  });

  test("is each remote of the clone, origin first, and nothing else that its settings name", () => {
    const gitCommonDir = temporaryFolder();
    const config = `[core]
	url = https://evil.example/core
[remote "upstream"]
	url = git@github.com:acme/app.git
	fetch = +refs/heads/*:refs/remotes/upstream/*
[url "https://evil.example/"]
	insteadOf = x
[remote "origin"]
	url = https://github.com/ada/app
[branch "main"]
	url = https://evil.example/branch
`;
    fs.writeFileSync(path.join(gitCommonDir, "config"), config);
    const identity = { path: "/p", gitCommonDir, gitPath: "", inode: null };
    expect(repositoriesOf(identity)).toEqual(["github.com/ada/app", "github.com/acme/app"]);
    expect(repositoriesOf({ ...identity, gitCommonDir: null })).toEqual([]);
  });
});
