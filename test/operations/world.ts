import fs from "node:fs";
import path from "node:path";
import type { PackedCard } from "../../src/card/pack.ts";
import { layout } from "../../src/contract/layout.ts";
import type { Grant } from "../../src/contract/ledger.ts";
import { openProject } from "../../src/materialize/open-project.ts";
import { addCards } from "../../src/operations/add.ts";
import { openDefaultRegistry } from "../../src/operations/fetch-card.ts";
import { initProject } from "../../src/operations/init.ts";
import { grantConsent, reviewConsent } from "../../src/operations/trust.ts";
import { type WriteResult, writeProject } from "../../src/operations/write.ts";
import { openFolderRegistry } from "../../src/registry/folder.ts";
import { OWN_REGISTRY } from "../../src/trust/activation.ts";
import { packedCard as packCardOf, type packedCard, temporaryFolder } from "../support/cards.ts";
import { type TestHost, testHost } from "../support/host.ts";

type CardParts = NonNullable<Parameters<typeof packedCard>[0]>;

export const CARD = "@me/backend";
export const GUARD: CardParts = { hooks: { guard: { matcher: "Bash" } } };

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

export async function publish(host: TestHost, parts: CardParts = GUARD): Promise<PackedCard> {
  const card = await packCardOf(parts);
  await openDefaultRegistry(host).publish(card, host.now());
  return card;
}

/** Puts a card into the default registry as somebody would who writes there past drwn, over what is there. */
export async function plant(host: TestHost, parts: CardParts = GUARD): Promise<PackedCard> {
  const elsewhere = temporaryFolder();
  const card = await packCardOf(parts);
  await openFolderRegistry(elsewhere, OWN_REGISTRY).publish(card, host.now());
  fs.cpSync(elsewhere, layout.registry(host.drwnHome), { recursive: true, force: true });
  return card;
}

export async function trust(
  host: TestHost,
  { card = CARD, range = null }: { card?: string; range?: string | null } = {},
): Promise<Grant> {
  return grantConsent(host, reviewConsent(host, { card, range }));
}

export function write(host: TestHost): Promise<WriteResult> {
  return writeProject(host, { wiring: undefined });
}

/** A project in which the guard of `@me/backend` 1.0.0 is in force. */
export async function guardedProject(parts?: Parameters<typeof testHost>[0]): Promise<TestHost> {
  const host = newProject(parts);
  await publish(host);
  await addCards(host, [CARD]);
  await trust(host);
  await write(host);
  return host;
}

export function ledgerFile(host: TestHost): string {
  return layout.ledger(host.drwnHome, openProjectKey(host));
}

export function openProjectKey(host: TestHost): string {
  return openProject(host).key;
}

/** The file in which Claude Code finds the user's own hooks. */
export function userSettings(host: TestHost): string {
  return path.join(host.home, ".claude", "settings.json");
}

/** Everything below the folder: kind, mode and content of each entry. Two equal ones mean that nothing was changed. */
export function snapshot(folder: string): Record<string, string> {
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
  const lines = entries.map((entry): [string, string] => {
    const file = path.join(entry.parentPath, entry.name);
    const stat = fs.lstatSync(file);
    const content = stat.isSymbolicLink()
      ? fs.readlinkSync(file)
      : stat.isFile()
        ? fs.readFileSync(file, "hex")
        : "folder";
    return [path.relative(folder, file), `${(stat.mode & 0o7777).toString(8)} ${content}`];
  });
  return Object.fromEntries(lines.sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** Home, state and project of the machine. */
export function machineOf(host: TestHost): string {
  return path.dirname(host.home);
}

export function editJson<T>(file: string, edit: (value: T) => void): void {
  const value = JSON.parse(fs.readFileSync(file, "utf8")) as T;
  edit(value);
  fs.writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
