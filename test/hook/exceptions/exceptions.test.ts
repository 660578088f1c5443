import fs from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { layout } from "../../../src/contract/layout.ts";
import { type Exception, factsText, matchesWords, plainWords } from "../../../src/contract/ledger.ts";
import { GLOBAL_KEY } from "../../../src/contract/scopes.ts";
import { type ArmedHome, armGlobal, armHome, type LiteralPolicy } from "../../support/armed-home.ts";
import { type HookResult, reasonOf, verdictOf } from "../../support/hook-calls.ts";
import { callAtOnce } from "../../support/hook-storm.ts";
import { removeWorlds } from "../../support/worlds.ts";

afterAll(removeWorlds);

const DENIES = (word: string): string =>
  `{ beforeToolCall: ({ input }) => String(input.command).includes("${word}") ? { action: "deny", reason: "no ${word}" } : undefined }`;
const GUARDS: LiteralPolicy[] = [
  { hook: "push", policy: DENIES("push") },
  { hook: "force", policy: DENIES("--force") },
];
const ID = "0123456789ab";

interface Line {
  verdict: string;
  named?: { digest: string; folder: string; session: string };
  policies: { policy: string; exception?: string; applied: boolean; carried?: string }[];
}

const lastLine = (armed: ArmedHome): Line => armed.journal().at(-1) as unknown as Line;

function bash(armed: ArmedHome, command: string, more: Record<string, unknown> = {}): HookResult {
  return armed.call({ tool_input: { command }, session_id: "s-1", ...more });
}

/** The exception for the call that was denied last. */
function exceptionOf(armed: ArmedHome, parts: Partial<Exception> = {}): Exception {
  const hook = parts.hook ?? "push";
  const facts = armed.ledger.grants[0]?.approved[0]?.hooks.find(({ name }) => name === hook);
  if (facts === undefined) throw new Error(`no hook ${hook}`);
  return {
    ...{ id: ID, card: "@me/guards", hook, facts: factsText(facts), call: lastLine(armed).named?.digest ?? null },
    ...{ like: null, isOnce: true, session: null, expiresAt: "2999-01-01T00:00:00.000Z", reason: "" },
    at: "2026-01-01T00:00:00.000Z",
    ...parts,
  };
}

function allow(armed: ArmedHome, ...exceptions: Exception[]): void {
  armed.writeLedger({ ...armed.ledger, exceptions });
}

function deniedOnce(policies: readonly LiteralPolicy[] = GUARDS, command = "git push"): ArmedHome {
  const armed = armHome(policies);
  expect(verdictOf(bash(armed, command))).toBe("deny");
  return armed;
}

const usesOf = (armed: ArmedHome): number =>
  fs.statSync(layout.exceptionUses(armed.home, armed.key, ID), { throwIfNoEntry: false })?.size ?? 0;

describe("an exception", () => {
  test.each<[string, LiteralPolicy[]]>([
    ["in the hook process", GUARDS],
    ["in processes of their own", GUARDS.map((guard) => ({ ...guard, capabilities: ["env"] }))],
  ])("lets exactly the call through, once, with policies %s", (_, policies) => {
    const armed = deniedOnce(policies);
    allow(armed, exceptionOf(armed));
    expect(verdictOf(bash(armed, "git push origin"))).toBe("deny");
    // Another order of fields, and another word about it, is the same call.
    expect(verdictOf(armed.call({ tool_input: { description: "again", command: "git push" } }))).toBe("silence");
    expect(lastLine(armed).policies[0]).toMatchObject({ exception: ID, applied: false, carried: "none" });
    expect(armed.journal().at(-1)).toMatchObject({ verdict: "allow", input: expect.stringContaining("git push") });
    expect(verdictOf(bash(armed, "git push"))).toBe("deny");
    expect(usesOf(armed)).toBe(1);
  });

  test("lets one of eight calls at once through", async () => {
    const armed = armHome(
      GUARDS.map((guard) => ({ ...guard, policy: guard.policy.replace("--force", "ls").replace("push", "ls") })),
    );
    await callAtOnce(armed, 1);
    allow(armed, exceptionOf(armed), exceptionOf(armed, { id: "0".repeat(12), hook: "force", isOnce: false }));
    const verdicts = (await callAtOnce(armed, 8)).map(verdictOf);
    expect(verdicts.filter((verdict) => verdict !== "deny")).toHaveLength(1);
  });

  test("leaves the call to every other hook, and is not used up when one denies it", () => {
    const armed = deniedOnce(GUARDS, "git push --force");
    allow(armed, exceptionOf(armed));
    expect(verdictOf(bash(armed, "git push --force"))).toBe("deny");
    expect(lastLine(armed)).toMatchObject({ by: "@me/guards@1.2.3#force" });
    expect(usesOf(armed)).toBe(0);
    allow(armed, exceptionOf(armed), exceptionOf(armed, { id: "0".repeat(12), hook: "force" }));
    expect(verdictOf(bash(armed, "git push --force"))).toBe("silence");
    expect(verdictOf(bash(armed, "git push --force"))).toBe("deny");
  });

  test("that holds for a while counts its uses", () => {
    const armed = deniedOnce();
    allow(armed, exceptionOf(armed, { isOnce: false }));
    for (let i = 0; i < 3; i++) expect(verdictOf(bash(armed, "git push"))).toBe("silence");
    expect(usesOf(armed)).toBe(3);
  });

  test.each<[string, Partial<Exception>]>([
    ["that has ended", { expiresAt: "2026-01-02T00:00:00.000Z" }],
    ["of another session", { session: "s-2" }],
    ["for other facts of the hook", { facts: "[]" }],
    ["for another hook", { hook: "force" }],
    ["for another card", { card: "@me/other" }],
    ["for another folder", { call: null, like: { folder: "/elsewhere", words: ["git", "push"] } }],
  ])("%s lets nothing through", (_, parts) => {
    const armed = deniedOnce();
    allow(armed, exceptionOf(armed, parts));
    expect(verdictOf(bash(armed, "git push"))).toBe("deny");
  });

  test("holds in its session", () => {
    const armed = deniedOnce();
    allow(armed, exceptionOf(armed, { session: "s-1", isOnce: false }));
    expect(verdictOf(bash(armed, "git push"))).toBe("silence");
    expect(verdictOf(bash(armed, "git push", { session_id: "s-2" }))).toBe("deny");
  });

  test("is for its call as the agent made it: in another folder, and as another policy rewrites it, the call stays denied", () => {
    const longer = `{ action: "allow", updatedInput: { command: "git push origin" } }`;
    const rewrites = `{ beforeToolCall: ({ input }) => input.command === "git push" ? ${longer} : undefined }`;
    for (const [first, cwd] of [
      [[], "sub"],
      [[{ hook: "longer", policy: rewrites }], ""],
    ] as const) {
      const armed = deniedOnce([...first, ...GUARDS]);
      allow(armed, exceptionOf(armed, { isOnce: false }));
      expect(reasonOf(bash(armed, "git push", { cwd: path.join(armed.project, cwd) }))).toBe(
        "[@me/guards#push] no push",
      );
    }
  });

  test("of a project is none of a guard that holds in every folder, whose own ledger may have one", () => {
    const armed = deniedOnce();
    const floor = armGlobal(armed, [{ hook: "push", policy: DENIES("push"), card: "@me/floor" }]);
    const own = exceptionOf(armed, { isOnce: false });
    const ofFloor = { ...own, card: "@me/floor", isOnce: true };
    allow(armed, own, ofFloor);
    expect(reasonOf(bash(armed, "git push"))).toBe("[@me/floor#push] no push");
    expect(lastLine(armed).named?.digest).toBe(own.call);
    floor.writeLedger({ ...floor.ledger, exceptions: [ofFloor] });
    expect(verdictOf(bash(armed, "git push"))).toBe("silence");
    expect(fs.statSync(layout.exceptionUses(armed.home, GLOBAL_KEY, ID)).size).toBe(1);
    expect(reasonOf(bash(armed, "git push"))).toBe("[@me/floor#push] no push");
  });

  test("does not cover a failure", () => {
    const fails = DENIES("push").replace("undefined }", `(() => { throw new Error("x"); })() }`);
    const armed = deniedOnce([{ hook: "push", policy: fails }]);
    const exception = exceptionOf(armed, { isOnce: false });
    allow(armed, exception, {
      ...exception,
      id: "0".repeat(12),
      call: null,
      like: { folder: armed.project, words: ["ls"] },
    });
    expect(verdictOf(bash(armed, "git push"))).toBe("silence");
    expect(verdictOf(bash(armed, "ls"))).toBe("deny");
    expect(lastLine(armed).named).toBeUndefined();
  });

  test.each<[string, unknown]>([
    ["that leads elsewhere", { id: "../../x" }],
    ["without an end", { expiresAt: undefined }],
    ["of no words", { like: { folder: "/" } }],
  ])("%s makes the ledger malformed, which blocks", (_, parts) => {
    const armed = deniedOnce();
    allow(armed, { ...exceptionOf(armed), ...(parts as object) });
    expect(verdictOf(bash(armed, "ls"))).toBe("deny");
  });
});

/** What an agent tries that has seen `git push --force origin user/*` allowed, and wants more. */
const TRIES = [
  "git push --force origin main",
  "git push --force origin user/x main",
  "git push --force origin user/x/y",
  "git push --force origin user/",
  "git push --force origin user/..",
  "git push --force origin user/../main",
  "git push --force origin user/x:main",
  "git push --force origin +user/x main",
  "git push --force origin --receive-pack=x",
  "git push --force user/x",
  "git push -f --force origin user/x",
  "git push --force evil user/x",
  "git push --force origin user/x; git push --force origin main",
  "git push --force origin user/x && git push --force origin main",
  "git push --force origin user/x | sh -c 'git push'",
  "git push --force origin user/x\ngit push --force origin main",
  "git push --force origin user/x\rgit push",
  "git push --force origin user/x & git push",
  "git push --force origin user/$(git push)",
  "git push --force origin user/`git push`",
  "git push --force origin user/$X",
  "git push --force origin 'user/x' \"$(git push)\"",
  'git push --force origin "user/$X"',
  'git push --force origin "user/`x`"',
  "git push --force origin user/{x,y}",
  "git push --force origin user/*",
  "git push --force origin user/?",
  "git push --force origin user/[a-z]",
  "git push --force origin ~/user/x",
  "git push --force origin user/x > /etc/x",
  "git push --force origin user/x < /etc/x",
  "git push --force origin user/x 2>&1",
  "(git push --force origin user/x)",
  "{ git push --force origin user/x; }",
  "! git push --force origin user/x",
  "GIT_DIR=/x git push --force origin user/x",
  "env git push --force origin user/x",
  "sudo git push --force origin user/x",
  "/tmp/git push --force origin user/x",
  "./git push --force origin user/x",
  "git -c alias.push=!sh push --force origin user/x",
  "git push --force origin user/x #",
  "git push --force origin user/x\\",
  "git push --force origin user/\\x",
  "git push --force origin user/x\u00a0main",
  "git push --force origin user/x\0main",
  "git push --force origin $'user/x'",
  "git push --force origin 'user/x",
  "eval git push --force origin user/x",
  "git  push --force origin user/x ; :",
  "command git push --force origin user/x",
];

describe("a pattern over words", () => {
  const like = (armed: ArmedHome) => ({
    folder: armed.project,
    words: ["git", "push", "--force", "origin", "user/*"],
  });
  const LIKE = { call: null, isOnce: false, expiresAt: null } as const;

  test("lets through what it matches, in whatever quotes", () => {
    const armed = deniedOnce([GUARDS[0] ?? { policy: "" }]);
    allow(armed, exceptionOf(armed, { ...LIKE, like: like(armed) }));
    for (const branch of ["user/x", "'user/x'", '"user/x"', "user/a.b-c"]) {
      expect(verdictOf(bash(armed, `git push --force origin ${branch}`))).toBe("silence");
    }
  });

  test(`of ${TRIES.length} tries to get more through, none does`, () => {
    const armed = deniedOnce([GUARDS[0] ?? { policy: "" }]);
    const pattern = like(armed);
    allow(armed, exceptionOf(armed, { ...LIKE, like: pattern }));
    expect(TRIES.length).toBeGreaterThanOrEqual(50);
    const matched = TRIES.filter((command) => matchesWords(pattern.words, plainWords(command) ?? []));
    expect(matched).toEqual([]);
    // A few through the hook, which has no other door.
    const through = TRIES.filter((_, at) => at % 12 === 0).filter(
      (command) => verdictOf(bash(armed, command)) !== "deny",
    );
    expect(through).toEqual([]);
  });

  test("is about shell commands in its folder alone", () => {
    const armed = deniedOnce([GUARDS[0] ?? { policy: "" }]);
    allow(armed, exceptionOf(armed, { ...LIKE, like: like(armed) }));
    const command = "git push --force origin user/x";
    expect(verdictOf(armed.call({ tool_name: "mcp__x__run", tool_input: { command } }))).toBe("deny");
    expect(verdictOf(bash(armed, command, { cwd: `${armed.project}/.agents` }))).toBe("deny");
    const besides = (more: object) => verdictOf(bash(armed, command, { tool_input: { command, ...more } }));
    expect(besides({ description: ID, timeout: 5000 })).toBe("silence");
    expect(besides({ workdir: "/elsewhere" })).toBe("deny");
    expect(besides({ dangerouslyDisableSandbox: true })).toBe("deny");
  });
});
