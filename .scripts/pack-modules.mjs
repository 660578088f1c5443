// Packs the small modules of the CLI into one file. Each command compiles only those that it uses.
// See docs/contributing/decisions/0001-bundle-the-cli.md.
import fs from "node:fs";
import path from "node:path";

/** Larger modules stay files, so that only the commands that use them read them. */
const LARGEST = 65_536;

/** A module that imports something at run time has to be a file. Packed text is read as latin1, so it must not hold other characters. */
const UNFIT = /\bimport\(|[\u0100-\u{10ffff}]/u;

const MODULE = /\brequire\("(\.[^"]+\.cjs)"\)/gu;

/**
 * Writes the modules of the CLI, all of them CommonJS.
 * @param {string} dist
 * @param {Map<string, string>} modules their code, by the path of the file that each would be
 * @param {object} about
 * @param {Set<string>} about.entries modules that others require by path: they stay files
 * @param {Map<string, string>} about.sources what each was made from, by its path
 */
export function writeModules(dist, modules, { entries, sources }) {
  dropUnused(modules, entries);
  const loader = path.join(dist, "modules.cjs");
  const isFile = ([file, code]) => entries.has(file) || code.length > LARGEST || UNFIT.test(code);
  const packed = [...modules].filter((one) => !isFile(one));
  const places = new Map(packed.map(([file], at) => [file, at]));
  /** The code, where each `require` of another module becomes a call that loads it from the file `here`. */
  const link = ([file, code], here) =>
    code.replaceAll(MODULE, (call, name) => {
      const wanted = path.resolve(path.dirname(file), name);
      if (!modules.has(wanted)) return call;
      const place = places.get(wanted);
      if (place === undefined) return requireFrom(here, wanted);
      return `${here === loader ? "__load" : requireFrom(here, loader)}(${place})`;
    });
  for (const one of [...modules].filter(isFile)) {
    fs.mkdirSync(path.dirname(one[0]), { recursive: true });
    fs.writeFileSync(one[0], link(one, one[0]));
  }
  // `sourceURL` makes a stack name the source instead of the packed file.
  const texts = packed.map(
    (one) => `${withoutHelpers(link(one, loader)).trimEnd()}\n//# sourceURL=${sources.get(one[0])}\n`,
  );
  fs.writeFileSync(path.join(dist, "modules.txt"), texts.join(""), "latin1");
  fs.writeFileSync(loader, `${LOADER}const LENGTHS = ${JSON.stringify(texts.map(({ length }) => length))};\n`);
}

/** Drops what no entry leads to: esbuild also writes a module for each of ours that only names what another one holds. */
function dropUnused(modules, entries) {
  const used = new Set(entries);
  for (const file of used)
    for (const [, name] of modules.get(file)?.matchAll(MODULE) ?? []) used.add(path.resolve(path.dirname(file), name));
  for (const file of modules.keys()) if (!used.has(file)) modules.delete(file);
}

function requireFrom(here, wanted) {
  const relative = path.relative(path.dirname(here), wanted).replaceAll("\\", "/");
  return `require(${JSON.stringify(relative.startsWith(".") ? relative : `./${relative}`)})`;
}

/** Drops the helpers that esbuild puts before each module: the loader has one copy for all modules. */
function withoutHelpers(code) {
  return code.replace(HELPERS, "__export(exports,{$1});");
}

const HELPERS =
  /^var (?:__create=[^\n]{1,200}?,)?__defProp=[^\n]{1,1200}?,__toCommonJS=[^\n]{1,100}?,stdin_exports=\{\};__export\(stdin_exports,\{([^}]*)\}\),module\.exports=__toCommonJS\(stdin_exports\);/u;

const LOADER = `"use strict";
const fs = require("node:fs");
const path = require("node:path");
const { compileFunction } = require("node:vm");
let text, starts;
const loaded = [];
const define = Object.defineProperty;
function __export(target, all) {
  for (const name in all) define(target, name, { get: all[name], enumerable: true });
}
function __toESM(module, isNode) {
  const target = module == null ? {} : Object.create(Object.getPrototypeOf(module));
  if (isNode || !module?.__esModule) define(target, "default", { value: module, enumerable: true });
  for (const key of typeof module === "object" || typeof module === "function" ? Object.getOwnPropertyNames(module ?? {}) : [])
    if (!Object.hasOwn(target, key)) define(target, key, { get: () => module[key], enumerable: true });
  return target;
}
const KNOWN = ["module", "exports", "__load", "require", "__filename", "__export", "__toESM"];
module.exports = function load(at) {
  if (loaded[at] !== undefined) return loaded[at].exports;
  if (text === undefined) {
    text = fs.readFileSync(path.join(__dirname, "modules.txt"));
    let end = 0;
    starts = LENGTHS.map((length) => (end += length) - length);
  }
  const module = { exports: {} };
  loaded[at] = module;
  const code = text.latin1Slice(starts[at], starts[at] + LENGTHS[at]);
  compileFunction(code, KNOWN, { filename: __filename })(module, module.exports, load, require, __filename, __export, __toESM);
  return module.exports;
};
`;
