import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileMatcher } from "../../../../src/card/matcher.ts";
import { POLYTOKEN_HOOK_EVENTS, type PolytokenEvent } from "../../../../src/dialects/polytoken/words/events.ts";
import { compilePolytokenGlob } from "../../../../src/dialects/polytoken/words/glob.ts";
import {
  commonMatcher,
  type PolytokenPolicy,
  polytokenHook,
} from "../../../../src/dialects/polytoken/words/polytoken-hook.ts";
import { eventNamed } from "../../../../src/policy/dialect-names.ts";
import type { ToolPolicyEvent } from "../../../../src/policy/event.ts";
import { powersOf } from "../../../../src/policy/lifecycle-events.ts";
import { temporaryFolder } from "../../../support/cards.ts";

/** What the engine gets of a lifecycle hook of a card that runs this script. */
async function answerTo(event: PolytokenEvent, bash: string, more: Partial<PolytokenPolicy> = {}): Promise<unknown> {
  const hook = polytokenHook({ name: "h", event, ...more, handler: { bash } });
  if (!("run" in hook)) throw new Error("it is a policy");
  const asked = {
    runtime: "polytoken",
    event: hook.event,
    input: { prompt: "fix it", ...(powersOf(hook.event).subject === "type" ? { type: "explorer" } : {}) },
    cwd: temporaryFolder(),
    sessionId: "s1",
    metadata: { custom: 1 },
  };
  return await hook.run(asked as never);
}

const print = (outcome: object) => `echo '${JSON.stringify(outcome)}'`;

describe("a hook of Polytoken in a card", () => {
  test.each<[PolytokenEvent, object, object | undefined]>([
    ["session_start", { outcome: "allow", additional_context: "c" }, { action: "proceed", additionalContext: "c" }],
    ["pre_user_prompt", { outcome: "accept", additional_context: "c" }, { action: "proceed", additionalContext: "c" }],
    ["pre_user_prompt", { outcome: "accept" }, undefined],
    ["pre_user_prompt", { outcome: "reject", reason: "r" }, { action: "reject", reason: "r" }],
    ["pre_model_turn", { outcome: "retry", reason: "r" }, { action: "retry", reason: "r" }],
    ["stop", { outcome: "stop" }, undefined],
    ["stop", { outcome: "continue", reason: "r" }, { action: "keep-going", reason: "r" }],
    ["pre_compaction", { outcome: "allow", prepend_to_prompt: "c" }, { action: "proceed", additionalContext: "c" }],
    ["pre_compaction", { outcome: "cancel", reason: "r" }, { action: "cancel", reason: "r" }],
    ["pre_compaction", { outcome: "suppress" }, { action: "cancel", reason: "the hook answered suppress" }],
    ["post_compaction", { outcome: "allow", append_to_output: "c" }, { action: "proceed", additionalContext: "c" }],
    [
      "notification",
      { outcome: "suppress", reason: " " },
      { action: "suppress", reason: "the hook answered suppress" },
    ],
    ["facet_switch", { outcome: "deny" }, undefined],
  ])("says on %s by %j what it means: %j", async (event, printed, answer) => {
    expect(await answerTo(event, print(printed))).toEqual(answer);
  });

  test.each([{ outcome: "deny" }, { outcome: "deny", reason: " " }])(
    "denies a call without a reason: %j",
    async (said) => {
      const policy = polytokenHook({ name: "h", event: "pre_tool_use", handler: { bash: print(said) } });
      if ("run" in policy) throw new Error("it isn't a policy");
      const event = { runtime: "polytoken", phase: "pre-tool", toolName: "shell", input: {}, cwd: temporaryFolder() };
      const decision = await policy.beforeToolCall?.(event as ToolPolicyEvent);
      expect(decision).toEqual({ action: "deny", reason: expect.stringMatching(/^the hook answered deny/u) });
    },
  );

  test("reads the event in Polytoken's words, with what the agent said beside it", async () => {
    const check = `jq -e '.event == "pre_user_prompt" and .prompt == "fix it" and .custom == 1 and .session_id == "s1"' > /dev/null`;
    expect(await answerTo("pre_user_prompt", `${check} && test "$POLYTOKEN_SESSION_ID" = s1 && exit 2`)).toMatchObject({
      action: "reject",
    });
  });

  test("fires for the subagents that its glob matches, and no others", async () => {
    const loud = "exit 1";
    await expect(answerTo("subagent_start", loud, { matcher: "[e]xplorer" })).rejects.toThrow("it exited with code 1");
    expect(await answerTo("subagent_start", loud, { matcher: "x*" })).toBeUndefined();
  });

  test.each(POLYTOKEN_HOOK_EVENTS.filter((event) => !/tool/u.test(event)))(
    "%s holds what an error stops in Polytoken",
    (event) => {
      const closed = ["pre_model_turn", "stop", "pre_compaction"].includes(event);
      const hook = polytokenHook({ name: "h", event, handler: { bash: "exit 1" } });
      expect(hook).toMatchObject({ event: eventNamed("polytoken", event), onFailure: closed ? "block" : "proceed" });
    },
  );
});

/** Globs of whatever Polytoken takes, and subjects that they may match. */
const PIECES = [
  "a",
  "B",
  "_",
  ".",
  "./",
  "/",
  "*",
  "**",
  "?",
  "{a,b}",
  "{a*,}",
  "{a}",
  "{a,{b,c}}",
  ",",
  "[ab]",
  "\\*",
  " ",
  "ü",
];
const globs = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join(""));
const subjects = fc
  .array(fc.constantFrom("a", "B", "b", "_", ".", "/", "*", ","), { maxLength: 8 })
  .map((all) => all.join(""));

test("what drwn takes of a glob is a matcher, and matches whatever the glob does", () => {
  fc.assert(
    fc.property(globs, subjects, (glob, subject) => {
      const { matcher } = commonMatcher(glob);
      if (matcher === undefined) return;
      const isAsked = new RegExp(compileMatcher(matcher), "u").test(subject);
      expect(isAsked || !compilePolytokenGlob(glob)(subject)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
  const common = (matcher: string) => commonMatcher(matcher).matcher;
  expect(["file_edit_*", "{file_write,file_edit_*}", "mcp__a-b__*", "[ab]", "a,b"].map(common)).toEqual([
    "file_edit_*",
    "{file_write,file_edit_*}",
    "mcp__a-b__*",
    undefined,
    undefined,
  ]);
});
