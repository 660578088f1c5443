#!/usr/bin/env node
import { existsSync } from "node:fs";
import { createRequire } from "node:module";

// `drwn hook run --dialect X` is what an agent waits for: it does not load the rest of drwn, nor what looks into a module.
const [first, second, flag, dialect = "", ...more] = process.argv.slice(2);
const isHook = first === "hook" && second === "run" && flag === "--dialect" && /^[a-z]+$/u.test(dialect);
// `--event E` and `--root DIR` are the program's; with anything else it is for the CLI to say what is wrong.
const isForProgram = isHook && more.every((word, at) => at % 2 === 1 || word === "--event" || word === "--root");
const hot = `../dist/runtime/dialects/${dialect}.cjs`;
const program = `../dist/dialects/${dialect}.mjs`;
const isThere = (file) => existsSync(new URL(file, import.meta.url));

const load = createRequire(import.meta.url);

if (isHook && more.length === 0 && isThere(hot)) load(hot);
else if (isForProgram && isThere(program)) {
  process.argv.splice(2, 4);
  await import(program);
} else {
  await load("../dist/cli/run.cjs").runCli();
}
