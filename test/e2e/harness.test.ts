import { spawnSync } from "node:child_process";
import { describe, expect, inject, test } from "vitest";
import { bash, runClaude } from "./claude.ts";
import { CLAUDE_VERSION } from "./clients.ts";
import { inNewWorlds, world } from "./each-world.ts";
import { startMockModel, stepAt } from "./mock-model.ts";
import { ranAndPrinted, wasBlocked } from "./outcomes.ts";
import { openTerminal, whyNoTerminal } from "./terminal.ts";

inNewWorlds();

/** Settings with a hook that answers every Bash call with this text. */
function hookThatSays(text: string): string {
  const command = `cat > /dev/null; printf '%s' '${text}'`;
  return JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command }] }] } });
}

describe("the client is really driven", () => {
  test("it is the pinned version", () => {
    const { stdout } = spawnSync(inject("claude"), ["--version"], { env: world.env, encoding: "utf8" });
    expect(stdout).toContain(CLAUDE_VERSION);
  });

  test("without a hook the scripted call runs and the model reads its output", async () => {
    const run = await runClaude(world, { steps: bash("touch ran.txt && echo finished") });
    expect(run.code).toBe(0);
    expect(world.has("ran.txt")).toBe(true);
    expect(run.results).toEqual([ranAndPrinted("finished")]);
  });

  test("a call that a hook denies does not run and the model reads the reason", async () => {
    const answer = { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "BY-HAND" };
    world.write(".claude/settings.json", hookThatSays(JSON.stringify({ hookSpecificOutput: answer })));
    const run = await runClaude(world, { steps: bash("touch ran.txt") });
    expect(run.code).toBe(0);
    expect(world.has("ran.txt")).toBe(false);
    expect(run.results).toEqual([wasBlocked("BY-HAND")]);
  });
});

describe("the scripted model", () => {
  const one = { tool: "A", input: {} };
  const two = { tools: [one, one] };

  test.each([
    [0, one],
    [1, two],
    [2, two],
    [3, { text: "end" }],
  ])("after %i tool calls plays the step that follows them", (played, step) => {
    expect(stepAt([one, two, { text: "end" }], played)).toEqual(step);
  });

  test("ends the turn where the script has no more steps", () => {
    expect(stepAt([one], 1)).toEqual({ text: "done" });
  });

  test("tells what the model was told of a call, whatever else it is asked afterwards", async () => {
    const model = await startMockModel([one]);
    try {
      const tools = [{ function: { name: "A" } }];
      const told = [
        { role: "assistant", tool_calls: [{ id: "1", function: { name: "A", arguments: "{}" } }] },
        { role: "tool", tool_call_id: "1", content: "ran" },
      ];
      for (const body of [
        { model: "m", messages: told, tools },
        { model: "m", messages: [] },
      ]) {
        await fetch(`${model.url}/v1/chat/completions`, { method: "POST", body: JSON.stringify(body) });
      }
      const { all, results } = model.seen();
      expect([all.map(({ isSide }) => isSide), results]).toMatchObject([[false, true], [{ text: "ran" }]]);
    } finally {
      await model.close();
    }
  });
});

describe.skipIf(whyNoTerminal() !== undefined)("a person at a terminal", () => {
  test.each([
    ["presses a key again that the program threw away", "head -c 1 > /dev/null; head -c 1", "x"],
    [
      "answers a question that comes in two pieces",
      "printf '\\033[6'; sleep 0.1; printf n; head -c 6 | cat -v",
      "^[[1;1R",
    ],
  ])("%s", async (_, script, shown) => {
    const words = ["-c", `stty -icanon -echo; printf ready; ${script}`];
    const terminal = openTerminal({ program: "sh", args: words, cwd: world.project, env: {} }, undefined, 100);
    try {
      await terminal.shows("ready");
      if (shown.endsWith("x")) terminal.press("x");
      await terminal.shows(shown);
    } finally {
      await terminal.leave();
    }
  });
});
