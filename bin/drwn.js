#!/usr/bin/env node
import { existsSync } from "node:fs";

// `drwn hook run --dialect X` is what an agent waits for: it does not load the rest of drwn.
const [first, second, flag, dialect = "", ...more] = process.argv.slice(2);
const isHook = first === "hook" && second === "run" && flag === "--dialect" && more.length === 0;
const program = new URL(`../dist/runtime/dialects/${/^[a-z]+$/u.test(dialect) ? dialect : ""}.cjs`, import.meta.url);

if (isHook && existsSync(program)) await import(program.href);
else {
  const { runCli } = await import("../dist/cli/run.js");
  await runCli();
}
