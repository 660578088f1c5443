import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { expect, test } from "vitest";
import { hookLayout } from "../../src/contract/hook-layout.ts";
import { layout } from "../../src/contract/layout.ts";
import { type ArmedHome, armHome, type LiteralPolicy, write } from "../support/armed-home.ts";
import { writePrograms } from "./launched.ts";

/** Lets nothing but `ls` through. */
const choosy: LiteralPolicy = {
  policy: `{ beforeToolCall: ({ input }) => input.command === "ls" ? undefined : { action: "deny", reason: "no" } }`,
};

const DENIED = { tool_use_id: "toolu_1", tool_input: { command: "rm" } };
const ALLOWED = { tool_use_id: "toolu_2", tool_input: { command: "ls" } };

function after(armed: ArmedHome, event: object) {
  return armed.call({ ...event, tool_response: { stdout: "x" } }, { phase: "post" });
}

/** Which lines of the journal say that a call ran though it was denied, and by which line that was. */
function overruled(armed: ArmedHome): unknown[] {
  const lines = armed.journal();
  return lines.flatMap(({ overruled, call }) =>
    overruled === undefined ? [] : [[call, lines.findIndex(({ hash }) => String(hash).startsWith(String(overruled)))]],
  );
}

test("a line has the id of its call and of its session", () => {
  const armed = armHome([choosy]);
  armed.call(DENIED);
  expect(armed.journal()[0]).toMatchObject({ call: "toolu_1", session: "session-1" });
});

test.each<[string, Partial<LiteralPolicy>[]]>([
  ["in one process", [{}]],
  ["in a process for each publisher", [{}, { card: "@me/others", publisher: "another" }]],
  ["of a policy that hears of results itself", [{ phases: ["pre-tool", "post-tool"] }]],
])("a call that was denied and ran all the same is noted as overruled: policies %s", (_, changes) => {
  const armed = armHome(changes.map((change, at) => ({ ...choosy, ...change, hook: `guard-${at}` })));
  if (changes.length > 1) write(layout.unheard(armed.home, armed.key), "\n");
  armed.call(ALLOWED);
  armed.call(DENIED);
  after(armed, ALLOWED);
  const { status, stdout, stderr } = after(armed, DENIED);
  expect([status, stdout, stderr]).toEqual([0, "", ""]);
  expect(overruled(armed)).toEqual([["toolu_1", 1]]);
});

test("after a call that was not denied no Node is started, though another one was", () => {
  const armed = armHome([choosy]);
  armed.call(DENIED);
  writePrograms(armed, "process.stdout.write('{}'); process.exit(100);\n");
  expect(after(armed, ALLOWED).stdout).toBe("");
  expect(after(armed, DENIED).stdout).toBe("{}");
});

test.each<[string, object]>([
  ["quotes the id of one that was", { ...ALLOWED, tool_input: { command: "ls", tool_use_id: "toolu_1" } }],
  ["has an id that the other's is a part of", { ...ALLOWED, tool_use_id: "toolu_12" }],
  ["is of another session", { ...DENIED, session_id: "session-2" }],
])("a call that %s is not overruled", (_, event) => {
  const armed = armHome([choosy]);
  armed.call(DENIED);
  after(armed, event);
  expect(overruled(armed)).toEqual([]);
});

test("of two calls with one id the last one counts", () => {
  const armed = armHome([choosy]);
  armed.call(DENIED);
  armed.call({ ...ALLOWED, tool_use_id: "toolu_1" });
  after(armed, DENIED);
  expect(overruled(armed)).toEqual([]);
});

test("a note that somebody else wrote says nothing: the journal has no such denial", () => {
  const armed = armHome([choosy]);
  armed.call(ALLOWED);
  write(hookLayout.denied(armed.home, armed.key), "toolu_2\n");
  after(armed, ALLOWED);
  expect(overruled(armed)).toEqual([]);
});

test.each<[string, (note: string) => void]>([
  ["is a pipe that nobody writes to", (note) => execFileSync("mkfifo", [note])],
  ["is a device without end", (note) => fs.symlinkSync("/dev/zero", note)],
  ["is a folder", (note) => fs.mkdirSync(note)],
  ["holds an empty line", (note) => fs.writeFileSync(note, "\n")],
])("nothing is held up when the list of denied calls %s", (_, put) => {
  const armed = armHome([choosy]);
  put(hookLayout.denied(armed.home, armed.key));
  expect(armed.call(DENIED).said?.hookSpecificOutput?.permissionDecision).toBe("deny");
  expect(after(armed, ALLOWED).status).toBe(0);
});

test("the list of denied calls is kept short, and has the last ones", () => {
  const armed = armHome([choosy]);
  const note = hookLayout.denied(armed.home, armed.key);
  write(note, "toolu_of_long_ago\n".repeat(5_000));
  armed.call(DENIED);
  expect(fs.statSync(note).size).toBeLessThan(20_000);
  after(armed, DENIED);
  expect(overruled(armed)).toHaveLength(1);
});

test("the list of denied calls is emptied an hour after the last one, so that results cost less", () => {
  const armed = armHome([choosy]);
  armed.call(DENIED);
  const note = hookLayout.denied(armed.home, armed.key);
  const then = new Date(Date.now() - 61 * 60 * 1000);
  fs.utimesSync(note, then, then);
  armed.call(ALLOWED);
  expect(fs.readFileSync(note, "utf8")).toBe("");
});

test("an event is not left on disk", () => {
  const armed = armHome([choosy]);
  armed.call(DENIED);
  after(armed, DENIED);
  expect(fs.readdirSync(layout.project(armed.home, armed.key)).filter((name) => name.startsWith("event"))).toEqual([]);
});
