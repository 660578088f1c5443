import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { allAdapters } from "../../src/agents/adapters.ts";
import { allTargets } from "../../src/agents/targets.ts";

const [guide, launcher] = ["docs/guides/guard-an-agent.md", "templates/launcher.sh"].map((file) =>
  fs.readFileSync(path.resolve(import.meta.dirname, "../..", file), "utf8"),
);

test.each(allAdapters().map(({ title }) => title))("the guide says how %s is guarded", (title) => {
  expect(guide).toMatch(
    title === "Mastra" ? /Mastra have\s+\[a page of their own\]/u : new RegExp(`^## .*${title}`, "mu"),
  );
});

test("the launcher looks for the folder of a session where each agent names it", () => {
  // What any shell sets is where the launcher starts to look anyway.
  const named = allTargets().flatMap(({ runtime, calls: { rootVariable = "PWD" } }) =>
    rootVariable === "PWD" ? [] : [`  ${runtime}) named=\${${rootVariable}-} ;;`],
  );
  expect(
    launcher
      ?.split("\n")
      .filter((line) => /^ {2}[a-z-]+\) named=\$/u.test(line))
      .sort(),
  ).toEqual(named.sort());
});
