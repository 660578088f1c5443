import path from "node:path";
import { buildSync } from "esbuild";

/**
 * The programs that `drwn write` puts below DRWN_HOME, and that agents wait for: `hook.cjs`, which answers everything,
 * and `hook-calls.cjs`, which answers only tool calls. See docs/contributing/performance.md.
 * @param {string} root the repository
 * @returns {{ name: string, options: import("esbuild").BuildOptions }[]}
 */
export function hookPrograms(root) {
  const made = {
    "hook.cjs": "programs/hook.ts",
    "hook-calls.cjs": "programs/calls.ts",
    "load.cjs": "code-cache/load.ts",
  };
  return Object.entries(made).map(([name, entry]) => ({
    name,
    options: { ...format, entryPoints: [path.join(root, "src/hook", entry)] },
  }));
}

/**
 * Builds the program with which `drwn write` makes V8's cached code of these programs and of policies.
 * @param {string} root the repository
 * @param {string} folder
 */
export function buildCacheMaker(root, folder) {
  const entryPoints = [path.join(root, "src/hook/code-cache/make.ts")];
  buildSync({ ...shared, ...format, minify: true, entryPoints, outfile: path.join(folder, "make.cjs") });
}

/**
 * Builds the program that `src/authoring/proving` starts, from where drwn is installed, to ask policies about many calls. No
 * agent waits for it.
 * @param {string} root the repository
 * @param {string} folder
 */
export function buildProver(root, folder) {
  buildSync({
    ...shared,
    ...format,
    minify: true,
    entryPoints: [path.join(root, "src/hook/programs/prover.ts")],
    outfile: path.join(folder, "prove.cjs"),
  });
}

/**
 * Builds one hook program into a folder.
 * @param {string} root the repository
 * @param {{ name: string, options: import("esbuild").BuildOptions }} program
 * @param {string} folder
 */
export function buildHookProgram(root, { name, options }, folder) {
  buildSync({ ...shared, ...options, minify: true, absWorkingDir: root, outfile: path.join(folder, name) });
}

/** @type {import("esbuild").BuildOptions} */
const shared = { legalComments: "none", logLevel: "warning" };

/** @type {import("esbuild").BuildOptions} */
const format = { bundle: true, platform: "node", target: "node20.12", format: "cjs" };
