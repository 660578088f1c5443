import fs from "node:fs";
import path from "node:path";
import { build } from "esbuild";

/**
 * The modules that people import stay separate files, with types. If one imports a library, this copies the parts that
 * it uses into it, since installing drwn installs no such library. It deletes a module that only types refer to, and white
 * space and comments, which the types have too.
 * @param {string} root of the repository, with dist/ as the compiler left it
 * @param {import("esbuild").BuildOptions} shared
 * @returns what was bundled
 */
export async function inlineLibraries(root, shared) {
  const dist = path.join(root, "dist");
  const reached = await reachedByImporters(root);
  const modules = fs
    .readdirSync(dist, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".js"))
    .map((name) => path.join(dist, name));
  const isLeft = (file) => !reached.has(file) && LIBRARY.test(fs.readFileSync(file, "utf8"));
  const left = new Set(modules.filter(isLeft));
  for (const file of left) fs.rmSync(file);
  const { metafile } = await build({
    ...shared,
    entryPoints: modules.filter((file) => !left.has(file)),
    outbase: dist,
    outdir: dist,
    allowOverwrite: true,
    format: "esm",
    mainFields: ["module", "main"],
    minifyWhitespace: true,
    minifySyntax: true,
    plugins: [ownStays],
    metafile: true,
  });
  return metafile;
}

/** Every module that the package's exports lead to. */
async function reachedByImporters(root) {
  const { exports } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
  const { metafile } = await build({
    entryPoints: Object.values(exports).flatMap(({ default: file }) =>
      file === undefined ? [] : path.join(root, file),
    ),
    outdir: path.join(root, "dist"),
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    write: false,
    metafile: true,
  });
  return new Set(Object.keys(metafile.inputs).map((file) => path.resolve(root, file)));
}

const LIBRARY = /\bfrom "(?!node:|\.)[^"]+";$/mu;

const ownStays = {
  name: "own-stays",
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ importer, path: name }) =>
      importer.includes(`${path.sep}node_modules${path.sep}`) ? undefined : { path: name, external: true },
    );
  },
};
