import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder, writeTree } from "../../support/cards.ts";
import { hookToml, readNotes, workspace } from "./world.ts";

const DRWN = path.resolve(import.meta.dirname, "../../../bin/drwn.js");
const asked = (event: string) => ["--dialect", "astrid", "--event", event];

interface Running {
  input?: string;
  flags?: string[];
  /** The working folder; the workspace when absent. */
  cwd?: string;
  home?: string;
}

/** What Astrid would hear of `drwn hook run`, started as one of its commands. */
function run(
  root: string,
  { input = CALL, flags = asked("pre_tool_call"), cwd = root, home = temporaryFolder() }: Running,
) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [DRWN, "hook", "run", ...flags], {
    cwd,
    input,
    env: { PATH: process.env["PATH"], HOME: home },
    encoding: "utf8",
    timeout: 50_000,
  });
  return { status, answer: stdout === "" ? undefined : JSON.parse(stdout), stderr: stderr.replaceAll(root, "ROOT") };
}

const CALL = JSON.stringify({ tool_name: "shell", arguments: { command: "rm -r build" } });
const GUARD = hookToml(`case "$ASTRID_HOOK_DATA" in *rm*) echo 'block: No RM';; *) echo continue;; esac`);

describe("drwn hook run --dialect astrid", () => {
  test("blocks with the reason and ends with 0, since with any other code the verdict would not count", () => {
    const root = workspace({ "guard/HOOK.toml": GUARD });
    const blocked = { status: 0, answer: { action: "block", reason: "No RM" }, stderr: "" };
    expect(run(root, {})).toEqual(blocked);
    // The whole context, as Astrid hands it to its own hooks; the workspace named, in the words of oclif.
    const input = JSON.stringify({ event: "pre_tool_call", session_id: null, data: JSON.parse(CALL) });
    const elsewhere = temporaryFolder();
    expect(run(root, { input, cwd: elsewhere, flags: [...asked("pre_tool_call"), "--root", root] })).toEqual(blocked);
    expect(run(root, { flags: ["--dialect=astrid", "--event=pre_tool_call", "--root=."] })).toEqual(blocked);
    expect(run(elsewhere, { input })).toEqual({ ...blocked, answer: { action: "continue" } });
  });

  test("continues where every hook does, those of the user too, and warns on stderr of one that failed", () => {
    const root = workspace({ "guard/HOOK.toml": GUARD, "z/HOOK.toml": hookToml("exit 3", { name: "shaky" }) });
    const home = temporaryFolder();
    writeTree(home, { ".astrid/hooks/own/HOOK.toml": hookToml("echo ran > own; echo continue") });
    const ran = run(root, { input: JSON.stringify({ tool_name: "shell", arguments: { command: "ls" } }), home });
    expect(ran).toMatchObject({ status: 0, answer: { action: "continue" } });
    expect(ran.stderr).toMatch(/^astrid: .*shaky.*code 3/u);
    expect(readNotes(root, "own")).toBe("ran\n");
  });

  test.each([
    ["JSON that is broken", "{", "JSON"],
    ["no object", "[]", "object"],
    ["nothing", "", "pre_tool_call has no tool_name"],
    ["a call that does not name its tool", '{"data":{"arguments":{}}}', "no tool_name"],
    ["another event", '{"event":"notification","data":{}}', "notification"],
  ])("what cannot be judged is a block: %s", (_, input, says) => {
    const root = workspace({ "HOOK.toml": hookToml("echo continue; touch notes") });
    const { status, answer, stderr } = run(root, { input });
    expect({ status, answer }).toEqual({
      status: 0,
      answer: { action: "block", reason: expect.stringMatching(`^hooks cannot be asked: .*${says}`) },
    });
    expect(stderr).toContain(answer.reason);
    expect(fs.existsSync(path.join(root, "notes"))).toBe(false);
  });

  test("an event that Astrid does not have is a block that names those it has", () => {
    const { status, answer } = run(workspace({ "HOOK.toml": GUARD }), { flags: asked("pre_tool") });
    expect(status).toBe(0);
    expect(answer).toEqual({
      action: "block",
      reason: expect.stringMatching(/--event takes one of session_start, .*kernel_stop$/u),
    });
  });

  test("a broken hook that fails closed blocks its event, by the file, entry and field", () => {
    const root = workspace({ "a/HOOK.toml": hookToml("exit 0", { fail_action: "block", priority: "high" }) });
    const { status, answer, stderr } = run(root, {});
    expect({ status, action: answer.action }).toEqual({ status: 0, action: "block" });
    expect(stderr).toMatch(/a\/HOOK\.toml.*`priority`/u);
  });

  test("an event that needs no data takes none", () => {
    const root = workspace({ "HOOK.toml": hookToml("touch notes", { event: "kernel_start" }) });
    const started = run(root, { input: "", flags: asked("kernel_start") });
    expect(started).toEqual({ status: 0, answer: { action: "continue" }, stderr: "" });
    expect(fs.existsSync(path.join(root, "notes"))).toBe(true);
  });

  test("without an event nothing is allowed: it is no command", () => {
    expect(run(temporaryFolder(), { flags: ["--dialect=astrid"] })).toMatchObject({ answer: undefined });
  });
});
