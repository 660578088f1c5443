import { randomBytes } from "node:crypto";
import type { BuildFailure, BuildOptions, BuildResult } from "esbuild";
import type { Capability } from "../../contract/plan.ts";
import { compareOrdinal } from "../../kernel/order.ts";
import { Problem } from "../../kernel/problem.ts";
import { trace } from "../../kernel/trace.ts";
import type { CardFiles } from "../files.ts";
import { type HandlerModule, makeHandlerModule } from "./handler-module.ts";
import { confineToCard, handOut, sdkFolder } from "./plugins.ts";
import { CARD, nameHook, refusal } from "./refusal.ts";
import { isMostlySdk, sdkBanner } from "./shared-sdk.ts";

interface HookSource {
  /** The card's name, for messages. */
  card?: string;
  files: CardFiles;
  hook: string;
  capabilities: readonly Capability[];
  /** Milliseconds after which the compiler is stopped; half a minute when absent. */
  deadlineMs?: number;
}

export interface CompiledHook {
  /** One CommonJS text that requires only `node:` modules; its `default` export is the policy. */
  code: string;
  /** The card's files that are in it, sorted. */
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
  charset: "utf8",
  metafile: true,
  // What a CommonJS text has around it is not part of a module, and `module` would lead to every other one.
  define: Object.fromEntries(WRAPPER_NAMES.map((name) => [name, "undefined"])),
  // Modules are strict; what becomes of them here would not be.
  banner: { js: '"use strict";' },
  legalComments: "none",
  treeShaking: true,
  logLevel: "silent",
  // Neither a card's settings, nor the ones that happen to lie around, change what its code means.
  // With it an import counts although nothing of it is used: what is written is what is checked.
  tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  nodePaths: [],
  // Every way to name a module that cannot be checked here, and so would be found out about at run time only.
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
 * Compiles `hooks/<hook>/policy.ts` with what it imports. Input comes from `files` and our own SDK only, never from the
 * disk around them, and nothing of the card is run. The same files give the same text on every machine.
 */
export async function compileHook(source: HookSource): Promise<CompiledHook> {
  const { code, inputs } = await bundleHook(source, false);
  return { code, inputs };
}

/** The same text, with the source map that leads from it to the card's files. Of files that it has compiled, it is the one from then. */
export function compileHookWithMap(source: HookSource): Promise<MappedHook> {
  const known = compiled.get(source.files) ?? new Map<string, Promise<MappedHook>>();
  compiled.set(source.files, known);
  const key = JSON.stringify([source.hook, ...source.capabilities]);
  const made = known.get(key) ?? bundleHook(source, true);
  known.set(key, made);
  // What stopped the compiler once may not stop it the next time.
  made.catch(() => known.delete(key));
  return made;
}

type MappedHook = CompiledHook & { map: string };

/** To try a card, drwn learns what its hooks are, asks them about a call, and runs their cases. */
const compiled = new WeakMap<CardFiles, Map<string, Promise<MappedHook>>>();

async function bundleHook(source: HookSource, sourceMap: boolean): Promise<MappedHook> {
  const entry = `hooks/${source.hook}/policy.ts`;
  const made = makeEntry(source, entry);
  const files = made === undefined ? source.files : new Map([...source.files, [entry, Buffer.from(made.text)]]);
  const inputs = new Set<string>();
  const hints = new Set<string>();
  // The name for `exports` in our own line. It isn't in the resulting text, so a card cannot know it.
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
  const built = isShared ? await compile({ banner: { js: await sdkBanner(OPTIONS) }, minifyWhitespace: true }) : alone;
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
    // Killed by what it had to read, or stopped by us: the next hook gets a compiler that works.
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

/** The compiler is a process of its own; "the service" is what it calls itself. */
function isGivenUp(error: unknown): boolean {
  return error instanceof CompilerLate || (error instanceof Error && error.message.startsWith("The service "));
}

function isBuildFailure(error: unknown): error is BuildFailure {
  if (!(error instanceof Error && "errors" in error && Array.isArray(error.errors))) return false;
  // A message with an error in it is thrown by code of ours.
  return error.errors.every(({ detail }) => !(detail instanceof Error));
}
