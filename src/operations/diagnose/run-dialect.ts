import { spawnSync } from "node:child_process";
import type { Host } from "../../kernel/host.ts";
import { packageFile } from "../../kernel/package-file.ts";
import { Problem } from "../../kernel/problem.ts";
import { traceProcess } from "../../kernel/trace.ts";
import { DIALECTS } from "../../systems/systems.ts";

/** Systems whose hooks drwn runs as they are. */
export const DIALECT_NAMES: readonly string[] = DIALECTS.flatMap(({ name, program }) =>
  program === undefined ? [] : [name],
);

export interface DialectRun {
  name: string;
  /** For a dialect whose program needs the event's name. */
  event: string | undefined;
  root: string | undefined;
}

/** Answers one event from standard input on standard output, as that system does; returns its exit code. */
export function runDialect(host: Host, { name, event, root }: DialectRun): number {
  const dialect = DIALECTS.find((one) => one.name === name);
  const given = Object.entries({ event, root }).flatMap(([flag, value]) =>
    value === undefined ? [] : [`--${flag}`, value],
  );
  if (dialect?.isToldEvent === true && event === undefined)
    throw usage(`${name} needs the name of the event: --event NAME`);
  if (dialect?.isToldEvent !== true && given.length > 0) throw usage(`the events of ${name} name themselves`);
  const program = packageFile(dialect?.program ?? "");
  const ended = traceProcess(host.nodePath, [program, ...given]);
  const { status } = spawnSync(host.nodePath, [program, ...given], { cwd: host.cwd, stdio: "inherit" });
  ended(status);
  return status ?? 1;
}

export function usage(message: string): Problem {
  return new Problem("DRWN_USAGE", message, { hint: "drwn hook run --help" });
}
