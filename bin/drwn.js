#!/usr/bin/env node
import { existsSync } from "node:fs";
import { createRequire } from "node:module";

// `drwn hook run --dialect X` is what an agent waits for: it does not load the rest of drwn, nor what looks into a module.
const [first, second, flag, dialect = "", ...more] = process.argv.slice(2);
const isHook = first === "hook" && second === "run" && flag === "--dialect" && more.length === 0;
const program = `../dist/runtime/dialects/${/^[a-z]+$/u.test(dialect) ? dialect : ""}.cjs`;

if (isHook && existsSync(new URL(program, import.meta.url))) createRequire(import.meta.url)(program);
else {
  const { runCli } = await import("../dist/cli/run.js");
  await runCli();
}
