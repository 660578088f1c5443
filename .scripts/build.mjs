// Builds dist/: what policy authors import, the CLI in a few files that start fast, and the hook process as one CommonJS
// file that needs nothing else. See docs/contributing/decisions/0001-bundle-the-cli.md.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { Plugin } from "@oclif/core";
import { build } from "esbuild";
import { buildCli } from "./build-cli.mjs";
import { dropOwnTypes, writeCardTypes } from "./card-types.mjs";
import { buildCacheMaker, buildHookProgram, buildProver, hookPrograms } from "./hook-programs.mjs";
import { inlineLibraries } from "./inline-libraries.mjs";
import { writeLicences } from "./licences.mjs";
import { loadModule } from "./load-module.mjs";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const dist = path.join(root, "dist");
const manifestFile = path.join(root, "oclif.manifest.json");

if (process.argv.includes("--if-stale") && isCurrent()) process.exit();

fs.rmSync(dist, { recursive: true, force: true });
fs.rmSync(manifestFile, { force: true });

const tsc = path.join(root, "node_modules/typescript/bin/tsc");
for (const published of ["src/policy", "src/helpers", "src/dialects", "src/mastra"]) {
  const types = spawnSync(process.execPath, [tsc, "-p", path.join(root, published)], { stdio: "inherit" });
  if (types.status !== 0) process.exit(types.status ?? 1);
}
writeCardTypes(root);
dropOwnTypes(root);

const shared = { bundle: true, platform: "node", target: "node20.12", legalComments: "none", logLevel: "warning" };

for (const program of hookPrograms(root)) buildHookProgram(root, program, path.join(dist, "runtime"));
buildProver(root, path.join(dist, "proving"));
buildCacheMaker(root, path.join(dist, "code-cache"));

const bundles = [await inlineLibraries(root, shared)];

// The SDK that policies share: the compiler puts it before them, and the maker of cached code knows it by its text.
const compiler = {
  entryPoints: [path.join(root, "src/card/compiler/compile.ts")],
  target: "node20",
  external: ["esbuild"],
};
const { compileSdk } = await loadModule({ ...compiler, supported: { "dynamic-import": false } });
fs.writeFileSync(path.join(dist, "code-cache/sdk.cjs"), await compileSdk());

// Foreign hook systems: agents wait for one CommonJS file of each system; its other programs are beside the CLI.
const systems = path.join(root, "src/dialects");
const entriesOf = (file) =>
  Object.fromEntries(
    fs
      .readdirSync(systems)
      .map((system) => [system, path.join(systems, system, file)])
      .filter(([, entry]) => fs.existsSync(entry)),
  );
const small = { ...shared, outdir: path.join(dist, "systems"), minifyWhitespace: true, minifySyntax: true };
await build({ ...small, entryPoints: entriesOf("run/main.ts"), outExtension: { ".js": ".cjs" }, format: "cjs" });
const { metafile: programs } = await build({
  ...small,
  metafile: true,
  entryPoints: entriesOf("main.ts"),
  outExtension: { ".js": ".mjs" },
  format: "esm",
  mainFields: ["module", "main"],
});
const prism = fs.readFileSync(createRequire(import.meta.url).resolve("@ruby/prism/src/prism.wasm"));
fs.writeFileSync(path.join(dist, "systems/prism.wasm.br"), brotliCompressSync(prism));

bundles.push(programs, await buildCli(root, shared));
writeLicences(root, bundles);

// With a manifest oclif starts without loading every command.
const plugin = new Plugin({ root, type: "core", ignoreManifest: true, errorOnManifestCreate: true });
await plugin.load();
fs.writeFileSync(manifestFile, `${JSON.stringify(plugin.manifest)}\n`);
// drwn finds a command in this file alone: for each name that may be typed, the command's id.
const names = Object.entries(plugin.manifest.commands).flatMap(([id, { aliases }]) =>
  [id, ...aliases].map((name) => [name, id]),
);
fs.writeFileSync(path.join(dist, "cli/commands.json"), JSON.stringify(Object.fromEntries(names)));

/** Whether nothing that is built from has changed since the last whole build. */
function isCurrent() {
  const built = fs.statSync(path.join(dist, "cli/commands.json"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = ["src", ".scripts", "templates"].flatMap((folder) =>
    fs
      .readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .map((name) => path.join(folder, name)),
  );
  return [...sources, "package.json", "package-lock.json"].every(
    (file) => fs.statSync(path.join(root, file)).mtimeMs <= built,
  );
}
