import { cardScopeOf } from "../../card/name.ts";
import { isRange } from "../../card/version.ts";
import type { Host } from "../../kernel/host.ts";
import { readVendored } from "../../project/vendor.ts";
import type { NamedRegistry } from "../../registry/settings.ts";
import { openRegistryOf } from "../../supply/registries.ts";
import { openProject } from "../../workspace/open-project.ts";
import { requirePerson } from "../../workspace/require-person.ts";
import { addRegistry, listRegistries, setCardScopes } from "./registry-settings.ts";

/** A registry from which the project's lock has cards that this machine would take from another one. */
export interface RequestedRegistry extends NamedRegistry {
  scope: string;
  /** Where this machine takes cards of the scope from. */
  here: string;
  /** The cards that are locked from there. */
  cards: string[];
}

/**
 * The registries that `install` needs here and that nobody on this machine has accepted. card.lock only asks: otherwise
 * its author would decide whose cards a name means.
 */
export async function findRequestedRegistries(host: Host): Promise<RequestedRegistry[]> {
  const { root, lock } = openProject(host);
  const asked = new Map<string, RequestedRegistry>();
  for (const locked of lock.cards) {
    const { name, source, range } = locked;
    const registry = isRange(range) ? parseRegistryId(source) : undefined;
    if (registry === undefined || readVendored(root, locked) !== undefined) continue;
    const here = (await openRegistryOf(host, name)).id;
    if (here === source) continue;
    const scope = cardScopeOf(name);
    const known = asked.get(`${scope} ${source}`) ?? { ...registry, scope, here, cards: [] };
    asked.set(`${scope} ${source}`, { ...known, cards: [...known.cards, name] });
  }
  return [...asked.values()];
}

/** Takes cards of the scope from this registry from now on: a person has said so. */
export async function acceptRegistry(
  host: Host,
  { scope, kind, location }: RequestedRegistry,
): Promise<{ name: string }> {
  requirePerson(host, `say where cards of ${scope} come from`, "drwn init");
  const known = listRegistries(host);
  const same = known.find((one) => one.kind === kind && one.location === location)?.name;
  const name = same ?? freeName(scope, new Set(known.map((one) => one.name)));
  if (same === undefined) await addRegistry(host, { name, location, isStatic: kind === "static" });
  await setCardScopes(host, [scope], name);
  return { name };
}

/** `npm:https://…`, `static:https://…` or `folder:/…`; the folder below DRWN_HOME is nobody else's. */
function parseRegistryId(source: string): NamedRegistry | undefined {
  const found = /^(?:(npm|static):(https?:\/\/.+)|(folder):(\/.+))$/u.exec(source);
  if (found === null) return undefined;
  const [, web, url, folder, path] = found;
  if (folder !== undefined && path !== undefined) return { kind: "folder", location: path };
  return web !== undefined && url !== undefined ? { kind: web === "npm" ? "npm" : "static", location: url } : undefined;
}

/** `acme` for `@acme`, or the first of `acme-2`, `acme-3`, … that no registry has. */
function freeName(scope: string, taken: ReadonlySet<string>): string {
  const plain = scope.slice(1, 37);
  for (let at = 1; ; at++) {
    const name = at === 1 ? plain : `${plain}-${at}`;
    if (!taken.has(name)) return name;
  }
}
