import type { PJSON } from "@oclif/core/interfaces";
import { readEnvironment } from "../../kernel/host.ts";
import { makeConsole } from "./console.ts";

/** drwn's version, with the machine and the Node that it runs on, for bug reports. */
export function printVersion({ name, version }: PJSON): void {
  makeConsole(readEnvironment()).out(`${name}/${version} ${process.platform}-${process.arch} node-${process.version}`);
}
