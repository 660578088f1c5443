import path from "node:path";
import { describe, expect, test } from "vitest";
import { POLYTOKEN_HOOK_EVENTS } from "../../../../src/dialects/polytoken/words/events.ts";
import { importPolicies } from "../../../../src/operations/author/import-policies.ts";
import { doctorSource } from "../../../../src/operations/author/inspect-source.ts";
import { eventNamed } from "../../../../src/policy/dialect-names.ts";
import { readTree, sourceWith, writeTree } from "../../../support/cards.ts";
import { testHost } from "../../../support/host.ts";
import { problemOf } from "../../../support/problems.ts";
import { hook } from "../world.ts";

function importing(hooks: unknown) {
  const host = testHost();
  const card = sourceWith();
  writeTree(host.cwd, { ".polytoken/hooks.json": JSON.stringify(hooks, null, 2) });
  return { host, card, request: { file: ".polytoken/hooks.json", from: undefined, dryRun: false } };
}

const GUARD = hook("pre_tool_use", "exit 2", { name: "Protect the changelog", matcher: "file_edit_*" });

const PHASES: Readonly<Record<string, string>> = {
  pre_tool_use: "pre-tool",
  post_tool_use: "post-tool",
  post_tool_use_failure: "post-tool",
};

/** Agents that tell of the event, where these are not Claude Code, Codex and Polytoken; others may do so as well. */
const ACTIVE: Readonly<Record<string, readonly string[]>> = {
  pre_model_turn: ["polytoken"],
  post_model_turn: ["polytoken"],
  pre_tool_use: ["every agent that drwn guards"],
  post_tool_use: ["every agent that drwn guards"],
  post_tool_use_failure: ["astrid", "claude-code", "gemini-cli", "polytoken"],
  notification: ["claude-code", "polytoken"],
  facet_switch: ["polytoken"],
};

const EVERYWHERE = ["claude-code", "codex", "polytoken"];

describe("card source import --from polytoken", () => {
  test("makes hooks that compile, with the scripts as they stand and what they use declared", async () => {
    const log = hook("post_tool_use", "cat >> /tmp/log\necho \u202edone", { name: "Protect the changelog" });
    const { host, card, request } = importing([GUARD, log]);
    const report = await importPolicies(host, card, request);
    expect(report).toMatchObject({
      dialect: "polytoken",
      hooks: [
        { name: "protect-the-changelog", capabilities: ["env", "exec"] },
        { name: "protect-the-changelog-2", capabilities: ["env", "exec"] },
      ],
    });
    const tree = readTree(card);
    expect(tree["hooks/protect-the-changelog/policy.ts"]).toContain(
      'matcher: "file_edit_*",\n  handler: { bash: "exit 2" }',
    );
    expect(tree["hooks/protect-the-changelog-2/policy.ts"]).toContain('\n    "echo \\u202edone",\n  ].join("\\n")');
    const inspected = await doctorSource(host, card);
    expect(inspected).toMatchObject({ ok: true });
    expect(inspected.hooks).toMatchObject([
      { kind: "enforcement", matcher: "file_edit_*|Edit", phases: ["pre-tool"], timeoutMs: 10_000 },
      { kind: "observer", matcher: null, phases: ["post-tool"] },
    ]);
  });

  test("takes the folder of a project, and says what the card cannot hold", async () => {
    const { host, card, request } = importing(["!log", GUARD, hook("stop", "x", { name: "never", matcher: "end" })]);
    const report = await importPolicies(host, card, { ...request, file: ".", from: "polytoken" });
    const said = (name: string) => report.differences.filter(({ policy }) => policy === name).map(({ what }) => what);
    expect(said("!log")).toEqual(["it turns off a global hook, and no card can do that"]);
    expect(said("never")).toEqual(["it is not imported: it never fires: its matcher is compared with `stop`"]);
    expect(said("Protect the changelog")[0]).toBe("its event is tool.before; active on: every agent that drwn guards");
    expect(report.differences.every(({ line }) => line > 0)).toBe(true);
  });

  test("makes a hook of each event, which packs, and says where it is active", async () => {
    const { host, card, request } = importing(POLYTOKEN_HOOK_EVENTS.map((name) => hook(name, "exit 0", { name })));
    const report = await importPolicies(host, card, request);
    const inspected = await doctorSource(host, card);
    expect(inspected).toMatchObject({ ok: true });
    expect(inspected.hooks.map(({ name, phases }) => [name, ...phases])).toEqual(
      POLYTOKEN_HOOK_EVENTS.map((name) => [name.replaceAll("_", "-"), PHASES[name] ?? eventNamed("polytoken", name)]),
    );
    const active = report.differences.filter(({ what }) => what.startsWith("its event is"));
    expect(
      active.map(({ policy, what }) => [policy, what.replace(/.*active on: | \([^)]*\)/gu, "").split(", ")]),
    ).toEqual(POLYTOKEN_HOOK_EVENTS.map((name) => [name, expect.arrayContaining([...(ACTIVE[name] ?? EVERYWHERE)])]));
    // Codex does not tell of a call that failed.
    expect(active.find(({ policy }) => policy === "post_tool_use_failure")?.what).not.toContain("codex");
  });

  test("refuses what Polytoken refuses, and changes nothing", async () => {
    const { host, card, request } = importing([GUARD, { ...GUARD, event: "pre_tool" }]);
    const before = readTree(card);
    const { code, message } = await problemOf(() => importPolicies(host, card, request));
    expect(code).toBe("DRWN_POLICIES_UNREADABLE");
    expect(message).toMatch(/hooks\.json, line 12: entry 2 .*unknown event "pre_tool"/u);
    expect(readTree(card)).toEqual(before);
    const missing = await problemOf(() =>
      importPolicies(host, card, { ...request, file: path.join("no", "hooks.json"), from: "polytoken" }),
    );
    expect(missing.code).toBe("DRWN_POLICIES_UNREADABLE");
  });
});
