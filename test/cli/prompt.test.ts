import { spawnSync } from "node:child_process";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/cards.ts";
import { bundleScript } from "../support/processes.ts";

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
  const { stdout } = spawnSync("python3", ["-c", AT_TERMINAL, command], { encoding: "utf8", timeout: 20_000 });
  expect(stdout).toContain("REFUSED DRWN_CONSENT_NEEDED");
});

test.skipIf(!hasPython)("a terminal that says 0 columns is as wide as most are", async () => {
  const line = `'${process.execPath}' '${await bundleScript(SCRIPT)}'`;
  const { stdout } = spawnSync("python3", ["-c", AT_TERMINAL, line, "y"], { encoding: "utf8", timeout: 20_000 });
  expect(stripVTControlCharacters(stdout)).toMatch(/Really\?[\s\S]*ANSWER true/u);
});
