import { isRestrictOnly } from "../../card/manifest.ts";
import { codeSkillsOf } from "../../card/skill/skill-code.ts";
import { layout } from "../../contract/layout.ts";
import { type Approval, DRWN_ITSELF, type Grant, type Ledger, type ProjectIdentity } from "../../contract/ledger.ts";
import type { Plan, PlannedPolicy } from "../../contract/plan.ts";
import { confinedNote, fitOneProcess } from "../../contract/processes.ts";
import { advise, drwn } from "../../kernel/advice.ts";
import { digestOf } from "../../kernel/digest.ts";
import { readIfThere } from "../../kernel/files.ts";
import { Problem } from "../../kernel/problem.ts";
import type { LockedCard } from "../../project/lock.ts";
import { type InstalledCard, readInstalled } from "../../project/open/installed-card.ts";
import type { MachineRules } from "../../project/open/join-facts.ts";
import { isStored } from "../../registry/store.ts";
import { compileApproval, withApproval } from "../../trust/approval.ts";
import { newLedger, printNextLedger, replaceGrant } from "../../trust/ledger-file.ts";
import { type OptionsByHook, optionChanges, tightenOptions } from "../../trust/options.ts";
import { missedRecords, recordsOf } from "../../trust/project-key.ts";
import { withYanks } from "../../trust/releases.ts";
import { type Change, planFile } from "../../wiring/changes.ts";
import { approvalInForce, type CardActivation, decideActivations } from "./activations.ts";
import { buildPlan, printPlan } from "./plan.ts";

export interface HookRequest {
  home: string;
  key: string;
  identity: ProjectIdentity;
  cards: readonly InstalledCard[];
  ledger: Ledger | undefined;
  joinFacts: MachineRules;
  /** The option values that the project asks for, by card. */
  asked: Readonly<Record<string, OptionsByHook>>;
}

/** What the hook process needs from one project, and what must change for that. */
export interface HookState {
  activations: CardActivation[];
  /** Cards whose new version joins an earlier consent by itself. */
  joined: string[];
  plan: Plan;
  /** Digest of the plan; null when nothing runs. */
  planDigest: string | null;
  /** Digests of the files that the plan is divided into; most plans have none. */
  shards: string[];
  /** The consents after the changes, before they get the next number; undefined: there are none. */
  nextLedger: Ledger | undefined;
  /** Compiled policies, which come first. */
  bundles: Change[];
  /** In order: the parts of a large plan, the plan, the ledger that names it, how to start, and the markers. */
  state: Change[];
}

/**
 * Decides which policies run, compiles what joins, and repairs what is damaged; writes nothing.
 */
export async function planHookState(request: HookRequest): Promise<HookState> {
  const { home, key, identity, cards, joinFacts } = request;
  const locked = cards.map((card) => card.locked);
  const { ledger: joinedLedger, joined, bundles } = await joinCards(request);
  const ledger = joinedLedger && withTightened(joinedLedger, request.asked);
  const activations = decideActivations(locked, ledger, joinFacts);
  const plan = buildPlan(ledger?.project.path ?? identity.path, activations);
  const nothing = { planDigest: null, nextLedger: undefined, shards: [], bundles: [], state: [] };
  if (ledger === undefined) return { activations, joined, plan, ...nothing };
  const stored = new StoredBundles(home, key);
  for (const [digest, code] of await repairBundles({ home, key, kept: stored }, activations)) bundles.set(digest, code);

  const codeOf = (digest: string) => bundles.get(digest) ?? stored.read(digest) ?? "";
  const { text, shards } = printPlan(plan, codeOf, ledger.plan);
  const planDigest = plan.policies.length > 0 ? digestOf(text) : null;
  const next = { ...ledger, plan: planDigest };
  const bundled = [...new Set(plan.policies.map(({ bundle }) => bundle))].map(codeOf);
  const confined = oneProcessNote({ home, key, planDigest }, plan.policies, [text, ...shards.values(), ...bundled]);
  const mustGo = confined.after === null && planDigest !== null;
  const state = [
    // Any plan runs without this note, if more slowly. A note that is wrong for the next plan goes first, and a new one
    // comes after its plan.
    mustGo ? planFile(confined) : undefined,
    ...planFiles({ home, key }, { folder: layout.shard, what: "compiled policy", mode: 0o400 }, shards),
    planDigest === null
      ? undefined
      : planFile({ path: layout.plan(home, key, planDigest), after: Buffer.from(text), what: "plan", mode: 0o600 }),
    JSON.stringify(next) === JSON.stringify(request.ledger) ? undefined : planLedger(home, key, next),
    mustGo ? undefined : planFile(confined),
    ...planMarkers(request, planDigest !== null),
  ];
  const policies = planFiles({ home, key }, { folder: layout.bundle, what: "compiled policy", mode: 0o400 }, bundles);
  return {
    activations,
    joined,
    plan,
    planDigest,
    nextLedger: next,
    shards: [...shards.keys()],
    bundles: present(policies),
    state: present(state),
  };
}

/** Files whose names are their digests. */
function planFiles(
  { home, key }: { home: string; key: string },
  { folder, what, mode }: { folder: typeof layout.bundle; what: string; mode: number },
  contents: ReadonlyMap<string, string>,
): (Change | undefined)[] {
  return [...contents].map(([digest, text]) =>
    planFile({ path: folder(home, key, digest), after: Buffer.from(text), what, mode }),
  );
}

function present(changes: readonly (Change | undefined)[]): Change[] {
  return changes.filter((change) => change !== undefined);
}

/**
 * The ledger with every version that joins its card's consent by itself, and the policies that were compiled for it.
 */
async function joinCards({ cards, ledger, joinFacts, identity }: HookRequest): Promise<{
  ledger: Ledger | undefined;
  joined: string[];
  bundles: Map<string, string>;
}> {
  let next = ledger === undefined ? undefined : withYanks(ledger, joinFacts.releaseOf);
  const joined: string[] = [];
  const bundles = new Map<string, string>();
  for (const { card, locked, grant, activation } of decideActivations(
    cards.map((installed) => installed.locked),
    next,
    joinFacts,
  )) {
    const installed = cards.find((one) => one.locked.name === card);
    if (activation.state !== "joins" || locked === null || grant === null || installed === undefined) continue;
    const approval = await approveJoining({ grant, installed, joinFacts, bundles });
    next = replaceGrant(next ?? newLedger(identity), { ...grant, approved: withApproval(grant.approved, approval) });
    joined.push(`${card}@${locked.version}`);
  }
  return { ledger: next, joined, bundles };
}

/**
 * Makes options stricter if the project asks for it and the card allows it: that needs no person. They stay that way.
 */
function withTightened(ledger: Ledger, asked: HookRequest["asked"]): Ledger {
  const grants = ledger.grants.map((grant) => {
    const wanted = Object.hasOwn(asked, grant.card) ? asked[grant.card] : undefined;
    const last = grant.approved.at(-1);
    if (wanted === undefined || last === undefined || grant.revokedAt !== null) return grant;
    const hooks = last.hooks.filter(({ options }) => options !== undefined);
    const options = tightenOptions(hooks, grant.options ?? {}, wanted);
    return optionChanges(grant.options, options).length === 0 ? grant : { ...grant, options };
  });
  return { ...ledger, grants };
}

interface Joining {
  grant: Grant;
  installed: InstalledCard;
  joinFacts: MachineRules;
  /** Receives what is compiled. */
  bundles: Map<string, string>;
}

/** A version that was approved before keeps its compiled policies; a new one is compiled. */
async function approveJoining({ grant, installed, joinFacts, bundles }: Joining): Promise<Approval> {
  const { now, publishedBy } = joinFacts;
  const { locked, files, manifest } = installed;
  const known = grant.approved.find(({ tree }) => tree === locked.tree);
  if (known !== undefined) return { ...known, by: "range", at: now.toISOString() };
  const restrictOnly = isRestrictOnly(manifest);
  const compiled = await compileApproval({
    offered: locked,
    files,
    hooks: grant.hooks,
    restrictOnly,
    skills: codeSkillsOf(files, manifest),
    by: "range",
    isOurs: publishedBy(locked) === "drwn",
    now,
  });
  for (const [digest, code] of compiled.bundles) bundles.set(digest, code);
  return compiled.approval;
}

/** Missing or altered compiled policies, compiled again from the stored card, but only if the result is the same. */
async function repairBundles(
  { home, key, kept: stored }: { home: string; key: string; kept: StoredBundles },
  activations: readonly CardActivation[],
): Promise<Map<string, string>> {
  const repaired = new Map<string, string>();
  for (const one of activations) {
    const { card, locked } = one;
    const approval = approvalInForce(one);
    if (approval === undefined) continue;
    const damaged = Object.values(approval.bundles).filter((digest) => stored.read(digest) === undefined);
    if (damaged.length === 0) continue;
    const source = locked?.tree === approval.tree && isStored(home, approval.tree) ? locked : undefined;
    const bundles = source === undefined ? undefined : await recompile(home, source);
    for (const digest of damaged) {
      const code = bundles?.get(digest);
      if (code === undefined) throw cannotRepair(card, layout.bundle(home, key, digest));
      repaired.set(digest, code);
    }
  }
  return repaired;
}

async function recompile(home: string, locked: LockedCard): Promise<Map<string, string>> {
  const { files } = readInstalled(home, locked);
  const about = {
    hooks: null,
    restrictOnly: false,
    skills: [],
    by: "person",
    isOurs: false,
    now: new Date(0),
  } as const;
  return (await compileApproval({ ...about, offered: locked, files })).bundles;
}

function cannotRepair(card: string, file: string): Problem {
  return new Problem("DRWN_INTEGRITY_MISMATCH", `a compiled policy of ${card} is missing or was altered`, {
    details: [file],
    hint: advise`${drwn("card untrust", card, "--hooks")} && ${drwn("card trust", card, "--hooks")}`,
  });
}

/** What `write` calls the ledger. */
export const LEDGER_CHANGE = "consents in force";

function planLedger(home: string, key: string, ledger: Ledger): Change | undefined {
  const after = Buffer.from(printNextLedger(home, key, ledger));
  return planFile({ path: layout.ledger(home, key), after, what: LEDGER_CHANGE, mode: 0o600 });
}

function planMarkers({ home, key, identity }: HookRequest, wanted: boolean): (Change | undefined)[] {
  const records = wanted ? missedRecords(home, identity, key) : recordsOf(home, identity, key);
  // When they are removed, the place goes first: a place without a marker means a project that was moved away, and blocks.
  return (wanted ? records : [...records].reverse()).map(({ file, content }) =>
    planFile({ path: file, after: wanted ? Buffer.from(content) : null, what: "project marker", mode: 0o600 }),
  );
}

/** The compiled policies of one project on the disk; reads and digests each only once. */
class StoredBundles {
  readonly #home: string;
  readonly #key: string;
  readonly #read = new Map<string, string | undefined>();

  constructor(home: string, key: string) {
    this.#home = home;
    this.#key = key;
  }

  /** Undefined if it is missing or altered. */
  read(digest: string): string | undefined {
    if (this.#read.has(digest)) return this.#read.get(digest);
    const bytes = readIfThere(layout.bundle(this.#home, this.#key, digest));
    const code = bytes !== undefined && digestOf(bytes) === digest ? bytes.toString() : undefined;
    this.#read.set(digest, code);
    return code;
  }
}

interface PlanLocation {
  home: string;
  key: string;
  planDigest: string | null;
}

/** The note for the launcher that one process is enough, as a change to plan. `texts`: what such a process reads. */
function oneProcessNote(
  { home, key, planDigest }: PlanLocation,
  policies: readonly PlannedPolicy[],
  texts: readonly string[],
) {
  const isFit = planDigest !== null && fitOneProcess(policies);
  // In what comes with drwn, nobody has made names that collide.
  const isOurs = policies.every(({ publisher }) => publisher === DRWN_ITSELF);
  const characters = isOurs ? 0 : texts.reduce((sum, { length }) => sum + length, 0);
  const after = isFit ? Buffer.from(confinedNote(planDigest, policies, characters)) : null;
  return { path: layout.confined(home, key), after, what: "note that one process is enough", mode: 0o600 };
}
