import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import { verifyJournal } from "../../src/journal/verify.ts";
import { hookCommand } from "../../src/wiring/launcher.ts";
import { type ArmedHome, armHome, hookNode } from "../support/armed-home.ts";
import { reasonOf, verdictOf } from "../support/hook-calls.ts";
import { newWorld } from "../support/worlds.ts";

const denying = `{ beforeToolCall: ({ input }) => ({ action: "deny", reason: "no " + input.command }) }`;
const EVENT = `{"tool_name":"Bash","tool_input":{"command":"ls"}}`;
const commandOf = ({ home }: ArmedHome) => hookCommand({ home, runtime: "claude-code", phase: "pre" });

describe("a guard still says no", () => {
  test("on a disk that takes nothing more", () => {
    const armed = armHome([{ policy: denying }]);
    const result = armed.run(`ulimit -f 0; ${commandOf(armed)}`, { input: EVENT });
    expect([verdictOf(result), result.stderr]).toEqual(["deny", ""]);
    expect(fs.statSync(layout.journal(armed.home, armed.key)).size).toBe(0);
  });

  test("on a disk that takes half a line, and the next call's line is whole", () => {
    const armed = armHome([{ policy: denying }]);
    const file = layout.journal(armed.home, armed.key);
    for (let i = 0; i < 2; i++) armed.call();
    // The limit is counted in blocks of 512 bytes, and every line has more than half of one.
    const blocks = Math.ceil(fs.statSync(file).size / 512);
    expect(verdictOf(armed.run(`ulimit -f ${blocks}; ${commandOf(armed)}`, { input: EVENT }))).toBe("deny");
    expect(fs.statSync(file).size).toBe(blocks * 512);
    armed.call();
    const { calls, faults } = verifyJournal({ home: armed.home, key: armed.key });
    expect([calls, faults.map(({ kind, line }) => [kind, line])]).toEqual([4, [["torn", 3]]]);
  });

  test("in a home that nobody may write to", () => {
    const armed = armHome([{ policy: denying }], { node: nodeForEverybody() });
    const asAnother = withoutRights(armed);
    const result = armed.run(`${asAnother}sh -c ${quote(commandOf(armed))}`, { input: EVENT });
    expect([verdictOf(result), result.stderr]).toEqual(["deny", ""]);
    expect(fs.existsSync(layout.journal(armed.home, armed.key))).toBe(false);
  });

  test.each([
    ["no HOME", ""],
    ["a HOME that is not there", "/nowhere"],
    ["a HOME that is a file", "/dev/null"],
  ])("with %s", (_, HOME) => {
    expect(verdictOf(armHome([{ policy: denying }]).call({}, { env: { HOME } }))).toBe("deny");
  });

  test("with so many files open that no journal can be", () => {
    const armed = armHome([{ policy: denying }]);
    expect(["deny", "block"]).toContain(verdictOf(armed.run(`ulimit -n 18; ${commandOf(armed)}`, { input: EVENT })));
  });
});

describe("an event is blocked", () => {
  test.each([
    ["when there is none to read", (command: string) => `${command} <&-`],
    ["when it is a folder", (command: string) => `( ${command} ) </`],
  ])("%s", (_, wrap) => {
    const armed = armHome([{ policy: denying }]);
    expect(["deny", "block"]).toContain(verdictOf(armed.run(wrap(`sh -c ${quote(commandOf(armed))}`))));
  });

  test("when its answer cannot be written", () => {
    const armed = armHome([{ policy: denying }]);
    const { status, stderr } = armed.run(`sh -c ${quote(commandOf(armed))} >/dev/full`, { input: EVENT });
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/could not be written.*remove the entry that calls drwn/u),
    ]);
  });

  test("when its answer would be lost, since the output is closed", () => {
    const armed = armHome([{ policy: denying }]);
    const { status, stderr } = armed.run(`sh -c ${quote(commandOf(armed))} >&-`, { input: EVENT });
    expect([status, stderr]).toEqual([2, expect.stringContaining("its answer would be lost")]);
    const elsewhere = { cwd: armed.world, env: { CLAUDE_PROJECT_DIR: armed.world }, input: EVENT };
    const outside = armed.run(`sh -c ${quote(commandOf(armed))} >&-`, elsewhere);
    expect([outside.status, outside.stderr]).toEqual([0, ""]);
  });

  test("at the byte that is one too many", () => {
    const armed = armHome([{ policy: `{ beforeToolCall: () => ({ action: "deny", reason: "judged" }) }` }]);
    const wrapping = EVENT.length - "ls".length;
    const input = EVENT.replace("ls", "x".repeat(16 * 1024 * 1024 + 1 - wrapping));
    expect(reasonOf(armed.call({}, { input }))).toContain("is larger than 16777216 bytes");
  });
});

test("a list of projects that may not be looked into blocks, whatever else knows the project", () => {
  const armed = armHome([{ policy: denying }], { node: nodeForEverybody() });
  for (const other of [layout.inodes(armed.home), path.join(armed.project, ".agents")])
    fs.rmSync(other, { recursive: true });
  const asAnother = withoutRights(armed);
  fs.chmodSync(layout.roots(armed.home), 0);
  const { status, stderr } = armed.run(`${asAnother}sh -c ${quote(commandOf(armed))}`, { input: EVENT });
  expect([status, stderr]).toEqual([2, expect.stringContaining("the list of your projects cannot be read")]);
});

test.each<[string, (armed: ArmedHome) => string]>([
  ["a ledger that may not be read", ({ ledgerFile }) => ledgerFile],
  ["a launcher that may not be read", ({ home }) => layout.launcher(home)],
])("%s blocks", (_, forbidden) => {
  const armed = armHome([{ policy: denying }], { node: nodeForEverybody() });
  const asAnother = withoutRights(armed);
  fs.chmodSync(forbidden(armed), 0);
  const result = armed.run(`${asAnother}sh -c ${quote(commandOf(armed))}`, { input: EVENT });
  expect(["block", "deny"]).toContain(verdictOf(result));
  expect(reasonOf(result)).not.toContain("no ls");
});

test("a closed stderr keeps no answer back", () => {
  const armed = armHome([{ policy: denying }]);
  expect(verdictOf(armed.run(`sh -c ${quote(commandOf(armed))} 2>&-`, { input: EVENT }))).toBe("deny");
});

describe("an event that says a thing twice", () => {
  test.each([
    [`{"tool_name":"Read","tool_name":"Bash","tool_input":{"command":"ls"}}`, "no ls"],
    [`{"tool_name":"Bash","tool_input":{"command":"pwd"},"tool_input":{"command":"ls"}}`, "no ls"],
    [`{"tool_name":"Bash","tool_input":{"command":"pwd","command":"ls"}}`, "no ls"],
    [`{"tool_name":"Bash","tool_input":{"command":"l\\u0073"}}`, "no ls"],
    [`{"tool_name":"Bash","tool_input":{"command":"\\ud800"}}`, "no \\u{d800}"],
  ])("is judged by the last, as an agent reads it: %s", (input, reason) => {
    expect(reasonOf(armHome([{ policy: denying, match: "^Bash$" }]).call({}, { input }))).toContain(reason);
  });
});

/** Makes the home read-only. Root may write all the same, so it becomes somebody who owns the home and is not root. */
function withoutRights({ world, home }: ArmedHome): string {
  const nobody = 65_534;
  const isRoot = process.getuid?.() === 0;
  for (const entry of [
    home,
    ...fs.readdirSync(home, { recursive: true, encoding: "utf8" }).map((name) => path.join(home, name)),
  ]) {
    if (isRoot) fs.chownSync(entry, nobody, nobody);
    fs.chmodSync(entry, fs.statSync(entry).mode & 0o555);
  }
  if (!isRoot) return "";
  fs.chmodSync(world, 0o755);
  return `setpriv --reuid=${nobody} --regid=${nobody} --clear-groups `;
}

/** The Node of these tests at a place that leads through nobody's own folders. */
function nodeForEverybody(): { execPath: string; version: string } {
  const { execPath, version } = hookNode();
  const world = newWorld("drwn-node-");
  fs.chmodSync(world, 0o755);
  const copy = path.join(world, "node");
  fs.copyFileSync(execPath, copy, fs.constants.COPYFILE_FICLONE);
  return { execPath: copy, version };
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
