import { expect, test } from "vitest";
import type { IndexedHook } from "../../src/card/hooks/hook-index.ts";
import type { Approval, Grant, HookFacts } from "../../src/contract/ledger.ts";
import {
  approvedHooks,
  decideActivation as decide,
  explainWait,
  type OfferedCard,
  OWN_REGISTRY,
} from "../../src/trust/activation.ts";
import { withApproval } from "../../src/trust/approval.ts";
import { JOIN_AT_ONCE, someApproval, someGrant } from "../support/grants.ts";

const decideActivation = (grant: Grant, card: OfferedCard) => decide(grant, card, JOIN_AT_ONCE);

const KEY = `ed25519:${"A".repeat(43)}`;
const FACTS: HookFacts = {
  kind: "enforcement",
  matcher: "Bash",
  phases: ["pre-tool"],
  timeoutMs: 1_000,
  capabilities: ["net"],
};

const approval = (cardVersion: string): Approval =>
  someApproval({
    cardVersion,
    tree: `tree of ${cardVersion}`,
    bundles: { guard: `bundle of ${cardVersion}` },
    hooks: [{ name: "guard", ...FACTS }],
  });

const grant = (parts: Partial<Grant> = {}): Grant =>
  someGrant({ source: OWN_REGISTRY, ceiling: { guard: FACTS }, approved: [approval("1.0.0")], ...parts });

const hook = (facts: Partial<IndexedHook> = {}): IndexedHook => ({
  name: "guard",
  ...FACTS,
  files: ["hooks/guard/policy.ts"],
  digest: "any",
  ...facts,
});

const offered = (parts: Partial<OfferedCard> = {}): OfferedCard => ({
  name: "@me/backend",
  version: "1.1.0",
  tree: "tree of 1.1.0",
  source: OWN_REGISTRY,
  publisher: null,
  hooks: [hook()],
  ...parts,
});

/** What changed, and whether it joins by itself inside the range of a card from this machine's own registry. */
const CHANGES: [string, IndexedHook[], boolean][] = [
  ["the same facts", [hook()], true],
  ["other files under the same facts", [hook({ files: ["a"], digest: "other" })], true],
  ["a shorter timeout", [hook({ timeoutMs: 999 })], true],
  ["fewer capabilities", [hook({ capabilities: [] })], true],
  ["a longer timeout", [hook({ timeoutMs: 1_001 })], false],
  ["one capability more", [hook({ capabilities: ["exec", "net"] })], false],
  ["another capability instead", [hook({ capabilities: ["env"] })], false],
  ["a weaker kind", [hook({ kind: "observer" })], false],
  ["a wider matcher", [hook({ matcher: null })], false],
  ["a narrower matcher", [hook({ matcher: "Bash*" })], false],
  ["one phase more", [hook({ phases: ["pre-tool", "post-tool"] })], false],
  ["another phase instead", [hook({ phases: ["post-tool"] })], false],
  ["a hook more", [hook(), hook({ name: "second" })], false],
  ["no hook", [], false],
  ["a hook of another name", [hook({ name: "other" })], false],
];

test("a version earlier than the one approved last waits, also where it was approved itself before", () => {
  const went = grant({ approved: [approval("1.0.0"), approval("1.1.0")] });
  for (const version of ["1.0.1", "1.1.0-rc.1"]) {
    const earlier = decideActivation({ ...went, range: "^1.0.0 || 1.1.0-rc.1" }, offered({ version, tree: "another" }));
    expect(earlier).toMatchObject({
      approval: approval("1.1.0"),
      why: { because: "earlier", than: "1.1.0", differences: [] },
    });
    if (earlier.state !== "waits") continue;
    expect(explainWait(earlier.why, earlier.approval)).toBe(
      "it is earlier than 1.1.0, which was approved last; 1.1.0 stays in force",
    );
  }
  const hooks = [hook({ kind: "observer" })];
  const approved = decideActivation(went, offered({ version: "1.0.0", tree: "tree of 1.0.0", hooks }));
  expect(approved).toMatchObject({ state: "waits", outcome: "waits", approval: approval("1.1.0") });
  if (approved.state !== "waits") throw new Error(approved.state);
  expect(explainWait(approved.why, approved.approval)).toBe(
    "it is earlier than 1.1.0, which was approved last, and guards less than what was consented to, and differs from what was consented to: guard: kind enforcement → observer; 1.1.0 stays in force",
  );
  expect(decideActivation(went, offered({ version: "1.1.1", tree: "another" })).state).toBe("joins");
});

test("what was approved before the one in force comes back by the same rules, but for where it came from", () => {
  const back = grant({ approved: [approval("1.1.0"), approval("2.0.0"), approval("1.0.0")], publisher: KEY });
  const again = (parts: Partial<OfferedCard>) => decideActivation(back, offered({ publisher: KEY, ...parts }));
  expect(again({ tree: "tree of 1.1.0" }).state).toBe("joins");
  expect(again({ tree: "tree of 1.1.0", hooks: [] })).toMatchObject({ why: { because: "ceiling" } });
  expect(again({ tree: "tree of 1.1.0", publisher: null })).toMatchObject({
    outcome: "waits",
    why: { because: "publisher" },
  });
  expect(again({ version: "2.0.0", tree: "tree of 2.0.0" })).toMatchObject({ why: { because: "range" } });
  const twice = grant({
    approved: [
      { ...approval("1.0.0"), tree: "a" },
      { ...approval("1.0.0"), tree: "b" },
    ],
  });
  expect(decideActivation(twice, offered({ version: "1.0.0", tree: "a" }))).toMatchObject({
    outcome: "stops",
    why: { because: "replaced", from: "b", to: "a" },
  });
});

test.each(CHANGES)(
  "a new version with %s joins only inside the range, and only from this machine's own registry",
  (_, hooks, joins) => {
    expect(decideActivation(grant(), offered({ hooks })).state).toBe(joins ? "joins" : "waits");
    const held = approval("1.0.0");
    const outside = decideActivation(grant(), offered({ hooks, version: "2.0.0" }));
    expect(outside).toEqual({
      state: "waits",
      outcome: "waits",
      approval: held,
      why: { because: "range", range: "^1.0.0" },
    });
    const elsewhere = decideActivation(grant(), offered({ hooks, source: "folder:team" }));
    expect(elsewhere).toEqual({
      state: "waits",
      outcome: "waits",
      approval: held,
      why: { because: "source", from: OWN_REGISTRY, to: "folder:team" },
    });
    const foreign = grant({ source: "folder:team" });
    expect(decideActivation(foreign, offered({ hooks, source: "folder:team" }))).toEqual({
      state: "waits",
      outcome: "waits",
      approval: held,
      why: { because: "unsigned" },
    });
  },
);

test.each(CHANGES.filter(([, , joins]) => !joins))(
  "while a version with %s waits, the last approved one stays in force",
  (_, hooks) => {
    const approved = [approval("1.0.0"), approval("1.0.1")];
    const activation = decideActivation(grant({ approved }), offered({ hooks }));
    expect(activation).toMatchObject({
      state: "waits",
      approval: { cardVersion: "1.0.1" },
      why: { because: "ceiling" },
    });
  },
);

test("exactly what was approved is active, whatever the range, the source or an index say", () => {
  const hooks = [hook({ kind: "observer" })];
  const card = offered({ version: "9.0.0", tree: "tree of 1.0.0", source: "folder:team", hooks });
  expect(decideActivation(grant(), card)).toEqual({ state: "active", approval: approval("1.0.0") });
});

test("a version that was approved with other content waits, and both digests are named", () => {
  const activation = decideActivation(grant(), offered({ version: "1.0.0", tree: "tree of another 1.0.0" }));
  if (activation.state !== "waits") throw new Error(activation.state);
  expect(activation.why).toEqual({ because: "replaced", from: "tree of 1.0.0", to: "tree of another 1.0.0" });
  expect(explainWait(activation.why, activation.approval)).toBe(
    "its content is not the one that was approved under the same version (approved: tree of 1.0.0, installed: tree of another 1.0.0); 1.0.0 stays in force",
  );
});

test("a prerelease is outside a range that names none", () => {
  expect(decideActivation(grant(), offered({ version: "1.1.0-rc.1" })).state).toBe("waits");
});

test("without any approval there is nothing in force while a version waits", () => {
  const activation = decideActivation(grant({ approved: [] }), offered({ version: "2.0.0" }));
  if (activation.state !== "waits") throw new Error(activation.state);
  expect(explainWait(activation.why, activation.approval)).toMatch(
    /outside the range \^1\.0\.0.*; nothing of it runs$/u,
  );
});

test("every difference is named with what it was and what it is", () => {
  const hooks = [
    hook({ kind: "observer", matcher: null, timeoutMs: 2_000, capabilities: ["exec"] }),
    hook({ name: "more" }),
  ];
  const activation = decideActivation(grant(), offered({ hooks }));
  if (activation.state !== "waits") throw new Error(activation.state);
  const explained = explainWait(activation.why, activation.approval);
  for (const part of [
    "guard: kind enforcement → observer",
    "guard: matcher Bash → every tool",
    "guard: timeoutMs 1000 ms → 2000 ms",
    "guard: capabilities net → exec",
    "more: added (enforcement on Bash, pre-tool)",
  ]) {
    expect(explained).toContain(part);
  }
});

test("what runs under an approval comes in the card's order, and only with a compiled policy of its own", () => {
  const hooks = [
    { name: "b", ...FACTS },
    { name: "a", ...FACTS },
    { name: "toString", ...FACTS },
  ];
  const held = { ...approval("1.0.0"), bundles: { a: "bundle a", b: "bundle b" }, hooks };
  expect(approvedHooks(held).map(({ bundle }) => bundle)).toEqual(["bundle b", "bundle a"]);
});

test("an approval replaces the one of the same content, comes last, and only the newest twenty are kept", () => {
  let approved: Approval[] = [];
  for (let patch = 0; patch < 25; patch += 1) approved = withApproval(approved, approval(`1.0.${patch}`));
  approved = withApproval(approved, approval("1.0.10"));
  expect(approved).toHaveLength(20);
  expect(approved.at(-1)?.cardVersion).toBe("1.0.10");
  expect(approved.filter(({ cardVersion }) => cardVersion === "1.0.10")).toHaveLength(1);
  expect(approved[0]?.cardVersion).toBe("1.0.5");
});

test("other content under the same version is a replacement only where it comes from the same place", () => {
  const other = { version: "1.0.0", tree: "other content" };
  expect(decideActivation(grant(), offered(other))).toMatchObject({ outcome: "stops", why: { because: "replaced" } });
  expect(decideActivation(grant(), offered({ ...other, source: "folder:team" }))).toMatchObject({
    outcome: "waits",
    why: { because: "source" },
  });
});

test("a version binds itself to saying no where the one in force does, whatever was approved before", () => {
  const [free, bound] = [approval("1.0.0"), { ...approval("1.0.1"), restrictOnly: true }];
  expect(decideActivation(grant({ approved: [free, bound] }), offered())).toMatchObject({
    outcome: "waits",
    why: { because: "unbound" },
  });
  expect(decideActivation(grant({ approved: [bound, { ...free, cardVersion: "1.0.2" }] }), offered()).state).toBe(
    "joins",
  );
});

test("what was approved before does not come back where another folder lies at the place of the consents", () => {
  const went = grant({ approved: [approval("1.1.0"), approval("1.0.0")] });
  const back = offered({ tree: "tree of 1.1.0" });
  expect(decideActivation(went, back).state).toBe("joins");
  expect(decide(went, back, { ...JOIN_AT_ONCE, isOtherFolder: true })).toMatchObject({
    approval: approval("1.0.0"),
    why: { because: "project" },
  });
});
