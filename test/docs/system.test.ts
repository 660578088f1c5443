import { test } from "vitest";
import { targetsOf } from "../../src/agents/targets.ts";
import { SYSTEM_ROWS } from "../e2e/system-rows.ts";
import { checkGenerated } from "../support/generated-page.ts";
import { testHost } from "../support/host.ts";

test("the page says of each scope and each way round what the tests with the real agents find", () => {
  const lines = [
    ["agent", "after", "user scope: the denied call", "drwn says", "system scope: the denied call", "drwn says"],
    ["---", "---", "---", "---", "---", "---"],
    ...SYSTEM_ROWS.map(({ agent, way, user, system }) => [
      agent,
      way,
      ...[user, system].flatMap(({ ran, says }) => [ran ? "**ran**" : "did not run", inFull(says)]),
    ]),
  ];
  checkGenerated("docs/reference/system.md", lines.map((cells) => `| ${cells.join(" | ")} |\n`).join(""));
});

/** As drwn says it, without the number of ways. */
function inFull(says: string): string {
  return says === "Guarded, except for" ? "Guarded, except for ways around it" : says;
}

test("no row says Guarded, and nothing else, where the call ran", ({ expect }) => {
  const cells = SYSTEM_ROWS.flatMap(({ user, system }) => [user, system]);
  expect(cells.filter(({ ran, says }) => ran && says === "Guarded")).toEqual([]);
});

test("doctor --system names each way in which a call ran past the floor", ({ expect }) => {
  const named = targetsOf(["claude-code", "codex", "gemini-cli"]).flatMap(
    (target) => target.waysRound?.({ host: testHost(), root: "/" }) ?? [],
  );
  const past = SYSTEM_ROWS.filter(({ system }) => system.ran && system.says === "Guarded, except for");
  const unnamed = past.filter(({ way }) => {
    const [, name = "rewrite"] = /`([A-Z_]+|hooksConfig\.\w+)`/u.exec(way) ?? [];
    return !named.some(({ message }) => message.includes(name));
  });
  expect(unnamed).toEqual([]);
});
