import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import Install from "../../src/cli/commands/install.ts";
import { addCards } from "../../src/operations/project/add.ts";
import { installCards } from "../../src/operations/project/install.ts";
import { readConfig } from "../../src/project/config.ts";
import { readTrustRequest } from "../../src/project/trust-request.ts";
import { runCommand } from "../support/cli.ts";
import type { TestHost } from "../support/host.ts";
import { problemOf, textOf } from "../support/problems.ts";
import { lockedVersions, newProject, publish } from "../support/projects.ts";

const GUARD = { guard: { matcher: "Bash" } };
const CARDS = [
  ["@me/base", "1.0.0"],
  ["@me/one", "1.0.0"],
  ["@me/two", "1.0.0"],
  ["@me/two", "1.2.0"],
  ["@me/two", "2.0.0"],
] as const;

function git(host: TestHost, ...words: string[]): void {
  const own = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"];
  try {
    execFileSync("git", [...own, ...words], {
      cwd: host.cwd,
      stdio: "pipe",
      env: { PATH: process.env["PATH"], HOME: host.home },
    });
  } catch (error) {
    if (words[0] !== "merge" && words[2] !== "merge") throw error;
  }
}

/** A project with two branches, on each of which somebody added these cards. */
async function branched(ours: readonly string[], theirs: readonly string[], attributes = ""): Promise<TestHost> {
  const host = newProject();
  for (const [name, version] of CARDS) await publish(host, { name, version, hooks: GUARD });
  await addCards(host, ["@me/base"]);
  if (attributes !== "") fs.writeFileSync(path.join(host.cwd, ".gitattributes"), attributes);
  git(host, "init", "-q", "-b", "main");
  const commit = (): void => {
    git(host, "add", "-A");
    git(host, "commit", "-qm", "x");
  };
  commit();
  git(host, "checkout", "-qb", "other");
  await addCards(host, theirs);
  commit();
  git(host, "checkout", "-q", "main");
  await addCards(host, ours);
  commit();
  return host;
}

/** The same after a merge that git left to a person. */
async function merged(ours: readonly string[], theirs: readonly string[], style = "merge"): Promise<TestHost> {
  const host = await branched(ours, theirs);
  git(host, "-c", `merge.conflictStyle=${style}`, "merge", "other");
  expect(fs.readFileSync(path.join(host.cwd, ".agents/drwn/card.lock"), "utf8")).toContain("<<<<<<<");
  return host;
}

test("what merge=union joined is no JSON, and install says what to do", async () => {
  const host = await branched(["@me/two@1.0.0"], ["@me/one"], ".agents/drwn/* merge=union\n");
  git(host, "merge", "-q", "other");
  const { hint } = await problemOf(() => installCards(host, { frozen: false }));
  expect(hint).toContain("if .gitattributes has merge=union");
  // Without it, after the same merge, install does the rest.
  git(host, "reset", "-q", "--hard", "HEAD^");
  fs.rmSync(path.join(host.cwd, ".gitattributes"));
  git(host, "commit", "-qam", "x");
  git(host, "merge", "other");
  await installCards(host, { frozen: false });
  expect(Object.keys(readConfig(host.cwd)?.cards ?? {}).sort()).toEqual(["@me/base", "@me/one", "@me/two"]);
});

describe("drwn install, where git could not merge", () => {
  test.each(["merge", "diff3"])("takes the cards of both sides, in conflict style %s", async (style) => {
    const host = await merged(["@me/one"], ["@me/two@^1.0.0"], style);
    const { stdout, exitCode } = await runCommand(host, Install);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining("it has the cards of both sides")]);
    expect(lockedVersions(host)).toEqual(["@me/base@1.0.0", "@me/one@1.0.0", "@me/two@1.2.0"]);
    expect(await installCards(host, { frozen: true })).toMatchObject({ lockChanged: false });
  });

  test("takes the narrower of two ranges, and a version inside of it", async () => {
    const host = await merged(["@me/two@~1.0.0"], ["@me/two@^1.0.0"]);
    await installCards(host, { frozen: false });
    expect(readConfig(host.cwd).cards).toMatchObject({ "@me/two": "~1.0.0" });
    expect(lockedVersions(host)).toContain("@me/two@1.0.0");
  });

  test("asks for a decision about ranges that exclude each other, and changes nothing", async () => {
    const host = await merged(["@me/two@^1.0.0"], ["@me/two@^2.0.0"]);
    const before = fs.readFileSync(path.join(host.cwd, ".agents/drwn/config.json"), "utf8");
    const said = textOf(await problemOf(() => installCards(host, { frozen: false })));
    expect(said).toContain("one side asks for @me/two as ^1.0.0, the other as ^2.0.0");
    expect(said).toContain("keep the cards of both sides");
    expect(fs.readFileSync(path.join(host.cwd, ".agents/drwn/config.json"), "utf8")).toBe(before);
  });

  test("leaves the files alone with --frozen", async () => {
    const host = await merged(["@me/one"], ["@me/two@^1.0.0"]);
    const problem = await problemOf(() => installCards(host, { frozen: true }));
    expect([problem.code, problem.hint]).toEqual(["DRWN_FILE_INVALID", expect.stringContaining("drwn install")]);
  });

  test("says of text that is no merge of git's that it isn't JSON", async () => {
    const host = await merged(["@me/one"], ["@me/two@^1.0.0"]);
    const file = path.join(host.cwd, ".agents/drwn/config.json");
    fs.writeFileSync(file, "<<<<<<< x\n{\n");
    expect((await problemOf(() => installCards(host, { frozen: false }))).code).toBe("DRWN_FILE_INVALID");
  });

  test("takes what both sides ask consent for", async () => {
    const host = await merged(["@me/one"], ["@me/two@^1.0.0"]);
    const file = path.join(host.cwd, ".agents/drwn/trust.json");
    const side = (name: string): string => `    "${name}": {\n      "hooks": "^1.0.0"\n    }\n`;
    const text = `<<<<<<< HEAD\n${side("@me/one")}=======\n${side("@me/two")}>>>>>>> other\n`;
    fs.writeFileSync(file, `{\n  "version": 1,\n  "requests": {\n${text}  }\n}\n`);
    await installCards(host, { frozen: false });
    const asked = { "@me/one": { hooks: "^1.0.0" }, "@me/two": { hooks: "^1.0.0" } };
    expect(readTrustRequest(host.cwd).requests).toEqual(asked);
  });

  test("reads markers of the size that .gitattributes asks for", async () => {
    const host = await merged(["@me/one"], ["@me/two@^1.0.0"]);
    for (const name of ["config.json", "card.lock"]) {
      const file = path.join(host.cwd, ".agents/drwn", name);
      const longer = fs.readFileSync(file, "utf8").replaceAll(/^([<=>])\1{6}/gmu, (marker) => marker + marker);
      fs.writeFileSync(file, longer);
    }
    await installCards(host, { frozen: false });
    expect(lockedVersions(host)).toEqual(["@me/base@1.0.0", "@me/one@1.0.0", "@me/two@1.2.0"]);
  });

  test("says of a colleague's card that only card.lock has how it comes back", async () => {
    const host = await merged(["@me/one"], ["@me/two@^1.0.0"]);
    git(host, "checkout", "--ours", ".agents/drwn/config.json");
    git(host, "checkout", "--theirs", ".agents/drwn/card.lock");
    const { stdout } = await runCommand(host, Install);
    expect(stdout).toContain("@me/two was in card.lock, but isn't in config.json");
    expect(stdout).toContain("drwn add @me/two@^1.0.0");
  });
});
