import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { type HookProof, indexSchema } from "../../src/card/hooks/hook-index.ts";
import { manifestSchema } from "../../src/card/manifest.ts";
import { checkConsents } from "../../src/check/doctor/check-consents.ts";
import type { HookFacts, OptionDeclaration } from "../../src/contract/ledger.ts";
import { loadState } from "../../src/hook/verify/load-state.ts";
import { isProblem } from "../../src/kernel/problem.ts";
import { addCards } from "../../src/operations/project/add.ts";
import { identifyProject, projectFiles } from "../../src/project/identity.ts";
import { lockSchema } from "../../src/project/lock.ts";
import { openProject } from "../../src/project/open/open-project.ts";
import { findProjectKey } from "../../src/trust/project-key.ts";
import { planWrite } from "../../src/write/plan-write.ts";
import { cardFilesWith } from "../support/cards.ts";
import { fieldsOf } from "../support/fields.ts";
import type { TestHost } from "../support/host.ts";
import { editJson } from "../support/machine-state.ts";
import { isField, mutate, REMOVED } from "../support/mutate.ts";
import { CARD, newProject, plant, publish, trust, write } from "../support/projects.ts";

/**
 * What becomes of one changed field of what comes from others. `active`: the version is in force, as approved or because it
 * joins. `waits`: it takes a person, and 1.0.0 stays in force. `stops`: it is refused, and 1.0.0 stays in force.
 */
type Outcome = "active" | "waits" | "stops";
type Row = [path: string, value: unknown, outcome: Outcome];

const KEY = `ed25519:${"A".repeat(43)}`;
const TREE = `drwn1-sha512-${"A".repeat(86)}`;
const STRICT: OptionDeclaration = { type: "boolean", default: true, description: "Strictly." };
const LOOSE: OptionDeclaration = { type: "boolean", default: false, description: "Strictly." };
const OPTIONS = { strict: STRICT };
const PROOF: HookProof = {
  ...{ cases: 2, refused: 1, allowed: 1, mutants: { tried: 9, held: 8 } },
};
const GUARD: Partial<HookFacts> & { proof: HookProof } = {
  ...{ matcher: "Bash", timeoutMs: 1_000, capabilities: ["net"], options: OPTIONS, proof: PROOF },
};
const ABOUT = {
  $schema: "https://example.com/card.schema.json",
  description: "Guards",
  license: "MIT",
  keywords: ["guard"],
  repository: { type: "git", url: "https://example.com/guards.git", directory: "cards" },
  author: { name: "Me", email: "me@example.com", url: "https://example.com/" },
  harness: { minVersion: "0.0.1" },
  servers: { docs: { command: "docs" } },
  hooks: { include: ["guard"], capabilities: { guard: ["net"] }, options: { guard: OPTIONS }, restrictOnly: false },
  stability: "stable",
};

async function project(): Promise<TestHost> {
  const host = newProject();
  await publish(host, { hooks: { guard: GUARD }, manifest: ABOUT });
  await addCards(host, [CARD]);
  await trust(host);
  await write(host);
  return host;
}

/** Works out what `write` would do, and writes nothing. */
async function outcomeOf(host: TestHost, prepare: () => unknown): Promise<Outcome> {
  try {
    await prepare();
    const planned = await planWrite(host, openProject(host), { wiring: undefined });
    const isUnderReview = checkConsents(host, planned.activations, []).hookIssues.length > 0;
    if (isUnderReview) expect(planned.plan.policies).toMatchObject([{ cardVersion: "1.0.0" }]);
    return isUnderReview ? "waits" : "active";
  } catch (error) {
    if (isProblem(error)) return "stops";
    throw error;
  }
}

/** Whatever was tried, what runs at a tool call is the version that a person has approved. */
function expectUnchanged(host: TestHost): void {
  const key = findProjectKey(host.drwnHome, identifyProject(host.cwd));
  const state = loadState({ home: host.drwnHome, key }, host.now().getTime());
  expect(state).toMatchObject({ kind: "live", policies: [{ cardVersion: "1.0.0", mode: "enforce" }] });
}

const both = (path: string, value: unknown, outcome: Outcome, removed: Outcome = outcome): Row[] => [
  [path, value, outcome],
  [path, REMOVED, removed],
];
const named = (rows: readonly Row[]) =>
  rows.map(
    ([path, value, outcome]) => [path, value === REMOVED ? "removed" : JSON.stringify(value), outcome, value] as const,
  );
const pathsIn = (rows: readonly Row[]) => [...new Set(rows.map(([path]) => path))].sort();

/** What a publisher says that the cases of a hook have shown: it is in a signed file, and in what the registry was told. */
function proofRows(hook: string): Row[] {
  const counts = ["cases", "refused", "allowed", "mutants.tried", "mutants.held"];
  return [
    ...both(`${hook}.proof`, { ...PROOF, cases: 7 }, "stops"),
    ...both(`${hook}.proof.mutants`, { tried: 1, held: 1 }, "stops"),
    ...counts.flatMap((name) => both(`${hook}.proof.${name}`, 12, "stops")),
  ];
}

const HOOK = "cards[].hooks[]";

const LOCK: readonly Row[] = [
  ...both("lockfileVersion", 2, "stops"),
  ...both("cards", [], "stops"),
  ...both("cards[].name", "@me/other", "stops"),
  ...both("cards[].range", "^1.0.1", "stops"),
  ...both("cards[].version", "1.0.1", "stops"),
  // Exactly this content was approved: where it is said to come from, and by what tarball, changes nothing of it.
  ...both("cards[].source", "folder:team", "active", "stops"),
  ...both("cards[].commit", "a".repeat(40), "active"),
  ...both("cards[].integrity", `sha512-${"A".repeat(86)}==`, "active", "stops"),
  ...both("cards[].tree", TREE, "stops"),
  ...both("cards[].publisher", KEY, "stops"),
  ...both("cards[].hooks", [], "stops"),
  ...both(`${HOOK}.name`, "other", "stops"),
  ...both(`${HOOK}.kind`, "observer", "stops"),
  ...both(`${HOOK}.matcher`, "Never", "stops"),
  ...both(`${HOOK}.phases`, ["post-tool"], "stops"),
  ...both(`${HOOK}.timeoutMs`, 1, "stops"),
  ...both(`${HOOK}.capabilities`, [], "stops"),
  ...both(`${HOOK}.options`, { strict: LOOSE }, "stops"),
  ...both(`${HOOK}.options.*`, LOOSE, "stops"),
  ...both(`${HOOK}.files`, ["hooks/other/policy.ts"], "stops"),
  ...both(`${HOOK}.digest`, TREE, "stops"),
  ...proofRows(HOOK),
];

describe("card.lock", () => {
  test("has a row for every field, and for its absence", () => {
    expect(pathsIn(LOCK)).toEqual(fieldsOf(lockSchema).filter(isField));
    expect(pathsIn(LOCK.filter(([, value]) => value === REMOVED))).toEqual(pathsIn(LOCK));
  });

  test("of which any field is changed makes nothing run that was not approved", async () => {
    const host = await project();
    const file = projectFiles.lock(host.cwd);
    const before = fs.readFileSync(file);
    const outcomes: string[] = [];
    for (const [path, what, , value] of named(LOCK)) {
      const outcome = await outcomeOf(host, () => editJson(file, (lock) => mutate(lock, path, value)));
      outcomes.push(`${path} ${what}: ${outcome}`);
      expectUnchanged(host);
      fs.writeFileSync(file, before);
    }
    expect(outcomes).toEqual(named(LOCK).map(([path, what, outcome]) => `${path} ${what}: ${outcome}`));
  });
});

/** Of a new version in the range: what its card.json says differs from 1.0.0 in this. */
const MANIFEST: readonly Row[] = [
  ...both("name", "@me/other", "stops"),
  ["version", "2.0.0", "waits"],
  ...both("version", "1.1", "stops"),
  ...both("$schema", "https://example.com/other.json", "active"),
  ...both("description", "Guards more", "active"),
  ...both("license", "ISC", "active"),
  ...both("keywords", ["other"], "active"),
  ...both("repository", "https://example.com/other.git", "active"),
  ...both("repository.type", "svn", "active"),
  ...both("repository.url", "https://example.com/other.git", "active", "stops"),
  ...both("repository.directory", "other", "active"),
  ...both("author", "You", "active"),
  ...both("author.name", "You", "active", "stops"),
  ...both("author.email", "you@example.com", "active"),
  ...both("author.url", "https://example.org/", "active"),
  ...both("harness", {}, "stops", "active"),
  ...both("harness.minVersion", "0.0.2", "active", "stops"),
  // Skills and servers need no consent; a skill that is named has to be there.
  ...both("skills", {}, "active"),
  ...both("skills.include", ["none"], "stops", "active"),
  ...both("servers", {}, "active"),
  ...both("servers.*", { command: "other" }, "active"),
  ...both("stability", "experimental", "active"),
  // Its index is one of the hooks that 1.0.0 had.
  ...both("hooks", {}, "stops"),
  ...both("hooks.include", [], "stops"),
  ...both("hooks.capabilities", {}, "stops"),
  ...both("hooks.capabilities.*", ["exec", "net"], "stops"),
  ...both("hooks.options", {}, "stops"),
  ...both("hooks.options.*", { strict: LOOSE }, "stops"),
  ...both("hooks.options.*.*", LOOSE, "stops"),
  ["hooks.restrictOnly", true, "active"],
  ["hooks.restrictOnly", REMOVED, "active"],
];

/** The same for its index, as its author's own tools would write it: what the files and the manifest say agrees with it. */
const FACTS: [what: string, hooks: Record<string, Partial<HookFacts>>, outcome: Outcome][] = [
  ["the same", { guard: GUARD }, "active"],
  ["a hook more (added)", { guard: GUARD, more: {} }, "waits"],
  ["no hook (removed)", {}, "waits"],
  ["another name (changed)", { other: GUARD }, "waits"],
  ["kind observer (weaker)", { guard: { ...GUARD, kind: "observer" } }, "waits"],
  ["matcher of every tool (stronger)", { guard: { ...GUARD, matcher: null } }, "waits"],
  ["another matcher (weaker)", { guard: { ...GUARD, matcher: "Bash?" } }, "waits"],
  ["a phase more (stronger)", { guard: { ...GUARD, phases: ["pre-tool", "post-tool"] } }, "waits"],
  ["another phase (weaker)", { guard: { ...GUARD, phases: ["post-tool"] } }, "waits"],
  ["more time (stronger)", { guard: { ...GUARD, timeoutMs: 1_001 } }, "waits"],
  ["less time (weaker)", { guard: { ...GUARD, timeoutMs: 999 } }, "active"],
  ["a capability more (stronger)", { guard: { ...GUARD, capabilities: ["exec", "net"] } }, "waits"],
  ["no capability (weaker)", { guard: { ...GUARD, capabilities: [] } }, "active"],
  [
    "another default of an option (what was consented to stays)",
    { guard: { ...GUARD, options: { strict: LOOSE } } },
    "active",
  ],
  ["an option more (at its default)", { guard: { ...GUARD, options: { ...OPTIONS, more: STRICT } } }, "active"],
  ["no option (changed)", { guard: { matcher: "Bash", timeoutMs: 1_000, capabilities: ["net"] } }, "waits"],
];

/** An index that is not the one of its card. */
const INDEX: readonly Row[] = [
  ...both("version", 2, "stops"),
  ...both("hooks", [], "stops"),
  ...both("hooks[].name", "other", "stops"),
  // What only an evaluation could tell: it is not what the registry was told when the card was published.
  ...both("hooks[].kind", "observer", "stops"),
  ...both("hooks[].matcher", "Never", "stops"),
  ...both("hooks[].phases", ["post-tool"], "stops"),
  ...both("hooks[].timeoutMs", 30_000, "stops"),
  ...both("hooks[].capabilities", [], "stops"),
  ...both("hooks[].options", { strict: LOOSE }, "stops"),
  ...both("hooks[].options.*", LOOSE, "stops"),
  ...both("hooks[].files", ["card.json"], "stops"),
  ...both("hooks[].digest", TREE, "stops"),
  ...proofRows("hooks[]"),
];

const version = (at: number) => `1.1.${at}`;

describe("a new version", () => {
  test("of which any field of card.json is changed joins, waits or stops, and nothing runs that was not approved", async () => {
    const host = await project();
    const outcomes: string[] = [];
    for (const [at, [path, what, , value]] of named(MANIFEST).entries()) {
      const manifest = { ...structuredClone(ABOUT), skills: undefined, name: CARD, version: version(at) };
      const outcome = await outcomeOf(host, async () => {
        if (path.startsWith("skills.")) mutate(manifest, "skills", { include: [] });
        mutate(manifest, path, value);
        // What is absent here would be filled in; what is undefined is left out of card.json.
        const written = {
          ...Object.fromEntries(["name", "version", ...Object.keys(ABOUT)].map((key) => [key, undefined])),
          ...manifest,
        };
        const asked = path === "version" && value !== REMOVED ? String(value) : version(at);
        await plant(host, { version: version(at), hooks: { guard: GUARD }, manifest: written });
        await addCards(host, [`${CARD}@${asked}`]);
      });
      outcomes.push(`${path} ${what}: ${outcome}`);
      expectUnchanged(host);
    }
    expect(outcomes).toEqual(named(MANIFEST).map(([path, what, outcome]) => `${path} ${what}: ${outcome}`));
  });

  test("whose hooks differ in any fact joins or waits, and nothing runs that was not approved", async () => {
    const host = await project();
    const outcomes: string[] = [];
    for (const [at, [what, hooks]] of FACTS.entries()) {
      const outcome = await outcomeOf(host, async () => {
        await plant(host, { version: version(at), hooks });
        await addCards(host, [`${CARD}@${version(at)}`]);
      });
      outcomes.push(`${what}: ${outcome}`);
      expectUnchanged(host);
    }
    expect(outcomes).toEqual(FACTS.map(([what, , outcome]) => `${what}: ${outcome}`));
  });

  test("whose index is not its own stops", async () => {
    const host = await project();
    const outcomes: string[] = [];
    for (const [at, [path, what, , value]] of named(INDEX).entries()) {
      const outcome = await outcomeOf(host, async () => {
        const parts = { version: version(at), hooks: { guard: GUARD } };
        const index = structuredClone(cardFilesWith(parts).index);
        mutate(index, path, value);
        await plant(host, { ...parts, files: { "hooks/index.json": JSON.stringify(index) } });
        await addCards(host, [`${CARD}@${version(at)}`]);
      });
      outcomes.push(`${path} ${what}: ${outcome}`);
      expectUnchanged(host);
    }
    expect(outcomes).toEqual(named(INDEX).map(([path, what, outcome]) => `${path} ${what}: ${outcome}`));
  });

  test("has a row for every field of index and manifest, and for its absence", () => {
    expect(pathsIn(INDEX)).toEqual(fieldsOf(indexSchema).filter(isField));
    expect(pathsIn(INDEX.filter(([, value]) => value === REMOVED))).toEqual(pathsIn(INDEX));
    const known = fieldsOf(manifestSchema).filter(isField);
    expect(pathsIn(MANIFEST)).toEqual(known);
    expect(pathsIn(MANIFEST.filter(([, value]) => value === REMOVED))).toEqual(known);
  });
});
