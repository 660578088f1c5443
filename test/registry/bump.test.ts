import path from "node:path";
import { describe, expect, test } from "vitest";
import type { HookFacts } from "../../src/contract/ledger.ts";
import { openFolderRegistry } from "../../src/registry/folder.ts";
import { packedCard, temporaryFolder } from "../support/cards.ts";
import { problemOf, textOf } from "../support/problems.ts";

type Card = Parameters<typeof packedCard>[0] & object;
type Hooks = Record<string, Partial<HookFacts>>;

const NOW = new Date(0);
const SKILL = { manifest: { skills: { include: ["s"] } }, files: { "skills/s/SKILL.md": "# S" } };
const hooks = (facts: Partial<HookFacts>, more: Hooks = {}): Card => ({ hooks: { guard: facts, ...more } });

async function publish(...cards: Card[]): Promise<void> {
  const registry = openFolderRegistry(path.join(temporaryFolder(), "registry"), "folder:test");
  for (const card of cards) await registry.publish(await packedCard(card), NOW);
}

describe("a version step", () => {
  test.each<[string, Card, Card, "major" | "minor" | "patch"]>([
    ["nothing but text", {}, { files: { "README.md": "x" } }, "patch"],
    ["a removed hook", hooks({}, { other: {} }), hooks({}), "major"],
    ["an added hook", hooks({}), hooks({}, { other: {} }), "minor"],
    ["a guard that becomes an observer", hooks({}), hooks({ kind: "observer" }), "major"],
    ["an observer that becomes a guard", hooks({ kind: "observer" }), hooks({ kind: "enforcement" }), "major"],
    ["a narrower list of tools", hooks({ matcher: "Bash|Write" }), hooks({ matcher: "Bash" }), "major"],
    ["a longer list of tools", hooks({ matcher: "Bash" }), hooks({ matcher: "Bash|Write" }), "minor"],
    ["a matcher that becomes every tool", hooks({ matcher: "mcp__*" }), hooks({ matcher: null }), "minor"],
    ["every tool that becomes a matcher", hooks({ matcher: null }), hooks({ matcher: "?*" }), "major"],
    ["a wider glob", hooks({ matcher: "mcp__a*" }), hooks({ matcher: "mcp__*|Bash" }), "minor"],
    ["one glob for another", hooks({ matcher: "mcp__*" }), hooks({ matcher: "mcp__a*" }), "major"],
    ["a phase less", hooks({ phases: ["pre-tool", "post-tool"] }), hooks({ phases: ["pre-tool"] }), "major"],
    ["a phase more", hooks({ phases: ["pre-tool"] }), hooks({ phases: ["pre-tool", "post-tool"] }), "minor"],
    ["a capability more", hooks({}), hooks({ capabilities: ["net"] }), "minor"],
    ["a capability less", hooks({ capabilities: ["net"] }), hooks({}), "patch"],
    ["a longer timeout", hooks({ timeoutMs: 10 }), hooks({ timeoutMs: 20 }), "minor"],
    ["a shorter timeout", hooks({ timeoutMs: 20 }), hooks({ timeoutMs: 10 }), "patch"],
    ["another order of hooks", hooks({}, { b: {} }), { hooks: { b: {}, guard: {} } }, "patch"],
    ["a removed skill", SKILL, {}, "major"],
    ["an added skill", {}, SKILL, "minor"],
    ["a removed server", { manifest: { servers: { db: { command: "x" } } } }, {}, "major"],
    [
      "a changed server",
      { manifest: { servers: { db: { command: "x" } } } },
      { manifest: { servers: { db: { command: "y" } } } },
      "minor",
    ],
    ["the end of restrictOnly", { manifest: { hooks: { restrictOnly: true } } }, {}, "major"],
  ])("for %s is at least as large as what changed", async (_, before, after, needed) => {
    const steps = { patch: "1.0.1", minor: "1.1.0", major: "2.0.0" } as const;
    const order = ["patch", "minor", "major"] as const;
    for (const step of order) {
      const work = () => publish({ ...before, version: "1.0.0" }, { ...after, version: steps[step] });
      if (order.indexOf(step) >= order.indexOf(needed)) await work();
      else expect((await problemOf(work)).code).toBe("DRWN_BUMP_TOO_SMALL");
    }
  });

  test("that is too small is refused with what changed and the version to use", async () => {
    const work = () => publish(hooks({}, { other: {} }), { ...hooks({ kind: "observer" }), version: "1.0.1" });
    const text = textOf(await problemOf(work));
    expect(text).toContain("major: hook `other` is removed");
    expect(text).toContain("enforcement becomes observer");
    expect(text).toContain("2.0.0");
  });

  test("counts one lower before 1.0.0", async () => {
    const [before, after] = [hooks({}, { other: {} }), hooks({})];
    await publish({ ...before, version: "0.1.0" }, { ...after, version: "0.2.0" });
    await publish({ ...after, version: "0.1.0" }, { ...before, version: "0.1.1" });
    const problem = await problemOf(() => publish({ ...before, version: "0.1.0" }, { ...after, version: "0.1.1" }));
    expect(problem.code).toBe("DRWN_BUMP_TOO_SMALL");
  });

  test("is measured from the highest lower release, so that older lines can be fixed", async () => {
    const [two, one] = [hooks({}, { other: {} }), hooks({})];
    await publish({ ...two, version: "1.0.0" }, { ...one, version: "2.0.0" }, { ...two, version: "1.0.1" });
    const problem = await problemOf(() =>
      publish({ ...two, version: "1.0.0" }, { ...two, version: "2.0.0-rc.1" }, { ...one, version: "1.0.1" }),
    );
    expect(problem.code).toBe("DRWN_BUMP_TOO_SMALL");
  });

  const [one, two] = [hooks({}), hooks({}, { other: {} })];
  const LINES = [
    { ...one, version: "1.0.0" },
    { ...two, version: "1.1.0" },
    { ...one, version: "2.0.0" },
    { ...two, version: "2.1.0" },
  ];

  test.each<[string, Card]>([
    ["1.0.1", one],
    ["1.1.1", two],
    ["1.2.0", hooks({}, { other: {}, third: {} })],
    ["2.0.1", one],
    ["1.9.0", two],
  ])("lets %s fix its own line, whatever is published above it", async (version, card) => {
    await publish(...LINES, { ...card, version });
  });

  test.each<[string, Card, string]>([
    ["1.0.1", two, "1.1.0 is published already: make the change on top of 2.1.0"],
    ["1.1.1", one, "2.0.0 is published already"],
    ["2.0.1", two, "2.1.0 is published already"],
    ["1.1.1", hooks({}, { other: {}, third: {} }), "drwn card source set @me/backend --version 1.2.0"],
  ])("does not let %s bring into its line what asks for a larger step", async (version, card, hint) => {
    const problem = await problemOf(() => publish(...LINES, { ...card, version }));
    expect(problem.code).toBe("DRWN_BUMP_TOO_SMALL");
    expect(problem.hint).toContain(hint);
  });

  test("that leads to a prerelease must be honest, too", async () => {
    const [two, one] = [hooks({}, { other: {} }), hooks({})];
    await publish({ ...two, version: "1.0.0" }, { ...one, version: "2.0.0-rc.1" });
    const problem = await problemOf(() => publish({ ...two, version: "1.0.0" }, { ...one, version: "1.0.1-rc.1" }));
    expect(problem.code).toBe("DRWN_BUMP_TOO_SMALL");
  });
});
