import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { OnLoadResult, OnResolveResult, Plugin, TransformOptions } from "esbuild";
import { type Capability, SDK_MODULE } from "../../contract/plan.ts";
import { isBuilt, packageFile } from "../../kernel/files.ts";
import type { CardFiles } from "../files.ts";
import { resolveImport, resolveInSdk } from "./policy-import.ts";
import { CARD, COMPUTED_NAME } from "./refusal.ts";

/** The program that drwn gives the compiler: it exports the policy. */
const ENTRY = "entry";
export const SDK = "sdk";
/** The module of the SDK that policies can share. */
export const SHARED_SDK = "helpers/index";

interface Surroundings {
  card?: string;
  files: CardFiles;
  hook: string;
  capabilities: readonly Capability[];
  /** The SDK comes before the policy, and isn't part of its own code. */
  isSdkShared?: boolean;
}

interface Found {
  /** The card's files that the compiler read. */
  inputs: Set<string>;
  /** Hints that would fix refused imports. */
  hints: Set<string>;
}

/** Otherwise the compiler would read the file that the last line of this kind names, in any folder. */
const NO_SOURCE_MAP = Buffer.from("\n//# sourceMappingURL=data:application/json,{}");

/** The folder of our own modules that a policy can import. */
export function sdkFolder(): string {
  return packageFile(isBuilt() ? "dist" : "src");
}

/**
 * Exports the policy and nothing else. The compiler's own code for a module's exports, with getters and helpers, would
 * be nearly half of an ordinary policy's text, and cost time in every call.
 */
export function handOut(exportsName: string): Plugin {
  return {
    name: "entry",
    setup(build) {
      build.onResolve({ filter: /.*/ }, ({ path: specifier, namespace, kind }): OnResolveResult | undefined => {
        if (kind === "entry-point") return { path: specifier, namespace: ENTRY };
        return namespace === ENTRY ? { path: specifier, namespace: CARD } : undefined;
      });
      build.onLoad({ filter: /.*/, namespace: ENTRY }, ({ path: entry }): OnLoadResult => {
        const contents = `import * as policy from ${JSON.stringify(entry)};\n${exportsName}.default = policy.default;\n`;
        return { contents, loader: "js" };
      });
    },
  };
}

/** Replaces everything that the compiler would look up on the disk. */
export function confineToCard(
  { card = "<card>", files, hook, capabilities, isSdkShared = false }: Surroundings,
  { inputs, hints }: Found,
): Plugin {
  const isFile = (file: string) => files.has(file);
  return {
    name: "card",
    setup(build) {
      build.onResolve({ filter: /.*/ }, ({ path: specifier, importer, namespace }): OnResolveResult => {
        if (namespace === SDK) return resolveForSdk(specifier, importer, capabilities);
        const found = resolveImport({ specifier, importer, card, hook, capabilities, isFile });
        if (found.from === "card") return { path: found.file, namespace: CARD };
        if (found.from === "node") return { path: found.module, external: true };
        if (found.from === "sdk" && isSdkShared && found.module === SHARED_SDK) {
          return { path: SDK_MODULE, external: true, sideEffects: false };
        }
        if (found.from === "sdk") return { path: found.module, namespace: SDK, sideEffects: false };
        if (found.hint !== undefined) hints.add(found.hint);
        return { errors: [{ text: found.why }] };
      });
      build.onLoad({ filter: /.*/, namespace: SDK }, async ({ path: name }): Promise<OnLoadResult> => {
        const loader = isBuilt() ? "js" : "ts";
        return { contents: await readFile(path.join(sdkFolder(), `${name}.${loader}`)), loader };
      });
      build.onLoad({ filter: /.*/, namespace: CARD }, ({ path: file }) => {
        inputs.add(file);
        return loadCardFile(file, files.get(file) ?? Buffer.alloc(0));
      });
      // Nothing else has a namespace: the compiler found it by itself, and would read it from the disk.
      build.onLoad({ filter: /.*/ }, (): OnLoadResult => ({ errors: [{ text: COMPUTED_NAME }] }));
    },
  };
}

async function loadCardFile(file: string, contents: Uint8Array): Promise<OnLoadResult> {
  const loader = loaderFor(file);
  const refuse = (text: string, line = 1) => ({ errors: [{ text, location: { file, line, column: 0 } }] });
  if (loader === "text") return { contents, loader };
  if (isNestedTooDeeply(contents)) return refuse(`brackets are nested more than ${MAXIMUM_NESTING} deep`);
  if (loader === "json") return { contents, loader };
  const line = await findComputedImport(contents, loader);
  if (line !== undefined) return refuse(COMPUTED_NAME, line);
  return { contents: Buffer.concat([contents, NO_SOURCE_MAP]), loader };
}

function resolveForSdk(specifier: string, importer: string, capabilities: readonly Capability[]): OnResolveResult {
  if (specifier.startsWith("node:")) return { path: specifier, external: true, sideEffects: false };
  return { path: resolveInSdk(specifier, importer, capabilities), namespace: SDK, sideEffects: false };
}

function loaderFor(file: string): "js" | "json" | "text" | "ts" {
  const extension = path.posix.extname(file);
  if (extension === ".json") return "json";
  if (extension === ".txt" || extension === ".md") return "text";
  return extension.endsWith("ts") ? "ts" : "js";
}

/** A text without a match has nothing but static imports. */
const MAY_COMPUTE = /\bimport\b\s*[^\s\w$"'{*]|require|\\u/u;
const CALL = /\b(?:import(?:\.\w+)?|require)(?:\?\.)?\(/gu;
/** A literal and the end of the argument; or just a name, which the compiler itself refuses. */
const HARMLESS = /^(?:[\w$.]+|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\$]|\\.)*`)[),]/u;

/**
 * The line of an import whose name is computed; undefined if there is none. For such an import the compiler would
 * search folders anywhere on the disk, without asking a plugin. A source that doesn't parse imports nothing.
 */
async function findComputedImport(source: Uint8Array, loader: "js" | "ts"): Promise<number | undefined> {
  const text = Buffer.from(source).toString("utf8");
  if (!MAY_COMPUTE.test(text) || !(await computes(text, loader))) return undefined;
  const at = /\b(?:import|require)\s*\((?!\s*(?:"[^"]*"|'[^']*')\s*[),])/u.exec(text)?.index ?? 0;
  return text.slice(0, at).split("\n").length;
}

async function computes(text: string, loader: "js" | "ts"): Promise<boolean> {
  const printed = await print(text, { loader });
  if (printed === undefined || callsIn(printed).every((end) => HARMLESS.test(printed.slice(end)))) return false;
  // What looks like a call may be part of a string. Printing without such calls doesn't change strings.
  const name = `require_${randomBytes(16).toString("hex")}`;
  const without = await print(text, { loader, supported: { "dynamic-import": false }, define: { require: name } });
  return without === undefined || without.includes(name) || countImports(printed) !== countImports(without);
}

/** The text as the compiler understands it: without comments and types, in one spelling. */
async function print(text: string, options: TransformOptions): Promise<string | undefined> {
  const { transform } = await import("esbuild");
  try {
    const common = { format: "cjs", platform: "node", target: "node20", minifyWhitespace: true } as const;
    return (await transform(text, { ...common, logLevel: "silent", ...options })).code;
  } catch {
    return undefined;
  }
}

function callsIn(printed: string): number[] {
  return [...printed.matchAll(CALL)].map(({ index, 0: call }) => index + call.length);
}

function countImports(printed: string): number {
  return printed.split(/\bimport(?:\.\w+)?\(/u).length;
}

/** Deeper than people write, but far from where a recursive parser runs out of stack. */
const MAXIMUM_NESTING = 2_000;

/**
 * Whether brackets nest more deeply than a compiler or a JavaScript engine can follow. Brackets in strings and comments
 * count, too: most of them close again.
 */
function isNestedTooDeeply(source: Uint8Array): boolean {
  let depth = 0;
  for (const byte of source) {
    // ( [ { and ) ] }
    if (byte === 0x28 || byte === 0x5b || byte === 0x7b) depth += 1;
    else if (byte === 0x29 || byte === 0x5d || byte === 0x7d) depth = Math.max(0, depth - 1);
    if (depth > MAXIMUM_NESTING) return true;
  }
  return false;
}
