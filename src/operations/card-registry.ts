import type { Host } from "../kernel/host.ts";
import type { Registry } from "../registry/registry.ts";
import { openDefaultRegistry } from "./fetch-card.ts";

/** Where the versions of a card are: a scope belongs to one registry. */
export function openRegistryOf(host: Host, _name: string): Registry {
  return openDefaultRegistry(host);
}
