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

/**
 * The `require` of a policy: the modules that are free, and those of what the user consented to. Without capabilities some of
 * the free ones show less.
 */
export function createRequire(capabilities: readonly Capability[]): PolicyRequire {
  const open: Record<string, () => unknown> = Object.create(null);
  for (const name of [...FREE_MODULES, ...capabilities.flatMap((capability) => CAPABILITY_MODULES[capability])]) {
    const loader = LOADERS[name];
    if (loader === undefined) continue;
    const face = capabilities.length === 0 ? FACES[name] : undefined;
    open[name] = face === undefined ? loader : once(() => face(loader() as Record<string, unknown>));
  }
  return (name) => {
    const load = typeof name === "string" ? open[name] : undefined;
    if (load === undefined) throw new Error(`the module ${typeof name === "string" ? name : ""} is not available`);
    return load();
  };
}

function once(make: () => unknown): () => unknown {
  let made: { value: unknown } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
