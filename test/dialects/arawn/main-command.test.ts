import { spawnSync } from "node:child_process";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder, writeTree } from "../../support/cards.ts";
import { bash, SHELL_CALL } from "./world.ts";

const DRWN = path.resolve(import.meta.dirname, "../../../bin/drwn.js");

interface Asked {
  files: Record<string, string>;
  event?: string;
  input?: unknown;
  root?: string;
}

/** The real command, in a project with these files. Scripts are started by `bash`, so that none has to be executable. */
function ask({ files, event = "PreToolUse", input = SHELL_CALL, root = temporaryFolder() }: Asked) {
  writeTree(root, files);
  const text = typeof input === "string" ? input : JSON.stringify(input);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [DRWN, "hook", "run", "--dialect", "arawn", "--event", event, "--root", root],
    {
      cwd: root,
      env: { PATH: process.env["PATH"], HOME: root, ARAWN_SESSION_ID: "s-7" },
      input: text,
      encoding: "utf8",
    },
  );
  return { status, stdout, stderr: stderr.replaceAll(root, "ROOT") };
}

const settings = (event: string, command: string) => ({
  ".arawn/settings.json": JSON.stringify({ hooks: { [event]: [{ hooks: [{ type: "command", command }] }] } }),
});

describe("drwn hook run --dialect arawn answers as one hook of Arawn's does", () => {
  test("a block is a reason on both outputs and exit code 2", () => {
    const files = settings("PreToolUse", 'echo "no, $ARAWN_SESSION_ID" >&2; exit 2');
    expect(ask({ files })).toEqual({ status: 2, stdout: "no, s-7\n", stderr: "no, s-7\n" });
  });

  test("R19: a Stop is held three times in a row, and then the agent hands back with the reason", () => {
    const root = temporaryFolder();
    const files = settings("Stop", 'grep -q done || { echo "not yet" >&2; exit 2; }');
    const stop = (response: string, session_id = "s") =>
      ask({ files, event: "Stop", input: { response, session_id }, root }).status;
    const asked = ["a", "b", "c", "d", "e", "done", "f"].map((response) => stop(response));
    expect([...asked, stop("a", "another")]).toEqual([2, 2, 2, 0, 2, 0, 2, 2]);
  });

  test("to allow is to say nothing", () => {
    expect(ask({ files: {} })).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  test("a text for the agent is printed", () => {
    const files = settings("SessionStart", "echo remember");
    expect(ask({ files, event: "SessionStart", input: { session_id: "s" } })).toMatchObject({
      status: 0,
      stdout: "remember\n",
    });
  });

  test("a file that cannot be loaded is named, and blocks", () => {
    const files = { "plugins/a/plugin.toml": `[[hooks]]\nevent = "Never"\ncommand = "x"\n`, "plugins/a/x": bash("") };
    const { status, stderr } = ask({ files });
    expect(status).toBe(2);
    expect(stderr).toContain("arawn: ROOT/plugins/a/plugin.toml, [[hooks]] 1, `event`: `Never` isn't an event");
  });

  test.each([
    ["not json", "PreToolUse", /is not JSON/u],
    ["[]", "PreToolUse", /isn't a JSON object/u],
    [{ tool: "x" }, "PreToolUse", /`params` of a PreToolUse event should be an object/u],
    [{ session_id: "s" }, "SessionEnd", /`turn_count`/u],
    [{}, "Nonsense", /--event takes one of PreToolUse/u],
  ])("the input %j for %s blocks and says why", (input, event, why) => {
    const { status, stdout } = ask({ files: {}, event, input });
    expect([status, stdout]).toEqual([2, expect.stringMatching(why)]);
  });
});
