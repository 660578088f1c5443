import fc from "fast-check";
import { expect, test } from "vitest";
import { signPacked } from "../../src/card/sign-packed.ts";
import type { HookFacts, Mode } from "../../src/contract/ledger.ts";
import { isProblem } from "../../src/kernel/problem.ts";
import { openProject } from "../../src/materialize/open-project.ts";
import { addCards } from "../../src/operations/add.ts";
import { listOutdated } from "../../src/operations/outdated.ts";
import { openNamedRegistry } from "../../src/operations/registries.ts";
import { addRegistry, setScope } from "../../src/operations/registry-settings.ts";
import { grantConsent, reviewConsent } from "../../src/operations/trust.ts";
import { revokeConsent } from "../../src/operations/untrust.ts";
import { updateCards } from "../../src/operations/update.ts";
import { loadState } from "../../src/runtime/load-state.ts";
import { packedCard, temporaryFolder } from "../support/cards.ts";
import type { TestHost } from "../support/host.ts";
import { newProject, newSigner, type Signer, write } from "../support/projects.ts";

const CARD = "@team/guards";
const HOUR_MS = 60 * 60 * 1000;
const SHAPES: Record<string, Record<string, Partial<HookFacts>>> = {
  same: { guard: { matcher: "Bash" } },
  more: { guard: { matcher: "Bash" }, more: { matcher: "Bash" } },
  weaker: { guard: { matcher: "Bash", kind: "observer" } },
};

type Step =
  | { do: "publish"; shape: string; signer: "own" | "other" | "none"; major: boolean; isAdded: boolean }
  | { do: "trust"; mode: Mode; onYank: "keep" | "stand-down"; expires: "never" | "90h" }
  | { do: "yank" | "unyank" | "add" | "update" | "outdated" | "untrust" | "write" | "wait" };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("publish" as const),
      shape: fc.constantFrom("same", "same", "more", "weaker"),
      signer: fc.constantFrom("own" as const, "own" as const, "other" as const, "none" as const),
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
  {
    weight: 10,
    arbitrary: fc
      .constantFrom("yank", "unyank", "add", "update", "outdated", "untrust", "write", "write", "wait", "wait")
      .map((name) => ({ do: name }) as Step),
  },
);

interface Published {
  tree: string;
  shape: string;
  signer: Signer | null;
  major: number;
  yanked: boolean;
  /** When it was first locked here; undefined: it never was. */
  lockedAt: number | undefined;
}

/** What drwn must hold to, kept beside it: an oracle that knows nothing of ledgers. */
interface Oracle {
  host: TestHost;
  own: Signer;
  other: Signer;
  /** By version. */
  published: Map<string, Published>;
  /** The last word of the person; undefined: none, or no. */
  consent:
    | { tree: string; major: number; shape: string; signer: Signer | null; mode: Mode; endsAt: number }
    | undefined;
  /** Contents that a person or a valid rule has approved since then or before. */
  approved: Set<string>;
}

const now = ({ host }: Oracle) => host.now().getTime();
const locked = ({ host }: Oracle) => openProject(host).lock.cards.find(({ name }) => name === CARD);

async function team(): Promise<Oracle> {
  const host = newProject();
  await addRegistry(host, { name: "team", location: temporaryFolder(), isStatic: false });
  await setScope(host, "@team", "team");
  return { host, own: newSigner(), other: newSigner(), published: new Map(), consent: undefined, approved: new Set() };
}

async function publish(oracle: Oracle, { shape, signer, major }: Extract<Step, { do: "publish" }>): Promise<void> {
  const { host, published } = oracle;
  const number = major ? 2 : 1;
  const version = `${number}.${published.size}.0`;
  const by = signer === "own" ? oracle.own : signer === "other" ? oracle.other : null;
  const plain = await packedCard({ name: CARD, version, hooks: SHAPES[shape] ?? {} });
  const card = by === null ? plain : await signPacked(plain, by);
  await (await openNamedRegistry(host, "team")).publish(card, host.now());
  published.set(version, { tree: card.tree, shape, signer: by, major: number, yanked: false, lockedAt: undefined });
}

async function attempt(oracle: Oracle, step: Step): Promise<void> {
  const { host, published } = oracle;
  const registry = await openNamedRegistry(host, "team");
  const newest = [...published.keys()].at(-1) ?? "";
  switch (step.do) {
    case "publish":
      await publish(oracle, step);
      if (step.isAdded) await addCards(host, [`${CARD}@${[...published.keys()].at(-1)}`]);
      return;
    case "trust": {
      const { mode, onYank, expires } = step;
      await grantConsent(host, reviewConsent(host, { card: CARD, range: null, mode, onYank, expires }));
      const about = published.get(locked(oracle)?.version ?? "");
      if (about === undefined) throw new Error("trusted what is not locked");
      const endsAt = expires === "never" ? Number.POSITIVE_INFINITY : now(oracle) + 90 * HOUR_MS;
      oracle.consent = { ...about, mode, endsAt };
      oracle.approved.add(about.tree);
      return;
    }
    case "untrust":
      await revokeConsent(host, CARD);
      oracle.consent = undefined;
      oracle.approved.clear();
      return;
    case "yank":
    case "unyank": {
      await registry.annotate?.(CARD, newest, { yanked: step.do === "yank" });
      const about = published.get(newest);
      if (about !== undefined) about.yanked = step.do === "yank";
      return;
    }
    case "add":
      await addCards(host, [`${CARD}@${newest}`]);
      return;
    case "update":
      await updateCards(host, { names: [], latest: true, dryRun: false });
      return;
    case "outdated":
      await listOutdated(host);
      return;
    case "wait":
      return host.advance(40 * HOUR_MS);
    case "write":
      joinIfCovered(oracle);
      await write(host);
  }
}

/** By the consent's own words: the same key, range and facts, and known for three days. */
function joinIfCovered(oracle: Oracle): void {
  const { consent, published, approved } = oracle;
  const about = published.get(locked(oracle)?.version ?? "");
  if (consent === undefined || about?.lockedAt === undefined || consent.signer === null) return;
  const isOld = now(oracle) - about.lockedAt >= 72 * HOUR_MS;
  const isSame = about.signer === consent.signer && about.major === consent.major && about.shape === consent.shape;
  if (isOld && isSame) approved.add(about.tree);
}

function check(oracle: Oracle): void {
  const { host, consent, approved } = oracle;
  const state = loadState({ home: host.drwnHome, key: openProject(host).key }, now(oracle));
  if (state.kind !== "live") return;
  const { ledger } = openProject(host);
  const byBundle = new Map(
    (ledger?.grants ?? []).flatMap((grant) =>
      grant.approved.flatMap(({ tree, bundles }) => Object.values(bundles).map((bundle) => [bundle, tree] as const)),
    ),
  );
  for (const policy of state.policies) {
    expect(consent).toBeDefined();
    expect(approved).toContain(byBundle.get(policy.bundle));
    expect(policy.mode).toBe(consent?.mode);
    expect(now(oracle)).toBeLessThan(consent?.endsAt ?? 0);
  }
}

/** A guard is in force, so that every step has something to spoil. */
const BEGINNING: readonly Step[] = [
  { do: "publish", shape: "same", signer: "own", major: false, isAdded: true },
  { do: "trust", mode: "enforce", onYank: "keep", expires: "never" },
  { do: "write" },
];

test("whatever is published, yanked, updated, consented to and waited for: only what a person or a valid rule approved runs", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 16 }), async (steps) => {
      const oracle = await team();
      for (const next of [...BEGINNING, ...steps]) {
        try {
          await attempt(oracle, next);
        } catch (error) {
          if (!isProblem(error)) throw error;
        }
        const about = oracle.published.get(locked(oracle)?.version ?? "");
        if (about !== undefined) about.lockedAt ??= now(oracle);
        check(oracle);
      }
    }),
    { numRuns: 25, interruptAfterTimeLimit: 20_000, markInterruptAsFailure: false },
  );
});
