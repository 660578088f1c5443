#!/usr/bin/env node
"use strict";
// CommonJS: before the first line of an ES module, Node spends half as long again as it takes to start.
const { existsSync } = require("node:fs");
const { join } = require("node:path");

// An agent waits for `drwn hook run --dialect X`: it loads neither the rest of drwn nor Node's parser of imported
// modules.
const [first, second, flag, dialect = "", ...more] = process.argv.slice(2);
const isHook = first === "hook" && second === "run" && flag === "--dialect" && /^[a-z]+$/u.test(dialect);
// The program takes `--event E` and `--root DIR`; the CLI says what is wrong with anything else.
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

/**
 * If a process has nothing left to wait for before its work is done, that is a bug, which must not look like success.
 */
function endWith(work) {
  const unfinished = () => {
    process.exitCode ??= 70;
  };
  process.once("exit", unfinished);
  work.then(() => process.removeListener("exit", unfinished));
}
