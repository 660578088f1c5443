import {
  DEFAULT_EXPORTERS,
  LAYERS,
  LIBRARY_HOMES,
  LISTS,
  livesIn,
  MACHINE_READERS,
  MOST_LINES,
  MOST_SIBLINGS,
  STAND_INS,
  TALKERS,
} from "./layers.ts";
import {
  codeOf,
  directoryOf,
  hasComputedImport,
  type Import,
  importsOf,
  type SourceFile,
  targetOf,
} from "./sources.ts";

/** Each rule answers with one sentence per fault; none when the house is in order. */
export type Rule = (files: readonly SourceFile[]) => string[];

const importsOnlyBelow: Rule = perFile((file) => {
  const layer = LAYERS[layerOf(file.path)];
  if (layer === undefined) return ["lies in a folder that has no layer"];
  return importsOf(file).flatMap((found) => {
    if (found.specifier.startsWith("node:")) return layer.node ? [] : [`imports ${found.specifier}`];
    const target = targetOf(file, found.specifier);
    return target === undefined || isOpen(file, found, target) ? [] : [`imports ${target}`];
  });
});

function isOpen(file: SourceFile, found: Import, target: string): boolean {
  const own = layerOf(file.path);
  const folder = layerOf(target);
  const layer = LAYERS[own];
  if (layer === undefined || !target.startsWith("src/")) return false;
  if (folder === own || layer.folders.includes(folder)) return true;
  return found.isType && layer.types?.includes(folder) === true;
}

/** The innermost layer that a file lies in; its own folder below `src/` where there is none. */
export function layerOf(file: string): string {
  const names = file.split("/").slice(1);
  const fits = Object.keys(LAYERS).filter((layer) =>
    layer.split("/").every((name, at) => (name === "*" ? names[at] !== undefined : name === names[at])),
  );
  return fits.sort((one, other) => other.split("/").length - one.split("/").length)[0] ?? names[0] ?? "";
}

const specifiersAreExact: Rule = (files) => {
  const paths = new Set(files.map(({ path }) => path));
  return perFile((file) => [
    ...(hasComputedImport(file) ? ["imports what only running it tells"] : []),
    ...importsOf(file).flatMap(({ specifier }) => {
      const target = targetOf(file, specifier);
      if (target === undefined) return [];
      return specifier.endsWith(".ts") && paths.has(target) ? [] : [`imports \`${specifier}\`, which is no .ts file`];
    }),
  ])(files);
};

const librariesStayHome: Rule = perFile((file) =>
  importsOf(file).flatMap(({ specifier }) => {
    if (specifier.startsWith(".") || specifier.startsWith("node:")) return [];
    const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
    const home = Object.hasOwn(LIBRARY_HOMES, name) ? LIBRARY_HOMES[name] : undefined;
    if (home === undefined) return [`imports \`${name}\`, which has no home`];
    return livesIn(file.path, [home]) ? [] : [`imports \`${name}\`, whose home is ${home}`];
  }),
);

const filesGoInNoCircles: Rule = (files) => circlesOf(files, (path) => path);

/** A folder, with the files that lie directly in it, imports none that imports it, directly or in a circle. */
const foldersGoInNoCircles: Rule = (files) => circlesOf(files, directoryOf);

function circlesOf(files: readonly SourceFile[], nodeOf: (path: string) => string): string[] {
  const graph = new Map<string, Set<string>>();
  for (const file of files) {
    const own = nodeOf(file.path);
    const targets = graph.get(own) ?? new Set();
    graph.set(own, targets);
    for (const { specifier } of importsOf(file)) {
      const target = targetOf(file, specifier);
      if (target !== undefined && (own === file.path || nodeOf(target) !== own)) targets.add(nodeOf(target));
    }
  }
  return findCircles(graph);
}

function findCircles(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const finished = new Set<string>();
  const faults: string[] = [];
  const visit = (node: string, trail: readonly string[]): void => {
    if (trail.includes(node)) faults.push([...trail.slice(trail.indexOf(node)), node].join(" → "));
    if (finished.has(node) || trail.includes(node)) return;
    for (const target of graph.get(node) ?? []) visit(target, [...trail, node]);
    finished.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return faults;
}

const PROCESS = String.raw`(?<![.\w$])(?:globalThis\s*\.\s*)?process`;

/** Finds `process.x`, `process["x"]` and `const { x } = process` for these names. */
function usesOfProcess(names: string): RegExp {
  return new RegExp(
    String.raw`${PROCESS}\s*\??\.\s*(?:${names})\b|${PROCESS}\s*\[|\{[^{}]*\b(?:${names})\b[^{}]*\}\s*=\s*${PROCESS}\b`,
    "u",
  );
}

const PRINTS = new RegExp(
  `${usesOfProcess("stdout|stderr|exit|exitCode|abort|reallyExit").source}|(?<![.\\w$])console\\s*\\??[.[]`,
  "u",
);
const READS_MACHINE = usesOfProcess("env|cwd|chdir");

const onlyTalkersPrintOrExit: Rule = perFile((file) => {
  if (livesIn(file.path, TALKERS)) return [];
  return PRINTS.test(codeOf(file)) ? ["prints, or ends the process"] : [];
});

const onlyHostsReadTheMachine: Rule = perFile((file) => {
  const isReader = livesIn(file.path, MACHINE_READERS);
  const usesModule = importsOf(file).some(({ specifier }) => specifier === "node:process");
  return [
    ...(!isReader && READS_MACHINE.test(codeOf(file)) ? ["reads the environment or the working folder"] : []),
    ...(usesModule ? ["imports node:process, where the global is what is looked for"] : []),
  ];
});

const exportsAreNamed: Rule = perFile((file) => {
  if (livesIn(file.path, DEFAULT_EXPORTERS)) return [];
  return /\bexport\s+default\b|\bas\s+default\b/u.test(codeOf(file)) ? ["has a default export"] : [];
});

const filesAreSmall: Rule = perFile(({ text }) => {
  const lines = text.replace(/\n$/u, "").split("\n").length;
  return lines > MOST_LINES ? [`has ${lines} lines, more than ${MOST_LINES}`] : [];
});

/** Lists of alike things, in which nobody looks for anything but one of them. */
const foldersAreNarrow: Rule = (files) => {
  const counts = new Map<string, number>();
  for (const { path } of files) counts.set(directoryOf(path), (counts.get(directoryOf(path)) ?? 0) + 1);
  return [...counts].flatMap(([folder, count]) =>
    count > MOST_SIBLINGS && !livesIn(`${folder}/`, LISTS)
      ? [`${folder} has ${count} files, more than ${MOST_SIBLINGS}`]
      : [],
  );
};

const DECLARED =
  /^export\s+(?:declare\s+|abstract\s+|async\s+)*(?:interface|type|class|enum|function\*?|const|let)\s+(\w+)/gmu;

/** One exported name means one thing, wherever it is read. */
const namesMeanOneThing: Rule = (files) => {
  const homes = new Map<string, Set<string>>();
  for (const file of files) {
    for (const [, name = ""] of (livesIn(file.path, STAND_INS) ? "" : codeOf(file)).matchAll(DECLARED))
      homes.set(name, (homes.get(name) ?? new Set()).add(file.path));
  }
  return [...homes].flatMap(([name, { size }]) => (size > 1 ? [`${name} is declared in ${size} files`] : []));
};

function perFile(check: (file: SourceFile) => string[]): Rule {
  return (files) => files.flatMap((file) => check(file).map((fault) => `${file.path} ${fault}`));
}

export const RULES = {
  "a folder imports only folders below it": importsOnlyBelow,
  "an import names its file with its extension": specifiersAreExact,
  "a library is imported only where it has its home": librariesStayHome,
  "files don't import each other in a circle": filesGoInNoCircles,
  "folders don't import each other in a circle": foldersGoInNoCircles,
  "a folder has at most 25 files": foldersAreNarrow,
  "an exported name means one thing": namesMeanOneThing,
  "only the command line and the programs print and exit": onlyTalkersPrintOrExit,
  "only the host reads the environment and the working directory": onlyHostsReadTheMachine,
  "only commands have a default export": exportsAreNamed,
  "a file has at most 500 lines": filesAreSmall,
} satisfies Record<string, Rule>;
