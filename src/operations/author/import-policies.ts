import path from "node:path";
import { describeEventCoverage } from "../../agents/event-coverage.ts";
import { findSource } from "../../authoring/find-source.ts";
import { IMPORTED_FILE, printImported } from "../../card/hooks/imported-file.ts";
import type { SourceChange } from "../../card/source/edit-source.ts";
import { importHooks } from "../../card/source/import.ts";
import { DIALECTS } from "../../dialects/dialects.ts";
import {
  ASKS_DRWN,
  type DescribeCoverage,
  type Dialect,
  type Difference,
  type Imported,
  type ImportedHook,
  IN_ANY_CARD,
} from "../../dialects/importing/imported.ts";
import type { Host } from "../../kernel/host.ts";
import { Problem } from "../../kernel/problem.ts";

/** Systems whose policies become hooks of a card. */
export const IMPORT_NAMES: readonly string[] = DIALECTS.map(({ name }) => name);

export interface ImportRequest {
  /** A file or a folder, relative to the working folder. */
  file: string;
  /** A dialect's name; absent: the file shows it. */
  from: string | undefined;
  dryRun: boolean;
}

export interface ImportReport {
  card: string;
  dialect: string;
  dryRun: boolean;
  hooks: { name: string; capabilities: readonly string[] }[];
  differences: Difference[];
  changes: SourceChange[];
}

/** Turns another system's policies into hooks of a card source, and says what they will do differently. */
export async function importPolicies(host: Host, card: string, request: ImportRequest): Promise<ImportReport> {
  const dir = findSource(host, card);
  const dialect = findDialect(request);
  const importFrom = await dialect.loadImporter();
  const place = path.resolve(host.cwd, request.file);
  const reaches = new Set<string>();
  const describe: DescribeCoverage = (...about) => {
    const reach = describeEventCoverage(...about);
    reaches.add(reach);
    return reach;
  };
  const imported = asInAnyCard(refuseWith(request.file, () => importFrom(place, describe)));
  const { hooks, differences } = imported;
  const noted = withDifferences(imported, { from: dialect.name, reaches });
  const roots = [place, path.dirname(place), path.dirname(path.dirname(place)), host.cwd, host.home];
  const leftOut = { from: dialect.name, file: nameOf(place, host.cwd), hooks: missedOf(imported, roots) };
  const changes = importHooks(dir, noted, { dryRun: request.dryRun, leftOut });
  return {
    card,
    dialect: dialect.name,
    dryRun: request.dryRun,
    hooks: hooks.map(({ name, capabilities }) => ({ name, capabilities })),
    differences,
    changes,
  };
}

/** The file's name without where on the machine it is. */
function nameOf(place: string, cwd: string): string {
  const relative = path.relative(cwd, place);
  return relative === "" || relative.startsWith("..") || path.isAbsolute(relative) ? path.basename(place) : relative;
}

/** The policies that guarded something and have no hook in the card. */
function missedOf({ differences }: Imported, roots: readonly string[]): { hook: string; why: string }[] {
  return differences.flatMap(({ policy, hook, what }) => {
    if (hook !== null || what.endsWith(ASKS_DRWN)) return [];
    const why = what.replace(/^(?:it is )?not imported: /u, "");
    return [{ hook: policy, why: roots.reduce(withoutRoot, why) }];
  });
}

/** Everybody reads a card, and where a file was on its author's machine is nobody else's business. */
function withoutRoot(text: string, root: string): string {
  if (root === path.parse(root).root) return text;
  return text.replaceAll(`${root}${path.sep}`, "").replaceAll(`${root},`, `${path.basename(root)},`);
}

/** Adds to each hook the difference that all hooks of cards have. */
function asInAnyCard({ hooks, differences }: Imported): Imported {
  const general = hooks.flatMap(({ name }): Difference[] => {
    const place = differences.find(({ hook }) => hook === name) ?? { policy: name, line: 1 };
    return [{ policy: place.policy, hook: name, line: place.line, what: IN_ANY_CARD }];
  });
  return { hooks, differences: [...differences, ...general] };
}

/** The hooks with a file of their differences. `write` itself says where a hook is asked, for the agents that it guards. */
function withDifferences(
  { hooks, differences }: Imported,
  { from, reaches }: { from: string; reaches: ReadonlySet<string> },
): ImportedHook[] {
  return hooks.map((hook) => {
    const own = differences.flatMap(({ hook: name, what }) => (name === hook.name && !reaches.has(what) ? [what] : []));
    if (own.length === 0) return hook;
    return { ...hook, files: { ...hook.files, [IMPORTED_FILE]: printImported({ from, differs: own }) } };
  });
}

function findDialect({ file, from }: ImportRequest): Dialect {
  const found = DIALECTS.find((dialect) => (from === undefined ? dialect.isOwn(file) : dialect.name === from));
  if (found !== undefined) return found;
  throw new Problem("DRWN_DIALECT_UNKNOWN", `drwn cannot tell which system's policies are in ${file}`, {
    hint: `name it with --from ${DIALECTS.map(({ name }) => name).join("|")}`,
  });
}

function refuseWith<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof Error) || cause.name !== "Refusal") throw cause;
    throw new Problem("DRWN_POLICIES_UNREADABLE", `${file} is not read: ${cause.message}`, { cause });
  }
}
