import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { initProject } from "../../../src/operations/project/init.ts";
import { temporaryFolder } from "../../support/cards.ts";
import { testHost } from "../../support/host.ts";
import { runAtOnce } from "../../support/processes.ts";

const PROGRAM = path.resolve(import.meta.dirname, "../../../bin/drwn.js");

describe("what a command prints", () => {
  test("arrives whole where a slow reader lets nobody wait", async () => {
    // Node's own stream sees to it that a write to a full pipe fails.
    const script = `import { output } from "src/cli/terminal/console.ts"; process.stdout.isTTY; output.write(1, "é".repeat(400_000));`;
    const [text = ""] = await runAtOnce(script, 1);
    expect(text.length).toBe(400_000);
    expect(text.replaceAll("é", "")).toBe("");
  });

  test.each([["--version"], ["list", "--help"]])(
    "may find that nobody reads any more, which is no failure: %s %s",
    async (...words) => {
      const child = spawn(process.execPath, [PROGRAM, ...words], { stdio: ["ignore", "pipe", "pipe"] });
      child.stdout.destroy();
      let said = "";
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        said += text;
      });
      expect(await once(child, "close")).toEqual([0, null]);
      expect(said).toBe("");
    },
  );

  test.skipIf(!fs.existsSync("/dev/full")).each<[string[], number, number, RegExp]>([
    [["--version"], 1, 1, /^error: ENOSPC.*DRWN_TARGET_UNWRITABLE/u],
    [["list", "--help"], 1, 1, /^error: ENOSPC.*DRWN_TARGET_UNWRITABLE/u],
    [["list", "--nothing", "--json"], 1, 1, /^error: ENOSPC.*DRWN_TARGET_UNWRITABLE/u],
    [["list", "--nothing"], 2, 2, /^$/u],
  ])("of %j may find no room in %i, which is told in the other, and never a bug", (words, full, status, said) => {
    const device = fs.openSync("/dev/full", "w");
    const stdio = ["ignore", full === 1 ? device : "pipe", full === 2 ? device : "pipe"] as const;
    const ended = spawnSync(process.execPath, [PROGRAM, ...words], { stdio: [...stdio], encoding: "utf8" });
    fs.closeSync(device);
    expect(ended.status).toBe(status);
    expect(full === 1 ? ended.stderr : ended.stdout).toMatch(said);
  });

  test("a disk without room for a file is told with the file's name", () => {
    const host = testHost();
    initProject(host);
    const { cwd, home } = host;
    const script = 'ulimit -f 0; exec "$@"';
    const words = ["-c", script, "sh", process.execPath, PROGRAM, "report", "--out", "page.html"];
    const { stderr } = spawnSync("sh", words, {
      cwd,
      env: { PATH: process.env["PATH"], HOME: home },
      encoding: "utf8",
    });
    expect(stderr).toMatch(/^error: EFBIG.*page\.html'.*DRWN_TARGET_UNWRITABLE/u);
  });

  test("is printed without Node's sockets, which a command that needs nothing else does not load", () => {
    const host = testHost();
    initProject(host);
    const preload = path.join(temporaryFolder(), "preload.cjs");
    const list = `JSON.stringify(process.moduleLoadList.map((name) => name.split(" ").at(-1)))`;
    fs.writeFileSync(preload, `process.once("exit", () => require("node:fs").writeSync(2, ${list}));`);
    const { stdout, stderr } = spawnSync(process.execPath, ["--require", preload, PROGRAM, "status"], {
      cwd: host.cwd,
      env: { PATH: process.env["PATH"], HOME: host.home },
      encoding: "utf8",
    });
    expect(stdout).toContain(`Project ${host.cwd}`);
    const loaded: string[] = JSON.parse(stderr);
    expect(loaded).toContain("fs");
    expect(loaded.filter((name) => ["net", "tty", "child_process"].includes(name))).toEqual([]);
  });
});
