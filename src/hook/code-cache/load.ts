import { readBytes } from "../../hook-base/read-file.ts";
import { closeCodeCache, compile, openCodeCache, takeCached } from "./read.ts";

/**
 * The launcher starts `load.cjs <cached code> <hook program> …`, which runs the program as if it had been started
 * directly. The cached code saves a sixth of what Node does for a call. What can't be used is ignored, and V8 compiles
 * the program.
 */
function start(): void {
  const [, file = ""] = process.argv.splice(1, 2);
  const program = process.argv[1] ?? "";
  const bytes = readBytes(program);
  if (typeof bytes === "string") throw new Error(`${program} is ${bytes}`);
  const source = { bytes, text: utf8Slice.call(bytes, 0) };
  const name = program.slice(program.lastIndexOf("/") + 1, -".cjs".length);
  const cache = openCodeCache(file);
  const script = takeCached(cache, name, source) ?? compile(name, source.text);
  closeCodeCache(cache);
  script.runInThisContext().call(module.exports, module.exports, require, module, program, __dirname);
}

const { utf8Slice } = Buffer.prototype;

start();
