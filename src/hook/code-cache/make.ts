import fs from "node:fs";
import path from "node:path";
import { setFlagsFromString } from "node:v8";
import type { Script } from "node:vm";
import { CODE_START, MARK_BYTES } from "../../contract/code-cache.ts";
import { compile, lineOfNode } from "./read.ts";

interface Compiled {
  name: string;
  text: Buffer;
  script: Script;
}

/**
 * `make.cjs <mark> <kind>,… <hook program or shard>…`, started with the flags of the first kind: for each kind it writes
 * the file of cached code, after a line with its length. It runs none of these programs. With `--random-seed`, and in a
 * process that does nothing else, the same files in the same order always give the same bytes.
 */
function make([mark = "", kinds = "", ...files]: readonly string[]): void {
  // V8 would leave most functions for later, and each call would compile those that it runs.
  const compiled = withFlag("--no-lazy", "--lazy", () => files.map(read));
  for (const kind of kinds.split(",")) {
    const content = print(mark, compiled, kind);
    fs.writeFileSync(1, Buffer.concat([Buffer.from(`${content.length}\n`), content]));
  }
}

function read(file: string): Compiled {
  const name = path.basename(file, ".cjs");
  const text = fs.readFileSync(file);
  return { name, text, script: compile(name, text.toString()) };
}

function print(mark: string, compiled: readonly Compiled[], kind: string): Buffer {
  const offsets: Record<string, readonly [number, number]> = {};
  const parts: Buffer[] = [];
  let end = CODE_START;
  for (const { name, text, script } of compiled) {
    const code = codeFor(kind, script);
    offsets[name] = [end, code.length];
    parts.push(code, code, text);
    end += 2 * code.length + text.length;
  }
  const lines = `${mark.slice(0, MARK_BYTES)}${lineOfNode()}\n${JSON.stringify(offsets)}\n`;
  if (lines.length > CODE_START) throw new Error("too many shards");
  const head = Buffer.alloc(CODE_START, " ");
  head.write(lines, "latin1");
  return Buffer.concat([head, ...parts]);
}

/** `single-call` has the same bytecode as `fixed-seed`, marked for flags that differ in `--rehash-snapshot`. */
function codeFor(kind: string, script: Script): Buffer {
  if (kind !== "single-call") return script.createCachedData();
  return withFlag("--rehash-snapshot", "--no-rehash-snapshot", () => script.createCachedData());
}

/** Does the work while V8 runs with a different flag. */
function withFlag<T>(flag: string, back: string, work: () => T): T {
  setFlagsFromString(flag);
  try {
    return work();
  } finally {
    setFlagsFromString(back);
  }
}

make(process.argv.slice(2));
