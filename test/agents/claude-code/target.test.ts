import { expect, test } from "vitest";
import { claudeCodeTarget } from "../../../src/agents/claude-code/target.ts";
import type { PolicyPhase } from "../../../src/contract/ledger.ts";
import { temporaryFolder } from "../../support/cards.ts";
import { planFor } from "../plan.ts";

interface Written {
  hooks: Record<string, { hooks: { onFailure?: string }[] }[]>;
}

/** What the entries that one policy wants say of a hook that fails, by their events. */
function onFailureAt(...phases: PolicyPhase[]): Record<string, string | undefined> {
  const folder = temporaryFolder();
  const { text } = planFor(claudeCodeTarget, [{ matcher: null, phases }], { home: folder, root: `${folder}/project` });
  const { hooks }: Written = JSON.parse(text);
  return Object.fromEntries(Object.entries(hooks).map(([event, [entry]]) => [event, entry?.hooks[0]?.onFailure]));
}

test.each([
  ["pre-tool", "PreToolUse", "PreSkillShellCommand"],
  ["prompt.submit", "UserPromptSubmit"],
  ["approval.before", "PermissionRequest"],
  ["compact.before", "PreCompact"],
] as const)("the entry for %s has Claude Code hold the event when the hook dies", (phase, ...events) => {
  expect(onFailureAt(phase)).toEqual(Object.fromEntries(events.map((event) => [event, "block"])));
});

test("the entries for what is over, or would never end, do not", () => {
  expect(onFailureAt("post-tool", "turn.stop", "compact.after", "notify")).toEqual({
    PostToolUse: undefined,
    PostToolUseFailure: undefined,
    Stop: undefined,
    PostCompact: undefined,
    Notification: undefined,
  });
});

test("a home that is a project gets no entry for everybody: its settings are its user's own", () => {
  const home = temporaryFolder();
  const place = { home, root: home, shared: "put" } as const;
  const { changes } = planFor(claudeCodeTarget, [{ matcher: null, phases: ["pre-tool"] }], place);
  expect(changes.map((change) => String(change.after).includes("$HOME/"))).toEqual([false]);
});
