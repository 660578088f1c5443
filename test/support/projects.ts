import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { onTestFinished, TestRunner } from "vitest";
import { identify } from "../../src/authoring/find-source.ts";
import { makeSigningKey, type SigningKey } from "../../src/card/signing/publisher-key.ts";
import type { Rotation } from "../../src/card/signing/signature.ts";
import { type PackedCard, signPacked } from "../../src/card/source/pack.ts";
import { layout } from "../../src/contract/layout.ts";
import type { Grant, Mode } from "../../src/contract/ledger.ts";
import { removeTree } from "../../src/kernel/files.ts";
import type { Host } from "../../src/kernel/host.ts";
import { publishCard } from "../../src/operations/author/publish.ts";
import { addCards } from "../../src/operations/project/add.ts";
import { initProject } from "../../src/operations/project/init.ts";
import { grantConsent, reviewConsent } from "../../src/operations/project/trust.ts";
import { type WriteResult, writeProject } from "../../src/operations/project/write.ts";
import { openRegistryOf } from "../../src/project/fetch/registries.ts";
import { readLock } from "../../src/project/lock.ts";
import { openFolderRegistry } from "../../src/registry/folder.ts";
import type { PublishedBy } from "../../src/registry/registry.ts";
import { OWN_REGISTRY } from "../../src/trust/activation.ts";
import { denyingPolicy, packedCard, sourceWith, temporaryFolder } from "./cards.ts";
import { isAboutEveryFolder, type TestHost, testHost } from "./host.ts";
import { editJson } from "./machine-state.ts";

export type CardParts = NonNullable<Parameters<typeof packedCard>[0]>;

/** Who signs a card in a test. */
export interface Signer {
  key: SigningKey;
  rotations: readonly Rotation[];
}

export const CARD = "@me/backend";
export const GUARD: CardParts = { hooks: { guard: { matcher: "Bash" } } };
/** What a card with a skill also has. */
export const SKILL = {
  manifest: { skills: { include: ["review"] } },
  files: { "skills/review/SKILL.md": "# Review\n" },
};

export function newSigner(): Signer {
  return { key: makeSigningKey(), rotations: [] };
}

/** A machine with one empty project. */
export function newProject(parts?: Parameters<typeof testHost>[0]): TestHost {
  const host = testHost(parts);
  initProject(host);
  return host;
}

/** Another project on the same machine. */
export function anotherProject(host: TestHost, name = "other"): TestHost {
  const folder = path.join(path.dirname(host.home), name);
  fs.mkdirSync(folder);
  const other = host.at(folder);
  initProject(other);
  return other;
}

/** A copy of what the project commits, as a clone on another machine would have it. */
export function cloneOf(project: TestHost): string {
  const clone = temporaryFolder();
  fs.cpSync(path.join(project.cwd, ".agents"), path.join(clone, ".agents"), { recursive: true });
  return clone;
}

/** Publishes a card of these parts to the registry of its scope, as `card publish` does after packing. */
export async function publish(host: Host, parts: CardParts = GUARD, signer?: Signer): Promise<PackedCard> {
  const plain = await packedCard(parts);
  const card = signer === undefined ? plain : await signPacked(plain, signer);
  await (await openRegistryOf(host, card.manifest.name)).publish(card, host.now(), "person");
  return card;
}

/** Puts a card into the default registry over what is there, like somebody who writes there without drwn. */
export async function plant(host: TestHost, parts: CardParts = GUARD, by: PublishedBy = "person"): Promise<PackedCard> {
  const elsewhere = temporaryFolder();
  const card = await packedCard(parts);
  await openFolderRegistry(elsewhere, OWN_REGISTRY).publish(card, host.now(), by);
  fs.cpSync(elsewhere, layout.registry(host.drwnHome), { recursive: true, force: true });
  return card;
}

/** A machine with a project, and with these cards in its registry. */
export async function projectWith(...published: CardParts[]): Promise<TestHost> {
  const host = newProject();
  for (const parts of published) await publish(host, parts);
  return host;
}

/** A machine with a project in which these newly published cards are installed. */
export async function installed(...cards: CardParts[]): Promise<TestHost> {
  const host = await projectWith(...cards);
  await addCards(
    host,
    cards.map(({ name = CARD }) => name),
  );
  return host;
}

/** Consents like a person who was shown the review. */
export async function trust(
  host: TestHost,
  { card = CARD, range = null, mode }: { card?: string; range?: string | null; mode?: Mode } = {},
): Promise<Grant> {
  return grantConsent(host, reviewConsent(host, { card, range, ...(mode === undefined ? {} : { mode }) }));
}

export function write(host: TestHost): Promise<WriteResult> {
  return writeProject(host, { wiring: undefined });
}

/** The machine of `guardedProject`, and a copy of it as it was made: to make one takes eight times as long as to copy it. */
let kept: { base: string; copy: string; inode: number; isUsed: boolean } | undefined;

/** A project in which the guard of `@me/backend` 1.0.0 is in force. */
export async function guardedProject(parts?: Parameters<typeof testHost>[0]): Promise<TestHost> {
  if (parts !== undefined || isAboutEveryFolder() || TestRunner.getCurrentTest() === undefined) {
    return guard(newProject(parts));
  }
  kept ??= await keepGuarded();
  if (kept.isUsed) return guard(newProject());
  const used = kept;
  used.isUsed = true;
  onTestFinished(() => {
    if (!clear(used)) kept = undefined;
  });
  copyTree(used.copy, used.base);
  return testHost({ base: used.base });
}

function copyTree(from: string, to: string): void {
  fs.cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
}

async function guard(host: TestHost): Promise<TestHost> {
  await publish(host);
  await addCards(host, [CARD]);
  await trust(host);
  await write(host);
  return host;
}

async function keepGuarded() {
  const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "drwn-guarded-")));
  const { cwd } = await guard(newProject({ base }));
  const made = { base, copy: `${base}-copy`, inode: fs.statSync(cwd).ino, isUsed: false };
  copyTree(base, made.copy);
  clear(made);
  return made;
}

/** Leaves the project's folder, which is known by its number, too. False: a test has moved it away. */
function clear(machine: NonNullable<typeof kept>): boolean {
  const project = path.join(machine.base, "project");
  for (const name of fs.readdirSync(machine.base)) if (name !== "project") removeTree(path.join(machine.base, name));
  if (fs.statSync(project, { throwIfNoEntry: false })?.ino !== machine.inode) return false;
  fs.chmodSync(project, 0o755);
  for (const name of fs.readdirSync(project)) removeTree(path.join(project, name));
  machine.isUsed = false;
  return true;
}

/** The same machine, seen from a command that Claude Code runs. */
export function inAgent<H extends Host>(host: H): H {
  return { ...host, env: { ...host.env, CLAUDECODE: "1" } };
}

/** The versions that are in force after a `write`. */
export async function inForce(host: TestHost): Promise<string[]> {
  return (await write(host)).plan.policies.map(({ cardVersion }) => cardVersion);
}

/** The same host, whose user has registered the source in this folder as their own. */
export function owning(host: TestHost, folder: string): TestHost {
  const file = layout.sourceList(host.drwnHome);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const { sources = {}, identities = {} } = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : {};
  const name = `@here/s${Object.keys(sources).length}`;
  const after = { sources: { ...sources, [name]: folder }, identities: { ...identities, [name]: identify(folder) } };
  fs.writeFileSync(file, JSON.stringify({ version: 1, ...after }));
  return host;
}

/** A source that is edited and published again and again, by anybody. */
export function newSource(name = CARD) {
  const folder = sourceWith({ manifest: { name }, hooks: { guard: denyingPolicy("Bash", "1.0.0") } });
  const publish = (host: Host, version: string, options: { isSigned?: boolean; dryRun?: boolean } = {}) => {
    editJson<{ version: string }>(path.join(folder, "card.json"), (card) => {
      card.version = version;
    });
    fs.writeFileSync(path.join(folder, "hooks/guard/policy.ts"), denyingPolicy("Bash", version));
    return publishCard(host, { source: folder, key: null, dryRun: false, ...options });
  };
  return { folder, publish };
}

/** `name@version` of everything in card.lock. */
export function lockedVersions(host: TestHost): string[] {
  return (readLock(host.cwd)?.cards ?? []).map(({ name, version }) => `${name}@${version}`);
}
