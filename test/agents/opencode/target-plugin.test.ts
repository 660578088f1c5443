import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { opencodeTarget } from "../../../src/agents/opencode/target.ts";
import { layout } from "../../../src/contract/layout.ts";
import type { LifecycleEvent } from "../../../src/policy/lifecycle-events.ts";
import { applyChanges } from "../../../src/wiring/changes.ts";
import type { PolicyTrigger } from "../../../src/wiring/target.ts";
import { type ArmedHome, armHome, write } from "../../support/armed-home.ts";
import { temporaryFolder } from "../../support/cards.ts";
import { problemOf } from "../../support/problems.ts";
import { planFor, pluginOf } from "../plan.ts";

interface Hooks {
  "tool.execute.before": (call: object, output: { args: Record<string, unknown> }) => Promise<void>;
  "tool.execute.after": (call: object, output: object) => Promise<void>;
  "chat.message": (about: object, output: { parts: Part[] }) => Promise<void>;
  "experimental.session.compacting": (about: object, output: { context: string[] }) => Promise<void>;
  event: (told: { event: { type: string; properties?: object } }) => Promise<void>;
}

interface Part {
  id: string;
  messageID: string;
  sessionID: string;
  type: string;
  text: string;
  synthetic?: boolean;
}

/** The plugin as OpenCode loads it. */
async function load(armed: ArmedHome, ...phases: (LifecycleEvent | "post-tool")[]): Promise<Hooks> {
  // A module is loaded once for each name.
  const file = path.join(armed.world, `drwn-${phases.join("-")}.mjs`);
  write(file, pluginOf(opencodeTarget, armed.home, phases));
  const { Drwn } = await import(pathToFileURL(file).href);
  return Drwn({ directory: armed.project });
}

const CALL = { tool: "bash", sessionID: "s", callID: "c" };

async function ask(policy: string): Promise<Record<string, unknown>> {
  const hooks = await load(armHome([{ policy }]));
  const output = { args: { command: "ls", timeout: 5 } };
  const { args } = output;
  await hooks["tool.execute.before"](CALL, output);
  // It must be the very object that OpenCode goes on with.
  expect(output.args).toBe(args);
  return args;
}

describe("the plugin, with the hook process", () => {
  test("lets a call pass that nobody objects to", async () => {
    expect(await ask("{ beforeToolCall() {} }")).toEqual({ command: "ls", timeout: 5 });
  });

  test("throws the reason of a deny", async () => {
    const policy = `{ beforeToolCall() { return { action: "deny", reason: "not here" }; } }`;
    await expect(ask(policy)).rejects.toThrow("not here");
  });

  test("puts a rewritten input in the place of the old one, whole", async () => {
    const policy = `{ beforeToolCall() { return { action: "allow", updatedInput: { command: "pwd" } }; } }`;
    expect(await ask(policy)).toEqual({ command: "pwd" });
  });

  test("throws when a policy fails", async () => {
    await expect(ask(`{ beforeToolCall() { throw new Error("broken"); } }`)).rejects.toThrow("broken");
  });

  test("tells policies of a result, and disturbs nothing when they fail", async () => {
    const policy = `{ afterToolCall() { throw new Error("broken"); } }`;
    const armed = armHome([{ policy, phases: ["post-tool"] }]);
    const hooks = await load(armed, "post-tool");
    await hooks["tool.execute.after"]({ ...CALL, args: { command: "ls" } }, { title: "", output: "x", metadata: {} });
    expect(armed.journal()).toMatchObject([{ runtime: "opencode", phase: "post-tool" }]);
  });

  test.each([
    ["is missing", (file: string) => fs.rmSync(file)],
    ["dies", (file: string) => write(file, "#!/bin/sh\nkill -9 $$\n")],
    ["says what is no answer", (file: string) => write(file, "#!/bin/sh\necho oops\n")],
    ["says null", (file: string) => write(file, "#!/bin/sh\necho null\n")],
  ])("throws when the launcher %s", async (_, breakIt) => {
    const armed = armHome([{ policy: "{ beforeToolCall() {} }" }]);
    const hooks = await load(armed);
    breakIt(layout.launcher(armed.home));
    await expect(hooks["tool.execute.before"](CALL, { args: { command: "ls" } })).rejects.toThrow(/drwn/u);
  });
});

describe("the plugin, at the lifecycle events", () => {
  const armAt = (event: LifecycleEvent, body: string) =>
    armHome([{ policy: `{ run(event) { ${body} } }`, phases: [event as "notify"] }]);
  const prompt = (text: string): { parts: Part[] } => ({
    parts: [
      { id: "prt_1", messageID: "msg_1", sessionID: "s", type: "text", text },
      { id: "prt_2", messageID: "msg_1", sessionID: "s", type: "text", text: "not typed", synthetic: true },
    ],
  });
  const RULES = `const { prompt } = event.input;
    if (prompt === "drop it") return { action: "reject", reason: "no" };
    if (prompt === "design it") return { action: "proceed", additionalContext: "ask Alice" };`;

  test("only tells of what some hook wants", async () => {
    const armed = armAt("session.start", "");
    const started = { event: { type: "session.created", properties: { info: { id: "s" } } } };
    await (await load(armed)).event(started);
    expect(armed.journal()).toEqual([]);
    await (await load(armed, "session.start")).event(started);
    expect(armed.journal()).toHaveLength(1);
  });

  test("asks about calls and prompts whatever was wanted when OpenCode read it: more may be approved since", async () => {
    const denying = `return { action: "deny", reason: "no" };`;
    const rejecting = `return { action: "reject", reason: "no" };`;
    const guard = { policy: `{ beforeToolCall() { ${denying} }, run() { ${rejecting} } }` };
    const hooks = await load(armHome([{ ...guard, phases: ["pre-tool", "prompt.submit"] }]));
    await expect(hooks["tool.execute.before"](CALL, { args: {} })).rejects.toThrow("no");
    await expect(hooks["chat.message"]({ sessionID: "s" }, prompt("x"))).rejects.toThrow("no");
  });

  test("a prompt is held, added to, and let through as it was", async () => {
    const armed = armAt("prompt.submit", RULES);
    const hooks = await load(armed, "prompt.submit");
    await expect(hooks["chat.message"]({ sessionID: "s" }, prompt("drop it"))).rejects.toThrow("#guard-0] no");
    const more = prompt("design it");
    await hooks["chat.message"]({ sessionID: "s" }, more);
    expect(more.parts.slice(2)).toEqual([
      { id: "prt_2d", messageID: "msg_1", sessionID: "s", type: "text", text: "ask Alice", synthetic: true },
    ]);
    const plain = prompt("hello");
    await hooks["chat.message"]({ sessionID: "s" }, plain);
    expect(plain).toEqual(prompt("hello"));
    expect(armed.journal()).toMatchObject([{ runtime: "opencode", phase: "prompt.submit", verdict: "deny" }, {}, {}]);
  });

  test("a hook that fails or does not start holds the prompt", async () => {
    const armed = armAt("prompt.submit", `throw new Error("broken");`);
    const hooks = await load(armed, "prompt.submit");
    await expect(hooks["chat.message"]({}, prompt("x"))).rejects.toThrow("broken");
    fs.rmSync(layout.launcher(armed.home));
    await expect(hooks["chat.message"]({}, prompt("x"))).rejects.toThrow(/drwn/u);
  });

  test("a compaction is held, and added to", async () => {
    const held = await load(
      armAt("compact.before", `return { action: "cancel", reason: "not yet" };`),
      "compact.before",
    );
    await expect(held["experimental.session.compacting"]({}, { context: [] })).rejects.toThrow("not yet");
    const told = armAt("compact.before", `return { action: "proceed", additionalContext: "keep the names" };`);
    const output = { context: ["theirs"] };
    await (await load(told, "compact.before"))["experimental.session.compacting"]({}, output);
    expect(output.context).toEqual(["theirs", "keep the names"]);
  });

  test("text goes behind a result, and a hook that fails leaves it as it is", async () => {
    const told = armAt("tool.after", `return { action: "proceed", additionalContext: event.subject };`);
    const output = { title: "", output: "x", metadata: {} };
    await (await load(told, "tool.after"))["tool.execute.after"]({ ...CALL, args: {} }, output);
    expect(output.output).toBe("x\nBash");
    const broken = armAt("tool.after", `throw new Error("broken");`);
    await (await load(broken, "tool.after"))["tool.execute.after"]({ ...CALL, args: {} }, output);
    expect(output.output).toBe("x\nBash");
  });

  test("what is only told of reaches hooks, but for the sessions of subagents", async () => {
    const armed = armAt("turn.stop", "");
    const hooks = await load(armed, "turn.stop");
    const child = { sessionID: "child", info: { id: "child", parentID: "s" } };
    await hooks.event({ event: { type: "session.created", properties: child } });
    for (const sessionID of ["child", "s"]) {
      await hooks.event({ event: { type: "session.idle", properties: { sessionID } } });
    }
    await hooks.event({ event: { type: "message.updated" } });
    expect(armed.journal()).toMatchObject([{ phase: "turn.stop" }]);
  });
});

describe("where it lies", () => {
  const WANTED: PolicyTrigger[] = [{ matcher: "Bash", phases: ["pre-tool"] }];

  function plan(home: string, own: PolicyTrigger[], env: Record<string, string> = {}) {
    return planFor(opencodeTarget, own, { home, env });
  }

  test("it is written once, and goes when nothing is wanted", () => {
    const home = temporaryFolder();
    const { file, changes } = plan(home, WANTED);
    expect(file).toBe(path.join(home, ".config/opencode/plugins/drwn.js"));
    applyChanges(changes);
    expect(plan(home, WANTED).changes).toEqual([]);
    applyChanges(plan(home, []).changes);
    expect(fs.existsSync(file)).toBe(false);
    expect(plan(home, [], { XDG_CONFIG_HOME: "/x" }).file).toBe("/x/opencode/plugins/drwn.js");
  });

  test("a file of others in its place is neither overwritten nor removed", async () => {
    const home = temporaryFolder();
    write(path.join(home, ".config/opencode/plugins/drwn.js"), "// mine\n");
    expect((await problemOf(() => plan(home, WANTED))).code).toBe("DRWN_TARGET_OCCUPIED");
    expect(plan(home, []).changes).toEqual([]);
  });
});
