import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { denying, insteadOfNode } from "../hook/launched.ts";
import { armHome, write } from "../support/armed-home.ts";
import { verdictOf } from "../support/hook-calls.ts";

describe("a hostile environment", () => {
  test.each<[string, (evil: string) => Record<string, string>]>([
    ["NODE_OPTIONS", (evil) => ({ NODE_OPTIONS: `--require ${evil}` })],
    ["a broken NODE_OPTIONS", () => ({ NODE_OPTIONS: "--no-such-option" })],
    ["NODE_PATH", (evil) => ({ NODE_PATH: path.dirname(evil) })],
    ["NODE_EXTRA_CA_CERTS", (evil) => ({ NODE_EXTRA_CA_CERTS: evil })],
    ["NODE_V8_COVERAGE", () => ({ NODE_V8_COVERAGE: "coverage-of-hook" })],
    ["NODE_CHANNEL_FD", () => ({ NODE_CHANNEL_FD: "0" })],
    ["NODE_UNIQUE_ID", () => ({ NODE_UNIQUE_ID: "1" })],
    ["OPENSSL_CONF", () => ({ OPENSSL_CONF: "/nowhere" })],
    ["DRWN_HOME", () => ({ DRWN_HOME: "/nowhere" })],
    ["HOME", () => ({ HOME: "/nowhere" })],
    ["CDPATH", () => ({ CDPATH: "/:/tmp" })],
    ["IFS", () => ({ IFS: "/ab" })],
    ["LC_ALL", () => ({ LC_ALL: "tr_TR.UTF-8" })],
    ["a CLAUDE_PROJECT_DIR that does not exist", () => ({ CLAUDE_PROJECT_DIR: "/nowhere/at/all" })],
    ["a CLAUDE_PROJECT_DIR that means the folder before", () => ({ CLAUDE_PROJECT_DIR: "-", OLDPWD: "/" })],
    ["a CLAUDE_PROJECT_DIR that is no full path", () => ({ CLAUDE_PROJECT_DIR: ".." })],
    ["an empty CLAUDE_PROJECT_DIR", () => ({ CLAUDE_PROJECT_DIR: "" })],
    ["a lying PWD", () => ({ CLAUDE_PROJECT_DIR: "", PWD: "/" })],
    [
      "variables of the launcher",
      () => ({ home: "/", phase: "post", marker: "/x", node: "/bin/true", common: "/x", top: "/x", key: "0" }),
    ],
    ["variables of the command", () => ({ drwn_hook: "/bin/true", drwn_end: "0", drwn_dir: "/" })],
  ])("does not disarm the hook by %s", (_, env) => {
    const armed = armHome([denying]);
    const evil = path.join(armed.world, "evil.cjs");
    write(evil, "process.exit(0)");
    const result = armed.call({}, { env: env(evil) });
    expect(result.said?.hookSpecificOutput?.permissionDecisionReason).toBe("[@me/guards#guard-0] no");
    expect(result.stderr).toBe("");
    expect(fs.existsSync(path.join(armed.project, "coverage-of-hook"))).toBe(false);
  });
});

test("nothing comes from the agent's environment that decides what Node loads, runs or trusts", () => {
  const names =
    "NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED NODE_V8_COVERAGE NODE_COMPILE_CACHE NODE_DEBUG OPENSSL_CONF " +
    "OPENSSL_MODULES SSLKEYLOGFILE LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES GCONV_PATH LOCPATH GLIBC_TUNABLES BASH_ENV ENV " +
    "GREP_OPTIONS GREP_COLOR GREP_COLORS TIME_STYLE QUOTING_STYLE";
  const armed = armHome([denying]);
  const seen = path.join(armed.world, "seen");
  insteadOfNode(armed, `env >'${seen}'`);
  const env = Object.fromEntries(names.split(" ").map((name) => [name, "/nowhere"]));
  expect(verdictOf(armed.call({}, { env }))).toBe("deny");
  const given = fs.readFileSync(seen, "utf8").split("\n");
  expect(given.filter((line) => names.split(" ").includes(line.split("=")[0] ?? ""))).toEqual([]);
});
