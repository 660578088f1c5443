#!/usr/bin/env node
"use strict";
// CommonJS: what Node does before the first line of an ES module costs half as much as Node itself.
const { existsSync } = require("node:fs");
const { join } = require("node:path");

// `drwn hook run --dialect X` is what an agent waits for: it does not load the rest of drwn, nor what looks into a module.
const [first, second, flag, dialect = "", ...more] = process.argv.slice(2);
const isHook = first === "hook" && second === "run" && flag === "--dialect" && /^[a-z]+$/u.test(dialect);
// `--event E` and `--root DIR` are the program's; with anything else it is for the CLI to say what is wrong.
const isForProgram = isHook && more.every((word, at) => at % 2 === 1 || word === "--event" || word === "--root");
const hot = `../dist/systems/${dialect}.cjs`;
const program = `../dist/systems/${dialect}.mjs`;
const isThere = (file) => existsSync(join(__dirname, file));

if (isHook && more.length === 0 && isThere(hot)) require(hot);
else if (isForProgram && isThere(program)) {
  process.argv.splice(2, 4);
  endWith(import(program));
} else {
  endWith(require("../dist/cli/run.cjs").runCli());
}

/** A process that has nothing left to wait for before its work is done has a bug, which must not look like success. */
function endWith(work) {
  const unfinished = () => {
    process.exitCode ??= 70;
  };
  process.once("exit", unfinished);
  work.then(() => process.removeListener("exit", unfinished));
}
