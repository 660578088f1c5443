/** A function at the top of what esbuild prints: its name, and from its parameters to the brace that closes it. */
const DECLARED = /^(async )?function(\*?) ([\w$]+)(\([\s\S]*?\n\})$/gmu;
/** Above each module esbuild names its file. */
const MODULE = /^\/\/ (\S+\.ts)$/gmu;

/**
 * V8 reads a function that is called twice, first to find its end and then to compile it. One in brackets it compiles at once. These
 * functions are put into brackets, and first, since no function is there before its line any more.
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

/** Of two functions with one name esbuild numbers the second. */
export function ownName(name) {
  return name.replace(/(?<=[A-Za-z])[2-9]$/u, "");
}
