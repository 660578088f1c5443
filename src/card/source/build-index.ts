import path from "node:path";
import type { OptionDeclaration } from "../../contract/ledger.ts";
import { readIfThere } from "../../kernel/files.ts";
import { formatJson } from "../../kernel/format/json.ts";
import { sortedBy } from "../../kernel/order.ts";
import { isProblem, Problem } from "../../kernel/problem.ts";
import { handlerFileOf } from "../compiler/handler-module.ts";
import { describeHook } from "../hooks/describe-hook.ts";
import { digestOfHook, type HookIndex, INDEX_FILE, INDEX_VERSION, type IndexedHook } from "../hooks/hook-index.ts";
import { capabilitiesOf, declaredOptionsOf, hooksOf } from "../manifest.ts";
import { carryOut, planFolderRemoval, planSourceFile, type SourceChange } from "./edit-source.ts";
import { type CardSource, loadSource, refuseLinksOnTheWay } from "./source.ts";

/** The outcome for one hook of a source. */
export type IndexingOutcome = { hook: string; indexed: IndexedHook } | { hook: string; problem: Problem };

/** Compiles each hook of the source and loads it in a locked-down process. Only for the author's machine. */
export async function indexSource(source: CardSource): Promise<HookIndex> {
  return toIndex(source, await describeHooks(source));
}

/** One outcome for each hook, in the order of the manifest. */
export async function describeHooks(source: CardSource): Promise<IndexingOutcome[]> {
  const outcomes: IndexingOutcome[] = [];
  for (const hook of hooksOf(source.manifest)) {
    try {
      outcomes.push({ hook, indexed: await indexHook(source, hook) });
    } catch (error) {
      if (!isProblem(error)) throw error;
      outcomes.push({ hook, problem: error });
    }
  }
  return outcomes;
}

/** The index, if every hook could be described. Otherwise throws a problem that lists everything wrong. */
export function toIndex({ manifest }: CardSource, outcomes: readonly IndexingOutcome[]): HookIndex {
  const problems = outcomes.flatMap((outcome) => ("problem" in outcome ? [outcome.problem] : []));
  const [first, ...others] = problems;
  if (first !== undefined && others.length === 0) throw first;
  if (first !== undefined) {
    throw new Problem("DRWN_SOURCE_INVALID", `${problems.length} hooks of ${manifest.name} cannot be packed`, {
      details: problems.flatMap(({ code, message, details }) => [`${code}: ${message}`, ...details]),
    });
  }
  return {
    version: INDEX_VERSION,
    hooks: outcomes.flatMap((outcome) => ("indexed" in outcome ? [outcome.indexed] : [])),
  };
}

/** Writes `hooks/index.json` if it differs; a source without hooks has none. */
export function writeIndex(dir: string, index: HookIndex): SourceChange[] {
  refuseLinksOnTheWay(dir, INDEX_FILE);
  const file = path.join(dir, INDEX_FILE);
  if (index.hooks.length === 0) return carryOut(planFolderRemoval("remove-index", file), {});
  if (loadSource(dir).index?.toString() === printIndex(index)) return [];
  return carryOut([planSourceFile("update-index", file, printIndex(index))], {});
}

export function printIndex(index: HookIndex): string {
  return formatJson(index);
}

async function indexHook({ manifest, importable }: CardSource, hook: string): Promise<IndexedHook> {
  const policy = `hooks/${hook}/policy.ts`;
  if (!importable.has(policy) && !importable.has(handlerFileOf(hook))) {
    throw new Problem("DRWN_HOOK_MISSING", `${manifest.name} lists the hook \`${hook}\` but has no ${policy}`, {
      hint: `write it, or: drwn card source remove-hook ${manifest.name} ${hook}`,
    });
  }
  const capabilities = capabilitiesOf(manifest, hook);
  const { facts, inputs } = await describeHook({ card: manifest.name, files: importable, hook, capabilities });
  const { kind, matcher, phases, timeoutMs } = facts;
  const files = sortedBy(inputs, (input) => input);
  const digest = digestOfHook(importable, files);
  const options = declaredOptionsOf(manifest, hook);
  const declared = options === undefined ? {} : { options };
  return { name: hook, kind, matcher, phases, timeoutMs, capabilities, ...declared, files, digest };
}

/** Not packed: it is only for the author's editor and `tsc`. */
const TYPES_FILE = ".drwn/hook-options.d.ts";

/** Writes the types of the hooks' options from card.json, if they differ; a source without options has no such file. */
export function writeOptionTypes(dir: string, { hooks }: HookIndex): SourceChange[] {
  refuseLinksOnTheWay(dir, TYPES_FILE);
  const file = path.join(dir, TYPES_FILE);
  const before = readIfThere(file)?.toString();
  const declared = hooks.flatMap(({ name, options }) => (options === undefined ? [] : [{ name, options }]));
  const text = [
    "// Made by `drwn card source doctor` from what card.json declares.",
    'declare module "darwinian-minds/hook-policy" {',
    "  interface HookOptions {",
    ...declared.flatMap(({ name, options }) => [
      `    ${JSON.stringify(name)}: {`,
      ...Object.entries(options).flatMap(([option, one]) => [
        `      /** ${one.description.replaceAll("*/", "* /")} */`,
        `      readonly ${option}: ${typeOf(one)};`,
      ]),
      "    };",
    ]),
    "  }",
    "}",
    "",
  ].join("\n");
  if (declared.length === 0) {
    return before === undefined ? [] : carryOut(planFolderRemoval("remove-option-types", file), {});
  }
  return before === text ? [] : carryOut([planSourceFile("update-option-types", file, text)], {});
}

function typeOf(declared: OptionDeclaration): string {
  switch (declared.type) {
    case "boolean":
      return "boolean";
    case "integer":
      return "number";
    case "string":
      return "string";
    case "strings":
    case "globs":
      return "readonly string[]";
    case "enum":
      return declared.values.map((value) => JSON.stringify(value)).join(" | ");
  }
}
