import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { printPlugin } from "../../../src/agents/opencode/plugin.ts";
import { opencodeTarget } from "../../../src/agents/opencode/target.ts";
import { layout } from "../../../src/contract/layout.ts";
import { applyChanges } from "../../../src/materialize/changes.ts";
import type { WantingPolicy } from "../../../src/materialize/wanted.ts";
import { type ArmedHome, armHome, write } from "../../support/armed-home.ts";
import { temporaryFolder } from "../../support/cards.ts";
import { problemOf } from "../../support/problems.ts";

interface Hooks {
  "tool.execute.before": (call: object, output: { args: Record<string, unknown> }) => Promise<void>;
  "tool.execute.after": (call: object, output: object) => Promise<void>;
}

/** The plugin as OpenCode loads it. */
async function load(armed: ArmedHome): Promise<Hooks> {
  const file = path.join(armed.world, "drwn.mjs");
  write(file, printPlugin(armed.home));
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
    const hooks = await load(armed);
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

describe("where it lies", () => {
  const WANTED: WantingPolicy[] = [{ matcher: "Bash", phases: ["pre-tool"] }];

  function plan(home: string, own: WantingPolicy[], env: Record<string, string> = {}) {
    const host = { home, env, drwnHome: path.join(home, "drwn") };
    const request = { host, root: "/p", wiring: "user", own, others: [], shared: "keep" } as const;
    return opencodeTarget.planHooks({ ...request, originOf: () => undefined });
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
