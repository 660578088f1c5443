import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { BuildFailure, BuildOptions, BuildResult, Metafile, Plugin } from "esbuild";
import { type Capability, sdkBannerOf } from "../../contract/plan.ts";
import { isBuilt, packageFile } from "../../kernel/files.ts";
import { compareOrdinal } from "../../kernel/order.ts";
import { Problem } from "../../kernel/problem.ts";
import { trace } from "../../kernel/trace.ts";
import type { CardFiles } from "../files.ts";
import { type HandlerModule, makeHandlerModule } from "./handler-module.ts";
import { confineToCard, handOut, SDK, SHARED_SDK, sdkFolder } from "./plugins.ts";
import { CARD, nameHook, refusal } from "./refusal.ts";

interface HookSource {
  /** The card's name, for messages. */
  card?: string;
  files: CardFiles;
  hook: string;
  capabilities: readonly Capability[];
  /** Milliseconds after which drwn stops the compiler; absent: half a minute. */
  deadlineMs?: number;
}

export interface CompiledHook {
  /** One CommonJS text that only requires `node:` modules; its `default` export is the policy. */
  code: string;
  /** The card's files that went into it, sorted. */
  inputs: string[];
}

const DEADLINE_MS = 30_000;

const WRAPPER_NAMES = ["module", "exports", "arguments", "__filename", "__dirname"];

const OPTIONS = {
  bundle: true,
  write: false,
  outfile: "policy.cjs",
  format: "cjs",
  platform: "node",
  target: "node20",
  // One character beyond Latin-1 makes V8 keep all of a text in two bytes each.
  charset: "ascii",
  metafile: true,
  // A module can't use the variables of a CommonJS wrapper, and `module` would lead to every other module.
  define: Object.fromEntries(WRAPPER_NAMES.map((name) => [name, "undefined"])),
  // Modules are strict; CommonJS text isn't by itself.
  banner: { js: '"use strict";' },
  legalComments: "none",
  treeShaking: true,
  logLevel: "silent",
  // No tsconfig.json, of the card or around it, may change what its code means. With `verbatimModuleSyntax` even an
  // unused import counts: drwn checks the imports as they are written.
  tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  nodePaths: [],
  // All ways to name a module that drwn can't check here, and that would only fail at run time.
  logOverride: {
    "unsupported-dynamic-import": "error",
    "unsupported-require-call": "error",
    "indirect-require": "error",
    "direct-eval": "error",
    "empty-import-meta": "error",
    "require-resolve-not-external": "error",
    "commonjs-variable-in-esm": "error",
  },
} as const satisfies BuildOptions;

/**
 * Compiles `hooks/<hook>/policy.ts` with what it imports. Input comes only from `files` and our own SDK, never from
 * elsewhere on the disk, and no code of the card runs. The same files give the same text on every machine.
 */
export async function compileHook(source: HookSource): Promise<CompiledHook> {
  const { code, inputs } = await bundleHook(source, false);
  return { code, inputs };
}

/** The same text, with the source map that leads from it to the card's files. It compiles the same files only once. */
export function compileHookWithMap(source: HookSource): Promise<MappedHook> {
  const known = compiled.get(source.files) ?? new Map<string, Promise<MappedHook>>();
  compiled.set(source.files, known);
  const key = JSON.stringify([source.hook, ...source.capabilities]);
  const made = known.get(key) ?? bundleHook(source, true);
  known.set(key, made);
  // If something stopped the compiler once, it may work the next time.
  made.catch(() => known.delete(key));
  return made;
}

type MappedHook = CompiledHook & { map: string };

/** To try a card, drwn needs a hook several times: to learn what it is, to ask it about a call, to run its cases. */
const compiled = new WeakMap<CardFiles, Map<string, Promise<MappedHook>>>();

async function bundleHook(source: HookSource, sourceMap: boolean): Promise<MappedHook> {
  const entry = `hooks/${source.hook}/policy.ts`;
  const made = makeEntry(source, entry);
  const files = made === undefined ? source.files : new Map([...source.files, [entry, Buffer.from(made.text)]]);
  const inputs = new Set<string>();
  const hints = new Set<string>();
  // The name that our own line uses for `exports`. It isn't in the resulting text, so a card can't know it.
  const exportsName = `exports_${randomBytes(16).toString("hex")}`;
  const compile = (shared: Pick<BuildOptions, "banner" | "minifyWhitespace"> | null) =>
    runCompiler(source, hints, {
      ...OPTIONS,
      ...shared,
      define: { ...OPTIONS.define, [exportsName]: "exports" },
      absWorkingDir: sdkFolder(),
      ...(sourceMap ? { sourcemap: "external", sourcesContent: false } : {}),
      entryPoints: [entry],
      plugins: [
        handOut(exportsName),
        confineToCard({ ...source, files, isSdkShared: shared !== null }, { inputs, hints }),
      ],
    });
  const alone = await compile(null);
  const isShared = source.capabilities.length === 0 && isMostlySdk(alone.metafile);
  const built = isShared ? await compile({ banner: { js: await sdkBanner() }, minifyWhitespace: true }) : alone;
  if (built.metafile?.inputs[`${CARD}:${entry}`]?.format !== "esm") {
    throw new Problem("DRWN_POLICY_INVALID", `${nameHook(source)}: there is no default export (${entry}:1:1)`, {
      details: [`${entry}:1:1: there is no default export`],
      hint: 'write: import { defineToolPolicy } from "darwinian-minds/hook-policy"; export default defineToolPolicy({ … })',
    });
  }
  const textOf = (ending: string) => built.outputFiles?.find((file) => file.path.endsWith(ending))?.text ?? "";
  return { code: textOf(".cjs"), inputs: [...(made?.inputs ?? inputs)].sort(compareOrdinal), map: textOf(".map") };
}

/** What replaces a missing policy.ts; undefined when it is there. */
function makeEntry(source: HookSource, entry: string): HandlerModule | undefined {
  const hasPolicy = source.files.has(entry);
  const made = makeHandlerModule(source);
  if (hasPolicy !== (made !== undefined)) return made;
  throw new Problem(
    "DRWN_POLICY_INVALID",
    hasPolicy ? `${nameHook(source)} has both ${entry} and a handler.json` : `${nameHook(source)} has no ${entry}`,
    { hint: hasPolicy ? "remove one of them" : `write ${entry}, with the policy as its default export` },
  );
}

async function runCompiler(source: HookSource, hints: Set<string>, options: BuildOptions): Promise<BuildResult> {
  const { build, stop } = await import("esbuild");
  trace("start", () => `esbuild, for ${nameHook(source)}`);
  try {
    return await beforeDeadline(build(options), source.deadlineMs ?? DEADLINE_MS);
  } catch (error) {
    // The compiler crashed on its input, or drwn stopped it: the next hook gets a compiler that works.
    if (isGivenUp(error)) await stop();
    else if (!isBuildFailure(error)) throw error;
    throw refusal(source, isBuildFailure(error) ? error.errors : [], { hint: [...hints][0], cause: error });
  }
}

class CompilerLate extends Error {}

async function beforeDeadline<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new CompilerLate(`not done after ${milliseconds} ms`)), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The compiler is a separate process, which calls itself "the service". */
function isGivenUp(error: unknown): boolean {
  return error instanceof CompilerLate || (error instanceof Error && error.message.startsWith("The service "));
}

function isBuildFailure(error: unknown): error is BuildFailure {
  if (!(error instanceof Error && "errors" in error && Array.isArray(error.errors))) return false;
  // If a message holds an error, our own code threw it.
  return error.errors.every(({ detail }) => !(detail instanceof Error));
}

/** A policy with less of the SDK has it in its own text, since V8 would read all of the shared one. */
const MUCH_BYTES = 16_384;

/** Whether the SDK is so much of a policy that all of it goes in front, once for all policies that run together. */
function isMostlySdk(metafile: Metafile | undefined): boolean {
  const inputs = Object.values(metafile?.outputs ?? {}).flatMap((output) => Object.entries(output.inputs));
  const ofSdk = inputs.filter(([name]) => name.startsWith(`${SDK}:`));
  return ofSdk.reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0) > MUCH_BYTES;
}

let made: Promise<string> | undefined;

/** What such a policy begins with. */
function sdkBanner(): Promise<string> {
  made ??= (isBuilt() ? readFile(packageFile("dist/code-cache/sdk.cjs"), "utf8") : compileSdk()).then(sdkBannerOf);
  return made;
}

/**
 * The SDK that policies share.
 * @public for `npm run build`
 */
export async function compileSdk(): Promise<string> {
  const { build } = await import("esbuild");
  const confined = confineToCard(
    { files: new Map(), hook: "", capabilities: [] },
    { inputs: new Set(), hints: new Set() },
  );
  const plugins = [entry, confined];
  const built = await build({ ...OPTIONS, entryPoints: [SHARED_SDK], plugins, minify: true, banner: {} });
  return asFunction(built.outputFiles?.find(({ path }) => path.endsWith(".cjs"))?.text.trimEnd() ?? "");
}

const entry: Plugin = {
  name: "shared",
  setup(build) {
    build.onResolve({ filter: /.*/ }, ({ path, kind }) =>
      kind === "entry-point" ? { path, namespace: SDK } : undefined,
    );
  },
};

/** Freezes it and everything in it, so that policies that share it can't affect each other through it. */
const FREEZE =
  "const freeze=(one)=>{if(one===Object(one)&&!Object.isFrozen(one)){Object.freeze(one);Object.values(one).forEach(freeze)}return one};";

function asFunction(text: string): string {
  // The parentheses make V8 compile it at once: it will be called.
  return `(function(require){"use strict";const module={exports:{}};${text}\n${FREEZE}return freeze(module.exports)})`;
}
