/** A top-level function in esbuild's output: its name, and everything from its parameters to its closing brace. */
const DECLARED = /^(async )?function(\*?) ([\w$]+)(\([\s\S]*?\n\})$/gmu;
/** esbuild names a module's file above it. */
const MODULE = /^\/\/ (\S+\.ts)$/gmu;

/**
 * V8 reads a function twice if it is called: first to find its end, then to compile it. It compiles a function in
 * parentheses at once. This puts the functions that are called into parentheses, and moves them to the top, since such
 * a function doesn't exist before its line runs.
 * @param {string} text one file in CommonJS, as esbuild prints it without minifying
 * @param {Readonly<Record<string, readonly string[]>>} called names of functions by the file of their module
 */
export function compileAtOnce(text, called) {
  const modules = [...text.matchAll(MODULE)].map(({ index, 1: file = "" }) => ({ index, file }));
  const hoisted = [];
  const kept = [];
  let end = 0;
  for (const { index, 0: whole, 1: before = "", 2: star, 3: name = "", 4: rest } of text.matchAll(DECLARED)) {
    const file = modules.findLast((module) => module.index < index)?.file ?? "";
    if (!called[file]?.includes(ownName(name))) continue;
    hoisted.push(`${name} = (${before}function${star}${rest})`);
    kept.push(text.slice(end, index));
    end = index + whole.length;
  }
  const others = [...kept, text.slice(end)].join("");
  return hoisted.length === 0 ? text : `"use strict";\nvar ${hoisted.join(",\n")};\n${others}`;
}

/** If two functions have the same name, esbuild numbers the second. */
export function ownName(name) {
  return name.replace(/(?<=[A-Za-z])[2-9]$/u, "");
}
