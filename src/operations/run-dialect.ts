import { spawnSync } from "node:child_process";
import { DIALECTS } from "../dialects/dialects.ts";
import type { Host } from "../kernel/host.ts";
import { packageFile } from "../kernel/package-file.ts";

export const DIALECT_NAMES: readonly string[] = DIALECTS.map(({ name }) => name);

/** Answers one event from standard input to standard output, as that system does; gives its exit code. */
export function runDialect(host: Host, name: string): number {
  const program = DIALECTS.find((dialect) => dialect.name === name)?.program ?? "";
  const { status } = spawnSync(host.nodePath, [packageFile(program)], { cwd: host.cwd, stdio: "inherit" });
  return status ?? 1;
}
