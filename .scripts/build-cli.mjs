// Bundles the CLI into files that start fast. See docs/decisions/0001-bundle-the-cli.md.
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
    plugins: [oneLanguage, lateOclif],
    // The ES modules of libraries that offer both kinds; a universal one hides its own imports from a bundler.
    mainFields: ["module", "main"],
    // esbuild brings a program of its own.
    external: ["esbuild"],
    define: { "import.meta.filename": "__filename" },
    write: false,
    metafile: true,
  });
  const texts = new Map();
  for (const { path: file, text } of divided.outputFiles) texts.set(file, await toCommonJs(text, shared));
  const { outputs } = divided.metafile;
  const packed = pack(texts, [
    closure(root, outputs, "cli/run", "cli/commands/status"),
    closure(root, outputs, "cli/commands/write"),
  ]);
  for (const [file, text] of packed) {
    const small = await transform(text, { minifyWhitespace: true, minifySyntax: true, target: shared.target });
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

/** A larger file gains nothing by lying beside others, and may not be needed. */
const SMALL = 30_000;

/**
 * Puts the small chunks that everyday commands load into one file for each group: to find and open a file costs Node more than
 * to compile a few kilobytes. Each is still started when it is first used.
 */
function pack(texts, groups) {
  const packOf = new Map();
  for (const [at, files] of groups.entries()) {
    const small = [...files].filter((file) => isChunk(file) && (texts.get(file)?.length ?? SMALL) < SMALL);
    for (const file of small) if (!packOf.has(file)) packOf.set(file, `pack-${at}`);
  }
  const packs = new Map(groups.map((_, at) => [`pack-${at}`, []]));
  const result = new Map();
  for (const [file, text] of texts) {
    const own = packOf.get(file);
    const moved = text.replaceAll(/\brequire\("(\.[^"]*\/)(\w+)\.cjs"\)/gu, (call, folder, name) => {
      const other = packOf.get(path.resolve(path.dirname(file), folder, `${name}.cjs`));
      if (other === undefined) return call;
      return `${other === own ? "load" : `require("${folder}${other}.cjs")`}("${name}")`;
    });
    if (own === undefined) result.set(file, moved);
    else packs.get(own).push({ file, text: moved });
  }
  for (const [name, files] of packs) {
    result.set(path.join(path.dirname(files[0].file), `${name}.cjs`), packedText(files));
  }
  return result;
}

function packedText(files) {
  // esbuild begins each file with helpers of its own: those of the longest beginning are all there are.
  const beginningOf = (text) => text.slice(0, text.indexOf("var stdin_exports"));
  const [helpers = ""] = files.map(({ text }) => beginningOf(text)).sort((left, right) => right.length - left.length);
  const functions = files.map(({ file, text }) => {
    const own = text.slice(beginningOf(text).length);
    // The brackets have it compiled at once: it is going to be used.
    return `"${path.basename(file, ".cjs")}": (function (module, exports) {\n${own}\n})`;
  });
  return `${helpers}\n${LOAD}const files = {${functions.join(",\n")}};\n`;
}

const LOAD = `const loaded = new Map();
function load(name) {
  let module = loaded.get(name);
  if (module === undefined) {
    module = { exports: {} };
    loaded.set(name, module);
    files[name](module, module.exports);
  }
  return module.exports;
}
module.exports = load;
`;

const isChunk = (file) => path.basename(path.dirname(file)) === "chunks";

/**
 * What `status`, and `write` where nothing has changed, reach and do not run: what authors need, and what fetches, explains and
 * changes consents. A name that is missing here costs time, and nothing else.
 */
const RARE = new RegExp(
  [
    "^node_modules/(?:debug|ejs|has-flag|ms|semver|supports-color)/",
    "^src/(?:dialects|helpers|registry)/",
    "^src/card/(?:build-index|compile|describe-(?:hook|lifecycle-hook|tool-policy)|evaluat|gunzip|hook-faults|nesting|pack|pax|policy-import|source|stack|tar)",
    "^src/operations/(?:lock-card|note-yanks)\\.",
    "^src/trust/(?:approval|ceiling|explain-wait|pins)\\.",
  ].join("|"),
  "u",
);

/** The files that these entries reach, but for what is imported late, or rare. */
function closure(root, outputs, ...entries) {
  const found = new Set();
  const visit = (name) => {
    if (found.has(name)) return;
    found.add(name);
    for (const { path: file, kind } of outputs[name]?.imports ?? []) if (kind === "import-statement") visit(file);
  };
  for (const entry of entries) visit(Object.keys(outputs).find((name) => name.endsWith(`/${entry}.cjs`)));
  const isRare = (output) => {
    const inputs = Object.entries(outputs[output]?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
    return inputs.length > 0 && inputs.every(([name]) => RARE.test(name));
  };
  return new Set([...found].filter((name) => !isRare(name)).map((name) => path.resolve(root, name)));
}

function commands(root) {
  const folder = path.join(root, "src/cli/commands");
  const files = fs.readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files.filter((name) => name.endsWith(".ts")).map((name) => path.join(folder, name));
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

/** oclif listens on Node's stream as soon as it is loaded. drwn's own commands print without it (`src/cli/output.ts`). */
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
