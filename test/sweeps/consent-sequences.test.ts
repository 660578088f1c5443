import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { compareVersions } from "../../src/card/version.ts";
import { layout } from "../../src/contract/layout.ts";
import type { HookFacts } from "../../src/contract/ledger.ts";
import type { PlannedPolicy } from "../../src/contract/plan.ts";
import { isProblem } from "../../src/kernel/problem.ts";
import { addCards } from "../../src/operations/project/add.ts";
import { removeCard } from "../../src/operations/project/remove.ts";
import { revokeConsent } from "../../src/operations/project/untrust.ts";
import { writeConfig } from "../../src/project/config.ts";
import { EMPTY_LOCK, writeLock } from "../../src/project/lock.ts";
import type { PublishedBy } from "../../src/registry/registry.ts";
import { readLedger } from "../../src/trust/ledger-file.ts";
import { readTree, writeTree } from "../support/cards.ts";
import type { TestHost } from "../support/host.ts";
import { openProjectKey } from "../support/machine-state.ts";
import { CARD, newProject, plant, trust, write } from "../support/projects.ts";

const FACTS: Partial<HookFacts>[] = [
  { matcher: "Bash" },
  { matcher: "Edit" },
  { matcher: "Bash", kind: "observer" },
  { matcher: "Bash", timeoutMs: 1_000 },
];

/** A version: how many hooks it has, and what each says about itself. */
type Shape = readonly number[];

type Step =
  | { do: "publish and add"; version: string; shape: Shape; replaced: boolean; by: PublishedBy }
  | { do: "pull"; at: number }
  | { do: "trust"; range: string | null }
  | { do: "untrust" | "remove" | "write" | "empty the lock" };

const version = fc.constantFrom("1.0.0", "1.0.1", "1.1.0", "2.0.0");
const shape = fc.array(fc.nat(FACTS.length - 1), { minLength: 0, maxLength: 2 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("publish and add" as const),
      version,
      shape,
      replaced: fc.boolean(),
      by: fc.constantFrom("person" as const, "person" as const, "agent" as const, null),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("trust" as const), range: fc.constantFrom(null, "^1.0.0", "<3.0.0") }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("write" as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("pull" as const), at: fc.nat(20) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom("untrust" as const, "remove" as const, "empty the lock" as const) }),
  },
);

/** What a person saw and agreed to, tracked apart from drwn: an oracle that knows nothing about ledgers. */
interface Consent {
  /** Each content that may run, as `keyOf` writes it. */
  contents: Set<string>;
  /** Digests of the compiled policies of these contents. */
  bundles: Set<string>;
  /** The facts that were shown last. */
  shape: string;
  isInside: (version: string) => boolean;
}

interface Locked {
  version: string;
  shape: Shape;
  text: string;
  by: PublishedBy;
}

interface World {
  host: TestHost;
  /** What is in the lock, and the code of its hooks. */
  locked: Locked | undefined;
  /** What the project committed, and what was in its lock then. */
  commits: { files: Record<string, string>; locked: Locked }[];
  /** What the last `write` put in force, if no person has said anything since. */
  inForce: PlannedPolicy[] | undefined;
  consent: Consent | undefined;
  round: number;
}

const RANGES: Record<string, (version: string) => boolean> = {
  "^1.0.0": (text) => text.startsWith("1."),
  "<3.0.0": () => true,
};

/** False: drwn refused. That is an answer, too; what counts is what is in force afterwards. */
async function run(world: World, now: Step): Promise<boolean> {
  try {
    await attempt(world, now);
    return true;
  } catch (error) {
    if (isProblem(error)) return false;
    throw error;
  }
}

async function attempt(world: World, now: Step): Promise<void> {
  const { host } = world;
  if (now.do === "publish and add") {
    world.round += 1;
    const text = now.replaced ? `round ${world.round}` : `first ${now.version} ${now.shape.join()}`;
    const hooks = Object.fromEntries(now.shape.map((facts, at) => [`hook-${at}`, FACTS[facts] ?? {}]));
    await plant(host, { version: now.version, hooks, files: { "NOTE.md": text } }, now.by);
    await addCards(host, [`${CARD}@${now.version}`]);
    world.locked = { version: now.version, shape: now.shape, text, by: now.by };
    world.commits.push({ files: readTree(path.join(host.cwd, ".agents")), locked: world.locked });
  } else if (now.do === "pull") {
    const commit = world.commits[now.at % world.commits.length];
    if (commit === undefined) return;
    writeTree(path.join(host.cwd, ".agents"), commit.files);
    world.locked = commit.locked;
  } else if (now.do === "trust") {
    const { locked } = world;
    const { approved } = await trust(host, { range: now.range });
    if (locked === undefined) throw new Error("trusted what is not in the lock");
    const range = now.range;
    const major = locked.version.split(".")[0];
    const isInside = range === null ? (text: string) => text.split(".")[0] === major : (RANGES[range] ?? (() => false));
    world.inForce = undefined;
    const former = world.consent ?? { contents: [], bundles: [] };
    world.consent = {
      contents: new Set([...former.contents, keyOf(locked)]),
      bundles: new Set([...former.bundles, ...Object.values(approved.at(-1)?.bundles ?? {})]),
      shape: locked.shape.join(),
      isInside,
    };
  } else if (now.do === "untrust") {
    await revokeConsent(host, CARD);
    world.consent = undefined;
    world.inForce = undefined;
  } else if (now.do === "remove") {
    await removeCard(host, CARD);
    world.locked = undefined;
    world.consent = undefined;
    world.inForce = undefined;
  } else if (now.do === "empty the lock") {
    writeConfig(host.cwd, { version: 1, cards: {} });
    writeLock(host.cwd, EMPTY_LOCK);
    world.locked = undefined;
  } else {
    await write(host);
    joinIfCovered(world);
  }
}

function keyOf({ version: at, shape: facts, text }: NonNullable<World["locked"]>): string {
  return `${at} ${facts.join()} ${text}`;
}

/**
 * Lets a version join if the consent itself covers it: a person's version, inside the range, with the same facts, not
 * below an approved version.
 */
function joinIfCovered({ host, consent, locked }: World): void {
  if (consent === undefined || locked === undefined || !consent.isInside(locked.version)) return;
  if (locked.by !== "person") return;
  const isNew = [...consent.contents].every((key) => !key.startsWith(`${locked.version} `));
  if (!isNew || !isSameOrShorter(consent.shape, locked.shape.join())) return;
  consent.contents.add(keyOf(locked));
  const newest = readLedger(host.drwnHome, openProjectKey(host))?.grants[0]?.approved.at(-1);
  for (const bundle of Object.values(newest?.bundles ?? {})) consent.bundles.add(bundle);
}

/** Only the timeout of the facts above may shrink: 0 is `Bash` with five seconds, 3 is the same with one. */
function isSameOrShorter(from: string, to: string): boolean {
  const isLonger = [...from].some((fact, at) => fact === "3" && to[at] === "0");
  return from.replaceAll("0", "3") === to.replaceAll("0", "3") && !isLonger;
}

function planInForce({ host }: World): PlannedPolicy[] {
  const key = openProjectKey(host);
  const digest = readLedger(host.drwnHome, key)?.plan ?? null;
  if (digest === null) return [];
  return JSON.parse(fs.readFileSync(layout.plan(host.drwnHome, key, digest), "utf8")).policies;
}

/** Only a person's step takes what is in force back to an earlier version, or to other code under the same version. */
function checkForward({ inForce }: World, plan: readonly PlannedPolicy[]): void {
  const [before, after] = [inForce?.[0], plan[0]];
  if (inForce === undefined || before === undefined || after === undefined) return;
  const step = compareVersions(after.cardVersion, before.cardVersion);
  expect([before.cardVersion, after.cardVersion, step < 0]).toEqual([before.cardVersion, after.cardVersion, false]);
  if (step === 0) expect(plan).toEqual(inForce);
}

/** Whether the policy, by version and facts, is one of a content that may run. */
function isCovered(
  { contents, bundles }: Consent,
  { cardVersion, hook, kind, matcher, bundle }: PlannedPolicy,
): boolean {
  const shapes = [...contents].filter((key) => key.startsWith(`${cardVersion} `)).map((key) => key.split(" ")[1] ?? "");
  const facts = shapes.map((text) => FACTS[Number(text.split(",")[Number(hook.slice("hook-".length))])]);
  const isSeen = facts.some((seen) => seen?.matcher === matcher && (seen.kind ?? "enforcement") === kind);
  return isSeen && bundles.has(bundle);
}

test("no sequence of commands puts a policy in force that nobody approved, or drops one that nobody gave up", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
      const world: World = {
        host: newProject(),
        locked: undefined,
        consent: undefined,
        commits: [],
        inForce: undefined,
        round: 0,
      };
      for (const now of steps) {
        const isDone = await run(world, now);
        if (now.do !== "write" || !isDone) continue;
        const { consent } = world;
        const plan = planInForce(world);
        expect(plan.filter((policy) => consent === undefined || !isCovered(consent, policy))).toEqual([]);
        if (consent !== undefined) expect(plan).not.toEqual([]);
        checkForward(world, plan);
        world.inForce = consent === undefined ? undefined : plan;
      }
    }),
    { numRuns: 60, interruptAfterTimeLimit: 40_000, markInterruptAsFailure: false },
  );
});
