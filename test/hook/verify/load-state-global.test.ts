import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { layout } from "../../../src/contract/layout.ts";
import { type ArmedHome, armGlobal, armHome, type LiteralPolicy, write } from "../../support/armed-home.ts";
import { reasonOf, verdictOf } from "../../support/hook-calls.ts";
import { sweep } from "../../support/sweep.ts";
import { denying, from } from "../launched.ts";

const says = (what: string, more: Partial<LiteralPolicy> = {}): LiteralPolicy => ({
  policy: `{ beforeToolCall: () => (${what}) }`,
  ...more,
});
const ALLOW = `{ action: "allow" }`;
const ASK = `{ action: "ask", reason: "sure?" }`;
const denyAll = says(`{ action: "deny", reason: "everywhere" }`, { card: "@me/floor" });
const rewriting = (input: string) => says(`{ action: "allow", updatedInput: ${input} }`);
const LATER = new Date(Date.now() + 3_600_000).toISOString();

const outsideOf = ({ world }: ArmedHome): string => {
  const folder = path.join(world, "outside");
  fs.mkdirSync(folder, { recursive: true });
  return folder;
};

describe("what a user consented to for every folder", () => {
  test("holds in a project, outside of all projects, and in the root of the disk", () => {
    const armed = armHome([says(ALLOW)]);
    armGlobal(armed, [denyAll]);
    for (const folder of [armed.project, outsideOf(armed), "/", "/tmp"]) {
      expect(reasonOf(armed.call({}, from(folder)))).toBe("[@me/floor#guard-0] everywhere");
    }
  });

  test("leaves the project's own policies in the project alone", () => {
    const armed = armHome([denying]);
    armGlobal(armed, [says(ALLOW, { card: "@me/floor" })]);
    expect(reasonOf(armed.call())).toBe("[@me/guards#guard-0] no");
    expect(verdictOf(armed.call({}, from(outsideOf(armed))))).toBe("silence");
  });

  test.each([
    ["one publisher", "key-a", "key-a"],
    ["two publishers", "key-a", "key-b"],
    ["cards that nobody signed", undefined, undefined],
  ])("is composed with them as one list: deny, then ask, then allow (%s)", (_, above, own) => {
    const signed = (publisher: string | undefined) => (publisher === undefined ? {} : { publisher });
    const rows = [
      [ALLOW, ALLOW, "silence"],
      [ASK, ALLOW, "ask"],
      [ALLOW, ASK, "ask"],
      [ASK, `{ action: "deny", reason: "no" }`, "deny"],
      [`{ action: "deny", reason: "no" }`, ASK, "deny"],
    ] as const;
    for (const [global, project, verdict] of rows) {
      const armed = armHome([says(project, signed(own))]);
      armGlobal(armed, [says(global, { card: "@me/floor", ...signed(above) })]);
      expect(verdictOf(armed.call())).toBe(verdict);
    }
  });

  test("is asked again about what a policy of the project makes of the input", () => {
    const armed = armHome([rewriting(`{ command: "rm -rf /" }`)]);
    const floor = `{ beforeToolCall: ({ input }) => input.command.includes("rm") ? { action: "deny", reason: "no rm" } : { action: "allow" } }`;
    armGlobal(armed, [{ policy: floor, card: "@me/floor" }]);
    expect(reasonOf(armed.call())).toBe("[@me/floor#guard-0] no rm");
  });

  test("stands in the journal of the project by its name, and in its own for calls outside", () => {
    const armed = armHome([says(ALLOW)]);
    const global = armGlobal(armed, [denyAll]);
    armed.call();
    expect(armed.journal()).toMatchObject([{ policies: [{ policy: "@me/floor@1.2.3#guard-0", scope: "global" }] }]);
    expect(global.journal()).toEqual([]);
    armed.call({}, from(outsideOf(armed)));
    expect(global.journal()).toMatchObject([{ policies: [{ scope: "global" }], verdict: "deny" }]);
  });
});

describe("no scope loosens the one above it", () => {
  test("a pause of the project leaves the policies for every folder, and is in the journal", () => {
    const armed = armHome([denying]);
    armGlobal(armed, [denyAll]);
    armed.writeLedger({ ...armed.ledger, pausedUntil: LATER });
    expect(reasonOf(armed.call())).toBe("[@me/floor#guard-0] everywhere");
    expect(armed.journal()).toMatchObject([{ problem: `all policies are paused until ${LATER}` }]);
  });

  test("a pause for every folder leaves the project's policies, and is in the journal", () => {
    const armed = armHome([says(ALLOW)]);
    const global = armGlobal(armed, [denyAll]);
    global.writeLedger({ ...global.ledger, pausedUntil: LATER });
    expect(verdictOf(armed.call())).toBe("silence");
    expect(verdictOf(armed.call({}, from(outsideOf(armed))))).toBe("silence");
    expect(armed.journal()).toMatchObject([{ problem: `all global policies are paused until ${LATER}` }]);
    expect(global.journal()).toMatchObject([{ problem: `all global policies are paused until ${LATER}` }]);
  });

  test("a consent that was withdrawn in the project leaves the one for every folder", () => {
    const armed = armHome([denying]);
    armGlobal(armed, [denying]);
    const revoked = armed.ledger.grants.map((grant) => ({ ...grant, revokedAt: "2026-01-01T00:00:00.000Z" }));
    armed.writeLedger({ ...armed.ledger, grants: revoked });
    expect(verdictOf(armed.call())).toBe("deny");
  });

  test("a consent that was withdrawn for every folder is silence, without a write", () => {
    const armed = armHome([says(ALLOW)]);
    const global = armGlobal(armed, [denyAll]);
    const revoked = global.ledger.grants.map((grant) => ({ ...grant, revokedAt: "2026-01-01T00:00:00.000Z" }));
    global.writeLedger({ ...global.ledger, grants: revoked });
    expect(verdictOf(armed.call())).toBe("silence");
    expect(verdictOf(armed.call({}, from(outsideOf(armed))))).toBe("silence");
  });
});

describe("state for every folder that is missing or damaged", () => {
  type Global = ReturnType<typeof armGlobal>;
  const ledgerOf = ({ home }: ArmedHome): string => layout.ledger(home, "0".repeat(64));
  const spoilt: [string, (armed: ArmedHome, global: Global) => void, RegExp][] = [
    ["no ledger", (armed) => fs.rmSync(ledgerOf(armed)), /drwn trust --global/u],
    ["an empty ledger", (armed) => write(ledgerOf(armed), ""), /drwn trust --global/u],
    ["no ledgers at all", ({ home }) => fs.rmSync(layout.ledgers(home), { recursive: true }), /drwn trust --global/u],
    ["no plan", (_, { planFile }) => fs.rmSync(planFile), /drwn write --global/u],
    ["an altered plan", (_, { planFile }) => fs.appendFileSync(planFile, " "), /drwn write --global/u],
    ["no state", ({ home }) => fs.rmSync(layout.project(home, "0".repeat(64)), { recursive: true }), /write --global/u],
    ["no programs", ({ home }) => fs.rmSync(layout.hook(home)), /drwn write --global|drwn write \(/u],
    // Claude Code says by itself that the hook didn't start, or how it ended.
    ["no launcher", ({ home }) => fs.rmSync(layout.launcher(home)), /(?:)/u],
    ["a launcher cut short", ({ home }) => fs.truncateSync(layout.launcher(home), 4_000), /(?:)/u],
    ["no DRWN_HOME", ({ home }) => fs.rmSync(home, { recursive: true }), /(?:)/u],
    [
      "no list of projects",
      ({ home }) => fs.rmSync(layout.roots(home), { recursive: true }),
      /everywhere|this project/u,
    ],
    ["no record of its own", (_, { markers }) => fs.rmSync(markers[1] ?? ""), /everywhere/u],
    ["no record among the projects", (_, { markers }) => fs.rmSync(markers[0] ?? ""), /everywhere/u],
    ["an empty record among the projects", (_, { markers }) => write(markers[0] ?? "", ""), /everywhere/u],
  ];

  test.each(sweep(spoilt, 7))("holds every call in every folder: %s", (_, spoil, reason) => {
    const armed = armHome([says(ALLOW)]);
    spoil(armed, armGlobal(armed, [denyAll]));
    for (const folder of [armed.project, outsideOf(armed)]) {
      const result = armed.call({}, from(folder));
      expect(`${verdictOf(result)}`).toMatch(/deny|block/u);
      expect(result.stdout + result.stderr).toMatch(reason);
    }
  });
});

describe("a machine with a project that is the whole disk", () => {
  test("keeps both: its marker stands where the one for every folder would", () => {
    const armed = armHome([denying]);
    const global = armGlobal(armed, [denyAll]);
    write(global.markers[0] ?? "", `${armed.key}\n`);
    expect(reasonOf(armed.call({}, from("/")))).toBe("[@me/floor#guard-0] everywhere");
    const revoked = global.ledger.grants.map((grant) => ({ ...grant, revokedAt: "2026-01-01T00:00:00.000Z" }));
    global.writeLedger({ ...global.ledger, grants: revoked });
    expect(reasonOf(armed.call({}, from("/")))).toBe("[@me/guards#guard-0] no");
  });
});

test("the entry that a project commits asks for the project's requirements alone", () => {
  const armed = armHome([says(ALLOW)]);
  armGlobal(armed, [denyAll]);
  const required = `"${layout.launcher(armed.home)}" claude-code require 100`;
  expect(armed.run(required, { ...from(armed.project), input: "{}" })).toMatchObject({ status: 100, stdout: "" });
  expect(armed.run(required, { ...from(outsideOf(armed)), input: "{}" })).toMatchObject({ status: 100, stdout: "" });
});
