import type { PJSON } from "@oclif/core/interfaces";
import { readEnvironment } from "../kernel/host.ts";
import { makeConsole } from "./console.ts";

/** The line that oclif would print, once it had loaded its plugins. Imported late, this comes without oclif. */
export function printVersion({ name, version }: PJSON): void {
  makeConsole(readEnvironment()).out(`${name}/${version} ${process.platform}-${process.arch} node-${process.version}`);
}
