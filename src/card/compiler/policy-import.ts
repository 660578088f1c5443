import fs from "node:fs";
import { builtinModules } from "node:module";
import path from "node:path";
import { CAPABILITIES, CAPABILITY_MODULES, type Capability, FREE_MODULES } from "../../contract/plan.ts";
import { packageFile } from "../../kernel/files.ts";
import { clean } from "../../kernel/text.ts";

/** The names of our package; all of them mean the same modules. */
const SDK_NAMES = ["darwinian-minds", "darwinian", "drwn"];
/** What a generated policy imports, and the module of the SDK that each name means: see handler-module.ts. */
const HANDLER_MODULES: Readonly<Record<string, string>> = {
  "drwn:command": "helpers/handlers/command-policy",
  "drwn:http": "helpers/handlers/http-policy",
  "drwn:wasm": "helpers/handlers/wasm-policy",
};

/** What an import of a policy means. */
export type PolicyImport =
  | { from: "card"; file: string }
  | { from: "node"; module: string }
  | { from: "sdk"; module: string }
  | { from: "nowhere"; why: string; hint?: string };

interface ImportRequest {
  specifier: string;
  /** Path in the card of the file that imports. */
  importer: string;
  card: string;
  hook: string;
  capabilities: readonly Capability[];
  isFile: (file: string) => boolean;
}

const SOURCES = [".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".json"];
const TEXTS = [".txt", ".md"];
/** As in TypeScript, `./a.js` may mean the file a.ts. */
const WRITTEN_FOR: Readonly<Record<string, string>> = { ".js": ".ts", ".mjs": ".mts", ".cjs": ".cts" };
/** Generated from the policies, so no policy can depend on them. */
const GENERATED = ["hooks/index.json", "package.json"];

/** A policy imports files of its own card, the `node:` modules that its capabilities open, and the SDK. Nothing else. */
export function resolveImport(request: ImportRequest): PolicyImport {
  const { specifier } = request;
  const module = findSdkModule(specifier);
  if (module !== undefined) return { from: "sdk", module };
  if (specifier.startsWith("node:")) return resolveNodeModule(request);
  if (/^\.{1,2}(?:\/|$)/u.test(specifier)) return resolveCardFile(request);
  if (builtinModules.includes(specifier)) {
    return { from: "nowhere", why: `"${specifier}" must be written "node:${specifier}"` };
  }
  return {
    from: "nowhere",
    why: `"${clean(specifier)}" isn't a file of this card`,
    hint: `a policy imports files of its own card, node: modules and "${SDK_NAMES[0]}/hook-policy"; copy what you need into the card`,
  };
}

/** Our package.json lists what people can import from the package; policies can import what is below `hook-policy`. */
function findSdkModule(specifier: string): string | undefined {
  if (Object.hasOwn(HANDLER_MODULES, specifier)) return HANDLER_MODULES[specifier];
  const [, name = "", subpath = ""] = /^([^/]+)\/(hook-policy(?:\/[a-z]+)?)$/u.exec(specifier) ?? [];
  if (!SDK_NAMES.includes(name)) return undefined;
  const { exports } = JSON.parse(fs.readFileSync(packageFile("package.json"), "utf8"));
  const file: unknown = exports[`./${subpath}`]?.default;
  return typeof file === "string" ? file.replace(/^\.\/dist\/|\.js$/gu, "") : undefined;
}

/** Modules of the SDK that need a capability, and what replaces them if the hook doesn't declare it. */
const SDK_STAND_INS: Readonly<Record<string, { needs: Capability; otherwise: string }>> = {
  "helpers/outside/programs": { needs: "exec", otherwise: "helpers/outside/no-programs" },
  "helpers/outside/project-texts": { needs: "fs-read", otherwise: "helpers/outside/no-project-texts" },
};

/** The module of the SDK that another module imports as `specifier`, for a hook with these capabilities. */
export function resolveInSdk(specifier: string, importer: string, capabilities: readonly Capability[]): string {
  const module = path.posix.join(path.posix.dirname(importer), specifier).replace(/\.[jt]s$/u, "");
  const standIn = SDK_STAND_INS[module];
  return standIn === undefined || capabilities.includes(standIn.needs) ? module : standIn.otherwise;
}

/** The `node:` modules that these capabilities open, the free ones included. */
export function nodeModulesOf(capabilities: readonly Capability[]): string[] {
  return [...FREE_MODULES, ...capabilities.flatMap((capability) => CAPABILITY_MODULES[capability])];
}

function resolveNodeModule({ specifier, card, hook, capabilities }: ImportRequest): PolicyImport {
  if (nodeModulesOf(capabilities).includes(specifier)) return { from: "node", module: specifier };
  const opening = CAPABILITIES.filter((capability) => CAPABILITY_MODULES[capability].includes(specifier));
  const [first] = opening;
  if (first === undefined) return { from: "nowhere", why: `"${clean(specifier)}" is not available to policies` };
  return {
    from: "nowhere",
    why: `"${specifier}" needs the capability ${opening.join(" or ")}, which \`${hook}\` does not declare`,
    hint: `drwn card source set ${card} --capability ${hook}=${[...capabilities, first].join(",")}`,
  };
}

function resolveCardFile({ specifier, importer, isFile }: ImportRequest): PolicyImport {
  const target = path.posix.join(path.posix.dirname(importer), specifier);
  const shown = clean(specifier);
  if (/^\.\.(?:\/|$)/u.test(target)) return { from: "nowhere", why: `"${shown}" lies outside of the card` };
  const file = candidatesFor(target).find(isFile);
  if (file === undefined) return { from: "nowhere", why: `"${shown}" is not in the card` };
  if (GENERATED.includes(file)) {
    return { from: "nowhere", why: `"${shown}" is generated and cannot be imported by a policy` };
  }
  if (![...SOURCES, ...TEXTS].includes(path.posix.extname(file))) {
    return {
      from: "nowhere",
      why: `"${shown}" is of a kind that a policy cannot import`,
      hint: `it can import ${[...SOURCES, ...TEXTS].join(" ")}`,
    };
  }
  return { from: "card", file };
}

function candidatesFor(target: string): string[] {
  const extension = path.posix.extname(target);
  const source = WRITTEN_FOR[extension];
  const folder = target.replace(/\/$/u, "");
  return [
    target,
    ...(source === undefined ? [] : [target.slice(0, -extension.length) + source]),
    ...SOURCES.map((ending) => target + ending),
    ...SOURCES.map((ending) => (folder === "." ? `index${ending}` : `${folder}/index${ending}`)),
  ];
}
