import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { AGENT_MARKERS, findMarkedSession } from "../../src/kernel/agent-session.ts";
import { temporaryFolder } from "../support/cards.ts";

describe("an agent's tool call", () => {
  test.each(AGENT_MARKERS)("is known by %s", (marker) => {
    expect(findMarkedSession({ PATH: "/bin", [marker]: "1" })?.evidence).toBe(`${marker} is set`);
  });

  test.each(AGENT_MARKERS.flatMap((marker) => ["", "0", "false"].map((value) => [marker, value] as const)))(
    "is not claimed by %s=%j",
    (marker, value) => {
      expect(findMarkedSession({ [marker]: value })).toBeUndefined();
    },
  );

  test("is not claimed by a terminal of a person who has agents installed", () => {
    const env = {
      TERM: "xterm",
      TERM_PROGRAM: "vscode",
      CODEX_HOME: "/home/me/.codex",
      CLAUDE_CONFIG_DIR: "/c",
      CI: "true",
    };
    expect(findMarkedSession(env)).toBeUndefined();
  });
});

/** A script that prints who runs it, as one file of JavaScript. */
async function detective(folder: string): Promise<string> {
  const outfile = path.join(folder, "detective.cjs");
  const source = new URL("../../src/kernel/agent-session.ts", import.meta.url).pathname;
  const script = `import { findAncestorSession } from ${JSON.stringify(source)};
    process.stdout.write(findAncestorSession(process.pid)?.agent ?? "nobody");`;
  fs.writeFileSync(path.join(folder, "detective.ts"), script);
  await build({
    entryPoints: [path.join(folder, "detective.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    logLevel: "silent",
  });
  return outfile;
}

describe("the processes that started a command", () => {
  const shellBelow = (program: string, script: string) =>
    `const { execFileSync } = require("node:child_process");
     process.stdout.write(execFileSync("sh", ["-c", "${program} ${script}; true"]));`;

  test("tell of an agent that is a program of its own", async () => {
    const folder = temporaryFolder();
    const script = await detective(folder);
    fs.symlinkSync(process.execPath, path.join(folder, "claude"));
    const printed = execFileSync(path.join(folder, "claude"), ["-e", shellBelow(process.execPath, script)]);
    expect(printed.toString()).toBe("Claude Code");
  });

  test("tell of an agent that is a script", async () => {
    const folder = temporaryFolder();
    const script = await detective(folder);
    fs.writeFileSync(path.join(folder, "codex.js"), shellBelow(process.execPath, script));
    expect(execFileSync(process.execPath, [path.join(folder, "codex.js")]).toString()).toBe("Codex");
  });

  test("tell of nobody where a folder only has an agent's name", async () => {
    const folder = path.join(temporaryFolder(), "claude");
    fs.mkdirSync(folder);
    const script = await detective(folder);
    fs.writeFileSync(path.join(folder, "tool.js"), shellBelow(process.execPath, script));
    const env = { PATH: process.env["PATH"] };
    const printed = execFileSync(process.execPath, [path.join(folder, "tool.js")], { env }).toString();
    // These tests may be run by an agent themselves.
    expect(printed).toBe(execFileSync(process.execPath, [script], { env, cwd: "/" }).toString());
  });
});
