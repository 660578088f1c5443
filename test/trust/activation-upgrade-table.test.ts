import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { HookFacts } from "../../src/contract/ledger.ts";
import { decideActivation, explainWait, OWN_REGISTRY } from "../../src/trust/activation.ts";
import { JOIN_AT_ONCE, someApproval, someFacts, someGrant } from "../support/grants.ts";

const [KEY, OTHER] = [`ed25519:${"A".repeat(43)}`, `ed25519:${"E".repeat(43)}`];
const TEAM = "npm:https://registry.example/";
const HOUR_MS = 60 * 60 * 1000;
const FACTS = someFacts({ matcher: "Bash", capabilities: ["net"] });

interface Signing {
  source: string;
  granted: string | null;
  offered: string | null;
  /** This user's key for the scope. */
  own?: string;
  /** What the record of this machine's registry says; a person, where nothing else is said. */
  by?: "agent" | null;
}

/** Who signs: the source of card and consent, the key of the consent, and that of the new version. */
const SIGNERS: Record<string, Signing> = {
  "the same key": { source: TEAM, granted: KEY, offered: KEY },
  "the same key, from your own registry": { source: OWN_REGISTRY, granted: KEY, offered: KEY, by: null },
  "another key": { source: TEAM, granted: KEY, offered: OTHER },
  "no key any more": { source: TEAM, granted: KEY, offered: null },
  "a key for the first time": { source: TEAM, granted: null, offered: KEY },
  "this user's key for the first time": { source: OWN_REGISTRY, granted: null, offered: KEY, own: KEY },
  "nobody ever, from elsewhere": { source: TEAM, granted: null, offered: null },
  "nobody ever, published here by a person": { source: OWN_REGISTRY, granted: null, offered: null },
  "nobody ever, and nobody says who published it": { source: OWN_REGISTRY, granted: null, offered: null, by: null },
  "the same key or nobody, in a tool call": { source: OWN_REGISTRY, granted: KEY, offered: KEY, own: KEY, by: "agent" },
};

/** What the new version is against the ceiling. */
const FITS: Record<string, Record<string, Partial<HookFacts>>> = {
  inside: { guard: {} },
  "above: a hook more": { guard: {}, more: {} },
  "above: a phase more": { guard: { phases: ["pre-tool", "post-tool"] } },
  "above: one capability more": { guard: { capabilities: ["exec", "net"] } },
  "above: more time": { guard: { timeoutMs: 5_001 } },
  "above: every tool": { guard: { matcher: null } },
  "weaker: a hook less": {},
  "weaker: another phase": { guard: { phases: ["post-tool"] } },
  "weaker: an observer": { guard: { kind: "observer" } },
  "weaker: another matcher": { guard: { matcher: "Bash?" } },
};

const AGES = { "old enough": 72, "too new": 71.99 } as const;

type Outcome = "joins" | "waits" | "stops";

/** Who signs, and what becomes of a version inside the ceiling that is old enough, one that is too new, and any other. */
const TABLE: Record<string, [oldEnough: Outcome, tooNew: Outcome, notInside: Outcome]> = {
  "the same key": ["joins", "waits", "waits"],
  "the same key, from your own registry": ["joins", "joins", "waits"],
  "another key": ["stops", "stops", "stops"],
  "no key any more": ["stops", "stops", "stops"],
  "a key for the first time": ["waits", "waits", "waits"],
  "this user's key for the first time": ["joins", "joins", "waits"],
  "nobody ever, from elsewhere": ["waits", "waits", "waits"],
  "nobody ever, published here by a person": ["joins", "joins", "waits"],
  "nobody ever, and nobody says who published it": ["waits", "waits", "waits"],
  "the same key or nobody, in a tool call": ["waits", "waits", "waits"],
};

const CELLS = Object.entries(TABLE).flatMap(([signer, [oldEnough, tooNew, notInside]]) =>
  Object.keys(FITS).flatMap((fit) =>
    (Object.keys(AGES) as (keyof typeof AGES)[]).map((age) => ({
      signer,
      fit,
      age,
      outcome: fit !== "inside" ? notInside : age === "old enough" ? oldEnough : tooNew,
    })),
  ),
);

const last = someApproval({ tree: "tree of 1.0.0", hooks: [{ name: "guard", ...FACTS }] });

function decide({ signer, fit, age }: Omit<(typeof CELLS)[number], "outcome">) {
  const { source = "", granted = null, offered = null, own = null, by = "person" } = SIGNERS[signer] ?? {};
  const grant = someGrant({ source, publisher: granted, ceiling: { guard: FACTS }, approved: [last] });
  const hooks = Object.entries(FITS[fit] ?? {}).map(([name, facts]) => ({
    name,
    ...FACTS,
    ...facts,
    files: [],
    digest: "",
  }));
  const version = { name: grant.card, version: "1.1.0", tree: "tree of 1.1.0", source, publisher: offered, hooks };
  const firstSeenAt = new Date(JOIN_AT_ONCE.now.getTime() - AGES[age] * HOUR_MS).toISOString();
  const releaseOf = () => ({ firstSeenAt, yankedAt: null });
  return decideActivation(grant, version, { ...JOIN_AT_ONCE, releaseOf, publishedBy: () => by, ownKeyOf: () => own });
}

test.each(CELLS)("a version signed by $signer, $fit, $age: $outcome", ({ outcome, ...cell }) => {
  const activation = decide(cell);
  expect(activation.state === "waits" ? activation.outcome : activation.state).toBe(outcome);
  if (activation.state === "waits") expect(activation.approval).toBe(last);
});

test("the table in docs/explanation/consent.md is this one", () => {
  const page = fs.readFileSync(path.join(import.meta.dirname, "../../docs/explanation/consent.md"), "utf8");
  const rows = page.split("\n").map((line) =>
    line
      .split("|")
      .map((cell) => cell.trim())
      .slice(1, -1),
  );
  const told = rows.filter(([signer = ""]) => Object.hasOwn(TABLE, signer));
  expect(told).toEqual(Object.entries(TABLE).map(([signer, outcomes]) => [signer, ...outcomes]));
});

test.each(Object.keys(FITS).filter((fit) => fit !== "inside"))("a review says of %s whether it guards less", (fit) => {
  const activation = decide({ signer: "the same key", fit, age: "old enough" });
  if (activation.state !== "waits") throw new Error(activation.state);
  expect(explainWait(activation.why, last).includes("guards less")).toBe(fit.startsWith("weaker"));
});

test("a version that is too new says when it joins", () => {
  const activation = decide({ signer: "the same key", fit: "inside", age: "too new" });
  if (activation.state !== "waits") throw new Error(activation.state);
  expect(explainWait(activation.why, last)).toBe(
    "this machine has not known it for long enough: it joins by itself after 2026-03-01T12:00:36.000Z; 1.0.0 stays in force",
  );
});

/** Of the version in force what the table calls inside of it, read backwards: what the earlier one has, and the later has not. */
test.each(Object.keys(FITS))("an earlier version that is %s waits, also where it was approved once", (fit) => {
  const offered = Object.entries(FITS[fit] ?? {}).map(([name, facts]) => ({ name, ...FACTS, ...facts }));
  const earlier = someApproval({ cardVersion: "1.0.0", tree: "tree of 1.0.0", publisher: KEY, hooks: offered });
  const later = someApproval({ cardVersion: "2.0.0", tree: "tree of 2.0.0", publisher: KEY, hooks: last.hooks });
  for (const range of ["^2.0.0", ">=1.0.0 <3.0.0"]) {
    const grant = someGrant({ ...guarded, range, approved: [earlier, later] });
    const hooks = offered.map((hook) => ({ ...hook, files: [], digest: "" }));
    const back = decideActivation(grant, { ...next, version: "1.0.0", tree: earlier.tree, hooks }, JOIN_AT_ONCE);
    if (back.state !== "waits") throw new Error(back.state);
    expect([back.outcome, back.approval, back.why.because]).toEqual(["waits", later, "earlier"]);
    expect(explainWait(back.why, later).includes("guards less")).toBe(fit.startsWith("weaker"));
  }
});

test("once a signed version has joined, the consent is for its key", () => {
  const joined = someApproval({ ...last, cardVersion: "1.0.1", tree: "tree of 1.0.1", publisher: KEY });
  const grant = someGrant({ ...guarded, source: OWN_REGISTRY, publisher: null, approved: [last, joined] });
  const offer = (publisher: string | null) => ({ ...next, source: OWN_REGISTRY, publisher });
  expect(decideActivation(grant, offer(KEY), JOIN_AT_ONCE).state).toBe("joins");
  for (const publisher of [OTHER, null]) {
    const rules = { ...JOIN_AT_ONCE, ownKeyOf: () => OTHER };
    expect(decideActivation(grant, offer(publisher), rules)).toMatchObject({ state: "waits", outcome: "stops" });
  }
});

test.each<[string, Partial<typeof JOIN_AT_ONCE>, { source?: string; publisher?: string }]>([
  ["the key is another one", { ownKeyOf: () => OTHER }, {}],
  ["nobody says that a person published it", { publishedBy: () => null }, {}],
  ["an agent published it", { publishedBy: () => "agent" }, {}],
  ["it comes from elsewhere", {}, { source: TEAM }],
])("a version that this user's key signs for the first time waits where %s", (_, rules, where) => {
  const { source = OWN_REGISTRY } = where;
  const grant = someGrant({ ...guarded, source, publisher: null, approved: [last] });
  const known = { ...JOIN_AT_ONCE, ownKeyOf: () => KEY, ...rules };
  expect(decideActivation(grant, { ...next, source, publisher: KEY }, known).state).toBe("waits");
});

const guarded = { ceiling: { guard: FACTS }, source: TEAM, publisher: KEY };
const next = {
  name: "@me/backend",
  version: "1.1.0",
  tree: "tree of 1.1.0",
  source: TEAM,
  publisher: KEY,
  hooks: [{ name: "guard", ...FACTS, files: [], digest: "" }],
};
const YANKED_AT = "2026-02-01T00:00:00.000Z";

test("a version that the machine has never seen is as new as can be, and the age that it needs can be set", () => {
  const unseen = { ...JOIN_AT_ONCE, releaseOf: () => undefined };
  const grant = someGrant({ ...guarded, approved: [last] });
  expect(decideActivation(grant, next, unseen)).toMatchObject({
    why: { because: "age", joinsAt: "2026-03-04T12:00:00.000Z" },
  });
  expect(decideActivation(grant, next, { ...unseen, releaseAgeHours: 0 }).state).toBe("joins");
});

test("a version that was yanked does not join, and one that was approved before is kept or stands down", () => {
  const yanked = { ...JOIN_AT_ONCE, releaseOf: () => ({ firstSeenAt: YANKED_AT, yankedAt: YANKED_AT }) };
  expect(decideActivation(someGrant({ ...guarded, approved: [last] }), next, yanked)).toMatchObject({
    state: "waits",
    approval: last,
    why: { because: "yanked" },
  });
  const approval = { ...last, cardVersion: "1.1.0", tree: next.tree, yankedAt: YANKED_AT };
  const approved = [last, approval];
  expect(decideActivation(someGrant({ ...guarded, approved }), next, yanked)).toEqual({ state: "active", approval });
  const standing = decideActivation(someGrant({ ...guarded, approved, onYank: "stand-down" }), next, yanked);
  expect(standing).toMatchObject({ state: "waits", approval: undefined, why: { because: "yanked" } });
});

test("under a consent to some hooks, the others neither hinder a version nor join with it", () => {
  const grant = someGrant({ ...guarded, hooks: ["guard"], approved: [last] });
  const more = { ...next, hooks: [...next.hooks, { name: "more", ...FACTS, files: [], digest: "" }] };
  expect(decideActivation(grant, more, JOIN_AT_ONCE).state).toBe("joins");
  expect(decideActivation(grant, { ...next, hooks: [] }, JOIN_AT_ONCE).state).toBe("waits");
});

test("where another folder lies at the place of the consents, nothing joins them, and what was approved stays in force", () => {
  const grant = someGrant({ ...guarded, approved: [last] });
  const elsewhere = { ...JOIN_AT_ONCE, isOtherFolder: true };
  expect(decideActivation(grant, next, elsewhere)).toMatchObject({ approval: last, why: { because: "project" } });
  expect(decideActivation(grant, { ...next, tree: last.tree }, elsewhere).state).toBe("active");
});
