import { readFile } from "node:fs/promises";
import path from "node:path";
import type { OnLoadResult, OnResolveResult, Plugin } from "esbuild";
import type { Capability } from "../../contract/plan.ts";
import { SDK_MODULE } from "../../contract/sdk-banner.ts";
import { isBuilt, packageFile } from "../../kernel/package-file.ts";
import type { CardFiles } from "../files.ts";
import { findComputedImport } from "./computed-imports.ts";
import { isNestedTooDeeply, MAXIMUM_NESTING } from "./nesting.ts";
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
