// Builds dist/: what policy authors import, the CLI in a few files that start fast, and the hook process as one CommonJS
// file that needs nothing else. See docs/decisions/0001-bundle-the-cli.md.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Plugin } from "@oclif/core";
import { build } from "esbuild";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const dist = path.join(root, "dist");
const manifestFile = path.join(root, "oclif.manifest.json");

fs.rmSync(dist, { recursive: true, force: true });
fs.rmSync(manifestFile, { force: true });

const tsc = path.join(root, "node_modules/typescript/bin/tsc");
for (const published of ["src/policy", "src/helpers", "src/dialects", "src/mastra"]) {
  const types = spawnSync(process.execPath, [tsc, "-p", path.join(root, published)], { stdio: "inherit" });
  if (types.status !== 0) process.exit(types.status ?? 1);
}

/** zod carries the messages of some fifty languages; drwn writes its own, and falls back to one. */
const oneLanguage = {
  name: "one-language",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.\/locales\/index\.js$/ }, ({ resolveDir }) => ({
      path: path.join(resolveDir, "../locales/en.js"),
    }));
  },
};

/**
 * oclif requires all of itself at once, with its help, its plugins and its spinners. Each of these is loaded when it is first
 * used: a line `const name = require("…")` becomes a function, and its uses become calls.
 */
const lateRequires = {
  name: "late-requires",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]@oclif[\\/]core[\\/]lib[\\/].*\.js$/ }, ({ path: file }) => ({
      contents: requireLate(fs.readFileSync(file, "utf8")),
    }));
  },
};

function requireLate(text) {
  let late = text;
  for (const [line, name, value] of text.matchAll(/^(?:const|var) (\w+) = (\w*\(?require\("[^"]+"\)\)?);$/gmu)) {
    const rest = late.replace(line, "").replaceAll(new RegExp(`(?<![.\\w])${name}\\b(?!:)`, "gu"), `(${name}())`);
    const [head, ...body] = rest.split('"use strict";');
    late = `${head}"use strict"; let ${name}_; function ${name}() { return (${name}_ ??= ${value}); }${body.join('"use strict";')}`;
  }
  return late;
}

/** What oclif imports by an address of its own may be an ES module; what drwn itself loads late is CommonJS like the rest. */
const requireOwnFiles = {
  name: "require-own-files",
  setup({ onLoad }) {
    onLoad({ filter: /\.cjs$/ }, ({ path: file }) => ({
      contents: fs
        .readFileSync(file, "utf8")
        .replaceAll(/\bimport\(("[^"]+\.cjs")\)/gu, "Promise.resolve().then(() => require($1))"),
      loader: "js",
    }));
  },
};

const shared = { bundle: true, platform: "node", target: "node20.12", legalComments: "none", logLevel: "warning" };

await build({
  ...shared,
  entryPoints: [path.join(root, "src/runtime/main.ts")],
  outfile: path.join(dist, "runtime/hook.cjs"),
  format: "cjs",
  minifyWhitespace: true,
  minifySyntax: true,
});

// Dialects: what an agent waits for is one file for each, in CommonJS; what it starts for a new file of policies lies apart.
await build({
  ...shared,
  entryPoints: Object.fromEntries(
    fs
      .readdirSync(path.join(root, "src/runtime/dialects"))
      .map((dialect) => [dialect, path.join(root, "src/runtime/dialects", dialect, "main.ts")]),
  ),
  outdir: path.join(dist, "runtime/dialects"),
  outExtension: { ".js": ".cjs" },
  format: "cjs",
  minifyWhitespace: true,
  minifySyntax: true,
});
// Those that are not on the hook path are programs beside the CLI.
await build({
  ...shared,
  entryPoints: Object.fromEntries(
    fs
      .readdirSync(path.join(root, "src/dialects"))
      .map((dialect) => [dialect, path.join(root, "src/dialects", dialect, "main.ts")])
      .filter(([, file]) => fs.existsSync(file)),
  ),
  outdir: path.join(dist, "dialects"),
  outExtension: { ".js": ".mjs" },
  format: "esm",
  minifyWhitespace: true,
  minifySyntax: true,
  mainFields: ["module", "main"],
});
await build({
  ...shared,
  entryPoints: [path.join(root, "src/dialects/hooker/reader.ts")],
  outfile: path.join(dist, "dialects/hooker-reader.mjs"),
  format: "esm",
  minifyWhitespace: true,
  minifySyntax: true,
  mainFields: ["module", "main"],
});
fs.copyFileSync(
  createRequire(import.meta.url).resolve("@ruby/prism/src/prism.wasm"),
  path.join(dist, "dialects/prism.wasm"),
);

const commands = fs
  .readdirSync(path.join(root, "src/cli/commands"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => path.join(root, "src/cli/commands", name));
// The CLI is divided by esbuild, which does so in ES modules only, and then made CommonJS: Node takes a third of the time to
// find and start a file of that kind.
const divided = path.join(dist, "divided");
await build({
  ...shared,
  entryPoints: [path.join(root, "src/cli/run.ts"), path.join(root, "src/operations/reference.ts"), ...commands],
  outbase: path.join(root, "src"),
  outdir: divided,
  outExtension: { ".js": ".cjs" },
  format: "esm",
  splitting: true,
  chunkNames: "chunks/[hash]",
  sourcemap: true,
  sourcesContent: false,
  plugins: [oneLanguage, lateRequires],
  // The ES modules of libraries that offer both kinds; a universal one hides its own imports from a bundler.
  mainFields: ["module", "main"],
  // esbuild brings a program of its own.
  external: ["esbuild"],
  define: { "import.meta.filename": "__filename" },
});
await build({
  ...shared,
  bundle: false,
  entryPoints: [path.join(divided, "**/*.cjs")],
  outbase: divided,
  outdir: dist,
  outExtension: { ".js": ".cjs" },
  format: "cjs",
  plugins: [requireOwnFiles],
  sourcemap: true,
  sourcesContent: false,
  minifyWhitespace: true,
  minifySyntax: true,
});
fs.rmSync(divided, { recursive: true });

// With a manifest oclif starts without loading every command.
const plugin = new Plugin({ root, type: "core", ignoreManifest: true, errorOnManifestCreate: true });
await plugin.load();
fs.writeFileSync(manifestFile, `${JSON.stringify(plugin.manifest, null, 2)}\n`);
