import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { Script } from "node:vm";
import { MARK_BYTES, startOfCode } from "../../contract/kept-code.ts";
import { lineOfNode, NAME, wrapProgram } from "./wrap.ts";

/** Many times the size of a program and its code. */
const LARGEST = 8 * 1024 * 1024;

/**
 * The launcher starts `load.cjs <kept code> <hook program> …`, which runs the program as if it had been started
 * directly. The kept code saves a sixth of what Node does for a call. V8 trusts what it is given, so code that isn't
 * whole, or isn't of this program and this Node, is ignored, and V8 compiles the program.
 */
function start(): void {
  const [, kept = ""] = process.argv.splice(1, 2);
  const program = process.argv[1] ?? "";
  const text = readWhole(program);
  const script = takeKept(text, kept) ?? new Script(wrapProgram(utf8Slice.call(text, 0)), { filename: NAME });
  script.runInThisContext().call(module.exports, module.exports, require, module, program, __dirname);
}

function takeKept(text: Uint8Array, file: string): Script | undefined {
  try {
    const kept = readWhole(file);
    const line = lineOfNode();
    if (latin1Slice.call(kept, MARK_BYTES, MARK_BYTES + line.length) !== line) return undefined;
    const first = startOfCode(line);
    const end = kept.length - text.length;
    const second = first + (end - first) / 2;
    const cachedData = kept.subarray(first, second);
    if (!isSame(kept.subarray(end), text) || !isSame(cachedData, kept.subarray(second, end))) return undefined;
    return new Script(wrapProgram(latin1Slice.call(text, 0)), { filename: NAME, cachedData });
  } catch {
    return undefined;
  }
}

const { compare, prototype } = Buffer;
const { latin1Slice, utf8Slice } = prototype;

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return compare(one, other) === 0;
}

function readWhole(file: string): Uint8Array {
  // Non-blocking: a pipe in place of the file must not hold up the hook.
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { size } = fstatSync(fd);
    if (size > LARGEST) throw new Error("too large");
    const bytes = new Uint8Array(size);
    readSync(fd, bytes, 0, size, 0);
    return bytes;
  } finally {
    closeSync(fd);
  }
}

start();
