import { spawnSync } from "node:child_process";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { hook, polytokenWorld } from "./world.ts";

const DRWN = path.resolve(import.meta.dirname, "../../../bin/drwn.js");

function run(project: unknown, { input = "", flags = [] as string[], env = {} }) {
  const { root, read } = polytokenWorld({ project });
  const ran = spawnSync(process.execPath, [DRWN, "hook", "run", ...flags], {
    cwd: root,
    input,
    env: { PATH: process.env["PATH"], HOME: path.dirname(root), ...env },
    encoding: "utf8",
  });
  return { status: ran.status, stdout: ran.stdout, stderr: ran.stderr.replaceAll(root, "ROOT"), read };
}

const TOOL = JSON.stringify({ tool_name: "shell_exec", input: {} });

const asked = (event: string) => ["--dialect", "polytoken", "--event", event];

describe("drwn hook run --dialect polytoken", () => {
  test("answers one event in Polytoken's words, with the session that Polytoken told it of", () => {
    const hooks = [hook("pre_tool_use", "cat > input; echo $POLYTOKEN_SESSION_ID $POLYTOKEN_NON_INTERACTIVE; exit 2")];
    const input = JSON.stringify({ event: "pre_tool_use", tool_name: "shell_exec", input: { command: "ls" } });
    const env = { POLYTOKEN_SESSION_ID: "s1", POLYTOKEN_NON_INTERACTIVE: "1" };
    const { read, ...ran } = run(hooks, { input, flags: asked("pre_tool_use"), env });
    const stdout = `${JSON.stringify({ outcome: "deny", reason: "s1 true", stdout: "s1 true" })}\n`;
    expect(ran).toEqual({ status: 0, stdout, stderr: "" });
    expect(JSON.parse(read("input") ?? "")).toMatchObject({ tool_name: "shell_exec", matcher_subject: "shell_exec" });
    // As oclif understands it, and with the folder named.
    const spelled = ["--dialect=polytoken", "--event=pre_tool_use", "--root", "."];
    expect(run(hooks, { input, flags: spelled, env })).toMatchObject({ status: 0, stdout });
  });

  test("an event that is over is acknowledged, and its hooks still run", () => {
    const { read, ...ran } = run(
      [hook("facet_switch", "echo ran > ran; printf '\\033[2Jbad' >&2; exit 1", { name: "facets" })],
      {
        flags: asked("facet_switch"),
      },
    );
    expect(ran).toEqual({
      status: 0,
      stdout: '{"outcome":"acknowledged"}\n',
      stderr: "polytoken: ROOT/.polytoken/hooks.json, line 2: hook facets: it exited with code 1: \\u{1b}[2Jbad\n",
    });
    expect(read("ran")).toBe("ran\n");
  });

  test.each([
    ["16: hooks that cannot be loaded", [hook("stop?", "exit 0")], "stop", "{}", 'unknown event "stop?"'],
    ["an event without its subject", [], "pre_tool_use", "{}", "pre_tool_use has no tool_name"],
    ["an event that is another one", [], "stop", '{"event":"notification"}', '"notification", and stop was asked for'],
    ["an event that isn't JSON", [], "stop", "{", "JSON"],
    ["an event that isn't an object", [], "stop", "[]", "isn't a JSON object"],
    ["an event that Polytoken does not have", [], "post_clear", "{}", "--event takes one of session_start"],
  ])("%s: an error to Polytoken, with the reason", (_, project, event, input, message) => {
    const { status, stdout, stderr } = run(project, { input, flags: asked(event) });
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain(message);
  });

  test("a hook that calls it for the same hooks is an error, and no endless chain", () => {
    const again = `${process.execPath} ${DRWN} hook run --dialect polytoken --event pre_tool_use`;
    const { status, stdout } = run([hook("pre_tool_use", again)], { input: TOOL, flags: asked("pre_tool_use") });
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: "error",
      message: expect.stringContaining("a hook that drwn runs asks drwn to run the hooks again"),
    });
  });

  test("without an event it is no command", () => {
    expect(run([], { flags: ["--dialect=polytoken"] })).toMatchObject({ status: 1, stdout: "" });
  });
});
