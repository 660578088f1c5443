import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AgentId } from "../../src/policy/event.ts";
import { sweep } from "../support/sweep.ts";
import { bash, claudeInTerminal, runClaude } from "./claude.ts";
import { codexInTerminal, runCodex, shell } from "./codex.ts";
import { armGuard, journal } from "./drwn.ts";
import { startMockModel } from "./mock-model.ts";
import { hookAt } from "./policies.ts";
import type { ProcessRequest } from "./process.ts";
import { openTerminal, whyNoTerminal } from "./terminal.ts";
import type { Step } from "./wire-format.ts";
import { World } from "./world.ts";

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

const STEPS = bash("echo finished");

const AGENTS = [
  ["claude-code", runClaude],
  ["codex", runCodex],
] as const;

describe.each(sweep(AGENTS, 1))("lifecycle hooks in the real %s", (agent, run) => {
  test("a prompt that is rejected reaches no model", async () => {
    await armGuard(world, hookAt("prompt.submit", `return { action: "reject", reason: "NOT-THIS-PROMPT" };`), agent);
    const { turns } = await run(world, { steps: STEPS });
    expect(turns).toEqual([]);
  });

  test("a prompt that is let through brings the hook's text to the model", async () => {
    const body = `if (event.input.prompt === undefined) throw new Error("no prompt");
      return { action: "proceed", additionalContext: "TEXT-BESIDE-THE-PROMPT" };`;
    await armGuard(world, hookAt("prompt.submit", body), agent);
    const { turns } = await run(world, { steps: STEPS });
    expect(JSON.stringify(turns[0]?.body)).toContain("TEXT-BESIDE-THE-PROMPT");
  });

  test("the start of a session brings the hook's text to the model", async () => {
    const body = `return { action: "proceed", additionalContext: "TEXT-OF-THE-START-" + event.subject };`;
    await armGuard(world, hookAt("session.start", body), agent);
    const { turns } = await run(world, { steps: STEPS });
    expect(JSON.stringify(turns[0]?.body)).toContain("TEXT-OF-THE-START-startup");
  });

  test("the end of a session is told of", async () => {
    await armGuard(world, hookAt("session.end", ""), agent);
    await run(world, { steps: STEPS });
    expect((await journal(world)).map(({ phase }) => phase)).toContain("session.end");
  });

  test("a turn that is kept going goes on with the reason, and ends", async () => {
    await armGuard(world, hookAt("turn.stop", `return { action: "keep-going", reason: "ONE-MORE-THING" };`), agent);
    const { turns } = await run(world, { steps: STEPS });
    expect(turns.filter(({ body }) => JSON.stringify(body).includes("ONE-MORE-THING"))).toHaveLength(8);
  });
});

test.for([
  ["claude-code", claudeInTerminal, bash("echo finished")],
  ["codex", (one, url) => codexInTerminal(one, { url, isNew: false }), shell("echo finished")],
] as [AgentId, (one: World, url: string) => ProcessRequest, Step[]][])(
  "in the real %s a person is shown the text of the end of a turn, and the model is asked no more",
  async ([agent, start, steps], { skip }) => {
    const reason = whyNoTerminal();
    skip(reason !== undefined, reason);
    await armGuard(world, hookAt("turn.stop", `return { action: "proceed", additionalContext: "TESTS-RAN" };`), agent);
    const model = await startMockModel(steps);
    const terminal = openTerminal(start(world, model.url));
    try {
      await terminal.shows("[@me/guard#gate] TESTS-RAN");
      await terminal.rests();
      const { turns } = model.seen();
      expect([turns.length, JSON.stringify(turns).includes("TESTS-RAN")]).toEqual([2, false]);
    } finally {
      await terminal.leave();
      await model.close();
    }
  },
);
