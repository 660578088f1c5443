import { test } from "vitest";
import { targetsOf } from "../../src/agents/targets.ts";
import { type Outcome, ROWS } from "../e2e/ways/rows.ts";
import { checkGenerated } from "../support/generated-page.ts";
import { testHost } from "../support/host.ts";

test("the page says of each way around a guard what the tests with the real agents find", () => {
  const lines = [
    ["agent", "after", "a user's guard: the denied call", "drwn says", "root's: the denied call", "drwn says"],
    ["---", "---", "---", "---", "---", "---"],
    ...ROWS.map(({ agent, way, user, system }) => [agent, way, ...told(user), ...told(system)]),
  ];
  checkGenerated("docs/reference/guarded.md", lines.map((cells) => `| ${cells.join(" | ")} |\n`).join(""));
});

function told(outcome: Outcome | undefined): string[] {
  if (outcome === undefined) return ["–", "–"];
  const { ran, says } = outcome;
  // As drwn says it, without the number of ways.
  const inFull = says === "Guarded, except for" ? "Guarded, except for ways around it" : says;
  return [ran ? "**ran**" : "did not run", inFull];
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
