import { randomBytes } from "node:crypto";
import type { TransformOptions } from "esbuild";

/** A text without a match has nothing but static imports. */
const MAY_COMPUTE = /\bimport\b\s*[^\s\w$"'{*]|require|\\u/u;
const CALL = /\b(?:import(?:\.\w+)?|require)(?:\?\.)?\(/gu;
/** A literal and the end of the argument; or just a name, which the compiler itself refuses. */
const HARMLESS = /^(?:[\w$.]+|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\$]|\\.)*`)[),]/u;

/**
 * The line of an import whose name is computed; undefined if there is none. For such an import the compiler would
 * search folders anywhere on the disk, without asking a plugin. A source that doesn't parse imports nothing.
 */
export async function findComputedImport(source: Uint8Array, loader: "js" | "ts"): Promise<number | undefined> {
  const text = Buffer.from(source).toString("utf8");
  if (!MAY_COMPUTE.test(text) || !(await computes(text, loader))) return undefined;
  const at = /\b(?:import|require)\s*\((?!\s*(?:"[^"]*"|'[^']*')\s*[),])/u.exec(text)?.index ?? 0;
  return text.slice(0, at).split("\n").length;
}

async function computes(text: string, loader: "js" | "ts"): Promise<boolean> {
  const printed = await print(text, { loader });
  if (printed === undefined || callsIn(printed).every((end) => HARMLESS.test(printed.slice(end)))) return false;
  // What looks like a call may be part of a string. Printing without such calls doesn't change strings.
  const name = `require_${randomBytes(16).toString("hex")}`;
  const without = await print(text, { loader, supported: { "dynamic-import": false }, define: { require: name } });
  return without === undefined || without.includes(name) || countImports(printed) !== countImports(without);
}

/** The text as the compiler understands it: without comments and types, in one spelling. */
async function print(text: string, options: TransformOptions): Promise<string | undefined> {
  const { transform } = await import("esbuild");
  try {
    const common = { format: "cjs", platform: "node", target: "node20", minifyWhitespace: true } as const;
    return (await transform(text, { ...common, logLevel: "silent", ...options })).code;
  } catch {
    return undefined;
  }
}

function callsIn(printed: string): number[] {
  return [...printed.matchAll(CALL)].map(({ index, 0: call }) => index + call.length);
}

function countImports(printed: string): number {
  return printed.split(/\bimport(?:\.\w+)?\(/u).length;
}
