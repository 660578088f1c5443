import { parse } from "acorn";
import convert from "ast-v8-to-istanbul";
import type { CountedFunction } from "../../contract/proving.ts";
import { compareOrdinal } from "../../kernel/order.ts";
import type { CardFiles } from "../files.ts";
import type { CompiledHook } from "./compile.ts";
import { CARD } from "./refusal.ts";

/** How many there are, and how many of them a run reached. */
export interface Share {
  reached: number;
  of: number;
}

/** A place in a card's file that no run reached. */
export interface Unreached {
  file: string;
  /** From 1. */
  line: number;
  text: string;
  /** For a branch: which way was never taken; null: nothing reached the line. */
  branch: string | null;
}

export interface SourceCoverage {
  lines: Share;
  branches: Share;
  unreached: Unreached[];
}

interface CountedHook {
  compiled: Pick<CompiledHook, "code"> & { map: string };
  files: CardFiles;
  /** What V8 counted in each process that ran it. */
  counts: readonly CountedFunction[][];
}

/** Which lines and branches of a card's own files ran, among those in the compiled policy. */
export async function coverSource({ compiled, files, counts }: CountedHook): Promise<SourceCoverage> {
  const coverage: SourceCoverage = { lines: { reached: 0, of: 0 }, branches: { reached: 0, of: 0 }, unreached: [] };
  const converted = await Promise.all(counts.map((functions) => toIstanbul(compiled, functions)));
  const names = [...new Set(converted.flatMap((one) => Object.keys(one)))].sort(compareOrdinal);
  for (const name of names) {
    const file = name.slice(ROOT.length + CARD.length + 1);
    const text = name.startsWith(`${ROOT}${CARD}:`) ? files.get(file)?.toString() : undefined;
    if (text === undefined) continue;
    const same = converted.flatMap((one) => one[name] ?? []);
    addFile(coverage, { file, texts: text.split(/\r?\n/u), same });
  }
  return coverage;
}

/** A card's paths begin here: they don't name files on this machine. */
const ROOT = "/";

type Istanbul = Awaited<ReturnType<typeof convert>>[string];

async function toIstanbul({ code, map }: CountedHook["compiled"], functions: CountedFunction[]) {
  const ast = parse(code, { ecmaVersion: "latest", sourceType: "script" });
  const sourceMap = JSON.parse(map);
  // If the library had the texts, comments in them could exclude lines; if it had none, it would look for the files.
  sourceMap.sourcesContent = sourceMap.sources.map(() => "");
  return convert({ code, sourceMap, ast, coverage: { functions, url: `file://${ROOT}policy.cjs` } });
}

interface CoveredFile {
  file: string;
  texts: readonly string[];
  /** The same file, as each process ran it. */
  same: readonly Istanbul[];
}

function addFile(coverage: SourceCoverage, { file, texts, same }: CoveredFile): void {
  const [first] = same;
  if (first === undefined) return;
  const textAt = (line: number): string => texts[line - 1]?.trim() ?? "";
  const lines = new Map<number, boolean>();
  for (const [id, { start }] of Object.entries(first.statementMap)) {
    const hasRun = same.some(({ s }) => (s[id] ?? 0) > 0);
    lines.set(start.line, (lines.get(start.line) ?? false) || hasRun);
  }
  const unreached: Unreached[] = [];
  for (const [line, hasRun] of lines) {
    count(coverage.lines, hasRun);
    if (!hasRun) unreached.push({ file, line, text: textAt(line), branch: null });
  }
  for (const [id, { type, loc, locations }] of Object.entries(first.branchMap)) {
    for (const [at, place] of locations.entries()) {
      const hasRun = same.some(({ b }) => (b[id]?.[at] ?? 0) > 0);
      count(coverage.branches, hasRun);
      // If nothing reached the line, the line is listed already.
      const line = type === "switch" || type === "binary-expr" ? (place.start.line ?? loc.start.line) : loc.start.line;
      if (hasRun || lines.get(loc.start.line) === false) continue;
      unreached.push({ file, line, text: textAt(line), branch: describeBranch(type, at) });
    }
  }
  coverage.unreached.push(...unreached.sort((one, other) => one.line - other.line));
}

function describeBranch(type: string, at: number): string {
  if (type === "if" || type === "cond-expr") return at === 0 ? "never true" : "never false";
  if (type === "switch") return "never this case";
  return type === "default-arg" ? "never by default" : `never as far as operand ${at + 1}`;
}

function count(share: Share, isReached: boolean): void {
  share.of++;
  if (isReached) share.reached++;
}
