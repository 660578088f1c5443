import type { Host } from "../../kernel/host.ts";
import { listSources, showSource } from "../../operations/author/inspect-source.ts";
import { listPublished } from "../../operations/author/show-card.ts";
import { listCalls } from "../../operations/diagnose/log.ts";
import { listKeys } from "../../operations/machine/keys.ts";
import { listRegistries } from "../../operations/machine/registry-settings.ts";
import { PREFERENCES } from "../../operations/preferences.ts";
import { listCards } from "../../operations/project/list.ts";
import type { Completes } from "./kinds.ts";

/** The arguments typed so far, by name. */
export type Typed = Readonly<Record<string, string>>;

/** More calls than anybody reads. */
const MOST_CALLS = 50;

/** The values of each kind on this machine. None of these functions uses a network. */
const VALUES: Readonly<Record<Completes, (host: Host, typed: Typed) => string[] | Promise<string[]>>> = {
  "card-or-call": (host) => [...installed(host), ...listCalls(host, {}, MOST_CALLS).map(({ id }) => id)],
  "hook-of-installed-card": (host, { name }) =>
    listCards(host).cards.flatMap((card) => (name === undefined || card.name === name ? card.hooks : [])),
  "hook-of-source": (host, { card = "" }) => showSource(host, card).hooks.map(({ name }) => name),
  "installed-card": installed,
  "part-of-source": (host, { kind, card = "" }) => {
    const { hooks, manifest, servers } = showSource(host, card);
    if (kind === "skill") return manifest.skills?.include ?? [];
    return (kind === "hook" ? hooks : servers).map(({ name }) => name);
  },
  preference: () => Object.keys(PREFERENCES),
  "preference-value": (_, { key }) =>
    Object.entries(PREFERENCES)
      .find(([name]) => name === key)?.[1]
      .values.slice() ?? [],
  "published-card": async (host) => (await listPublished(host)).map(({ name }) => name),
  registry: (host) => listRegistries(host).map(({ name }) => name),
  scope: (host) => [
    ...listKeys(host).own.map(({ scope }) => scope),
    ...listKeys(host).scopes.map(({ scope }) => scope),
    ...listRegistries(host).flatMap(({ scopes }) => scopes),
  ],
  source: (host) => listSources(host).map(({ name }) => name),
};

function installed(host: Host): string[] {
  return listCards(host).cards.map(({ name }) => name);
}

/** Values of the kind; none if drwn cannot find them: nobody at a prompt wants an error. */
export async function valuesOf(kind: Completes, host: Host, typed: Typed): Promise<string[]> {
  try {
    return [...new Set(await VALUES[kind](host, typed))];
  } catch {
    return [];
  }
}
