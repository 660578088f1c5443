import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { piTarget } from "../../../src/agents/pi/target.ts";
import { layout } from "../../../src/contract/layout.ts";
import type { LifecycleEvent } from "../../../src/policy/lifecycle-events.ts";
import { type ArmedHome, armHome, write } from "../../support/armed-home.ts";
import { pluginOf } from "../plan.ts";

type Answer = Record<string, unknown> | undefined;
type Ask = (event: object, answers?: boolean | null) => Promise<Answer>;

interface Loaded {
  on: Record<string, Ask>;
  /** What a person was asked and told, and what went to the model. */
  said: string[];
}

/** The extension as Pi loads it. `answers`: of a person in a terminal; null: there is none. */
async function load(armed: ArmedHome, ...phases: (LifecycleEvent | "post-tool")[]): Promise<Loaded> {
  // A module is loaded once for each name.
  const file = path.join(armed.world, `drwn-${phases.join("-")}.mjs`);
  write(file, pluginOf(piTarget, armed.home, phases));
  const { default: extension } = await import(pathToFileURL(file).href);
  const loaded: Loaded = { on: {}, said: [] };
  extension({
    on: (name: string, handler: (event: object, context: object) => Answer | Promise<Answer>) => {
      loaded.on[name] = async (event, answers = null) =>
        handler(event, {
          cwd: armed.project,
          hasUI: answers !== null,
          sessionManager: { getSessionId: () => "s" },
          ui: {
            notify: (text: string) => loaded.said.push(text),
            confirm: async (title: string, text: string) => {
              loaded.said.push(`${title}: ${text}`);
              return answers;
            },
          },
        });
    },
    sendMessage: ({ content }: { content: string }) => loaded.said.push(content),
  });
  return loaded;
}

const call = (command = "ls") => ({ toolName: "bash", toolCallId: "c/1", input: { command, timeout: 5 } });

async function ask(policy: string, answers: boolean | null = null) {
  const { on, said } = await load(armHome([{ policy }]));
  const event = call();
  const answer = await on["tool_call"]?.(event, answers);
  return { answer, input: event.input, said };
}

test("a call that nobody objects to passes as it is", async () => {
  const { answer, input } = await ask("{ beforeToolCall() {} }");
  expect([answer, input]).toEqual([undefined, { command: "ls", timeout: 5 }]);
});

test.each([
  ["denied", `return { action: "deny", reason: "not here" };`, /not here/u],
  ["judged by a policy that fails", `throw new Error("broken");`, /broken/u],
])("a call that is %s is blocked with the reason", async (_, body, reason) => {
  const { answer } = await ask(`{ beforeToolCall() { ${body} } }`);
  expect(answer).toEqual({ block: true, reason: expect.stringMatching(reason) });
});

test("a rewritten input takes the place of the old one, whole", async () => {
  const policy = `{ beforeToolCall() { return { action: "allow", updatedInput: { command: "pwd" } }; } }`;
  expect((await ask(policy)).input).toEqual({ command: "pwd" });
});

test.each([
  ["yes", true, undefined],
  ["no", false, { block: true, reason: expect.stringContaining("A person said no") }],
  ["nobody is there", null, { block: true, reason: expect.stringContaining("sure?") }],
])("a person is asked: %s", async (_, answers, expected) => {
  const { answer, said } = await ask(`{ beforeToolCall: () => ({ action: "ask", reason: "sure?" }) }`, answers);
  expect(answer).toEqual(expected);
  expect(said).toEqual(answers === null ? [] : [expect.stringMatching(/^drwn: bash: .*sure\?/u)]);
});

test.each([
  ["is missing", (file: string) => fs.rmSync(file)],
  ["dies", (file: string) => write(file, "#!/bin/sh\nkill -9 $$\n")],
  ["says what isn't an answer", (file: string) => write(file, "#!/bin/sh\necho oops\n")],
])("a launcher that %s throws at a call, holds a prompt, and lets a turn end", async (_, breakIt) => {
  const armed = armHome([{ policy: "{ beforeToolCall() {} }" }]);
  const { on } = await load(armed);
  breakIt(layout.launcher(armed.home));
  await expect(on["tool_call"]?.(call())).rejects.toThrow(/drwn/u);
  expect(await on["input"]?.({ text: "x" }, true)).toEqual({ action: "handled" });
  expect(await on["session_before_compact"]?.({ reason: "manual" }, true)).toEqual({ cancel: true });
  expect(await on["agent_before_settle"]?.({ entries: [], outcome: "completed" })).toBeUndefined();
});

test("hooks are told of a result and of a failure, and text goes behind a result", async () => {
  const policy = `{ run: ({ input }) => ({ action: "proceed", additionalContext: input.output }) }`;
  const armed = armHome([{ policy, phases: ["tool.after" as "notify", "tool.failure" as "notify"] }]);
  const { on } = await load(armed, "tool.after", "tool.failure");
  for (const isError of [false, true]) {
    const content = [{ type: "image" }, { type: "text", text: "one" }];
    const answer = await on["tool_result"]?.({ ...call(), content, structuredContent: 5, isError });
    const changed = { content: [...content, { type: "text", text: "one" }], structuredContent: 5 };
    expect(answer).toEqual(isError ? undefined : changed);
  }
  expect(armed.journal()).toMatchObject([{ phase: "tool.after" }, { phase: "tool.failure" }]);
});

test("a prompt is held and added to, and a turn is kept going", async () => {
  const policy = `{ run: ({ event, input }) => event === "turn.stop"
    ? { action: "keep-going", reason: "after " + input.lastMessage }
    : input.prompt === "drop it" ? { action: "reject", reason: "no" } : { action: "proceed", additionalContext: "more" } }`;
  const armed = armHome([{ policy, phases: ["prompt.submit" as "notify", "turn.stop" as "notify"] }]);
  const { on, said } = await load(armed);
  expect(await on["input"]?.({ text: "drop it" }, true)).toEqual({ action: "handled" });
  expect(said).toEqual([expect.stringContaining("no")]);
  expect(await on["input"]?.({ text: "do it" })).toEqual({ action: "transform", text: "do it\n\nmore" });
  await on["message_end"]?.({ message: { role: "assistant", content: [{ type: "text", text: "bye" }] } });
  const settle = { entries: [1], outcome: "completed" };
  expect(await on["agent_before_settle"]?.(settle)).toEqual({
    entries: [
      1,
      { type: "custom_message", customType: "drwn", content: expect.stringContaining("after bye"), display: true },
    ],
    continue: true,
  });
  expect(await on["agent_before_settle"]?.({ ...settle, outcome: "aborted" })).toBeUndefined();
});

test("the start of a session brings text to the model, if some hook wants it", async () => {
  const armed = armHome([
    {
      policy: `{ run: () => ({ action: "proceed", additionalContext: "hello" }) }`,
      phases: ["session.start" as "notify"],
    },
  ]);
  const { on, said } = await load(armed, "session.start");
  await on["session_start"]?.({ reason: "startup" });
  expect(said).toEqual(["hello"]);
  expect((await load(armed)).on).not.toHaveProperty("session_start");
});
