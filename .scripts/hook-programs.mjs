import fs from "node:fs";
import path from "node:path";
import { buildSync, transformSync } from "esbuild";
import { compileAtOnce } from "./compile-at-once.mjs";

/**
 * The programs that `drwn write` puts below DRWN_HOME, and that agents wait for: `hook.cjs`, which answers everything,
 * and for each agent a `hook-<agent>.cjs`, which answers only its tool calls. See
 * docs/contributing/decisions/0014-a-program-for-the-calls-of-one-agent.md.
 * @param {string} root the repository
 * @returns {{ name: string, options: import("esbuild").BuildOptions }[]}
 */
export function hookPrograms(root) {
  const own = ["src/agents", "src/systems"].flatMap((room) =>
    fs
      .readdirSync(path.join(root, room))
      .map((agent) => ({ agent, adapter: `./${room}/${agent}/adapter/calls.ts` }))
      .filter(({ adapter }) => fs.existsSync(path.join(root, adapter)))
      .map((of) => ({ name: `hook-${of.agent}.cjs`, options: { ...format, stdin: entryOf(root, of) } })),
  );
  const whole = { ...format, entryPoints: [path.join(root, "src/runtime/main.ts")] };
  const loader = { ...format, entryPoints: [path.join(root, "src/runtime/kept/load.ts")] };
  return [{ name: "hook.cjs", options: whole }, { name: LOADER, options: loader }, ...own];
}

/**
 * Builds the programs with which `drwn write` makes V8 keep the code of these programs and of policies.
 * @param {string} root the repository
 * @param {string} folder
 */
export function buildKeeper(root, folder) {
  for (const name of ["keep", "keep-shards"]) {
    const entryPoints = [path.join(root, `src/runtime/kept/${name}.ts`)];
    buildSync({ ...shared, ...format, minify: true, entryPoints, outfile: path.join(folder, `${name}.cjs`) });
  }
}

/**
 * Builds the program that `src/proving` starts, from where drwn is installed, to ask policies about many calls. No
 * agent waits for it.
 * @param {string} root the repository
 * @param {string} folder
 */
export function buildProver(root, folder) {
  buildSync({
    ...shared,
    ...format,
    minify: true,
    entryPoints: [path.join(root, "src/runtime/prove.ts")],
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
  const [{ text } = { text: "" }] = buildSync({ ...shared, ...options, write: false }).outputFiles;
  const { code } = transformSync(compileAtOnce(text, calledIn(root, name)), {
    minify: true,
    platform: format.platform,
    target: format.target,
    format: format.format,
  });
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, name), code);
}

/**
 * The functions that an ordinary event calls, by the file of their module: `test/runtime/called-functions.test.ts`
 * keeps the list. For `hook.cjs`, which knows all agents, it leaves out the agents' functions, since one event comes
 * from one agent.
 */
function calledIn(root, program) {
  const called = JSON.parse(fs.readFileSync(path.join(root, ".scripts/called-functions.json"), "utf8"));
  if (program !== "hook.cjs") return called;
  return Object.fromEntries(Object.entries(called).filter(([file]) => !/^src\/(?:agents|systems)\//u.test(file)));
}

/** As in `src/contract/kept-code.ts`. */
const LOADER = "load.cjs";

/** @type {import("esbuild").BuildOptions} */
const shared = { legalComments: "none", logLevel: "warning" };

/** @type {import("esbuild").BuildOptions} */
const format = { bundle: true, platform: "node", target: "node20.12", format: "cjs" };

function entryOf(root, { agent, adapter }) {
  const name = agent.replace(/-(.)/gu, (_, letter) => letter.toUpperCase());
  const contents = [
    `import { ${name} } from "${adapter}";`,
    'import { answerCalls } from "./src/runtime/answer-calls.ts";',
    `answerCalls(${name}, process.argv.slice(2));`,
  ].join("\n");
  return { contents, resolveDir: root, sourcefile: `hook-${agent}.ts`, loader: /** @type {const} */ ("ts") };
}
