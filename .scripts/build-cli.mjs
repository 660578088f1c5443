// Bundles the CLI into files that start fast. See docs/contributing/decisions/0001-bundle-the-cli.md.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { build, transform } from "esbuild";

/**
 * esbuild divides ES modules only. What it makes is turned into CommonJS, which Node finds and starts in a third of the time,
 * and of which a file can be loaded when it is first used.
 * @param {string} root of the repository
 * @param {import("esbuild").BuildOptions} shared
 * @returns what was bundled
 */
export async function buildCli(root, shared) {
  const dist = path.join(root, "dist");
  const divided = await build({
    ...shared,
    entryPoints: [path.join(root, "src/cli/run.ts"), path.join(root, "src/operations/reference.ts"), ...commands(root)],
    outbase: path.join(root, "src"),
    outdir: dist,
    outExtension: { ".js": ".cjs" },
    format: "esm",
    splitting: true,
    chunkNames: "chunks/[hash]",
    plugins: [lateOclif],
    // The ES modules of libraries that offer both kinds; a universal one hides its own imports from a bundler.
    mainFields: ["module", "main"],
    // esbuild brings a program of its own.
    external: ["esbuild"],
    define: { "import.meta.filename": "__filename" },
    metafile: true,
    write: false,
  });
  for (const { path: file, text } of divided.outputFiles) {
    const late = await toCommonJs(text, shared);
    const small = await transform(late, { minifyWhitespace: true, minifySyntax: true, target: shared.target });
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, small.code);
  }
  return divided.metafile;
}

async function toCommonJs(text, { target }) {
  const own = text
    .replaceAll(/\b__apart\(import\(("[^"]+\.cjs")\)(?:\.then\([^;]*?\)\))?\)/gu, "require($1).default")
    // What oclif imports by an address of its own may be an ES module; what drwn loads late is CommonJS like the rest.
    .replaceAll(/\bimport\(("[^"]+\.cjs")\)/gu, "Promise.resolve().then(() => require($1))")
    // For the sake of effects: loading a file of drwn has none.
    .replaceAll(/^import "[^"]+\.cjs";$/gmu, "");
  const { code } = await transform(own, { format: "cjs", target, platform: "node" });
  return requireLate(code);
}

function commands(root) {
  const folder = path.join(root, "src/cli/commands");
  const files = fs.readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files.filter((name) => name.endsWith(".ts")).map((name) => path.join(folder, name));
}

/** What a command of drwn's own uses of oclif. A name that is missing here costs time, and nothing else. */
const EVERYDAY =
  /^(?:cache|command|flags|logger|config\/(?:config|index|util)|parser\/(?:index|parse|validate)|util\/(?:aggregate-flags|fs|util))\.js$/u;

/** oclif requires all of itself at once, with its help, its plugins and its spinners. What is not for every day lies apart. */
const lateOclif = {
  name: "late-oclif",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]@oclif[\\/]core[\\/]lib[\\/].*\.js$/ }, ({ path: file }) => {
      const [, library] = /^(.*[\\/]lib)[\\/]/u.exec(file) ?? [];
      const isEveryday = (name) => EVERYDAY.test(path.relative(library, createRequire(file).resolve(name)));
      const late = requireLate(fs.readFileSync(file, "utf8").replace(STDOUT, ""));
      // esbuild puts into a file of its own what is imported at run time; `toCommonJs` has it required.
      const contents = late.replaceAll(/\brequire\("(\.[^"]*)"\)/gu, (call, name) =>
        isEveryday(name) ? call : `__apart(import("${name}"))`,
      );
      return { contents };
    });
  },
};

/** oclif listens on Node's stream as soon as it is loaded. drwn's own commands print without it (`src/cli/terminal/output.ts`). */
const STDOUT = /^process\.stdout\.on\('error', .*?^\}\);$/msu;

/** Loads each module when it is first used: a line `const name = require("…")` becomes a function, and its uses become calls. */
function requireLate(text) {
  const values = new Map();
  const rest = text.replaceAll(REQUIRE, (_, name, value) => {
    values.set(name, value);
    return "";
  });
  const names = new RegExp(`(?<!\\w|(?<!\\.\\.)\\.)(?:${[...values.keys()].join("|")})\\b(?!:)`, "gu");
  const late = (code) => (values.size === 0 ? code : code.replaceAll(names, (name) => `(${name}())`));
  const functions = [...values].map(([name, value]) => {
    return `var ${name}_; function ${name}() { return (${name}_ ??= ${late(value)}); }`;
  });
  return [late(rest), ...functions].join("\n");
}

const MODULE = /require\("[^"]+"\)|(?:\(0, \w+\.require_\w+\)|require_\w+)\(\)/u.source;
const REQUIRE = new RegExp(
  `^(?:const|var) (\\w+) = (${MODULE}|(?:__\\w+|\\(0, \\w+\\.__\\w+\\))\\((?:${MODULE})(?:, 1)?\\));$`,
  "gmu",
);
