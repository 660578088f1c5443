import { DEFAULT_EXPORTERS, FLOORS, LIBRARY_HOMES, livesIn, MACHINE_READERS, MOST_LINES, TALKERS } from "./floors.ts";
import { codeOf, folderOf, hasComputedImport, type Import, importsOf, type SourceFile, targetOf } from "./sources.ts";

/** Each rule answers with one sentence per fault; none when the house is in order. */
export type Rule = (files: readonly SourceFile[]) => string[];

const floorsHold: Rule = perFile((file) => {
  const floor = FLOORS[folderOf(file.path)];
  if (floor === undefined) return ["lies in a folder that has no floor"];
  return importsOf(file).flatMap((found) => {
    if (found.specifier.startsWith("node:")) return floor.node ? [] : [`imports ${found.specifier}`];
    const target = targetOf(file, found.specifier);
    return target === undefined || isOpen(file, found, target) ? [] : [`imports ${target}`];
  });
});

function isOpen(file: SourceFile, found: Import, target: string): boolean {
  const own = folderOf(file.path);
  const folder = folderOf(target);
  const floor = FLOORS[own];
  if (floor === undefined || !target.startsWith("src/")) return false;
  if (folder === own || floor.folders.includes(folder) || floor.files?.includes(target)) return true;
  return found.isType && floor.types?.includes(folder) === true;
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

const nothingGoesInCircles: Rule = (files) => {
  const graph = new Map(
    files.map((file) => [file.path, importsOf(file).flatMap(({ specifier }) => targetOf(file, specifier) ?? [])]),
  );
  const finished = new Set<string>();
  const faults: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) faults.push([...trail.slice(trail.indexOf(path)), path].join(" → "));
    if (finished.has(path) || trail.includes(path)) return;
    for (const target of graph.get(path) ?? []) visit(target, [...trail, path]);
    finished.add(path);
  };
  for (const { path } of files) visit(path, []);
  return faults;
};

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

function perFile(check: (file: SourceFile) => string[]): Rule {
  return (files) => files.flatMap((file) => check(file).map((fault) => `${file.path} ${fault}`));
}

export const RULES = {
  floorsHold,
  specifiersAreExact,
  librariesStayHome,
  nothingGoesInCircles,
  onlyTalkersPrintOrExit,
  onlyHostsReadTheMachine,
  exportsAreNamed,
  filesAreSmall,
} satisfies Record<string, Rule>;
