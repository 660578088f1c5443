import { test } from "vitest";
import { targetsOf } from "../../src/agents/targets.ts";
import { type Outcome, ROWS } from "../e2e/ways/rows.ts";
import { checkGenerated } from "../support/generated-page.ts";
import { testHost } from "../support/host.ts";

test("the page says of each way around a guard what the tests with the real agents find", () => {
  const agents = [...new Set(ROWS.map(({ agent }) => agent))];
  const lists = agents.map((agent) => {
    const rows = ROWS.filter((row) => row.agent === agent);
    const groups = groupWays(rows.map(({ way, user, system }) => [`${way}${markOf(system)}`, user]));
    const lines = [...groups].map(([outcome, ways]) => `- ${outcome}: ${ways.join("; ")}\n`);
    return `**${agent}**\n\n${lines.join("")}`;
  });
  checkGenerated("docs/reference/guarded.md", `\n${lists.join("\n")}\n`);
});

/** What became of the call with root's guard: drwn always names the way, or says that nothing is set. */
function markOf(system: Outcome | undefined): string {
  if (system === undefined) return "";
  return system.ran ? " **(root's: ran)**" : "°";
}

function groupWays(ways: readonly (readonly [way: string, outcome: Outcome])[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [way, { ran, says }] of ways) {
    const outcome = `${ran ? "**ran**" : "did not run"}, drwn says ${says}`;
    groups.set(outcome, [...(groups.get(outcome) ?? []), way]);
  }
  return groups;
}

test("no row says Guarded where the call ran, except after a hook of the user's own rewrote it", ({ expect }) => {
  const quiet = ROWS.filter(({ user, system }) => [user, system].some((held) => held?.ran && held.says === "Guarded"));
  expect(
    quiet.filter(({ way }) => !/^an? (?:hook|plugin|extension) .*makes the denied call of another/u.test(way)),
  ).toEqual([]);
});

test("drwn says of each hook in a repository's settings that nobody knows what it makes of a call", ({ expect }) => {
  const ofRepository = ROWS.filter(({ way }) => /^a (?:hook|plugin) in the project.*makes the denied/u.test(way));
  expect(ofRepository.length).toBeGreaterThan(4);
  expect(ofRepository.filter(({ user }) => user.says !== "NOT KNOWN")).toEqual([]);
});

test("doctor --system names each way in which a call ran past the floor", ({ expect }) => {
  const named = targetsOf(["claude-code", "codex", "gemini-cli"]).flatMap(
    (target) => target.findBypasses?.({ host: testHost(), root: "/" }) ?? [],
  );
  const past = ROWS.filter(({ system }) => system?.ran && system.says === "Guarded, except for");
  const unnamed = past.filter(({ way }) => {
    const [, name = "rewrite"] = /`([A-Z_]+|hooksConfig\.\w+)`/u.exec(way) ?? [];
    return !named.some(({ message }) => message.includes(name));
  });
  expect(unnamed).toEqual([]);
});
