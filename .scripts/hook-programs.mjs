import fs from "node:fs";
import path from "node:path";
import { buildSync } from "esbuild";

/**
 * The programs that `drwn write` puts below DRWN_HOME, and that agents wait for: `hook.cjs`, which answers everything,
 * and for each agent a `hook-<agent>.cjs`, which answers only its tool calls. See
 * docs/contributing/performance.md.
 * @param {string} root the repository
 * @returns {{ name: string, options: import("esbuild").BuildOptions }[]}
 */
export function hookPrograms(root) {
  const own = ["src/agents", "src/dialects"].flatMap((room) =>
    fs
      .readdirSync(path.join(root, room))
      .map((agent) => ({ agent, adapter: `./${room}/${agent}/adapter/${agent}-calls.ts` }))
      .filter(({ adapter }) => fs.existsSync(path.join(root, adapter)))
      .map((of) => ({ name: `hook-${of.agent}.cjs`, options: { ...format, stdin: entryOf(root, of) } })),
  );
  const whole = { ...format, entryPoints: [path.join(root, "src/hook/programs/hook.ts")] };
  const loader = { ...format, entryPoints: [path.join(root, "src/hook/code-cache/load.ts")] };
  return [{ name: "hook.cjs", options: whole }, { name: LOADER, options: loader }, ...own];
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

/** As in `src/contract/code-cache.ts`. */
const LOADER = "load.cjs";

/** @type {import("esbuild").BuildOptions} */
const shared = { legalComments: "none", logLevel: "warning" };

/** @type {import("esbuild").BuildOptions} */
const format = { bundle: true, platform: "node", target: "node20.12", format: "cjs" };

function entryOf(root, { agent, adapter }) {
  const name = agent.replace(/-(.)/gu, (_, letter) => letter.toUpperCase());
  const contents = [
    `import { ${name} } from "${adapter}";`,
    'import { answerCalls } from "./src/hook/programs/agent-hook.ts";',
    `answerCalls(${name}, process.argv.slice(2));`,
  ].join("\n");
  return { contents, resolveDir: root, sourcefile: `hook-${agent}.ts`, loader: /** @type {const} */ ("ts") };
}
