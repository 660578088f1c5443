import { expect, test } from "vitest";
import { readCommandFacts, typed } from "../../src/cli/names/names.ts";
import {
  advise,
  adviseIn,
  type CommandScope,
  drwn,
  SCOPED_COMMANDS,
  sayIn,
  type Text,
} from "../../src/kernel/advice.ts";

test.each<[Text, CommandScope, string]>([
  [drwn("write"), undefined, "drwn write"],
  [drwn("write"), "project", "drwn write"],
  [drwn("write", "--also", "codex"), "global", "drwn write --global --also codex"],
  [drwn("write"), "system", "sudo drwn write --system"],
  [drwn("status", "--check"), "system", "drwn status --system --check"],
  [drwn("allow", "3f2a"), "global", "drwn allow --global 3f2a"],
  [drwn("allow", "3f2a"), "system", "drwn allow 3f2a"],
  [
    advise`${drwn("remove", "@me/a")} && ${drwn("add", "@me/a")}`,
    "global",
    "drwn remove --global @me/a && drwn add --global @me/a",
  ],
  [advise`read ${"drwn write"}, then: ${drwn("write")}`, "global", "read drwn write, then: drwn write --global"],
  ["drwn write", "global", "drwn write"],
])("%j is told about %j as %j", (text, scope, said) => {
  expect(sayIn(scope, text)).toBe(said);
});

test("an answer about every folder has its commands, and no other text of it changes", () => {
  const answer = { hint: drwn("write"), message: "drwn write", cards: [{ review: advise`first: ${drwn("list")}` }] };
  expect(adviseIn("global", answer)).toEqual({
    hint: "drwn write --global",
    message: "drwn write",
    cards: [{ review: "first: drwn list --global" }],
  });
});

test("the commands with a scope are those that have its flags", () => {
  const having = (flag: string) =>
    readCommandFacts()
      .filter(({ flags }) => flag in flags)
      .map(({ id }) => typed(id));
  const listed = Object.entries(SCOPED_COMMANDS);
  expect(listed.map(([command]) => command).sort()).toEqual(having("global").sort());
  expect(listed.flatMap(([command, who]) => (who === "nobody" ? [] : [command])).sort()).toEqual(
    having("system").sort(),
  );
});
