import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import Completion from "../../../src/cli/commands/completion.ts";
import { SCRIPTS } from "../../../src/cli/completion/complete.ts";
import { removeTree } from "../../../src/kernel/files.ts";
import { runCommand } from "../../support/cli.ts";
import { sweep } from "../../support/sweep.ts";

const BIN = path.resolve(import.meta.dirname, "../../../bin/drwn.js");

interface Place {
  cwd: string;
  env: Record<string, string>;
}

let place: Place;

/** A source with a hook and a skill, published and installed, and `drwn` on the PATH. */
beforeAll(() => {
  const home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "drwn-completion-")));
  const [bin, cwd] = [path.join(home, "bin"), path.join(home, "project")];
  for (const folder of [bin, cwd]) fs.mkdirSync(folder);
  fs.symlinkSync(BIN, path.join(bin, "drwn"));
  const PATH = [bin, path.dirname(process.execPath), process.env["PATH"]].join(":");
  place = { cwd, env: { PATH, HOME: home, TERM: "dumb" } };
  for (const line of [
    "card new @me/backend",
    "card source add-hook @me/backend guard",
    "card source add skill @me/backend style",
    "card publish @me/backend",
    "init",
    "add @me/backend",
  ]) {
    const { status, stderr } = spawnSync("drwn", line.split(" "), { ...place, encoding: "utf8" });
    expect(`${status} ${stderr}`).toMatch(/^0/u);
  }
});

afterAll(() => removeTree(place.env["HOME"] ?? ""));

function run(program: string, args: string[]): string[] {
  const { stdout, stderr } = spawnSync(program, args, { ...place, encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.split("\n").filter((line) => line !== "");
}

/** What one shell offers for each line; the script is read once. */
function offersOf(program: string, args: string[], lines: readonly string[]): Map<string, string[]> {
  const offered: string[][] = [[]];
  for (const text of run(program, [...args, ...lines])) {
    if (text === "=") offered.push([]);
    else offered.at(-1)?.push(text);
  }
  return new Map(lines.map((line, at) => [line, offered[at] ?? []]));
}

const BASH = `eval "$(drwn completion bash)"
for COMP_LINE; do COMP_POINT=\${#COMP_LINE}; _drwn drwn; printf '%s\\n' "\${COMPREPLY[@]}" =; done`;

/** What zsh's own `compadd` would be given. */
const ZSH = `compdef() { registered=$1:$2 }; compadd() { print -l -- "\${@[5,-1]}" }; _files() { print files }
eval "$(drwn completion zsh)"; [[ $registered == _drwn:drwn ]] || print -u2 unregistered
for line; do words=("\${(@s: :)line}"); CURRENT=\${#words}; _drwn; print =; done`;

const FISH = `drwn completion fish | source; for line in $argv; complete -C $line | string split -f1 \\t; echo =; end`;

const isThere = (program: string): boolean => spawnSync(program, ["--version"]).status === 0;

/** What is offered for a line; bash gets what is behind the last `@` or `=`, which is what it replaces. */
const LINES: [line: string, offers: string[], inBash?: string[]][] = [
  ["drwn card tr", ["trust"]],
  ["drwn card source re", ["remove", "remove-hook"]],
  ["drwn log --verd", ["--verdict"]],
  ["drwn registry list --", ["--json", "--verbose"]],
  ["drwn log --verdict ", ["allow", "ask", "deny"]],
  ["drwn card source add ", ["mcp", "skill"]],
  ["drwn write --runtime co", ["codex", "copilot-cli"]],
  ["drwn write --runtime=co", ["--runtime=codex", "--runtime=copilot-cli"], ["codex", "copilot-cli"]],
  ["drwn card trust @me/b", ["@me/backend"], ["me/backend"]],
  ["drwn card trust @me/backend --hook ", ["guard"]],
  ["drwn card source remove-hook @me/backend ", ["guard"]],
  ["drwn card source remove skill @me/backend ", ["style"]],
  ["drwn card publish @", ["@me/backend"], ["me/backend"]],
  ["drwn add @m", ["@me/backend"], ["me/backend"]],
  ["drwn search --registry ", ["default"]],
  ["drwn help card sou", ["source"]],
  ["drwn config set update", ["update.wait"]],
];

describe("completion", () => {
  test.each(sweep(LINES, 8))("%s", async (line, offers) => {
    const { cwd, env } = place;
    const home = env["HOME"] ?? "";
    const host = { cwd, home, drwnHome: path.join(home, ".agents/drwn"), env };
    const { stdout } = await runCommand(host, Completion, "--answer", "--", ...line.split(" ").slice(1));
    expect(
      stdout
        .split("\n")
        .flatMap((one) => one.split(" ")[0] || [])
        .sort(),
    ).toEqual(offers);
  });

  // The shells only have to hand lines over, and take offers back.
  const chosen = LINES.filter((_, at) => at % 6 === 0);
  const ofBash = LINES.filter((row, at) => at % 6 === 0 || row.length === 3);

  test.skipIf(!isThere("bash"))("in bash", () => {
    const offered = offersOf(
      "bash",
      ["--norc", "-c", BASH, "bash"],
      ofBash.map(([line]) => line),
    );
    for (const [line, offers, inBash = offers] of ofBash)
      expect([line, offered.get(line)?.sort()]).toEqual([line, inBash]);
  });

  test.skipIf(!isThere("zsh"))("in zsh", () => {
    const offered = offersOf(
      "zsh",
      ["-f", "-c", ZSH, "zsh"],
      chosen.map(([line]) => line),
    );
    for (const [line, offers] of chosen)
      expect([line, offered.get(line)?.sort()]).toEqual([line, offers.length === 0 ? ["files"] : offers]);
  });

  test.skipIf(!isThere("fish"))("in fish", () => {
    const offering = chosen.filter(([, offers]) => offers.length > 0);
    const offered = offersOf(
      "fish",
      ["--no-config", "-c", FISH],
      offering.map(([line]) => line),
    );
    for (const [line, offers] of offering) expect([line, offered.get(line)?.sort()]).toEqual([line, offers]);
  });

  test("offers nothing that a shell would read as more than a word", () => {
    const hostile = path.join(place.cwd, "../.agents/drwn/sources/@me/x$(touch owned)");
    fs.cpSync(path.join(place.cwd, "../.agents/drwn/sources/@me/backend"), hostile, { recursive: true });
    expect(run("drwn", ["completion", "--answer", "--", "card", "pack", "@me"])).toEqual(["@me/backend"]);
    removeTree(hostile);
  });

  test("offers no name outside of a project, and says nothing of why", () => {
    const { status, stdout, stderr } = spawnSync("drwn", ["completion", "--answer", "--", "card", "trust", ""], {
      ...place,
      cwd: path.dirname(place.cwd),
      encoding: "utf8",
    });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  test.each(Object.keys(SCRIPTS))("prints for %s the script that the tests run", (shell) => {
    expect(`${run("drwn", ["completion", shell]).join("\n")}\n`).toBe(SCRIPTS[shell]?.replaceAll("\n\n", "\n"));
  });
});
