import { createRequire } from "node:module";
import vm from "node:vm";
import { build } from "esbuild";

/**
 * What a TypeScript module of the repository exports.
 * @param {import("esbuild").BuildOptions} options with the module as its entry
 */
export async function loadModule(options) {
  const mainFields = ["module", "main"];
  const define = { "import.meta.filename": JSON.stringify(import.meta.filename) };
  const built = await build({
    bundle: true,
    write: false,
    format: "cjs",
    platform: "node",
    mainFields,
    define,
    ...options,
  });
  const module = { exports: {} };
  const text = `(function (module, exports, require) {${built.outputFiles[0].text}\n})`;
  vm.runInThisContext(text)(module, module.exports, createRequire(import.meta.url));
  return module.exports;
}
