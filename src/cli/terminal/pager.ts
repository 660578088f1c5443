import { spawnSync } from "node:child_process";
import type { Host } from "../../kernel/host.ts";
import { escapeForTerminal } from "../../kernel/text.ts";
import { traceProcess } from "../../kernel/trace.ts";
import { type Console, fitLine, isPlain, output } from "./console.ts";

/** Shows many lines: on a terminal through $PAGER or less; else on stderr like any other talk. */
export function pageLines(lines: readonly string[], { host, console }: { host: Host; console: Console }): void {
  const pager = host.env["PAGER"] ?? (isPlain() ? "" : "less");
  if (pager === "" || !output.isTerminal(1) || !runPager(pager, lines, host.env)) {
    for (const line of lines) console.talk(line);
  }
}

/** Returns false if the pager could not be used: then nobody has seen anything. */
function runPager(pager: string, lines: readonly string[], env: Host["env"]): boolean {
  const ended = traceProcess("/bin/sh", ["-c", pager]);
  const { status, error } = spawnSync("/bin/sh", ["-c", pager], {
    input: `${lines
      .flatMap((line) => fitLine(line, 1))
      .map(escapeForTerminal)
      .join("\n")}\n`,
    stdio: ["pipe", "inherit", "inherit"],
    // As in git: less shows colours, and ends by itself if everything fits.
    env: { LESS: "FRX", ...env },
  });
  ended(status);
  return error === undefined && status === 0;
}
