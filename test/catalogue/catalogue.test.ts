import { describe, expect, test } from "vitest";
import { askCalls } from "../../src/authoring/proving/ask-calls.ts";
import { type CardUnderTest, findCard } from "../../src/authoring/proving/find-hooks.ts";
import { wordOf } from "../../src/authoring/proving/run-cases.ts";
import { compileHookUnderTest, type ProvingSandbox, withSandbox } from "../../src/authoring/proving/sandbox.ts";
import { simulateCalls } from "../../src/authoring/proving/simulated-calls.ts";
import { type HookCase, readCases } from "../../src/card/hooks/cases.ts";
import { INDEX_VERSION } from "../../src/card/hooks/hook-index.ts";
import { printIndex } from "../../src/card/source/build-index.ts";
import { loadSource } from "../../src/card/source/source.ts";
import { CATALOGUE, folderOf } from "../support/catalogue.ts";
import { testHost } from "../support/host.ts";

/** Asks a hook about each of its cases once, as one agent tells of it: what another agent's words change is a sweep. */
async function failuresOf(place: ProvingSandbox, card: CardUnderTest, hook: string): Promise<string[]> {
  const tried = await compileHookUnderTest(card, hook);
  const cases = readCases(card.files, hook).flatMap((one): HookCase[] => {
    const { reason: _, instead, updatedInput: _of, ...call } = one;
    return instead === undefined ? [one] : [one, { ...call, ...instead, expect: "allow" }];
  });
  const calls = cases.map((one) => simulateCalls({ agent: "claude-code", ...one })[0] ?? { questions: [] });
  const answers = await askCalls(place, tried, calls);
  return cases.flatMap((one, at) => {
    const answer = answers[at];
    const word = answer === undefined ? "nothing" : wordOf(answer);
    const isAsExpected = word === one.expect && answer?.reason.includes(one.reason ?? "");
    return isAsExpected ? [] : [`${hook}: ${one.id}: ${word} ${answer?.reason}`];
  });
}

describe.each(CATALOGUE)("@drwn/%s", (name) => {
  const source = loadSource(folderOf(name));

  test("binds itself to saying no, since none of its policies rewrites a call or adds to it", () => {
    expect(source.manifest.hooks?.restrictOnly).toBe(true);
    const policies = [...source.importable].filter(([file]) => file.endsWith("policy.ts"));
    for (const [file, code] of policies)
      expect([file, /action: "allow"|updatedInput|additionalContext/u.test(code.toString())]).toEqual([file, false]);
  });

  test("has an index that is of its policies, and passes its cases", async () => {
    const card = await findCard(testHost(), folderOf(name));
    // To find a source is to index it.
    expect(source.index?.toString()).toBe(printIndex({ version: INDEX_VERSION, hooks: [...card.hooks] }));
    const failures = await withSandbox((place) =>
      Promise.all(card.hooks.map((hook) => failuresOf(place, card, hook.name))),
    );
    expect(failures.flat()).toEqual([]);
  });

  test.each(source.manifest.hooks?.include ?? [])("%s has cases enough, and proposes what it allows", (hook) => {
    const cases = readCases(source.importable, hook);
    expect(cases.length).toBeGreaterThanOrEqual(25);
    expect(cases.filter(({ expect: verdict }) => verdict === "allow").length).toBeGreaterThanOrEqual(10);
    expect(cases.some(({ instead }) => instead !== undefined)).toBe(true);
  });

  test("needs nothing beyond the event", () => {
    expect(source.manifest.hooks?.capabilities ?? {}).toEqual({});
  });
});
