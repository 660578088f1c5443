import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { LAYERS, LIBRARY_HOMES } from "./architecture/layers.ts";
import { maskSource } from "./architecture/mask.ts";
import { layerOf, RULES } from "./architecture/rules.ts";
import { importsOf, readSources, type SourceFile } from "./architecture/sources.ts";

const root = path.resolve(import.meta.dirname, "..");
const sources = readSources(root);

describe("the house is in order", () => {
  test.each(Object.entries(RULES))("%s", (_, rule) => {
    expect(rule(sources)).toEqual([]);
  });

  test("every layer that is listed exists", () => {
    const found = new Set(sources.map((file) => layerOf(file.path)));
    expect(Object.keys(LAYERS).filter((layer) => !found.has(layer))).toEqual([]);
  });

  test("every library that has a home is here, and every dependency has a home", () => {
    const { dependencies, devDependencies } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
    const homes = Object.keys(LIBRARY_HOMES);
    // What is built into dist/ is not installed with drwn: test/package.test.ts.
    expect(homes.filter((name) => !(name in dependencies || name in devDependencies))).toEqual([]);
    expect(Object.keys(dependencies).filter((name) => !homes.includes(name))).toEqual([]);
  });
});

/** Files that break exactly one rule, by that rule. */
const broken: [rule: keyof typeof RULES, files: Record<string, string>][] = [
  [
    "a folder imports only folders below it",
    { "kernel/a.ts": `import { b } from "./format/b.ts";`, "kernel/format/b.ts": "" },
  ],
  [
    "a folder imports only folders below it",
    { "trust/a.ts": `const b = await import("../project/b.ts");`, "project/b.ts": "" },
  ],
  ["an import names its file with its extension", { "kernel/a.ts": `import { b } from "./b.js";`, "kernel/b.ts": "" }],
  ["a library is imported only where it has its home", { "hook/a.ts": `const { z } = require("zod");` }],
  [
    "files don't import each other in a circle",
    { "kernel/a.ts": `import "./b.ts";`, "kernel/b.ts": `import "./a.ts";` },
  ],
  [
    "folders don't import each other in a circle",
    {
      "card/a.ts": `import "./hooks/b.ts";`,
      "card/hooks/b.ts": `import "../source/c.ts";`,
      "card/source/c.ts": `import "../d.ts";`,
      "card/d.ts": "",
    },
  ],
  [
    "a folder has at most 25 files",
    Object.fromEntries(Array.from({ length: 26 }, (_, at) => [`kernel/a${at}.ts`, "export {};"])),
  ],
  [
    "an exported name means one thing",
    { "kernel/a.ts": "export interface Place {}", "trust/b.ts": "export const Place = 1;" },
  ],
  ["only the command line and the programs print and exit", { "operations/a.ts": `\`a \${process.exit(1)} b\`;` }],
  ["only the host reads the environment and the working directory", { "kernel/a.ts": "const { env: all } = process;" }],
  ["only commands have a default export", { "cli/a.ts": "const a = 1;\nexport { a as default };" }],
  ["a file has at most 500 lines", { "kernel/a.ts": "export {};\n".repeat(501) }],
];

describe("a house that is not in order is found out", () => {
  test.each(broken)("%s: %j", (name, files) => {
    const tree = toSources(files);
    expect(RULES[name](tree)).toHaveLength(1);
    const others = Object.entries(RULES).filter(([other]) => other !== name);
    expect(others.flatMap(([, rule]) => rule(tree))).toEqual([]);
  });

  test("every rule is among those that are broken here", () => {
    expect([...new Set(broken.map(([rule]) => rule))].sort()).toEqual(Object.keys(RULES).sort());
  });

  test.each([
    { "cli/a.ts": `import type { B } from "../card/b.ts";`, "card/b.ts": "" },
    { "cli/commands/a.ts": `import { Command } from "@oclif/core";\nexport default class A extends Command {}` },
    { "hook/a.ts": `import { d } from "../hook-base/digest.ts";\nprocess.exit(2);`, "hook-base/digest.ts": "" },
    { "kernel/a.ts": `// import { z } from "zod"\n/* process.exit(1) */\nexport const a = 'import "zod"';` },
    { "kernel/a.ts": 'export const a = `process.env and import "zod"`;' },
    { "kernel/a.ts": "export const a = /process.exit|\"/u;\nexport const b = 1; // console.log('it')" },
    { "kernel/host.ts": "export const { env } = process;" },
    { "kernel/a.ts": "export {};\n".repeat(500) },
  ])("nothing is found in %j", (files) => {
    expect(Object.values(RULES).flatMap((rule) => rule(toSources(files)))).toEqual([]);
  });
});

describe("imports are read from code alone", () => {
  test.each<[string, string[]]>([
    [`import a, { b as c } from "x"; import * as d from 'y';`, ["x", "y"]],
    [`import type A from "x";\nexport type { B } from "y";\nexport * as c from "z";`, ["x", "y", "z"]],
    [`import "x"; void import("y"); require("z");`, ["x", "y", "z"]],
    [`const a = \`\${b ? \`import "no"\` : await import("x")}\`; import c from "y";`, ["y", "x"]],
    [`const half = a / b; const other = c / d; import e from "x";`, ["x"]],
    [`const quote = /["'\`]/u; import a from "x";`, ["x"]],
    [`return /\\/* "/u.test(a); import b from "x";`, ["x"]],
    [`meta.import("no"); reimport("no"); const text = "import a from 'no'";`, []],
  ])("%s", (text, specifiers) => {
    expect(importsOf({ path: "src/kernel/a.ts", text }).map(({ specifier }) => specifier)).toEqual(specifiers);
  });

  test("a string keeps its place when it is masked", () => {
    expect(maskSource(`a("one", 'it\\'s');`)).toEqual({ code: `a("0", "1");`, strings: ["one", "it\\'s"] });
  });
});

function toSources(files: Record<string, string>): SourceFile[] {
  return Object.entries(files).map(([name, text]) => ({ path: `src/${name}`, text }));
}
