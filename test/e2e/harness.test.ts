import { spawnSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { bash, runClaude } from "./claude.ts";
import { CLAUDE_VERSION } from "./clients.ts";
import { stepAt } from "./mock-model.ts";
import { ranAndPrinted, wasBlocked } from "./outcomes.ts";
import { World } from "./world.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

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
});
