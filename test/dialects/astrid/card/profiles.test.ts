import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { PROFILES, profileHooks } from "../../../../src/dialects/astrid/card/profiles.ts";
import { AstridDispatcher } from "../../../../src/dialects/astrid/run/dispatcher.ts";
import { importPolicies } from "../../../../src/operations/author/import-policies.ts";
import { doctorSource } from "../../../../src/operations/author/inspect-source.ts";
import { sourceWith, temporaryFolder } from "../../../support/cards.ts";
import { testHost } from "../../../support/host.ts";
import { problemOf } from "../../../support/problems.ts";

function dispatcherOf(profile: string) {
  const root = temporaryFolder();
  const hooks = profileHooks(profile);
  return { root, hooks, dispatcher: new AstridDispatcher({ hooks, root, env: { TMPDIR: root } }) };
}

test("A60: minimal has no hook, logging has three that say nothing to the call", async () => {
  expect(profileHooks("minimal")).toEqual([]);
  const { hooks, dispatcher } = dispatcherOf("logging");
  expect(hooks).toHaveLength(3);
  for (const { event } of hooks) expect((await dispatcher.dispatch(event, {})).result).toEqual({ action: "continue" });
});

test("A60: security blocks rm, lets ls pass, and fails closed", async () => {
  const { hooks, root, dispatcher } = dispatcherOf("security");
  const verdict = async (tool: string) =>
    (await dispatcher.dispatch("pre_tool_call", { data: { tool_name: tool } })).result;
  expect(await verdict("rm")).toMatchObject({ action: "block" });
  expect(await verdict("ls")).toEqual({ action: "continue" });
  const broken = hooks.map((hook) => ({ ...hook, handler: { ...hook.handler, command: "no-such-shell" } }));
  const lame = new AstridDispatcher({ hooks: broken as typeof hooks, root, env: {} });
  expect((await lame.dispatch("pre_tool_call", { data: { tool_name: "rm" } })).result.action).toBe("block");
});

test("A60: development appends to its log", async () => {
  const { root, dispatcher } = dispatcherOf("development");
  for (const event of ["pre_tool_call", "tool_error"] as const) {
    await dispatcher.dispatch(event, { data: { tool_name: "shell" } });
  }
  const lines = fs.readFileSync(path.join(root, "astrid-debug.log"), "utf8").trim().split("\n");
  expect(lines).toEqual([
    expect.stringMatching(/ call \{"tool_name":"shell"\}$/u),
    expect.stringMatching(/ error \{"tool_name":"shell"\}$/u),
  ]);
});

test("A60: a name that no profile has is refused", async () => {
  const { code, hint } = await problemOf(async () => profileHooks("paranoid"));
  expect([code, hint]).toEqual(["DRWN_POLICIES_UNREADABLE", "there are minimal, logging, security, development"]);
});

test.each(PROFILES)("%s becomes a card that compiles", async (profile) => {
  const host = testHost();
  const card = sourceWith();
  const { hooks } = await importPolicies(host, card, { file: `profile:${profile}`, from: undefined, dryRun: false });
  const expected = {
    minimal: [],
    logging: ["log-session-start", "log-session-end", "log-tool-call"],
    security: ["block-dangerous-tools"],
  };
  expect(hooks.map(({ name }) => name)).toEqual(
    profile === "development" ? ["debug-tool-calls", "debug-tool-errors"] : expected[profile],
  );
  expect(await doctorSource(host, card)).toMatchObject({ ok: true });
});
