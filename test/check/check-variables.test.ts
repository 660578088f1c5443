import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { checkVariables, decidesHooks, UNSET_BY_LAUNCHER } from "../../src/check/check-variables.ts";
import { packageFile } from "../../src/kernel/files.ts";
import { diagnoseProject } from "../../src/operations/diagnose/diagnose.ts";
import { readStatus } from "../../src/operations/diagnose/status.ts";
import { temporaryFolder, writeTree } from "../support/cards.ts";
import { guardedProject, write } from "../support/projects.ts";

const found = (files: Record<string, string>, ...runtimes: Parameters<typeof checkVariables>[1]) => {
  const root = writeTree(temporaryFolder(), files);
  return checkVariables({ root, cwd: root, isEverywhere: true }, runtimes).map(({ subject, severity }) => [
    path.relative(root, subject),
    severity,
  ]);
};

const env = (name: string) => JSON.stringify({ env: { FINE: "1", [name]: "x" } }, null, 2);

describe("a variable in a file of the repository that an agent starts hooks with", () => {
  test.each([
    ...["LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH", "GLIBC_TUNABLES"],
    ...[
      "GCONV_PATH",
      "LOCPATH",
      "NLSPATH",
      "MALLOC_CHECK_",
      "BASH_ENV",
      "KSH_X",
      "SHELLOPTS",
      "BASHOPTS",
      "PS4",
      "IFS",
    ],
    ...["BASH_FUNC_[%%", "BASH_FUNC_unset()", "__BASH_FUNC<test>()", "BASH_XTRACEFD", "BASH_COMPAT", "PATH", "HOME"],
    ...["ZDOTDIR", "FPATH", "CDPATH", "POSIXLY_CORRECT", "FUNCNEST", "TMOUT", "HISTFILE", "SSL_CERT_FILE", "UV_NEXT"],
    "NODE_SOMETHING_NEW",
  ])("is an error with its line: %s", (name) => {
    expect(found({ ".claude/settings.json": env(name) }, "claude-code")).toEqual([
      [".claude/settings.json:4", "error"],
    ]);
    if (/^\w+$/u.test(name)) {
      for (const agent of ["gemini-cli", "qwen-code"] as const)
        expect(found({ ".env": `A=1\r\nexport ${name}=x` }, agent)).toEqual([[".env:2", "error"]]);
    }
  });

  test("is an error, if Qwen Code starts without hooks because of it", () => {
    const files = { "a/.qwen/.env": "QWEN_CODE_SIMPLE=1", ".qwen/settings.json": env("QWEN_CODE_SAFE_MODE") };
    expect(found(files, "qwen-code")).toEqual([
      [".qwen/settings.json:4", "error"],
      ["a/.qwen/.env:1", "error"],
    ]);
    expect(found(files, "gemini-cli")).toEqual([]);
  });

  test.each([
    "DATABASE_URL",
    "NODE_ENV",
    "TZ",
    "LANG",
    "LC_ALL",
    "MY_PATH",
    "LDAP_URL",
    "SSLMODE",
    "FOO_LD_PRELOAD",
    "PORT",
    "ENV",
    "MAIL_HOST",
    "MAILGUN_API_KEY",
    "HISTORY_LIMIT",
    "SHELL_COLOR",
    "TMP_BUCKET",
    "PS_KEY",
  ])("is none where it decides nothing: %s", (name) =>
    expect(found({ ".claude/settings.json": env(name), ".env": `${name}=x` }, "claude-code", "gemini-cli")).toEqual([]),
  );

  test("is found where a session starts, and by doctor in all folders below, in files that drwn cannot read as settings, and behind links", () => {
    const files = {
      "packages/a/.claude/settings.local.json": env("LD_AUDIT"),
      "packages/b/.gemini/.env": "SHELLOPTS: noexec",
      "c/.claude/settings.json": `{ // no JSON\n"env": { "LD_PRELOAD": "x" } }`,
      "d/.claude/settings.json": `{ // no JSON\n"env": { "\\u004cD_PRELOAD": "x" } }`,
      "real/settings.json": env("BASH_ENV"),
      ".env.local": "LD_PRELOAD=x",
    };
    const root = writeTree(temporaryFolder(), files);
    fs.symlinkSync("real", path.join(root, ".claude"));
    const subjects = (cwd: string, isEverywhere: boolean) =>
      checkVariables({ root, cwd, isEverywhere }, ["claude-code", "gemini-cli"])
        .map(({ subject }) => path.relative(root, subject))
        .sort();
    expect(subjects(root, false)).toEqual([".claude/settings.json:4"]);
    const nearest = [".claude/settings.json:4", "packages/b/.gemini/.env:1"];
    expect(subjects(path.join(root, "packages/b/src"), false)).toEqual(nearest);
    expect(subjects(root, true)).toEqual([
      ".claude/settings.json:4",
      "c/.claude/settings.json:2",
      "d/.claude/settings.json:2",
      "packages/a/.claude/settings.local.json:4",
      "packages/b/.gemini/.env:1",
    ]);
    expect(found(files, "mastra")).toEqual([
      [".env.local:1", "error"],
      ["packages/b/.gemini/.env:1", "error"],
    ]);
    expect(found(files, "codex", "opencode", "copilot-cli")).toEqual([]);
  });

  test("is said by doctor, write and status", async () => {
    const host = await guardedProject();
    writeTree(host.cwd, { ".claude/settings.json": env("LD_PRELOAD") });
    const said = {
      code: "hooks-influenced",
      severity: "error",
      subject: path.join(host.cwd, ".claude/settings.json:4"),
    };
    const diagnosis = await diagnoseProject(host);
    expect([diagnosis.ok, diagnosis.findings]).toEqual([
      false,
      expect.arrayContaining([expect.objectContaining(said)]),
    ]);
    expect((await write(host)).findings).toMatchObject([said]);
    expect(readStatus(host).findings).toMatchObject([said]);
  });
});

test("whatever this Node says that it heeds is taken away, or decides hooks", () => {
  const { stdout } = spawnSync(process.execPath, ["--help"], { encoding: "utf8" });
  const [, listed = ""] = stdout.split("Environment variables:");
  const names = [...listed.matchAll(/^([A-Z][A-Z0-9_]+)/gmu)].map(([name]) => name);
  expect(names.length).toBeGreaterThan(10);
  const harmless = new Set(["FORCE_COLOR", "NO_COLOR", "TZ"]);
  const unknown = names.filter((name) => !decidesHooks(name) && !UNSET_BY_LAUNCHER.has(name) && !harmless.has(name));
  expect(unknown).toEqual([]);
});

test("what counts as taken away the launcher takes away", () => {
  const text = fs.readFileSync(packageFile("templates/launcher.sh"), "utf8");
  const [, unset = ""] = /^unset (NODE_OPTIONS[^>]*)/mu.exec(text) ?? [];
  expect([...UNSET_BY_LAUNCHER].filter((name) => !unset.split(/[\s\\]+/u).includes(name))).toEqual([]);
});
