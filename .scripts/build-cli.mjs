// Bundles the CLI into files that start fast. See docs/contributing/decisions/0001-bundle-the-cli.md.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { build, transform } from "esbuild";
import { writeModules } from "./pack-modules.mjs";

/**
 * esbuild splits only ES modules. This turns its output into CommonJS, which Node starts in a third of the time, and
 * which can load a file when something in it is first used.
 * @param {string} root of the repository
 * @param {import("esbuild").BuildOptions} shared
 * @returns what was bundled
 */
export async function buildCli(root, shared) {
  const src = path.join(root, "src");
  const dist = path.join(root, "dist");
  const programs = ["cli/run.ts", "dialects/hooker/reader.ts"];
  const entryPoints = [...programs.map((file) => path.join(src, file)), ...commands(src)];
  const options = {
    ...shared,
    outbase: src,
    outdir: dist,
    outExtension: { ".js": ".cjs" },
    format: "esm",
    splitting: true,
    chunkNames: "chunks/[hash]",
    plugins: [neverUsed, lateOclif],
    // Takes a library's ES modules if it offers both kinds: a universal module hides its imports from a bundler.
    mainFields: ["module", "main"],
    // esbuild runs a native program, which cannot be bundled.
    external: ["esbuild"],
    define: { "import.meta.filename": "__filename" },
    metafile: true,
    write: false,
  };
  const { metafile } = await build({ ...options, entryPoints });
  // esbuild merges modules that the same entries use. If every module is an entry, each stays separate.
  const divided = await build({ ...options, entryPoints: ownModules(metafile).map((file) => path.join(root, file)) });
  const modules = new Map();
  for (const { path: file, text } of divided.outputFiles) {
    const late = await toCommonJs(text, shared);
    const small = await transform(late, {
      minifyWhitespace: true,
      minifySyntax: true,
      minifyIdentifiers: true,
      target: shared.target,
    });
    modules.set(file, small.code);
  }
  const entries = entryPoints.map((file) => path.join(dist, path.relative(src, file).replace(/\.ts$/u, ".cjs")));
  writeModules(dist, modules, { entries: new Set(entries), sources: sourcesOf(divided.metafile) });
  return divided.metafile;
}

/** The source that makes up most of each file. */
function sourcesOf({ outputs }) {
  const size = ([, { bytesInOutput }]) => bytesInOutput;
  return new Map(
    Object.entries(outputs).map(([file, { inputs }]) => {
      const [[source] = [""]] = Object.entries(inputs).sort((left, right) => size(right) - size(left));
      return [path.resolve(file), source];
    }),
  );
}

/** Every module of ours except `kernel/format/zod.ts`: as an entry it would keep all of zod instead of only what is used. */
function ownModules({ inputs }) {
  return Object.keys(inputs).filter((file) => /^src\/.*\.ts$/u.test(file) && file !== "src/kernel/format/zod.ts");
}

async function toCommonJs(text, { target }) {
  const own = text
    .replaceAll(/\b__apart\(import\(("[^"]+\.cjs")\)(?:\.then\([^;]*?\)\))?\)/gu, "require($1).default")
    // oclif imports commands by URL, since they may be ES modules. Whatever drwn imports at run time is CommonJS.
    .replaceAll(/\bimport\(("[^"]+\.cjs")\)/gu, "Promise.resolve().then(() => require($1))")
    // Drops imports made only for their side effects: loading a file of drwn has none.
    .replaceAll(/^import "[^"]+\.cjs";$/gmu, "");
  const { code } = await transform(own, { format: "cjs", target, platform: "node" });
  return requireLate(code);
}

function commands(src) {
  const folder = path.join(src, "cli/commands");
  const files = fs.readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files.filter((name) => name.endsWith(".ts")).map((name) => path.join(folder, name));
}

/** The files of oclif that drwn's commands use. A name missing here only costs time. */
const EVERYDAY =
  /^(?:cache|command|flags|logger|config\/(?:config|index|util)|parser\/(?:index|parse|validate)|util\/(?:aggregate-flags|fs|util))\.js$/u;

/**
 * oclif loads all of itself at once, with its help, plugins and spinners. This loads the files that few commands need
 * on first use.
 */
const lateOclif = {
  name: "late-oclif",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]@oclif[\\/]core[\\/]lib[\\/].*\.js$/ }, ({ path: file }) => {
      const [, library] = /^(.*[\\/]lib)[\\/]/u.exec(file) ?? [];
      const isEveryday = (name) => EVERYDAY.test(path.relative(library, createRequire(file).resolve(name)));
      const late = requireLate(fs.readFileSync(file, "utf8").replace(STDOUT, ""));
      // esbuild writes a module that is imported at run time to a separate file; `toCommonJs` turns the import into a
      // `require`.
      const contents = late.replaceAll(/\brequire\("(\.[^"]*)"\)/gu, (call, name) =>
        isEveryday(name) ? call : `__apart(import("${name}"))`,
      );
      return { contents };
    });
  },
};

/**
 * What libraries load and drwn never asks them for. Whatever asked for it nevertheless would fail, since its place is empty.
 */
const neverUsed = {
  name: "never-used",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^(?:[^./]|\.\/entry)/ }, ({ importer, path: name }) =>
      UNUSED.some(({ of, names }) => of.test(importer) && names.test(name))
        ? { path: name, namespace: "never-used" }
        : undefined,
    );
    onLoad({ filter: UNUSED_OF_OCLIF }, () => EMPTY);
    onLoad({ filter: /./, namespace: "never-used" }, () => EMPTY);
  },
};

const EMPTY = { contents: "module.exports = {};" };

const UNUSED = [
  // How oclif would print an error: `src/cli/report-failure.ts` does.
  { of: /[\\/]@oclif[\\/]core[\\/]lib[\\/]/u, names: /^(?:ejs|wrap-ansi)$/u },
  // Tables of text encodings (`textConverted` of responses).
  { of: /[\\/]minipass-fetch[\\/]lib[\\/]/u, names: /^iconv-lite$/u },
  // The cache of answers: `src/registry/http/http.ts` names no folder for one.
  { of: /[\\/]make-fetch-happen[\\/]lib[\\/]/u, names: /^(?:\.\/entry\.js|http-cache-semantics|negotiator)$/u },
  // Credentials of a package that isn't named by an address.
  { of: /[\\/]npm-registry-fetch[\\/]lib[\\/]/u, names: /^npm-package-arg$/u },
  // Workspaces: `src/registry/http/npm-settings.ts` reads the settings of the machine.
  { of: /[\\/]@npmcli[\\/]config[\\/]lib[\\/]/u, names: /^@npmcli\/(?:map-workspaces|package-json)$/u },
];

/** Its help, plugins, hooks and spinners: `src/cli/run.ts` starts each command itself, and help is ours. */
const UNUSED_OF_OCLIF =
  /[\\/]@oclif[\\/]core[\\/]lib[\\/](?:config[\\/](?:plugin|plugin-loader|ts-path)|errors[\\/]handle|help[\\/](?:index|util)|module-loader|parser[\\/]help|performance|util[\\/]os|ux[\\/]index)\.js$/;

/**
 * oclif listens on `process.stdout` as soon as it is loaded. drwn's commands print without that stream
 * (`src/cli/terminal/console.ts`).
 */
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
