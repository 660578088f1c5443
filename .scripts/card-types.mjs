// Writes the declarations that drwn puts into every card source, so that it type-checks offline with nothing installed:
// the SDK's, one file for each of its modules (templates/card/dot-drwn/hook-policy*.d.ts).
import fs from "node:fs";
import path from "node:path";

const SDK = "darwinian-minds/hook-policy";
/** The other package names from which cards may import the same modules. */
const OTHER_NAMES = ["darwinian", "drwn"];

/**
 * @param {string} root the repository, with the declarations of the SDK in dist/
 */
export function writeCardTypes(root) {
  const modules = [
    { specifier: SDK, folder: "policy", file: "hook-policy.d.ts" },
    { specifier: `${SDK}/helpers`, folder: "helpers", file: "hook-policy-helpers.d.ts" },
  ];
  for (const { specifier, folder, file } of modules) {
    const declared = declarationsOf(path.join(root, "dist", folder));
    const text = [
      `// What \`${specifier}\` offers, for editors and \`tsc\`. drwn writes this file and resolves the module itself.`,
      declareModule(specifier, declared),
      ...OTHER_NAMES.map((name) =>
        declareModule(specifier.replace("darwinian-minds", name), [`export * from "${specifier}";`]),
      ),
    ];
    fs.writeFileSync(path.join(root, "templates/card/dot-drwn", file), `${text.join("\n\n")}\n`);
  }
}

/**
 * Deletes the declarations that no export of the package leads to.
 * @param {string} root of the repository, with what the compiler declared in dist/
 */
export function dropOwnTypes(root) {
  const { exports } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
  const reached = new Set(Object.values(exports).flatMap(({ types }) => (types ? path.join(root, types) : [])));
  for (const file of reached) {
    const text = fs.readFileSync(file, "utf8");
    for (const [, name] of text.matchAll(/\b(?:from|import)\b[ (]*"(\.[^"]+)\.[jt]s"/gu))
      reached.add(path.resolve(path.dirname(file), `${name}.d.ts`));
  }
  const dist = path.join(root, "dist");
  for (const name of fs.readdirSync(dist, { recursive: true, encoding: "utf8" }))
    if (name.endsWith(".d.ts") && !reached.has(path.join(dist, name))) fs.rmSync(path.join(dist, name));
}

function declareModule(specifier, statements) {
  const body = statements.join("\n\n").replaceAll(/^(?=.)/gmu, "  ");
  return `declare module "${specifier}" {\n${body}\n}`;
}

/** Every declaration that the folder's index leads to: first what it exports, then what that is made of. */
function declarationsOf(folder) {
  const index = readModule(path.join(folder, "index.d.ts"));
  const wanted = [...index.imported].map(([name, from]) => ({ name, from }));
  const exported = new Set(index.imported.keys());
  const fromSdk = new Set();
  const found = new Map();
  for (const { name, from } of wanted) {
    if (path.dirname(from).endsWith("policy") && !folder.endsWith("policy")) fromSdk.add(name);
    if (found.has(name) || fromSdk.has(name)) continue;
    const module = readModule(from);
    const own = module.statements.filter((statement) => nameOf(statement) === name);
    if (own.length === 0) throw new Error(`${from} does not declare ${name}`);
    found.set(name, own.map((statement) => asMember(statement, exported.has(name))).join("\n"));
    for (const used of namesIn(own)) {
      const declarer =
        module.imported.get(used) ?? (module.statements.some((other) => nameOf(other) === used) ? from : null);
      if (declarer !== null) wanted.push({ name: used, from: declarer });
    }
  }
  const imports = fromSdk.size === 0 ? [] : [`import type { ${[...fromSdk].sort().join(", ")} } from "${SDK}";`];
  // Without the last line, TypeScript would export everything in the module.
  return [...imports, ...found.values(), "export {};"];
}

const modules = new Map();

function readModule(file) {
  const known = modules.get(file);
  if (known !== undefined) return known;
  const statements = fs
    .readFileSync(file, "utf8")
    // A statement begins at the margin, with the comment above it, after the end of the one before.
    .split(/(?<=[;}]\n)(?=[^\s}])/u)
    .map((statement) => statement.trim());
  const imported = new Map();
  for (const statement of statements) {
    const [, names, from] = /^(?:import|export)(?: type)? \{([^}]*)\} from "(\.[^"]+)\.ts";$/u.exec(statement) ?? [];
    for (const name of names?.match(/\b(?!type\b)\w+/gu) ?? []) {
      imported.set(name, path.resolve(path.dirname(file), `${from}.d.ts`));
    }
  }
  const module = { statements, imported };
  modules.set(file, module);
  return module;
}

function nameOf(statement) {
  return /^(?:export )?(?:declare )?(?:const|function|interface|type) (\w+)/mu.exec(statement)?.[1];
}

function asMember(statement, isExported) {
  return statement
    .replace(/^(?:export )?(?:declare )?(?=(?:const|function|interface|type) )/mu, isExported ? "export " : "")
    .replaceAll(/^(?: {4})+/gmu, (indent) => indent.slice(indent.length / 2));
}

/** The words of the statements outside comments. */
function namesIn(statements) {
  return statements.flatMap(
    (statement) => statement.replaceAll(/\/\*\*.*?\*\//gsu, "").match(/\b[A-Za-z]\w*\b/gu) ?? [],
  );
}
