import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { Script } from "node:vm";
import {
  LONGEST_PLACES,
  MARK_BYTES,
  SHARD_NAME,
  SHARDS_KEPT_FOR,
  type ShardsKeptFor,
} from "../../contract/kept-code.ts";
import { withFlag } from "./with-flag.ts";
import { lineOfNode } from "./wrap.ts";

interface Compiled {
  digest: string;
  text: Buffer;
  script: Script;
}

/**
 * `keep-shards.cjs <mark> <shard>…`, started with the flags of `foretold`: for each set of flags it writes what V8
 * keeps of the shards, in the form that the hook takes, after a line with the length. No policy runs. With
 * `--random-seed` the same shards in the same order always give the same bytes.
 */
function keepShards([mark = "", ...files]: readonly string[]): void {
  // Only running the shards would show which functions a call needs, and nothing runs here, so V8 compiles all of them.
  const shards = withFlag("--no-lazy", "--lazy", () => files.map(compile));
  for (const kind of SHARDS_KEPT_FOR) {
    const content = printKept(mark.slice(0, MARK_BYTES), shards, kind);
    fs.writeFileSync(1, Buffer.concat([Buffer.from(`${content.length}\n`), content]));
  }
}

function compile(file: string): Compiled {
  const text = fs.readFileSync(file);
  const digest = path.basename(file, ".cjs");
  // The hook compares the shard with this text instead of digesting it.
  const found = `sha256-${createHash("sha256").update(text).digest("hex")}`;
  if (found !== digest) throw new Error(`${file} is altered`);
  return { digest, text, script: new Script(text.toString(), { filename: SHARD_NAME }) };
}

function printKept(mark: string, shards: readonly Compiled[], kind: ShardsKeptFor): Buffer {
  const line = lineOfNode();
  const start = MARK_BYTES + line.length + LONGEST_PLACES;
  const places: Record<string, readonly [number, number]> = {};
  const parts: Buffer[] = [];
  let end = start;
  for (const { digest, text, script } of shards) {
    const code = keepFor(kind, script);
    places[digest] = [end, code.length];
    parts.push(code, code, text);
    end += 2 * code.length + text.length;
  }
  const head = Buffer.alloc(start, " ");
  const list = `${JSON.stringify(places)}\n`;
  if (list.length > LONGEST_PLACES) throw new Error("too many shards");
  head.write(`${mark}${line}${list}`, "latin1");
  return Buffer.concat([head, ...parts]);
}

/** `brief` has the same bytecode, marked for flags that differ in `--rehash-snapshot`. */
function keepFor(kind: ShardsKeptFor, script: Script): Buffer {
  if (kind === "foretold") return script.createCachedData();
  return withFlag("--rehash-snapshot", "--no-rehash-snapshot", () => script.createCachedData());
}

keepShards(process.argv.slice(2));
