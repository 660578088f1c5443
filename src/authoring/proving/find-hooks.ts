import fs from "node:fs";
import path from "node:path";
import type { CardFiles } from "../../card/files.ts";
import type { IndexedHook } from "../../card/hooks/hook-index.ts";
import type { Manifest } from "../../card/manifest.ts";
import { indexSource } from "../../card/source/build-index.ts";
import { packCommitted } from "../../card/source/pack.ts";
import { loadSource } from "../../card/source/source.ts";
import { parseTypedCard } from "../../card/spec.ts";
import { isRange } from "../../card/version.ts";
import { layout } from "../../contract/layout.ts";
import { optionValues } from "../../contract/ledger.ts";
import type { PlannedPolicy } from "../../contract/plan.ts";
import { digestOf } from "../../kernel/digest.ts";
import { readIfThere } from "../../kernel/files.ts";
import type { Host } from "../../kernel/host.ts";
import { Problem } from "../../kernel/problem.ts";
import { fetchVerified } from "../../project/fetch/fetch-card.ts";
import { resolveRequested } from "../../project/fetch/lock-card.ts";
import { findProjectRoot } from "../../project/identity.ts";
import { type LockedCard, readLock } from "../../project/lock.ts";
import { readJoinFacts } from "../../project/open/join-facts.ts";
import { findGlobal } from "../../project/open/locate-project.ts";
import { type OpenProject, openProject } from "../../project/open/open-project.ts";
import { CATALOGUE_SCOPE } from "../../registry/catalogue.ts";
import { lookUpCard } from "../../registry/resolve.ts";
import { approvalInForce, type CardActivation, decideActivations } from "../../write/plan/activations.ts";
import { buildPlan } from "../../write/plan/plan.ts";
import { findSource, isOwnSource, readSources } from "../find-source.ts";
import type { HookUnderTest } from "./sandbox.ts";

/** A card whose hooks drwn can ask about calls. */
export interface CardUnderTest {
  manifest: Manifest;
  files: CardFiles;
  hooks: readonly IndexedHook[];
  /** `source`: the user's own. `folder`: a source of somebody else. `published`: from a registry or another place. */
  from: "source" | "folder" | "published";
  /** The folder of a source, whoever made it. */
  folder: string | null;
  /** Exactly these contents may run in the project of the current folder. */
  isApproved: boolean;
}

/**
 * Finds a card: a source by its folder or name, else what the project's lock or a registry has. Runs none of it, except
 * that it indexes a source of the user's own as `card source doctor` does.
 */
export async function findCard(host: Host, what: string): Promise<CardUnderTest> {
  const isName = what.startsWith("@");
  const isFolder = !isName && fs.existsSync(path.resolve(host.cwd, what, "card.json"));
  // Nobody has a source in drwn's own scope: its name means the newest version that drwn has.
  const isOurs = what.startsWith(`${CATALOGUE_SCOPE}/`);
  const isNameAlone = isName && !isOurs && !what.includes("@", 1);
  const isKnown = isNameAlone && (readSources(host).has(what) || lockedOf(host, what) === undefined);
  if (isFolder || isKnown || !isName) return findOwn(host, what);
  return findPublished(host, what);
}

async function findOwn(host: Host, what: string): Promise<CardUnderTest> {
  const folder = findSource(host, what);
  if (!isOwnSource(host, folder)) return readFolder(host, folder);
  host.progress(`compiling ${folder}`);
  const source = loadSource(folder);
  const { hooks } = await indexSource(source);
  return { manifest: source.manifest, files: source.importable, hooks, from: "source", folder, isApproved: false };
}

/** Somebody else's source: its committed index is data, and nothing of it is compiled or evaluated. */
async function readFolder(host: Host, folder: string): Promise<CardUnderTest> {
  const { manifest, files, index, tree } = await packCommitted(folder);
  return { manifest, files, hooks: index.hooks, from: "folder", folder, isApproved: isApproved(host, tree) };
}

async function findPublished(host: Host, what: string): Promise<CardUnderTest> {
  const typed = parseTypedCard(what);
  const locked = typed.name === null || typed.request !== null ? undefined : lockedOf(host, typed.name);
  const request = locked === undefined ? typed.request : isRange(locked.range) ? locked.version : locked.range;
  const base = locked === undefined ? host.cwd : (findProjectRoot(host.cwd) ?? host.cwd);
  const place = { host, base, isLook: true };
  const { registry, published } = await resolveRequested(place, { name: typed.name, request }, lookUpCard);
  const { manifest, files, index, tree } = await fetchVerified(host, registry, published);
  return { manifest, files, hooks: index.hooks, from: "published", folder: null, isApproved: isApproved(host, tree) };
}

function lockedOf(host: Host, name: string): LockedCard | undefined {
  const root = findProjectRoot(host.cwd);
  return root === undefined ? undefined : readLock(root)?.cards.find((card) => card.name === name);
}

function isApproved(host: Host, tree: string): boolean {
  if (findProjectRoot(host.cwd) === undefined) return false;
  const grants = openProject(host).ledger?.grants ?? [];
  return grants.some(({ revokedAt, approved }) => revokedAt === null && approved.some((one) => one.tree === tree));
}

/**
 * The hooks that a person has consented to for this project and for every folder, as they were compiled then. A
 * shadow's answer counts as if it were enforced.
 */
export function hooksInForce(host: Host): HookUnderTest[] {
  const project = openProject(host);
  const global = project.isGlobal ? undefined : findGlobal(host);
  return [
    ...(global === undefined ? [] : hooksOfProject(global, openProject(global))),
    ...hooksOfProject(host, project),
  ];
}

function hooksOfProject(host: Host, { root, key, lock, ledger }: OpenProject): HookUnderTest[] {
  const activations = decideActivations(lock.cards, ledger, readJoinFacts(host));
  return buildPlan(root, activations).policies.map((policy) => {
    const code = readIfThere(layout.bundle(host.drwnHome, key, policy.bundle))?.toString();
    if (code === undefined || digestOf(code) !== policy.bundle) {
      throw new Problem("DRWN_PLAN_NOT_WRITTEN", `the compiled policy of ${policy.card}#${policy.hook} is not there`, {
        hint: "drwn write",
      });
    }
    const mode = policy.mode === "shadow" ? "enforce" : policy.mode;
    const options = optionsIn(activations, policy);
    return { policy: { ...policy, mode, options }, code };
  });
}

/** The hook's options as a person has set them, else their defaults, as JSON text; null: it has none. */
function optionsIn(activations: readonly CardActivation[], { card, hook }: PlannedPolicy): string | null {
  const found = activations.find((one) => one.card === card);
  const approval = found === undefined ? undefined : approvalInForce(found);
  const declared = approval?.hooks.find(({ name }) => name === hook)?.options;
  const set = found?.grant?.options ?? {};
  return declared === undefined
    ? null
    : JSON.stringify(optionValues(declared, Object.hasOwn(set, hook) ? set[hook] : undefined));
}
