import { Script } from "node:vm";

/**
 * A hook program, as Node's own loader has V8 compile it, or a shard. The name in stack traces is no path, with which
 * the cached code would differ from home to home.
 */
export function compile(name: string, text: string, cachedData?: Uint8Array): Script {
  if (!name.startsWith("hook")) return new Script(text, { filename: "drwn-policies", cachedData });
  const wrapped = `(function (exports, require, module, __filename, __dirname) { ${text}\n})`;
  return new Script(wrapped, { filename: "drwn-hook", cachedData });
}

/**
 * Identifies the build of Node. V8 compares its version and flags, but before Node 22 it doesn't tell apart two builds
 * of one version.
 */
export function lineOfNode(): string {
  return `${process.version} ${process.arch} ${JSON.stringify(process.config.variables)}`;
}
