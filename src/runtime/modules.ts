import { CAPABILITY_MODULES, type Capability, FREE_MODULES } from "../contract/plan.ts";
import { FACES } from "./module-faces.ts";

/** Every `node:` module that some policy may get; each is loaded when it is asked for. */
const LOADERS: Readonly<Record<string, () => unknown>> = {
  "node:assert": () => require("node:assert"),
  "node:assert/strict": () => require("node:assert/strict"),
  "node:buffer": () => require("node:buffer"),
  "node:child_process": () => require("node:child_process"),
  "node:crypto": () => require("node:crypto"),
  "node:dgram": () => require("node:dgram"),
  "node:dns": () => require("node:dns"),
  "node:dns/promises": () => require("node:dns/promises"),
  "node:events": () => require("node:events"),
  "node:fs": () => require("node:fs"),
  "node:fs/promises": () => require("node:fs/promises"),
  "node:http": () => require("node:http"),
  "node:http2": () => require("node:http2"),
  "node:https": () => require("node:https"),
  "node:net": () => require("node:net"),
  "node:os": () => require("node:os"),
  "node:path": () => require("node:path"),
  "node:path/posix": () => require("node:path/posix"),
  "node:path/win32": () => require("node:path/win32"),
  "node:punycode": () => require("node:punycode"),
  "node:querystring": () => require("node:querystring"),
  "node:string_decoder": () => require("node:string_decoder"),
  "node:tls": () => require("node:tls"),
  "node:url": () => require("node:url"),
  "node:util": () => require("node:util"),
};

export type PolicyRequire = (name: unknown) => unknown;

/** What a name that is open leads to; `face` shows less of the module. */
interface Opening {
  load: () => unknown;
  face: ((module: Record<string, unknown>) => unknown) | undefined;
}

type Openings = Readonly<Record<string, Opening>>;

/** Without capabilities all policies have the same names open. */
let free: Openings | null = null;

/**
 * The `require` of a policy: the modules that are free, and those of what the user consented to. Without capabilities some of
 * the free ones show less, and to each policy by an object of its own.
 */
export function createRequire(capabilities: readonly Capability[]): PolicyRequire {
  if (capabilities.length === 0) free ??= openingsOf(capabilities);
  const openings = capabilities.length === 0 && free !== null ? free : openingsOf(capabilities);
  const shown: Record<string, unknown> = Object.create(null);
  return (name) => {
    const opening = typeof name === "string" ? openings[name] : undefined;
    if (typeof name !== "string" || opening === undefined) {
      throw new Error(`the module ${typeof name === "string" ? name : ""} is not available`);
    }
    const { load, face } = opening;
    if (face === undefined) return load();
    shown[name] ??= face(load() as Record<string, unknown>);
    return shown[name];
  };
}

function openingsOf(capabilities: readonly Capability[]): Openings {
  const openings: Record<string, Opening> = Object.create(null);
  for (const name of [...FREE_MODULES, ...capabilities.flatMap((capability) => CAPABILITY_MODULES[capability])]) {
    const load = LOADERS[name];
    if (load !== undefined) openings[name] = { load, face: capabilities.length === 0 ? FACES[name] : undefined };
  }
  return openings;
}
