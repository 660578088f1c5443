import { test } from "vitest";
import { targetsOf } from "../../src/agents/targets.ts";
import { type Outcome, ROWS } from "../e2e/ways/rows.ts";
import { checkGenerated } from "../support/generated-page.ts";
import { testHost } from "../support/host.ts";

/** Of root's guard the page names only the ways after which the call ran. */
const HELD = "did not run, drwn says Guarded, except for ways around it";

test("the page says of each way around a guard what the tests with the real agents find", () => {
  const agents = [...new Set(ROWS.map(({ agent }) => agent))];
  const lists = agents.map((agent) => {
    const rows = ROWS.filter((row) => row.agent === agent);
    const users = groupWays(rows.map(({ way, user, system }) => [`${way}${system ? "°" : ""}`, user]));
    const roots = groupWays(rows.flatMap(({ way, system }) => (system ? [[way, system] as const] : [])));
    const ofRoots = [...roots]
      .filter(([outcome]) => outcome !== HELD)
      .map(([outcome, ways]) => `root's guard: ${listed(outcome, ways)}`);
    return [`**${agent}**`, "", ...[...users].map(([outcome, ways]) => listed(outcome, ways)), ...ofRoots]
      .map((line, at) => (at < 2 ? line : `- ${line}`))
      .join("\n");
  });
  checkGenerated("docs/reference/guarded.md", `\n${lists.join("\n\n")}\n\n`);
});

function groupWays(ways: readonly (readonly [way: string, outcome: Outcome])[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [way, { ran, says }] of ways) {
    // As drwn says it, without the number of ways.
    const inFull = says === "Guarded, except for" ? "Guarded, except for ways around it" : says;
    const outcome = `${ran ? "**ran**" : "did not run"}, drwn says ${inFull}`;
    groups.set(outcome, [...(groups.get(outcome) ?? []), way]);
  }
  return groups;
}

function listed(outcome: string, ways: readonly string[]): string {
  return `${outcome}: ${ways.join("; ")}`;
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
