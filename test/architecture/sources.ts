import fs from "node:fs";
import path from "node:path";
import { maskSource } from "./mask.ts";

export interface SourceFile {
  /** From the top of the repository, with slashes: `src/kernel/text.ts`. */
  path: string;
  text: string;
}

export interface Import {
  specifier: string;
  isType: boolean;
}

/** Every TypeScript file below `src/`. */
export function readSources(root: string): SourceFile[] {
  return fs
    .readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => ({
      path: `src/${name.split(path.sep).join("/")}`,
      text: fs.readFileSync(path.join(root, "src", name), "utf8"),
    }));
}

/** Strings and comments blanked: what is left is code. */
export function codeOf(file: SourceFile): string {
  return maskSource(file.text).code;
}

// `import x, { y } from "0"`, `import "0"`, `export * from "0"`, `import("0")`, `require("0")`.
const STATEMENT = /(?<![.\w$])(?:import|export)\s+(type\s+(?!from\s*"))?(?:[\w$*{}\s,]*?\bfrom\s*)?"(\d+)"/gu;
const CALL = /(?<![.\w$])(?:import|require)\s*\(\s*"(\d+)"/gu;
/** `import(variable)`: what it brings in cannot be seen here. */
const COMPUTED = /(?<![.\w$])(?:import|require)\s*\(\s*(?!["\s])/u;

export function importsOf(file: SourceFile): Import[] {
  const { code, strings } = maskSource(file.text);
  const statements = [...code.matchAll(STATEMENT)].map(([, type, index]) => ({ index, isType: type !== undefined }));
  const calls = [...code.matchAll(CALL)].map(([, index]) => ({ index, isType: false }));
  return [...statements, ...calls].map(({ index, isType }) => ({ specifier: strings[Number(index)] ?? "", isType }));
}

export function hasComputedImport(file: SourceFile): boolean {
  return COMPUTED.test(codeOf(file));
}

/** The file that a relative specifier means; undefined for a library or a module of Node. */
export function targetOf(file: SourceFile, specifier: string): string | undefined {
  return specifier.startsWith(".") ? path.posix.join(path.posix.dirname(file.path), specifier) : undefined;
}

/** The folder that a file lies in: `src/hook/verify`. */
export function directoryOf(file: string): string {
  return path.posix.dirname(file);
}
