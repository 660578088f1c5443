import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { signPacked } from "../../src/card/source/pack.ts";
import { compareVersions } from "../../src/card/version.ts";
import type { HookFacts, Mode } from "../../src/contract/ledger.ts";
import { loadState } from "../../src/hook/verify/load-state.ts";
import { isProblem } from "../../src/kernel/problem.ts";
import { addRegistry, setCardScopes } from "../../src/operations/machine/registry-settings.ts";
import { addCards } from "../../src/operations/project/add.ts";
import { listOutdated } from "../../src/operations/project/outdated.ts";
import { grantConsent, reviewConsent } from "../../src/operations/project/trust.ts";
import { revokeConsent } from "../../src/operations/project/untrust.ts";
import { updateCards } from "../../src/operations/project/update.ts";
import { writeProject } from "../../src/operations/project/write.ts";
import { openNamedRegistry } from "../../src/project/fetch/registries.ts";
import { openProject } from "../../src/project/open/open-project.ts";
import type { PublishedBy } from "../../src/registry/registry.ts";
import { writeScopeKey } from "../../src/trust/scope-keys.ts";
import { packedCard, readTree, temporaryFolder, writeTree } from "../support/cards.ts";
import type { TestHost } from "../support/host.ts";
import { inAgent, newProject, newSigner, type Signer } from "../support/projects.ts";

const CARD = "@team/guards";
/** A sample is as many sequences as there are in this time. */
const LIMIT_MS = process.env["DRWN_SWEEP_SEED"] ? 15_000 : 30_000;
const HOUR_MS = 60 * 60 * 1000;
const SHAPES: Record<string, Record<string, Partial<HookFacts>>> = {
  same: { guard: { matcher: "Bash" } },
  more: { guard: { matcher: "Bash" }, more: { matcher: "Bash" } },
  weaker: { guard: { matcher: "Bash", kind: "observer" } },
};

type Step =
  | {
      do: "publish";
      shape: string;
      signer: "own" | "other" | "none";
      by: PublishedBy;
      major: boolean;
      isAdded: boolean;
    }
  | { do: "trust"; mode: Mode; onYank: "keep" | "stand-down"; expires: "never" | "90h" }
  | { do: "pull"; at: number }
  | { do: "add" | "update" | "write"; isAgent: boolean }
  | { do: "yank" | "unyank" | "outdated" | "untrust" | "wait" };

const signers = {
  "a registry of the team": ["own", "own", "other", "none"],
  "the own registry": ["own", "none", "none", "other"],
} as const;
type Where = keyof typeof signers;

function steps(where: Where): fc.Arbitrary<Step> {
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant("publish" as const),
        shape: fc.constantFrom("same", "same", "same", "more", "weaker"),
        signer: fc.constantFrom(...signers[where]),
        by: fc.constantFrom("person" as const, "person" as const, "agent" as const, null),
        major: fc.constantFrom(false, false, false, true),
        isAdded: fc.constantFrom(true, true, false),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant("trust" as const),
        mode: fc.constantFrom("enforce" as const, "restrict-only" as const, "shadow" as const),
        onYank: fc.constantFrom("keep" as const, "stand-down" as const),
        expires: fc.constantFrom("never" as const, "90h" as const),
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("pull" as const), at: fc.nat(20) }) },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constantFrom("add", "update", "write", "write"),
        isAgent: fc.boolean(),
      }) as fc.Arbitrary<Step>,
    },
    {
      weight: 5,
      arbitrary: fc
        .constantFrom("yank", "unyank", "outdated", "untrust", "wait", "wait")
        .map((name) => ({ do: name }) as Step),
    },
  );
}

interface Published {
  version: string;
  tree: string;
  shape: string;
  signer: Signer | null;
  by: PublishedBy;
  major: number;
  yanked: boolean;
  /** When it was first locked here; undefined: never. */
  lockedAt: number | undefined;
}

/** What drwn must guarantee, tracked apart from drwn: an oracle that knows nothing about ledgers. */
interface Oracle {
  where: Where;
  host: TestHost;
  own: Signer;
  other: Signer;
  /** By version. */
  published: Map<string, Published>;
  /** Everything that the project has committed. */
  commits: Record<string, string>[];
  /** The person's last word; undefined: none, or no. */
  consent: (Published & { mode: Mode; onYank: "keep" | "stand-down"; endsAt: number }) | undefined;
  /** What was approved last, by a person or by a valid rule. */
  inForce: Published | undefined;
  /** What the last `write` put in force. */
  written: Published | undefined;
  /** Contents that were approved since the consent or before. */
  approved: Set<string>;
}

const now = ({ host }: Oracle) => host.now().getTime();
const locked = ({ host }: Oracle) => openProject(host).lock.cards.find(({ name }) => name === CARD);
const lockedOf = (oracle: Oracle) => oracle.published.get(locked(oracle)?.version ?? "");

async function begin(where: Where): Promise<Oracle> {
  const host = newProject();
  const own = newSigner();
  if (where === "a registry of the team") {
    await addRegistry(host, { name: "team", location: temporaryFolder(), isStatic: false });
    await setCardScopes(host, ["@team"], "team");
  } else {
    writeScopeKey(host.drwnHome, { scope: "@team", key: own.key, createdAt: host.now().toISOString(), rotations: [] });
  }
  const nothing = { consent: undefined, inForce: undefined, written: undefined };
  return { where, host, own, other: newSigner(), published: new Map(), commits: [], approved: new Set(), ...nothing };
}

const registryOf = ({ where, host }: Oracle) =>
  openNamedRegistry(host, where === "a registry of the team" ? "team" : "default");

async function publish(oracle: Oracle, { shape, signer, by, major }: Extract<Step, { do: "publish" }>): Promise<void> {
  const { host, published } = oracle;
  const number = major ? 2 : 1;
  const version = `${number}.${published.size}.0`;
  const who = signer === "own" ? oracle.own : signer === "other" ? oracle.other : null;
  const plain = await packedCard({ name: CARD, version, hooks: SHAPES[shape] ?? {} });
  const card = who === null ? plain : await signPacked(plain, who);
  await (await registryOf(oracle)).publish(card, host.now(), by);
  const { tree } = card;
  published.set(version, { version, tree, shape, signer: who, by, major: number, yanked: false, lockedAt: undefined });
}

async function attempt(oracle: Oracle, step: Step): Promise<void> {
  const { host, published } = oracle;
  const newest = [...published.keys()].at(-1) ?? "";
  switch (step.do) {
    case "publish":
      await publish(oracle, step);
      if (step.isAdded) await addCards(host, [`${CARD}@${[...published.keys()].at(-1)}`]);
      return;
    case "trust":
      return consent(oracle, step);
    case "untrust":
      await revokeConsent(host, CARD);
      Object.assign(oracle, { consent: undefined, inForce: undefined });
      oracle.approved.clear();
      return;
    case "yank":
    case "unyank": {
      await (await registryOf(oracle)).annotate?.(CARD, newest, { yanked: step.do === "yank" });
      const about = published.get(newest);
      if (about !== undefined) about.yanked = step.do === "yank";
      return;
    }
    case "pull": {
      const commit = oracle.commits[step.at % oracle.commits.length];
      if (commit !== undefined) writeTree(path.join(host.cwd, ".agents"), commit);
      return;
    }
    case "add":
      await addCards(step.isAgent ? inAgent(host) : host, [`${CARD}@${newest}`]);
      return;
    case "update":
      await updateCards(step.isAgent ? inAgent(host) : host, { names: [], latest: true, dryRun: false });
      return;
    case "outdated":
      await listOutdated(host);
      return;
    case "wait":
      return host.advance(40 * HOUR_MS);
    case "write":
      await writeProject(step.isAgent ? inAgent(host) : host, { wiring: undefined });
      return checkWritten(oracle);
  }
}

async function consent(oracle: Oracle, { mode, onYank, expires }: Extract<Step, { do: "trust" }>): Promise<void> {
  const { host } = oracle;
  await grantConsent(host, reviewConsent(host, { card: CARD, range: null, mode, onYank, expires }));
  const about = lockedOf(oracle);
  if (about === undefined) throw new Error("trusted what is not locked");
  const endsAt = expires === "never" ? Number.POSITIVE_INFINITY : now(oracle) + 90 * HOUR_MS;
  oracle.consent = { ...about, mode, onYank, endsAt };
  oracle.inForce = about;
  oracle.approved.add(about.tree);
}

/**
 * Whether the consent itself lets the version join: it is later, in the range, with the same facts, from the same
 * publisher; and a person is behind what is new.
 */
function mayJoin(oracle: Oracle, about: Published): boolean {
  const { consent, inForce, approved, where, own } = oracle;
  if (consent === undefined || inForce === undefined || compareVersions(about.version, inForce.version) <= 0)
    return false;
  if (about.major !== consent.major || about.shape !== consent.shape) return false;
  const publisher = consent.signer ?? inForce.signer;
  const isFirstSigned =
    publisher === null && about.signer === own && about.by === "person" && where === "the own registry";
  if (about.signer !== publisher && !isFirstSigned) return false;
  if (approved.has(about.tree)) return true;
  if (about.by === "agent") return false;
  if (where === "the own registry") return about.signer !== null || about.by === "person";
  return about.signer !== null && about.lockedAt !== undefined && now(oracle) - about.lockedAt >= 72 * HOUR_MS;
}

/** What runs at a tool call at this moment, by its content; none if nothing runs. */
function runningTrees(oracle: Oracle): Set<string | undefined> {
  const { host } = oracle;
  const state = loadState({ home: host.drwnHome, key: openProject(host).key }, now(oracle));
  if (state.kind !== "live") return new Set();
  const { ledger } = openProject(host);
  const byBundle = new Map(
    (ledger?.grants ?? []).flatMap((grant) =>
      grant.approved.flatMap(({ tree, bundles }) => Object.values(bundles).map((bundle) => [bundle, tree] as const)),
    ),
  );
  for (const policy of state.policies) {
    expect(oracle.consent).toBeDefined();
    expect(policy.mode).toBe(oracle.consent?.mode);
    expect(now(oracle)).toBeLessThan(oracle.consent?.endsAt ?? 0);
  }
  return new Set(state.policies.map(({ bundle }) => byBundle.get(bundle)));
}

/**
 * After a `write` that wasn't refused, what was approved last runs, or what joined it; and a guard that must not be
 * silent isn't.
 */
function checkWritten(oracle: Oracle): void {
  const about = lockedOf(oracle);
  const [tree, ...others] = runningTrees(oracle);
  expect(others).toEqual([]);
  if (about !== undefined && tree === about.tree && tree !== oracle.inForce?.tree) {
    expect([about.version, mayJoin(oracle, about)]).toEqual([about.version, true]);
    oracle.inForce = about;
    oracle.approved.add(about.tree);
  }
  if (tree !== undefined) expect(tree).toBe(oracle.inForce?.tree);
  const isOver = oracle.consent === undefined || now(oracle) >= oracle.consent.endsAt;
  if (!isOver && oracle.consent?.onYank === "keep") expect(tree).toBe(oracle.inForce?.tree);
  oracle.written = oracle.inForce;
}

/** Puts a guard in force, so that every step has something to spoil. */
function beginning(where: Where): readonly Step[] {
  const signer = where === "the own registry" ? "none" : "own";
  return [
    { do: "publish", shape: "same", signer, by: "person", major: false, isAdded: true },
    { do: "trust", mode: "enforce", onYank: "keep", expires: "never" },
    { do: "write", isAgent: false },
  ];
}

test.each(Object.keys(signers) as Where[])(
  "whatever is published to %s, by people and agents, yanked, updated, pulled back, consented to and waited for: only what a person or a valid rule approved last runs",
  async (where) => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps(where), { minLength: 8, maxLength: 20 }), async (sequence) => {
        const oracle = await begin(where);
        for (const next of [...beginning(where), ...sequence]) {
          try {
            await attempt(oracle, next);
          } catch (error) {
            if (!isProblem(error)) throw error;
          }
          const about = lockedOf(oracle);
          if (about !== undefined) about.lockedAt ??= now(oracle);
          if (locked(oracle) !== undefined) oracle.commits.push(readTree(path.join(oracle.host.cwd, ".agents")));
          for (const tree of runningTrees(oracle)) expect(tree).toBe(oracle.written?.tree);
        }
      }),
      { numRuns: 40, interruptAfterTimeLimit: LIMIT_MS, markInterruptAsFailure: false },
    );
  },
);
