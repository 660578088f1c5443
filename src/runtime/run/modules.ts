import { CAPABILITY_MODULES, type Capability, FREE_MODULES } from "../../contract/plan.ts";
import { SDK_MODULE } from "../../contract/sdk-banner.ts";
import { exposeModule } from "./module-facades.ts";

export type PolicyRequire = (name: unknown) => unknown;

/** The SDK that the policies of one plan share. It is loaded when the first of them asks for it. */
export interface SharedSdk {
  load: (require: PolicyRequire) => unknown;
  exported: { value: unknown } | null;
}

/**
 * The `require` of a policy: it gives the free modules, and those of the capabilities that the user consented to.
 * Without capabilities, some of the free ones show less, and each policy gets an object of its own for them.
 */
export function createRequire(capabilities: readonly Capability[], sdk?: SharedSdk): PolicyRequire {
  const shown: Record<string, unknown> = Object.create(null);
  const policyRequire: PolicyRequire = (name) => {
    if (name === SDK_MODULE && sdk !== undefined) {
      sdk.exported ??= { value: sdk.load(policyRequire) };
      return sdk.exported.value;
    }
    if (typeof name !== "string" || !isOpen(name, capabilities)) {
      throw new Error(`the module ${typeof name === "string" ? name : ""} is not available`);
    }
    if (capabilities.length > 0) return loadModule(name);
    shown[name] ??= exposeModule(name, loadModule(name) as Record<string, unknown>);
    return shown[name];
  };
  return policyRequire;
}

function isOpen(name: string, capabilities: readonly Capability[]): boolean {
  if (isAmong(name, FREE_MODULES)) return true;
  for (let i = 0; i < capabilities.length; i++) {
    const capability = capabilities[i];
    if (capability !== undefined && isAmong(name, CAPABILITY_MODULES[capability])) return true;
  }
  return false;
}

/** A loop, because policies that ran before may have replaced the methods of lists. */
function isAmong(name: string, names: readonly string[]): boolean {
  for (let i = 0; i < names.length; i++) if (names[i] === name) return true;
  return false;
}

/** Loads an open module when it is asked for. */
function loadModule(name: string): unknown {
  switch (name) {
    case "node:assert":
      return require("node:assert");
    case "node:assert/strict":
      return require("node:assert/strict");
    case "node:buffer":
      return require("node:buffer");
    case "node:crypto":
      return require("node:crypto");
    case "node:events":
      return require("node:events");
    case "node:path":
      return require("node:path");
    case "node:path/posix":
      return require("node:path/posix");
    case "node:path/win32":
      return require("node:path/win32");
    case "node:punycode":
      return require("node:punycode");
    case "node:querystring":
      return require("node:querystring");
    case "node:string_decoder":
      return require("node:string_decoder");
    case "node:url":
      return require("node:url");
    case "node:util":
      return require("node:util");
    default:
      return loadOutward(name);
  }
}

function loadOutward(name: string): unknown {
  switch (name) {
    case "node:child_process":
      return require("node:child_process");
    case "node:dgram":
      return require("node:dgram");
    case "node:dns":
      return require("node:dns");
    case "node:dns/promises":
      return require("node:dns/promises");
    case "node:fs":
      return require("node:fs");
    case "node:fs/promises":
      return require("node:fs/promises");
    case "node:http":
      return require("node:http");
    case "node:http2":
      return require("node:http2");
    case "node:https":
      return require("node:https");
    case "node:net":
      return require("node:net");
    case "node:os":
      return require("node:os");
    case "node:tls":
      return require("node:tls");
    default:
      return undefined;
  }
}
