import fs from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import type * as nodes from "@ruby/prism/src/nodes.js";
import { parsePrism } from "@ruby/prism/src/parsePrism.js";
import { packageFile } from "../../../kernel/files.ts";

export type RubyNode = nodes.Node;

/** The tree of a file, and the line of each node. */
export interface ParsedRuby {
  root: RubyNode;
  lineOf: (node: RubyNode) => number;
}

/** The newest Ruby version that Prism can parse as without reading a policies.rb differently. */
const RUBY_VERSION = "3.4.0";

/** The part of WebAssembly that is used here; Node's types leave it to those of browsers. */
interface Assembly {
  Module: { new (bytes: Uint8Array): object; imports(module: object): { name: string }[] };
  Instance: new (module: object, imports: object) => { exports: Record<string, unknown> };
}

let exported: Record<string, unknown> | undefined;

/** Parses Ruby and runs nothing of it. Throws a `HookerRefusal` for anything else. */
export function parseRuby(source: string): ParsedRuby {
  exported ??= instantiate();
  const { value, errors } = parsePrism(exported, source, { version: RUBY_VERSION });
  const starts = lineStarts(source);
  const [first] = errors;
  if (first !== undefined) throw new HookerRefusal(lineAt(starts, first.location.startOffset), first.message);
  return { root: value, lineOf: (node) => lineAt(starts, node.location.startOffset) };
}

/**
 * Prism's module imports a whole system's functions and needs one of them, to seed its tables. The others throw, so the
 * parser reaches no file, clock or environment.
 */
function instantiate(): Record<string, unknown> {
  const { Module, Instance }: Assembly = Reflect.get(globalThis, "WebAssembly");
  const module = new Module(brotliDecompressSync(fs.readFileSync(packageFile("dist/systems/prism.wasm.br"))));
  const refuse = (): never => {
    throw new Error("the Ruby parser asked for something of the system");
  };
  const system = Object.fromEntries(Module.imports(module).map(({ name }) => [name, refuse]));
  const imports = { wasi_snapshot_preview1: { ...system, random_get: () => 0 } };
  const { exports } = new Instance(module, imports);
  const initialize = exports["_initialize"];
  if (typeof initialize === "function") initialize();
  return exports;
}

/** Offsets are in bytes. */
function lineStarts(source: string): number[] {
  const bytes = Buffer.from(source);
  const starts = [0];
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) starts.push(at + 1);
  return starts;
}

function lineAt(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length];
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}

/** The whole file is refused: this line isn't Ruby, or isn't part of the language. */
export class HookerRefusal extends Error {
  readonly line: number;

  constructor(line: number, what: string) {
    super(`line ${line}: ${what}`);
    this.name = "Refusal";
    this.line = line;
  }
}
