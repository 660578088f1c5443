import { spawnSync } from "node:child_process";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { temporaryFolder, writeTree } from "../../support/cards.ts";
import { bundleScript } from "../../support/processes.ts";

/** Prints what became of the question. */
const SCRIPT = `
  import { askYes } from "src/cli/terminal/prompt.ts";
  askYes("Really?", { flag: "--yes", command: "drwn do" }).then(
    (answer) => console.log("ANSWER", answer),
    (error) => console.log("REFUSED", error.code),
  );`;

/** Python's pty module is everywhere where nothing else makes a terminal. */
const AT_TERMINAL = `
import os, pty, sys, select
pid, master = pty.fork()
if pid == 0:
    os.execvp("sh", ["sh", "-c", sys.argv[1]])
if len(sys.argv) > 2: os.write(master, sys.argv[2].encode())
out = b""
while True:
    try:
        piece = os.read(master, 65536)
    except OSError:
        break
    if not piece: break
    out += piece
sys.stdout.buffer.write(out)`;

const hasPython = spawnSync("python3", ["-c", "import pty"]).status === 0;

test.skipIf(!hasPython).each<[string, string]>([
  ["standard input is a pipe, and says yes", "printf 'y\\n\\n\\r' | NODE SCRIPT"],
  ["standard input is a file that says yes", "printf 'y\\n' > ANSWERS; NODE SCRIPT < ANSWERS"],
  ["standard input is nothing", "NODE SCRIPT < /dev/null"],
  ["nobody would see the question", "NODE SCRIPT 2> /dev/null"],
])("nobody but a person answers a question: %s", async (_, line) => {
  const script = await bundleScript(SCRIPT);
  const command = line
    .replace("NODE", `'${process.execPath}'`)
    .replace("SCRIPT", `'${script}'`)
    .replaceAll("ANSWERS", `'${path.join(temporaryFolder(), "answers")}'`);
  const { stdout } = spawnSync("python3", ["-c", AT_TERMINAL, command], { encoding: "utf8", timeout: 60_000 });
  expect(stdout).toContain("REFUSED DRWN_CONSENT_NEEDED");
});

test.skipIf(!hasPython)("a terminal that says 0 columns is as wide as most are", async () => {
  const line = `'${process.execPath}' '${await bundleScript(SCRIPT)}'`;
  const { stdout } = spawnSync("python3", ["-c", AT_TERMINAL, line, "y"], { encoding: "utf8", timeout: 60_000 });
  expect(stripVTControlCharacters(stdout)).toMatch(/Really\?[\s\S]*ANSWER true/u);
});

/** One question of each kind, and what was answered. */
const QUESTIONS = `
  import { askAfterLooks, chooseOne, chooseSome } from "src/cli/terminal/prompt.ts";
  const about = { flag: "--yes", command: "drwn do" };
  const choices = ["one", "two", "three"].map((value) => ({ value, label: "the " + value, hint: "hint of " + value }));
  const looks = [{ key: "v", label: "view it", show: () => console.log("LOOKED") }];
  (async () => {
    console.log("SOME", await chooseSome("Which of them?", choices, about));
    console.log("ONE", await chooseOne("Which one?", choices, about));
    console.log("YES", await askAfterLooks("Really?", { ...about, looks }));
    await chooseOne("And now?", choices, about);
  })().catch((error) => console.log("REFUSED", error.code));`;

test.skipIf(!hasPython).each<[string, Record<string, string>]>([
  ["its terminal is dumb", { TERM: "dumb" }],
  ["they prefer it so", { DRWN_HOME: "HOME" }],
])("somebody is asked in lines, each said once, where %s", async (_, env) => {
  const home = temporaryFolder();
  writeTree(home, { "preferences.json": `{"terminal":"plain"}` });
  const answers = "4\n1, 3\n\n2\nz\nv\ny\n\u0004";
  const line = `exec '${process.execPath}' '${await bundleScript(QUESTIONS)}'`;
  const { stdout } = spawnSync("python3", ["-c", AT_TERMINAL, line, answers], {
    encoding: "utf8",
    timeout: 60_000,
    env: {
      PATH: process.env["PATH"],
      TERM: "xterm",
      NO_COLOR: "1",
      ...env,
      ...("DRWN_HOME" in env ? { DRWN_HOME: home } : {}),
    },
  });
  // What was typed is said by the terminal itself, before the questions are.
  const said = stdout.slice(stdout.indexOf("Which of them?")).replaceAll("\r\n", "\n");
  expect(said).toBe(`Which of them?
  1  the one: hint of one
  2  the two: hint of two
  3  the three: hint of three
Type their numbers with spaces between, or nothing for none, then Enter: \`4\` isn't an answer
Type their numbers with spaces between, or nothing for none, then Enter: SOME [ 'one', 'three' ]
Which one?
  1  the one: hint of one
  2  the two: hint of two
  3  the three: hint of three
Type its number, then Enter: \`\` isn't an answer
Type its number, then Enter: ONE two
Really?
  n  no
  y  yes
  v  view it
Type n, y or v, then Enter: \`z\` isn't an answer
Type n, y or v, then Enter: LOOKED
Really?
  n  no
  y  yes
  v  view it
Type n, y or v, then Enter: YES y
And now?
  1  the one: hint of one
  2  the two: hint of two
  3  the three: hint of three
Type its number, then Enter: REFUSED DRWN_CONSENT_DECLINED
`);
});
